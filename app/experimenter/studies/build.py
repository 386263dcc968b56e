"""From SQL to the list of studies and a study's overview."""

from sqlmodel import Session

from app.experimenter.access import Shell
from app.experimenter.studies.pages import CountLine, OverviewPage, StudiesPage
from app.experimenter.studies.steps import steps_of
from app.people.logins import Who
from app.study.access import StudyHere, shares
from app.study.drafts import draft_for
from app.study.listing import StudyLine, study_line, study_lines
from app.study.tables import Mode


def studies_page(session: Session, shell: Shell, who: Who) -> StudiesPage:
    return StudiesPage(shell=shell, studies=study_lines(session, who))


def overview_page(
    session: Session, shell: Shell, study: StudyHere, site: str, *, error: str = "", email: str = ""
) -> OverviewPage:
    """`site` is where the service is reached, for the address that participants are given."""
    line, draft = study_line(session, study), draft_for(session, study)
    steps = steps_of(session, study, line, draft)
    return OverviewPage(
        shell=shell,
        error=error,
        study=line,
        address=f"{site.rstrip('/')}/s/{study.slug}",
        draft=draft,
        steps=steps,
        next=next((step for step in steps if not step.is_done), None),
        counts=_counts(line),
        shared_with=shares(session, study),
        email=email,
    )


def _counts(line: StudyLine) -> list[CountLine]:
    lines = [CountLine(mode, line.n_sessions(mode), line.n_completed(mode)) for mode in Mode]
    return [each for each in lines if each.n or each.mode == Mode.LIVE]
