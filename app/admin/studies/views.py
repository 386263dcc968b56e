"""The data of the list of studies and a study's overview, from SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.admin.studies.steps import Step, marks_of, next_of, steps_of
from app.studies.access import SharedWith, StudyHere, shares
from app.studies.drafts import DraftView, draft_for
from app.studies.listing import StudyLine, n_archived, study_line, study_lines
from app.studies.notes import NoteView, notes_of
from app.trials.tables import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage(AdminPage):
    """The studies that are not archived, or those that are; `n_archived` counts the latter in any case."""

    template: ClassVar[str] = "studies-list.html"
    tab: ClassVar[str] = "studies"
    studies: Sequence[StudyLine]
    archived: bool
    n_archived: int


@dataclass(frozen=True, slots=True)
class CountLine:
    """Sessions of one mode: how many came, and how many went to the end."""

    mode: str
    n: int
    n_completed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage(AdminPage):
    """The overview. `steps` have their status; `email` is the input in the share form.

    `name` is what was typed to confirm the study's deletion, `note` a note that was not taken.
    """

    template: ClassVar[str] = "studies-overview.html"
    tab: ClassVar[str] = "overview"
    study: StudyLine
    address: str
    draft: DraftView
    steps: Sequence[tuple[Step, str]]
    counts: Sequence[CountLine]
    shared_with: Sequence[SharedWith]
    notes: Sequence[NoteView] = ()
    email: str = ""
    name: str = ""
    note: str = ""


def studies_page(session: Session, shell: Shell, who: Who, *, archived: bool) -> StudiesPage:
    lines = study_lines(session, who, archived=archived)
    return StudiesPage(shell=shell, studies=lines, archived=archived, n_archived=n_archived(session, who))


def overview_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    site: str,
    *,
    error: str = "",
    email: str = "",
    name: str = "",
    note: str = "",
) -> OverviewPage:
    """`site` is where the service is reached, for the address that participants are given."""
    line, draft = study_line(session, study), draft_for(session, study)
    steps = steps_of(session, shell.who, study, line, draft)
    return OverviewPage(
        shell=shell,
        error=error,
        study=line,
        address=f"{site.rstrip('/')}/s/{study.slug}",
        draft=draft,
        steps=list(zip(steps, marks_of(steps, next_of(steps, line.state), line.state), strict=True)),
        counts=_counts(line),
        shared_with=shares(session, study),
        notes=notes_of(session, shell.who, study),
        email=email,
        name=name,
        note=note,
    )


def _counts(line: StudyLine) -> list[CountLine]:
    lines = [CountLine(mode, line.n_sessions(mode), line.n_completed(mode)) for mode in Mode]
    return [each for each in lines if each.n or each.mode == Mode.LIVE]
