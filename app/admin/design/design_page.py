"""Builds the design page from a draft."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.design.choices import Known, known_of
from app.admin.design.clashing import clash_views, step_words
from app.admin.design.faults import fault_views, marked
from app.admin.design.fields import fields_to_keys
from app.admin.design.gists import block_names
from app.admin.design.outline import sums_in
from app.admin.design.places import (
    ALL,
    FIRST,
    SECTIONS,
    counts,
    is_within,
    section_named,
    section_of,
)
from app.admin.design.saving import Saved
from app.admin.design.sections import sections
from app.admin.design.values import Keys, dotted
from app.admin.design.views import (
    ClashesPage,
    DesignPage,
    FaultsPage,
    FaultView,
    FieldsPage,
    IndexEntry,
    PageName,
    SectionView,
)
from app.core.problems import Fault
from app.core.templating import html_of
from app.matches.watching import match_blocks
from app.studies.access import StudyHere
from app.studies.drafts import draft_here
from app.studies.file.comparable import has_blocks
from app.studies.file.drafts import DraftCheck, check_draft
from app.studies.file.templates import unfilled
from app.studies.saving import needs_reason
from app.studies.seeing import facts_for
from app.studies.undoing import steps_of
from app.trials.stimuli import StimulusFacts

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
    """The reply to our script about a save; `html` if the form's structure may have changed.

    `marks` are what is said at each field or part, `counts` what is missing in each, `new` the place of a card that was
    just added. `sums` say what fields and groups come to.
    """

    revision: int
    saved_at: str
    marks: Mapping[str, str]
    n_faults: int
    counts: Mapping[str, int]
    list: str
    html: str
    focus: str
    sums: Mapping[str, Sequence[str]]
    new: str
    undo: str
    redo: str
    merged_with: str
    clashes: str


@dataclass(frozen=True, slots=True)
class _Found:
    """The faults of a draft as a section's page lists them."""

    keys: Keys
    known: Known
    all: Sequence[FaultView]
    section: str
    new: str

    @property
    def fresh(self) -> Sequence[FaultView]:
        """The faults of a card that was just added: they are said once something is typed and saved."""
        return [fault for fault in self.all if self.new and f"{fault.at}.".startswith(f"{self.new}.")]

    @property
    def listed(self) -> Sequence[FaultView]:
        return [fault for fault in self.all if fault not in self.fresh]

    @property
    def here(self) -> Sequence[FaultView]:
        """The faults of the section, and those of no field."""
        return [
            fault
            for fault in self.listed
            if self.section == ALL or not fault.at or section_of(fault.at) == self.section
        ]

    @property
    def elsewhere(self) -> Sequence[IndexEntry]:
        here = self.here
        found = counts(fault.at for fault in self.listed if fault not in here)
        return [IndexEntry(each.slug, each.title, found[each.slug]) for each in SECTIONS if found[each.slug]]

    @property
    def unfilled(self) -> Sequence[str]:
        return list(dict.fromkeys(each.text for each in unfilled(self.keys)))

    def views(self) -> Sequence[SectionView]:
        """The parts of the form that are in the section."""
        return sections(self.keys, marked(self.listed), self.known, of=self.section)


def due(keys: Keys, faults: Iterable[FaultView]) -> Mapping[str, int]:
    """The number of what is missing in each section: faults, and places in [BRACKETS]."""
    return counts(
        [*(fault.at for fault in faults if fault.at), *(dotted(each.place) for each in unfilled(keys))]
    )


def first_due(session: Session, study: StudyHere) -> str:
    """The first section with something missing, or the first."""
    here = draft_here(session, study)
    keys = here.draft.keys
    found = due(keys, _found(keys, here.stimuli, here.check, (), ALL).all)
    return next((slug for slug, n in found.items() if n), FIRST)


def design_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    section: str = ALL,
    *,
    refused: Iterable[Fault] = (),
    error: str = "",
    typed: Mapping[str, str] | None = None,
    is_conflict: bool = False,
    new: str = "",
    saved: Saved | None = None,
) -> DesignPage:
    """The page of a section of the stored draft, or with the `typed` values that could not be saved.

    `saved` is the result of a save with places that another editor changed, too.
    """
    section_named(section)
    here, within = shell.draft_of(session, study), partial(is_within, section)
    draft, stimuli, keys = here.draft, here.stimuli, here.draft.keys
    if typed is None:
        found = _found(keys, stimuli, here.check, refused, section, new)
    else:
        keys = fields_to_keys(keys, typed, whole=True, within=within).keys
        found = _found(keys, stimuli, check_draft(dict(keys), stimuli), refused, section, new)
    newest, frozen = here.row.number or 0, here.row.frozen_at is not None
    undo, redo = step_words(keys, steps_of(session, study.id, draft.revision))
    views, pages, n_due = found.views(), _pages(keys), due(keys, found.all)
    return DesignPage(
        shell=shell,
        error=error + CONFLICT if is_conflict else error,
        slug=study.slug,
        sections=views,
        section=section,
        index=[IndexEntry(each.slug, each.title, n_due[each.slug]) for each in SECTIONS],
        faults=found.here,
        n_faults=len(found.all),
        elsewhere=found.elsewhere,
        n_new=len(found.fresh),
        new=new,
        pages=pages,
        shown=_shown(views, pages),
        revision=typed.get("revision", "") if typed else str(draft.revision),
        saved_at=draft.saved_at,
        saved_by=draft.saved_by,
        newest_version=newest,
        next_version=newest + 1 if frozen or not newest else newest,
        needs_reason=needs_reason(session, study),
        playable=match_blocks(session, study),
        unfilled=found.unfilled,
        is_conflict=is_conflict,
        undo=undo,
        redo=redo,
        clashes=clash_views(keys, saved.clashes) if saved else (),
        merged_with=saved.merged_with if saved else "",
    )


def _pages(keys: Keys) -> Sequence[tuple[str, str]]:
    """The pages that participants see; with blocks, one for each block."""
    if not has_blocks(keys):
        return PAGES
    names = enumerate(block_names(keys)[:_MOST_TABS], start=1)
    of_blocks = [(f"block-{number}", name[:_LONGEST_NAME]) for number, name in names]
    return [*(page for page in PAGES if page[0] not in ("trial", "debrief")), *of_blocks, PAGES[-1]]


def _shown(views: Sequence[SectionView], pages: Sequence[tuple[str, str]]) -> str:
    """The participant's page that belongs to a section."""
    page = views[0].page if views else "consent"
    names = [name for name, _ in pages]
    return page if page in names else next((name for name in names if name.startswith("block-")), "consent")


def reply(session: Session, shell: Shell, study: StudyHere, saved: Saved, section: str, whole: bool) -> Reply:
    keys, new = saved.draft.keys, saved.new
    stimuli, at = facts_for(session, study), saved.draft.saved_at
    found = _found(keys, stimuli, check_draft(dict(keys), stimuli), saved.refused, section, new)
    faults = FaultsPage(
        shell=shell,
        slug=study.slug,
        faults=found.here,
        n_faults=len(found.all),
        elsewhere=found.elsewhere,
        n_new=len(found.fresh),
        unfilled=found.unfilled,
    )
    is_changed = whole or bool(saved.merged_with)
    fields = FieldsPage(shell=shell, slug=study.slug, sections=found.views()) if is_changed else None
    undo, redo = step_words(keys, steps_of(session, study.id, saved.draft.revision))
    clashes = ClashesPage(
        shell=shell,
        slug=study.slug,
        section=section,
        revision=str(saved.draft.revision),
        clashes=clash_views(keys, saved.clashes),
        merged_with=saved.merged_with,
    )
    return Reply(
        revision=saved.draft.revision,
        saved_at=at.isoformat() if at else "",
        marks=marked(found.listed),
        n_faults=len(found.all),
        counts=due(keys, found.all),
        list=html_of(faults),
        html=html_of(fields) if fields else "",
        focus=saved.focus,
        sums=sums_in(keys),
        new=new if found.fresh else "",
        undo=undo,
        redo=redo,
        merged_with=saved.merged_with,
        clashes=html_of(clashes) if saved.clashes else "",
    )


def _found(
    keys: Keys,
    stimuli: Mapping[str, StimulusFacts],
    check: DraftCheck,
    refused: Iterable[Fault],
    section: str,
    new: str = "",
) -> _Found:
    views = fault_views(keys, (*refused, *check.faults))
    return _Found(keys, known_of(check.groups, stimuli), views, section, new)
