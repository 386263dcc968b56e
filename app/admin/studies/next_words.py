"""A study's next step in the list, as a link in words of its own."""

from dataclasses import dataclass

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.studies.steps import next_of, steps_of
from app.studies.access import study_for
from app.studies.drafts import draft_here
from app.studies.listing import StudyLine
from app.trials.tables import Mode, State


@dataclass(frozen=True, slots=True)
class NextLink:
    """An action in words, and the address at which it is done."""

    words: str
    address: str


# Of steps that say no more about themselves.
_WORDS = {
    "Clips": "Add clips",
    "Pairs": "Choose pairs",
    "Blocks": "Write the blocks",
    "Design": "Finish the design",
    "Clues": "Check the clues",
    "Preview": "Preview it",
    "Pilot": "Pilot it",
    "Launch": "Launch it",
}


def next_link(session: Session, who: Who, line: StudyLine) -> NextLink:
    """After the launch the state alone says what is next; before it, the first step that is not done."""
    here = f"/admin/studies/{line.slug}"
    if line.archived_at is not None:
        return NextLink("Look at it", here)
    match line.state:
        case State.CLOSED:
            return NextLink("Read the results", f"{here}/results")
        case State.PAUSED:
            return NextLink("Continue or close", f"{here}/launch")
        case State.LIVE:
            return (
                NextLink("Close it", f"{here}/launch")
                if line.is_full
                else NextLink("Open the monitor", f"{here}/monitor")
            )
        case State.PILOT:
            is_piloted = line.n_completed(Mode.PILOT) > 0
            return (
                NextLink("Launch it", f"{here}/launch")
                if is_piloted
                else NextLink("Watch the pilot", f"{here}/monitor")
            )
    study = study_for(session, who, line.slug)
    step = next_of(steps_of(session, who, study, line, draft_here(session, study)), line.state)
    if step is None:
        return NextLink("Look at it", here)
    return NextLink(step.does or _WORDS.get(step.name, "Add what is shown"), step.link)
