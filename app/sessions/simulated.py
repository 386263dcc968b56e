"""Simulated people of a study: asked for, counted, removed. They walk the real pages in the background."""

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlmodel import Session, col, func, select

from app.accounts.audit import Actor, record
from app.accounts.logins import Who
from app.core.errors import Conflict, StudyError, at_field
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import Kind
from app.studies.access import StudyHere
from app.studies.forgetting import forget_sessions
from app.studies.jobs import call_off
from app.studies.launch import hold, refuse_without_version
from app.trials.tables import Mode, ParticipantSession, State, StudyVersion

MOST, USUAL = 200, 20
MOST_SEED = 1_000_000
OPEN_TO_THEM = (State.DRAFT, State.PILOT)
NOT_NOW = (
    "Simulated people come before the launch alone, so that nobody takes them for participants. "
    "Copy the study, and simulate the copy."
)


class BadSimulation(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class SimulationWish:
    """Wish: how many come, how often they find the true clip (a share), and the seed of their answers."""

    n: int = USUAL
    accuracy: float = 0.75
    seed: int = 1

    def checked(self) -> "SimulationWish":
        """Raises BadSimulation."""
        with at_field("people"):
            if not 1 <= self.n <= MOST:
                raise BadSimulation(f"Choose 1 to {MOST} simulated people.")
        with at_field("accuracy"):
            if not 0 <= self.accuracy <= 1:
                raise BadSimulation("How often they find the true clip is a percentage from 0 to 100.")
        with at_field("seed"):
            if not 0 <= self.seed <= MOST_SEED:
                raise BadSimulation(f"The seed is a whole number from 0 to {MOST_SEED:,}.")
        return self


@dataclass(frozen=True, slots=True)
class Simulated:
    """The simulated people of a study: sessions, completed ones, and the newest run of them, if any."""

    n: int
    n_completed: int
    run: JobView | None
    is_open: bool


def simulated_here(session: Session, study: StudyHere) -> Simulated:
    table = ParticipantSession
    n, n_completed = session.exec(
        select(func.count(), func.count(col(table.ended_at)))
        .select_from(table)
        .join(StudyVersion, col(StudyVersion.id) == table.version_id)
        .where(StudyVersion.study_id == study.id, table.mode == Mode.SIMULATED)
    ).one()
    runs = queue.jobs_of(session, Kind.SIMULATION, study.id, limit=1)
    return Simulated(n, n_completed, runs[0] if runs else None, study.state in OPEN_TO_THEM)


def ask_simulation(session: Session, who: Who, study: StudyHere, wish: SimulationWish, now: datetime) -> int:
    """Send simulated people through the newest version, in the background.

    Raises BadSimulation, NotReady without a version, and Conflict once the study is launched or while others walk.
    """
    wish.checked()
    refuse_without_version(session, study)
    if State(hold(session, study).state) not in OPEN_TO_THEM:
        raise Conflict(NOT_NOW)
    here = simulated_here(session, study)
    if here.run is not None and not here.run.is_over:
        raise Conflict("Simulated people are on their way already; wait for them, or cancel them.")
    record(session, who.actor, "simulation.ask", now=now, study=study.slug, after=asdict(wish))
    # A run that is repeated after a crash of the worker sends as many as are still missing.
    params = {"slug": study.slug, **asdict(wish), "there": here.n}
    return queue.ask(session, Kind.SIMULATION, params, now=now, asked_by=who.user_id, study_id=study.id)


def stop_simulation(session: Session, who: Who, study: StudyHere, now: datetime) -> None:
    """Cancel the run of simulated people that is under way. Raises Conflict where there is none."""
    hold(session, study)
    standing = queue.jobs_of(session, Kind.SIMULATION, study.id, limit=1, standing=True)
    if not standing:
        raise Conflict("No simulated people are on their way.")
    call_off(session, who, standing[0].id, now)


def remove_simulated(session: Session, by: Actor, study: StudyHere, now: datetime) -> int:
    """Delete all simulated sessions of the study with their answers; returns how many. Raises Conflict while some
    are on their way.
    """
    hold(session, study)
    if queue.jobs_of(session, Kind.SIMULATION, study.id, limit=1, standing=True):
        raise Conflict("Simulated people are still on their way; cancel them first.")
    versions = session.exec(select(StudyVersion.id).where(StudyVersion.study_id == study.id)).all()
    n = sum(forget_sessions(session, version or 0, Mode.SIMULATED) for version in versions)
    record(session, by, "simulation.remove", now=now, study=study.slug, after={"sessions": n})
    return n
