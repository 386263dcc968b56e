"""The list of sessions: a page of those that are looked for, with links to those of each kind."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar
from urllib.parse import urlencode

from sqlmodel import Session

from analysis.quality.registry import RULES
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.monitor.progress import MODES
from app.monitor.sessions_list import (
    ANY_FLAG,
    KINDS,
    Search,
    SessionList,
    checked_search,
    find_sessions,
    of_kind,
)
from app.monitor.snapshots import STATUS_TITLES
from app.monitor.strips import MOST_MARKS
from app.studies.access import StudyHere
from app.trials.flags import MEANINGS, Flag, Meaning

PER_PAGE = 15
MORE = 40
MOST_SHOWN = 500
FIELDS = ("q", "status", "mode", "flag", "excluded", "rule")

KIND_WORDS: Mapping[str, str] = {
    "all": "All",
    "under-way": "Not finished",
    "completed": "Completed",
    "flagged": "Flagged",
    "excluded": "Excluded",
    "by-rule": "Excluded by a rule",
    "unpaid": "Not to be paid",
}
# Where nobody is of them, they are no news.
_RARE = ("by-rule", "unpaid")


@dataclass(frozen=True, slots=True)
class KindLink:
    """A link that shows the sessions of one kind, with how many they are."""

    words: str
    n: int
    address: str
    is_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsPage(AdminPage):
    """`older` is the address of the next page, empty on the last; `more` shows `n_more` rows more on this one.

    `is_narrowed`: the search has criteria that stand in the folded part of its form.
    """

    template: ClassVar[str] = "sessions.html"
    most_marks: ClassVar[int] = MOST_MARKS
    tab: ClassVar[str] = "sessions"
    slug: str
    search: Search
    list: SessionList
    kinds: Sequence[KindLink]
    more: str
    n_more: int
    older: str
    first: str
    statuses: Sequence[tuple[str, str]]
    modes: Sequence[tuple[str, str]]
    flags: Sequence[tuple[str, str]]
    rules: Sequence[tuple[str, str]]
    exclusions: Sequence[tuple[str, str]]
    meanings: Mapping[Flag, Meaning]
    is_narrowed: bool
    chosen: Collection[int] = ()
    reason: str = ""


EXCLUSIONS = (
    ("", "yes or no"),
    ("yes", "by hand"),
    ("rule", "by a rule"),
    ("unpaid", "not to be paid"),
    ("no", "no"),
)


def search_of(query: Mapping[str, str]) -> tuple[Search, int]:
    """The search in an address or form, and the number of rows to show."""
    after, show = query.get("after", ""), query.get("show", "")
    given = {name: query.get(name, "") for name in FIELDS}
    search = replace(Search(**given), after=_number(after, 0))  # type: ignore[arg-type]
    return search, min(max(1, _number(show, PER_PAGE)), MOST_SHOWN)


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else otherwise


def sessions_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    search: Search,
    show: int = PER_PAGE,
    *,
    form: Mapping[str, str] | None = None,
    error: str = "",
) -> SessionsPage:
    """Raises BadSearch."""
    search = checked_search(search)
    found = find_sessions(session, study, search, limit=show, with_counts=True)
    here = f"/admin/studies/{study.slug}/sessions"
    n_more = (
        min(MORE, found.found - len(found.lines), MOST_SHOWN - show) if found.next and not search.after else 0
    )
    is_kind = {kind: of_kind(search, kind) == replace(search, after=0) for kind in KINDS}
    return SessionsPage(
        shell=shell,
        slug=study.slug,
        search=search,
        list=found,
        kinds=[
            KindLink(words, found.counts[kind], address(here, of_kind(search, kind)), is_kind[kind])
            for kind, words in KIND_WORDS.items()
            if kind not in _RARE or found.counts[kind] or is_kind[kind]
        ],
        more=f"{address(here, search, show + n_more)}#row-{len(found.lines) + 1}" if n_more else "",
        n_more=n_more,
        older=address(here, replace(search, after=found.next)) if found.next else "",
        first=address(here, replace(search, after=0)) if search.after else "",
        statuses=[("", "any"), *((status, words.lower()) for status, words in STATUS_TITLES.items())],
        modes=[("", "any"), *((mode, mode) for mode in MODES)],
        flags=[
            ("", "any or none"),
            (ANY_FLAG, "any flag"),
            *((flag, meaning.title) for flag, meaning in MEANINGS.items()),
        ],
        rules=[("", "any or none"), *((name, rule.title) for name, rule in RULES.items())],
        exclusions=EXCLUSIONS,
        meanings=MEANINGS,
        is_narrowed=bool(search.rule) or not any(is_kind.values()),
        chosen=[
            int(name[1:])
            for name in form or {}
            if name[:1] == "s" and name[1:].isdecimal() and len(name) < 12
        ],
        reason=(form or {}).get("reason", ""),
        error=error,
    )


def address(here: str, search: Search, show: int = PER_PAGE) -> str:
    fields = {name: getattr(search, name) for name in (*FIELDS, "after")}
    fields["show"] = show if show != PER_PAGE else ""
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"{here}?{query}" if query else here
