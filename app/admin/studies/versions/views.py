"""The data of the version pages, from SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.design.faults import fault_views
from app.admin.design.places import address_of
from app.admin.pages import AdminPage
from app.core.errors import StudyError, page_words
from app.core.problems import Fault, Problem
from app.studies.access import StudyHere
from app.studies.current import current
from app.studies.file.difference import Difference
from app.studies.file.problems import StudyFileProblems
from app.studies.file.titles import in_words
from app.studies.history import Comparison, Which, compare, unsaved_differences
from app.studies.listing import VersionLine, version_lines
from app.studies.saving import ReasonDue, needs_reason


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A fault to correct, and its place in the form."""

    place: str
    message: str
    remedy: str
    link: str


@dataclass(frozen=True, slots=True)
class Unsaved:
    """The draft. `changes` is None where there is no version to compare it with; `may_save` that nothing is wrong."""

    revision: int
    saved_at: datetime | None
    saved_by: str
    faults: Sequence[FaultLine]
    changes: Sequence[Difference] | None
    next_number: int
    needs_reason: bool

    @property
    def may_save(self) -> bool:
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsPage(AdminPage):
    """The versions. `reason` is what was typed; `problems` those of an uploaded study file."""

    template: ClassVar[str] = "versions.html"
    tab: ClassVar[str] = "versions"
    slug: str
    versions: Sequence[VersionLine]
    unsaved: Unsaved | None
    choices: Sequence[tuple[str, str]]
    reason: str = ""
    reason_error: str = ""
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage(AdminPage):
    template: ClassVar[str] = "versions-compare.html"
    tab: ClassVar[str] = "versions"
    slug: str
    comparison: Comparison
    choices: Sequence[tuple[str, str]]


def versions_page(
    session: Session, shell: Shell, study: StudyHere, error: StudyError | None = None, reason: str = ""
) -> VersionsPage:
    versions = version_lines(session, study)
    is_reason = isinstance(error, ReasonDue)
    problems = error.problems if isinstance(error, StudyFileProblems) else ()
    return VersionsPage(
        shell=shell,
        error="" if error is None or is_reason or problems else page_words(error),
        slug=study.slug,
        versions=versions,
        unsaved=_unsaved(session, shell, study),
        choices=_choices(versions),
        reason=reason,
        reason_error=page_words(error) if error is not None and is_reason else "",
        problems=problems,
    )


def _unsaved(session: Session, shell: Shell, study: StudyHere) -> Unsaved | None:
    if (shell.row or current(session, study)).draft is None:
        return None
    here = shell.draft_of(session, study)
    draft = here.draft
    check, changes = here.check, unsaved_differences(session, study, here)
    newest, frozen = here.row.number or 0, here.row.frozen_at is not None
    return Unsaved(
        revision=draft.revision,
        saved_at=draft.saved_at,
        saved_by=draft.saved_by,
        faults=fault_lines(study.slug, draft.keys, check.faults),
        changes=None if changes is None else tuple(map(in_words, changes.differences)),
        next_number=newest + 1 if frozen or not newest else newest,
        needs_reason=needs_reason(session, study),
    )


def fault_lines(slug: str, keys: Mapping[str, Any], faults: Sequence[Fault]) -> list[FaultLine]:
    """Faults, each with the address of the field where it is corrected."""
    here = f"/admin/studies/{slug}"
    lines = []
    for fault, view in zip(faults, fault_views(keys, faults), strict=True):
        first = fault.place[0] if fault.place else ""
        link = {"pairs": f"{here}/pairs", "sample": f"{here}/pairs/draw"}.get(str(first))
        lines.append(FaultLine(view.where, view.message, view.remedy, link or address_of(here, view.at)))
    return lines


def _choices(versions: Sequence[VersionLine]) -> list[tuple[str, str]]:
    """The designs that can be compared."""
    return [
        ("draft", "the design as it stands now"),
        *((str(v.number), f"version {v.number}") for v in versions),
    ]


def compare_page(
    session: Session, shell: Shell, study: StudyHere, before: Which, after: Which
) -> ComparePage:
    return ComparePage(
        shell=shell,
        slug=study.slug,
        comparison=_in_words(compare(session, study, before, after, shell.draft)),
        choices=_choices(version_lines(session, study)),
    )


def _in_words(comparison: Comparison) -> Comparison:
    return replace(comparison, differences=tuple(map(in_words, comparison.differences)))
