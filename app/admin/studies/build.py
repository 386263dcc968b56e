"""From SQL to the list of studies and a study's overview."""

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.studies.pages import CountLine, OverviewPage, StudiesPage
from app.admin.studies.steps import marks_of, next_of, steps_of
from app.sessions.tables import Mode
from app.studies.access import StudyHere, shares
from app.studies.drafts import draft_for
from app.studies.listing import StudyLine, n_archived, study_line, study_lines


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
        email=email,
        name=name,
    )


def _counts(line: StudyLine) -> list[CountLine]:
    lines = [CountLine(mode, line.n_sessions(mode), line.n_completed(mode)) for mode in Mode]
    return [each for each in lines if each.n or each.mode == Mode.LIVE]
