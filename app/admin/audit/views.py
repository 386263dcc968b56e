"""The data of the audit log's page, and its CSV, from SQL."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from textwrap import indent
from typing import Any, ClassVar
from urllib.parse import urlencode

from sqlmodel import Session

from app.accounts import auditlog
from app.accounts.auditlog import CHANGES, NAMES, AuditFilter, EntryView
from app.accounts.sentences import actions, address, kinds, sentence
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.core.database import Database
from app.core.spreadsheet import csv_text, rows_text
from app.studies.access import StudyHere
from app.studies.file.difference import Difference, differences
from app.studies.file.keys import UnwieldyDraft
from app.studies.file.titles import in_words, titles
from app.studies.titles import titles_of

ROWS, MORE, MOST_ROWS = 20, 40, 500
IN_PART = 1000
EXPORTED = ("at", "who", "said", "kind", "action", "study", "subject")
LONGEST_SHOWN = 4000
_OF_DRAFTS = {"draft.save", "draft.replace", "draft.drop", "study.create"}
_DRAFT = "draft"
PERIODS: Mapping[str, tuple[str, timedelta]] = {
    "day": ("the last 24 hours", timedelta(days=1)),
    "week": ("the last 7 days", timedelta(days=7)),
    "month": ("the last 30 days", timedelta(days=30)),
    "year": ("the last 365 days", timedelta(days=365)),
}


@dataclass(frozen=True, slots=True)
class AuditWish:
    """The parameters of the address; empty means any. `rows` are shown at once, `before` is an entry's id."""

    study: str = ""
    kind: str = ""
    who: str = ""
    action: str = ""
    period: str = ""
    before: int = 0
    rows: int = 0

    def wanted(self, study: StudyHere | None, now: datetime) -> AuditFilter:
        period = PERIODS.get(self.period)
        return AuditFilter(
            kind=self.kind,
            study=study.slug if study else self.study,
            actor=self.who,
            action=self.action,
            before=self.before,
            since=now - period[1] if period else None,
        )

    def address(self, page: str, **other: Any) -> str:
        """The address of the same filter with other parameters."""
        given = {name: value for name, value in (asdict(self) | other).items() if value}
        return f"{page}?{urlencode(given)}" if given else page


@dataclass(frozen=True, slots=True)
class Change:
    """One value before and after, as text."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """An entry in words; `link` is the page that it leads to, or empty."""

    entry: EntryView
    said: str
    link: str
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage(AdminPage):
    """`here` is the page's own address; `more` and `older` are empty where no more entries fit."""

    template: ClassVar[str] = "audit.html"
    tab: ClassVar[str] = "audit"
    here: str
    rows: Sequence[AuditRow]
    people: Sequence[tuple[str, str]]
    studies: Sequence[tuple[str, str]]
    kinds: Sequence[tuple[str, str]]
    periods: Sequence[tuple[str, str]]
    actions: Sequence[tuple[str, str]]
    wish: AuditWish
    csv: str
    more: str
    older: str
    newest: str

    @property
    def is_filtered(self) -> bool:
        return self.wish != AuditWish(before=0, rows=self.wish.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAuditPage(AuditPage):
    """One study's part of it: under the study, and not among the owners' pages."""

    tab: ClassVar[str] = "log"


def audit_page(
    session: Session, shell: Shell, wish: AuditWish, study: StudyHere | None, now: datetime
) -> AuditPage:
    """The audit log of one study, or of everything."""
    here = f"/admin/studies/{study.slug}/audit" if study else "/admin/audit"
    wish = replace(wish, study="" if study else wish.study)
    n_rows = min(max(wish.rows, ROWS), MOST_ROWS)
    # One more than is shown tells whether there are older ones.
    found = auditlog.entries(session, wish.wanted(study, now), n_rows + 1)
    shown = found[:n_rows]
    has_more = len(found) > len(shown)
    choices = auditlog.choices(session, study.slug if study else "")
    titles = titles_of(session, choices.studies)
    page = StudyAuditPage if study else AuditPage
    return page(
        shell=shell,
        here=here,
        rows=_rows(shown, titles),
        people=[(name, NAMES.get(name, name)) for name in choices.actors],
        studies=[(slug, titles.get(slug, slug)) for slug in choices.studies],
        kinds=[(CHANGES, "All changes"), *kinds().items()],
        periods=[(name, label) for name, (label, _) in PERIODS.items()],
        actions=[(wish.action, _action_label(wish.action))] if wish.action else [],
        wish=wish,
        csv=wish.address(f"{here}.csv", rows=0, before=0),
        more=wish.address(here, rows=n_rows + MORE) if has_more and n_rows < MOST_ROWS else "",
        older=wish.address(here, before=shown[-1].id, rows=n_rows) if has_more else "",
        newest=wish.address(here, before=0) if wish.before else "",
    )


async def audit_csv(
    database: Database, wish: AuditWish, study: StudyHere | None, now: datetime
) -> AsyncIterator[str]:
    """The entries that fit as CSV, newest first, without what was before and after: that may name participants.

    They are read and sent in parts. Entries that come meanwhile are newer than the first part, and not in it.
    """
    yield csv_text(EXPORTED, ())
    wanted = replace(wish, before=0).wanted(study, now)
    while True:
        part = await database.read(_csv_part, wanted)
        if not part.last:
            return
        yield part.text
        wanted = replace(wanted, before=part.last)


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows of the CSV; `last` is the id of the last entry in them, 0 where there are none."""

    text: str
    last: int


def _csv_part(session: Session, wanted: AuditFilter) -> _Part:
    found = auditlog.entries(session, wanted, IN_PART)
    titles = titles_of(session, {entry.study for entry in found if entry.study})
    text = rows_text(
        [
            (
                entry.at.isoformat(timespec="seconds"),
                entry.actor,
                _said(entry, titles),
                actions()[entry.action].kind if entry.action in actions() else "",
                entry.action,
                entry.study or "",
                entry.subject,
            )
            for entry in found
        ],
    )
    return _Part(text, found[-1].id if found else 0)


def _rows(entries: Sequence[EntryView], titles: Mapping[str, str]) -> Sequence[AuditRow]:
    return [
        AuditRow(entry, _said(entry, titles), address(entry.action, entry.study), changes_of(entry))
        for entry in entries
    ]


def _said(entry: EntryView, titles: Mapping[str, str]) -> str:
    title = titles.get(entry.study, "") or entry.study if entry.study else entry.subject
    return sentence(entry.who, entry.action, title or "", entry.subject, entry.before, entry.after)


def _action_label(action: str) -> str:
    """The kind of an action that an older link names."""
    return kinds()[actions()[action].kind] if action in actions() else action


def changes_of(entry: EntryView) -> Sequence[Change]:
    """The differences between before and after: of a draft in the form's words, of others by key, else as a whole."""
    before, after = entry.before, entry.after
    if before is None and after is None:
        return []
    if not (isinstance(before or {}, dict) and isinstance(after or {}, dict)):
        return [Change("", _text(before), _text(after))]
    was, new = before or {}, after or {}
    if entry.action in _OF_DRAFTS:
        return _of_draft(was, new)
    names = sorted(name for name in {*was, *new} - {_DRAFT} if was.get(name) != new.get(name))
    changes = [Change(_title(name), _text(was.get(name)), _text(new.get(name))) for name in names]
    # A version takes the place of the draft, which is kept here.
    dropped = _of_draft(was.get(_DRAFT) or {}, {})
    return [*changes, *(replace(each, name=f"Draft until then › {each.name}") for each in dropped)]


def _of_draft(was: Any, new: Any) -> Sequence[Change]:
    try:
        return [_of_design(in_words(each)) for each in differences(was, new)]
    except UnwieldyDraft:
        return [Change("", _text(was), _text(new))]


def _of_design(change: Difference) -> Change:
    """A text of several lines shows those that went and those that came."""
    gone, new = ("\n".join(line for kind, line in change.lines if kind == sign) for sign in "-+")
    return Change(change.place, _shortened(gone or change.before), _shortened(new or change.after))


def _title(name: str) -> str:
    """A key of an entry in words: those of the study file, where it has the key."""
    return "SHA-256" if name == "sha256" else titles().get(name) or name.replace("_", " ").capitalize()


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case dict():
            return _shortened("\n".join(_line(_title(str(key)), inner) for key, inner in value.items()))
        case list():
            return _shortened(
                ("\n" if any(isinstance(each, dict) for each in value) else ", ").join(map(_text, value))
            )
    return _shortened(str(value))


def _line(title: str, value: Any) -> str:
    """A value below its title where it has lines of its own."""
    text = _text(value)
    return f"{title}:\n{indent(text, '  ')}" if "\n" in text else f"{title}: {text}"


def _shortened(text: str) -> str:
    left_out = len(text) - LONGEST_SHOWN
    return text if left_out <= 0 else f"{text[:LONGEST_SHOWN]}\n… and {left_out:,} more characters"
