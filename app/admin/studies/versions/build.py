"""From SQL to the pages of a study's versions."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.design.faults import fault_views
from app.admin.studies.versions.pages import ComparePage, FaultLine, Unsaved, VersionsPage
from app.core.errors import StudyError
from app.studies.access import StudyHere
from app.studies.drafts import ReasonDue, check_of, draft_for, is_frozen, needs_reason
from app.studies.file.problems import Fault, StudyFileProblems
from app.studies.history import Which, compare, unsaved_differences
from app.studies.listing import VersionLine, version_lines


def versions_page(
    session: Session, shell: Shell, study: StudyHere, error: StudyError | None = None, reason: str = ""
) -> VersionsPage:
    versions = version_lines(session, study)
    is_reason = isinstance(error, ReasonDue)
    problems = error.problems if isinstance(error, StudyFileProblems) else ()
    return VersionsPage(
        shell=shell,
        error="" if error is None or is_reason or problems else str(error),
        slug=study.slug,
        versions=versions,
        unsaved=_unsaved(session, study, versions),
        choices=_choices(versions),
        reason=reason,
        reason_error=str(error) if is_reason else "",
        problems=problems,
    )


def _unsaved(session: Session, study: StudyHere, versions: Sequence[VersionLine]) -> Unsaved | None:
    draft = draft_for(session, study)
    if not draft.is_unsaved:
        return None
    check, changes = check_of(session, study, draft.keys), unsaved_differences(session, study)
    newest = versions[0].number if versions else 0
    frozen = bool(newest) and is_frozen(session, study, newest)
    return Unsaved(
        revision=draft.revision,
        saved_at=draft.saved_at,
        saved_by=draft.saved_by,
        faults=fault_lines(study.slug, draft.keys, check.faults),
        changes=None if changes is None else changes.differences,
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
        lines.append(FaultLine(view.where, view.message, view.remedy, link or f"{here}/design#{view.at}"))
    return lines


def _choices(versions: Sequence[VersionLine]) -> list[tuple[str, str]]:
    """What can be compared."""
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
        comparison=compare(session, study, before, after),
        choices=_choices(version_lines(session, study)),
    )
