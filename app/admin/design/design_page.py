"""Builds the design page from a draft."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.design.choices import Known, known_of
from app.admin.design.faults import fault_views, marked
from app.admin.design.fields import fields_to_keys
from app.admin.design.gists import block_names
from app.admin.design.saving import Saved
from app.admin.design.sections import sections
from app.admin.design.values import Keys
from app.admin.design.views import DesignPage, FaultsPage, FaultView, FieldsPage, PageName
from app.core.problems import Fault
from app.core.templating import html_of
from app.matches.watching import match_blocks
from app.studies.access import StudyHere
from app.studies.drafts import draft_for, is_frozen, needs_reason, newest_number
from app.studies.file.comparable import has_blocks
from app.studies.file.drafts import check_draft
from app.studies.file.templates import unfilled
from app.studies.seeing import facts_for

_LONGEST_NAME, _MOST_TABS = 20, 8
PAGES: Sequence[tuple[PageName, str]] = (
    ("consent", "Consent"),
    ("screening", "Screening"),
    ("background", "About you"),
    ("instructions", "Instructions"),
    ("comprehension", "Comprehension"),
    ("trial", "Trial"),
    ("debrief", "End"),
)
CONFLICT = " What you typed is below and not saved yet: save it over what is there now, or load that instead."


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to our script about a save; `html` if the form's structure may have changed."""

    revision: int
    saved_at: str
    faults: Sequence[Mapping[str, str]]
    list: str
    html: str
    focus: str


def design_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    *,
    refused: Iterable[Fault] = (),
    error: str = "",
    typed: Mapping[str, str] | None = None,
    is_conflict: bool = False,
) -> DesignPage:
    """The page of the stored draft, or with the `typed` values that could not be saved."""
    draft = draft_for(session, study)
    keys = draft.keys if typed is None else fields_to_keys(draft.keys, typed, whole=True).keys
    known, faults = _faults(session, study, keys, refused)
    newest = newest_number(session, study) or 0
    frozen = newest > 0 and is_frozen(session, study, newest)
    return DesignPage(
        shell=shell,
        error=error + CONFLICT if is_conflict else error,
        slug=study.slug,
        sections=sections(keys, marked(faults), known),
        faults=faults,
        pages=_pages(keys),
        shown="consent",
        revision=typed.get("revision", "") if typed else str(draft.revision),
        saved_at=draft.saved_at,
        saved_by=draft.saved_by,
        newest_version=newest,
        next_version=newest + 1 if frozen or not newest else newest,
        needs_reason=needs_reason(session, study),
        playable=match_blocks(session, study),
        unfilled=_unfilled(keys),
        is_conflict=is_conflict,
    )


def _pages(keys: Keys) -> Sequence[tuple[str, str]]:
    """The pages that participants see; with blocks, one for each block."""
    if not has_blocks(keys):
        return PAGES
    names = enumerate(block_names(keys)[:_MOST_TABS], start=1)
    of_blocks = [(f"block-{number}", name[:_LONGEST_NAME]) for number, name in names]
    return [*(page for page in PAGES if page[0] not in ("trial", "debrief")), *of_blocks, PAGES[-1]]


def reply(session: Session, shell: Shell, study: StudyHere, saved: Saved, whole: bool) -> Reply:
    keys = saved.draft.keys
    known, faults = _faults(session, study, keys, saved.refused)
    at = saved.draft.saved_at
    return Reply(
        revision=saved.draft.revision,
        saved_at=at.isoformat() if at else "",
        faults=[{"at": f.at, "message": f.message, "remedy": f.remedy} for f in faults],
        list=html_of(FaultsPage(shell=shell, faults=faults, unfilled=_unfilled(keys))),
        html=html_of(_fields(shell, study, keys, faults, known)) if whole else "",
        focus=saved.focus,
    )


def _fields(
    shell: Shell, study: StudyHere, keys: Keys, faults: Sequence[FaultView], known: Known
) -> FieldsPage:
    return FieldsPage(shell=shell, slug=study.slug, sections=sections(keys, marked(faults), known))


def _unfilled(keys: Keys) -> Sequence[str]:
    return list(dict.fromkeys(each.text for each in unfilled(keys)))


def _faults(
    session: Session, study: StudyHere, keys: Keys, refused: Iterable[Fault]
) -> tuple[Known, Sequence[FaultView]]:
    stimuli = facts_for(session, study)
    check = check_draft(dict(keys), stimuli)
    return known_of(check.groups, stimuli), fault_views(keys, (*refused, *check.faults))
