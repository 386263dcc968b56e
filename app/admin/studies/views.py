"""The data of a study's overview, from SQL."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.admin.studies.steps import Step, marks_of, next_of, steps_of
from app.studies.access import SharedWith, StudyHere, shares
from app.studies.drafts import DraftView
from app.studies.listing import StudyLine, study_line
from app.studies.notes import NoteView, notes_of
from app.trials.tables import Mode


@dataclass(frozen=True, slots=True)
class CountLine:
    """Sessions of one mode: how many came, and how many went to the end."""

    mode: str
    n: int
    n_completed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage(AdminPage):
    """The overview. `steps` have their status; `email` is the input in the share form.

    `name` is what was typed to confirm the study's deletion, `tags` are those in the form, `note` a note
    that was not taken.
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
    tags: str = ""
    note: str = ""


def overview_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    site: str,
    *,
    error: str = "",
    email: str = "",
    name: str = "",
    tags: str | None = None,
    note: str = "",
) -> OverviewPage:
    """`site` is where the service is reached, for the address that participants are given."""
    line, draft = study_line(session, study), shell.draft_of(session, study)
    steps = list(steps_of(session, shell.who, study, line, draft))
    return OverviewPage(
        shell=shell,
        error=error,
        study=line,
        address=f"{site.rstrip('/')}/s/{study.slug}",
        draft=draft.draft,
        steps=list(zip(steps, marks_of(steps, next_of(steps, line.state), line.state), strict=True)),
        counts=_counts(line),
        shared_with=shares(session, study),
        notes=notes_of(session, shell.who, study),
        email=email,
        name=name,
        tags=", ".join(line.tags) if tags is None else tags,
        note=note,
    )


def _counts(line: StudyLine) -> list[CountLine]:
    lines = [CountLine(mode, line.n_sessions(mode), line.n_completed(mode)) for mode in Mode]
    return [each for each in lines if each.n or each.mode == Mode.LIVE]
