"""Opening a study, and every other change of its state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, select, update

from app.accounts.audit import Actor, record
from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError, at_field
from app.core.problems import listed
from app.core.schema import clean
from app.jobs import queue
from app.jobs.tables import Kind
from app.studies.access import StudyHere
from app.studies.checklist import ChecklistContext, checklist, has_session, newest_of
from app.studies.closing import DEFAULT_CLOSING, DEFAULT_GRACE_MIN, LONGEST_GRACE_MIN
from app.studies.queries import study_named
from app.studies.versions import set_state
from app.trials.checks import Check
from app.trials.states import check_change, following
from app.trials.tables import Mode, ParticipantSession, State, Study, StudyVersion

LONGEST_REASON = 2_000
MOST_CHANGES = 50
OPEN = (State.PILOT, State.LIVE)


class NotReady(Conflict):
    """A blocker must be corrected before participants can come in."""


class NotAccepted(StudyError):
    """A warning was not accepted, or no reason was given."""

    status_code = 422


class BadState(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Accepted:
    """Accepted warnings by code (None: all), and the reason for opening the study despite them."""

    codes: frozenset[str] | None = frozenset()
    reason: str = ""


class BadClosing(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Closing:
    """Terms of closing: minutes for sessions under way, and the message then shown to those not finished."""

    grace_min: int = DEFAULT_GRACE_MIN
    message: str = DEFAULT_CLOSING

    def checked(self) -> "Closing":
        """A copy with normalized line ends and blanks. Raises BadClosing."""
        message = clean(self.message.replace("\r\n", "\n").strip())
        with at_field("grace"):
            if not 0 <= self.grace_min <= LONGEST_GRACE_MIN:
                raise BadClosing(f"The time to finish goes from 0 to {LONGEST_GRACE_MIN} minutes (a week).")
        with at_field("closing"):
            if not 0 < len(message) <= LONGEST_REASON:
                raise BadClosing(
                    "Tell participants who cannot finish about their pay and whom to contact; "
                    f"at most {LONGEST_REASON} characters."
                )
        return Closing(self.grace_min, message)


@dataclass(frozen=True, slots=True)
class Changed:
    before: State
    after: State
    warnings: Sequence[Check]


async def put_state(
    database: Database,
    by: Actor,
    study: StudyHere,
    to: State,
    accepted: Accepted,
    around: ChecklistContext,
    now: datetime,
    closing: Closing | None = None,
) -> Changed:
    """Like `change_state`, with the clips' files checked beforehand."""
    return await database.prepare_and_write(
        lambda session: around.looked(session, study) if to in OPEN else around,
        lambda session, looked: change_state(session, by, study, to, accepted, looked, now, closing),
    )


def change_state(
    session: Session,
    by: Actor,
    study: StudyHere,
    to: State,
    accepted: Accepted,
    around: ChecklistContext,
    now: datetime,
    closing: Closing | None = None,
) -> Changed:
    """Put a study into another state, if there is such a change and nothing stands against it.

    `closing` is for closing it, also once more, with another time or other words. Going live freezes the version; the
    first time it asks that each warning be known, with a reason, and notes both in the audit log.
    Raises Conflict, NotReady, NotAccepted, BadClosing.
    """
    held = hold(session, study)
    if held.archived_at is not None:
        raise Conflict.of_study(study.slug, "is archived; bring it back first")
    state = State(held.state)
    if to is State.CLOSED and (closing is not None or state is not to):
        return _close(session, by, study, state, (closing or Closing()).checked(), now)
    if state is to:
        return Changed(state, to, ())
    check_change(study.slug, state, to, has_live=has_live(session, study))
    if to is State.LIVE and queue.jobs_of(session, Kind.SIMULATION, study.id, limit=1, standing=True):
        raise Conflict("Simulated people are still on their way; wait for them, or cancel them, then launch.")
    warnings, noted = _open(session, study, to, accepted, around, now) if to in OPEN else ((), None)
    set_state(session, study.slug, to, by=by, now=now, noted=noted)
    return Changed(state, to, warnings)


def _close(
    session: Session, by: Actor, study: StudyHere, state: State, closing: Closing, now: datetime
) -> Changed:
    closes_at = now + timedelta(minutes=closing.grace_min) if closing.grace_min else None
    noted = {"grace_min": closing.grace_min, "message": closing.message}
    if state is State.CLOSED:
        record(session, by, "study.closing", now=now, study=study.slug, after=noted)
    else:
        check_change(study.slug, state, State.CLOSED, has_live=has_live(session, study))
        set_state(session, study.slug, State.CLOSED, by=by, now=now, noted=noted)
    values = {"closes_at": closes_at, "closing": closing.message}
    session.execute(update(Study).where(col(Study.id) == study.id).values(values))
    return Changed(state, State.CLOSED, ())


def _open(
    session: Session, study: StudyHere, to: State, accepted: Accepted, around: ChecklistContext, now: datetime
) -> tuple[Sequence[Check], dict[str, Any]]:
    """The remaining warnings, and what to record of them."""
    checks = checklist(session, study, around)
    _refuse_blockers(study, to, checks)
    warnings = [check for check in checks if check.verdict == "warning"]
    version = newest_of(session, study)
    noted: dict[str, Any] = {"version": version.number if version else 0}
    if to is State.LIVE:
        if is_first_launch(session, study):
            _refuse_unknown(warnings, accepted)
            noted |= {"warnings": [check.code for check in warnings], "reason": accepted.reason.strip()}
        if version is not None and version.frozen_at is None:
            session.execute(
                update(StudyVersion).where(col(StudyVersion.id) == version.id).values(frozen_at=now)
            )
    return warnings, noted


def hold(session: Session, study: StudyHere) -> Study:
    """The study's row, locked until the commit. Raises NotFound if it was deleted."""
    # Read anew under the lock: an object that the session has already would keep its old state.
    held = (
        select(Study).where(Study.id == study.id).with_for_update().execution_options(populate_existing=True)
    )
    row = session.exec(held).first()
    if row is None:
        raise NotFound(f"there is no study {study.slug!r} any more", on_page="This study was deleted.")
    return row


def has_live(session: Session, study: StudyHere) -> bool:
    return has_session(session, StudyVersion.study_id == study.id, ParticipantSession.mode == Mode.LIVE)


def is_first_launch(session: Session, study: StudyHere) -> bool:
    """True if nobody has taken part live in the newest version."""
    version = newest_of(session, study)
    of_it = StudyVersion.id == (version.id if version else 0)
    return not has_session(session, of_it, ParticipantSession.mode == Mode.LIVE)


def _refuse_blockers(study: StudyHere, to: State, checks: Sequence[Check]) -> None:
    blockers = [check for check in checks if check.verdict == "blocker"]
    if blockers:
        word = "be piloted" if to is State.PILOT else "go live"
        said = "; ".join(f"{check.title}: {check.detail}" for check in blockers)
        raise NotReady.of_study(study.slug, f"cannot {word} yet. {said}")


def _refuse_unknown(warnings: Sequence[Check], accepted: Accepted) -> None:
    if accepted.codes is None or not warnings:
        return
    unknown = [check for check in warnings if check.code not in accepted.codes]
    if unknown:
        with at_field(f"know-{unknown[0].code}"):
            titles = listed([check.title for check in unknown], "and")
            raise NotAccepted(f"Tick each warning to accept it; not accepted yet: {titles}.")
    with at_field("reason"):
        if not accepted.reason.strip():
            raise NotAccepted("Give a short reason why the study goes live despite them.")
        if len(accepted.reason) > LONGEST_REASON:
            raise NotAccepted(f"The reason is too long; {LONGEST_REASON} characters are allowed.")


@dataclass(frozen=True, slots=True)
class StateChange:
    """One change of state from the audit log; `warnings` were known, `reason` says why that was all right, `because`
    why the service itself made it.
    """

    at: datetime
    actor: str
    before: str
    after: str
    warnings: Sequence[str]
    reason: str
    because: str


def state_changes(session: Session, study: StudyHere) -> Sequence[StateChange]:
    """The newest first."""
    entries = select(AuditEntry).where(AuditEntry.study == study.slug, AuditEntry.action == "study.state")
    newest = entries.order_by(col(AuditEntry.id).desc()).limit(MOST_CHANGES)
    return [
        StateChange(
            at=entry.at,
            actor=entry.actor,
            before=entry.before["state"],
            after=entry.after["state"],
            warnings=entry.after.get("warnings", ()),
            reason=entry.after.get("reason", ""),
            because=entry.after.get("because", ""),
        )
        for entry in session.exec(newest)
    ]


def state_of(text: str) -> State:
    """Parse a state. Raises BadState."""
    try:
        return State(text)
    except ValueError:
        raise BadState(f"{text[:40]!r} is not a state of a study; use one of {', '.join(State)}.") from None


@dataclass(frozen=True, slots=True)
class ClosingNow:
    """The deadline for sessions under way in a closed study, None if there is none, and the message shown then."""

    closes_at: datetime | None
    message: str


def closing_now(session: Session, study: StudyHere) -> ClosingNow:
    """The terms chosen when the study was last closed; the default message if it never was."""
    of = select(Study.closes_at, Study.closing).where(Study.id == study.id)
    closes_at, message = session.exec(of).one()
    return ClosingNow(closes_at, message or DEFAULT_CLOSING)


@dataclass(frozen=True, slots=True)
class StateNow:
    """A study's state; `entrance` is the path at which participants come in, `to` the possible next states.

    `closes_at` is the deadline for sessions under way in a closed study.
    """

    state: State
    entrance: str
    to: Sequence[State]
    closes_at: datetime | None


def state_now(session: Session, study: StudyHere) -> StateNow:
    """The current state, even if it changed since the request."""
    state = State(session.exec(select(Study.state).where(Study.id == study.id)).one())
    closes_at = closing_now(session, study).closes_at if state is State.CLOSED else None
    to = following(state, has_live=has_live(session, study))
    return StateNow(state, f"/s/{study.slug}", to, closes_at)


def refuse_without_version(session: Session, study: StudyHere) -> None:
    """Raises NotReady where there is nothing to preview."""
    if newest_of(session, study) is None:
        raise NotReady("There is no version to preview yet: save the design as one first.")


def study_here(session: Session, slug: str) -> StudyHere:
    """Look up a study for a command, which may see every study. Raises NotFound."""
    study = study_named(session, slug)
    return StudyHere(study.id or 0, study.slug, State(study.state), study.archived_at is not None)
