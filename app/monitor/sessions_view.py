"""One session from arrival to end: pages, events, playback, later exclusions and notes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.tables import User
from app.core.spans import span
from app.monitor.counting import AWAY, TRIALS, Group, SessionTally, add_trials, practice_pairs
from app.monitor.progress import page_title
from app.monitor.session_pages import AnsweredPages, Event
from app.monitor.sessions_list import has_time
from app.monitor.snapshots import STATUS_TITLES
from app.monitor.verdicts import VerdictView, verdict_view
from app.sessions.exclusions import no_such_session
from app.sessions.runs import run_of
from app.studies.access import StudyHere
from app.trials.design import (
    Kind,
    PageKey,
)
from app.trials.flags import Flag, in_order
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    SessionNote,
    Status,
    StudyVersion,
)

_ENDS = {
    Status.COMPLETED: "Completed",
    Status.UNPLAYABLE: "Reached the end, but no video would play",
    Status.REFUSED: "Declined consent",
    Status.UNDER_AGE: "Reported being under age",
    Status.SCREENED_OUT: "Screened out; answers deleted",
    Status.UNSUITED: "Came with a device that the study does not take",
    Status.FAILED_CHECKS: "Ended by the study's checks",
    Status.FULL: "Consented when no place was left",
    Status.LEFT: "Left the consent page without an answer",
    Status.WITHDRAWN: "Withdrew; answers deleted",
}


@dataclass(frozen=True, slots=True)
class SessionView:
    """`exclusion` is the standing reason, empty where the session counts; `to_come` trials are not answered."""

    id: int
    participant: str
    mode: str
    arm: str
    version: int
    status: str
    page: str
    arrived_at: datetime
    ended_at: datetime | None
    ordinal: int | None
    recruiter: Mapping[str, str]
    answered: int
    to_come: int
    flags: Sequence[tuple[Flag, int]]
    exclusion: str
    verdict: VerdictView | None
    events: Sequence[Event]

    @property
    def attention(self) -> tuple[int, int] | None:
        """Attention checks right, of those answered; None where none was. Checks without a truth are none."""
        trials = [event.trial for event in self.events if event.trial and event.trial.kind == Kind.ATTENTION]
        right = [trial.correct for trial in trials if trial.correct is not None and not trial.unplayable]
        return (sum(right), len(right)) if right else None

    @property
    def status_words(self) -> str:
        return STATUS_TITLES[Status(self.status)].lower()

    @property
    def has_time(self) -> bool:
        return has_time(self.status)

    @property
    def has_arm(self) -> bool:
        """False for who did not come as far as consent, with which an arm is given."""
        return self.has_time or self.status in (Status.SCREENED_OUT, Status.WITHDRAWN)

    @property
    def took(self) -> str:
        return span(self.ended_at - self.arrived_at) if self.ended_at and self.has_time else ""


def one_session(session: Session, study: StudyHere, session_id: int) -> SessionView:
    """Raises NotFound for a session that is not of this study, and for previews."""
    found = _found(session, study, session_id)
    if found is None:
        raise no_such_session(session_id)
    one, version = found
    run = run_of(session, one.version_id, version.sha256, one.arm)
    sides_known = version.sides_known is not False
    tally = _counted(session, one, practice_pairs(session, one.version_id), sides_known=sides_known)
    way = run.pages_for(one.blocks)
    pages = AnsweredPages(session, session_id, run, way, sides_known=sides_known)
    events = [*_passed(one, pages, way.keys[one.step]), *_experimenter_events(session, session_id)]
    return SessionView(
        id=session_id,
        participant=one.participant or "",
        mode=one.mode,
        arm=one.arm,
        version=version.number,
        status=one.status,
        page=page_title(way.keys[one.step], way),
        arrived_at=one.arrived_at,
        ended_at=one.ended_at,
        ordinal=one.ordinal,
        recruiter=_link_of(session, one),
        answered=tally.n_answered,
        to_come=tally.n_planned - tally.n_answered,
        flags=in_order(tally.all_flags()),
        exclusion=_exclusion(session, session_id),
        verdict=verdict_view(session, run.design, session_id),
        # Imported answers have no times, and stay in their order, as sorted() is stable.
        events=sorted(events, key=lambda event: event.at or one.arrived_at),
    )


def _link_of(session: Session, one: ParticipantSession) -> Mapping[str, str]:
    """The parameters of the link, with the answers or apart from them."""
    identity = session.get(ParticipantIdentity, one.id)
    if identity is None:
        return one.recruiter
    return {
        **identity.parameters,
        **({"keyed hash of the id": identity.hashed_id} if identity.hashed_id else {}),
    }


def _found(
    session: Session, study: StudyHere, session_id: int
) -> tuple[ParticipantSession, StudyVersion] | None:
    mine = (
        select(ParticipantSession, StudyVersion)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(
            ParticipantSession.id == session_id,
            ParticipantSession.mode != Mode.PREVIEW,
            StudyVersion.study_id == study.id,
        )
    )
    # PostgreSQL raises an error for a number of more than 32 bits.
    return session.exec(mine).first() if 0 < session_id < 2**31 else None


def _counted(
    session: Session, one: ParticipantSession, practice: frozenset[int], *, sides_known: bool
) -> SessionTally:
    tally = SessionTally(simulated=one.mode == Mode.SIMULATED, sides_known=sides_known)
    ids = {"ids": [one.id]}
    away = {row[0]: (row[1], row[2]) for row in session.connection().execute(AWAY, ids)}
    add_trials(tally, Group(), session.connection().execute(TRIALS, ids).all(), away, practice)
    return tally


def _passed(one: ParticipantSession, pages: AnsweredPages, current: PageKey) -> Iterator[Event]:
    """The participant's events, in order."""
    yield Event(one.arrived_at, "arrived", "Arrived")
    for response in pages.responses:
        yield pages.answered(response)
    if one.status in _ENDS:
        yield Event(one.ended_at, "ended", _ENDS[Status(one.status)])
    else:
        since = one.page_shown_at
        title = f"On the page {page_title(current, pages.way)}"
        yield Event(
            since or pages.last_at or one.arrived_at, "here", title, text="" if since else "Not shown yet."
        )


def _exclusion(session: Session, session_id: int) -> str:
    standing = select(Exclusion.reason).where(
        Exclusion.session_id == session_id, col(Exclusion.lifted_at).is_(None)
    )
    return session.exec(standing).first() or ""


def _experimenter_events(session: Session, session_id: int) -> Iterator[Event]:
    """Events of experimenters: exclusions and notes."""
    exclusions = session.exec(select(Exclusion).where(Exclusion.session_id == session_id)).all()
    notes = session.exec(select(SessionNote).where(SessionNote.session_id == session_id)).all()
    ids = {
        *(e.excluded_by for e in exclusions),
        *(e.lifted_by for e in exclusions),
        *(n.written_by for n in notes),
    }
    users = select(User.id, User.email).where(col(User.id).in_([id_ for id_ in ids if id_]))
    emails = dict(session.exec(users).all())
    for exclusion in exclusions:
        by = emails.get(exclusion.excluded_by, "")
        yield Event(exclusion.excluded_at, "excluded", "Excluded", text=exclusion.reason, by=by)
        if exclusion.lifted_at:
            yield Event(
                exclusion.lifted_at, "included", "Counted again", by=emails.get(exclusion.lifted_by, "")
            )
    for note in notes:
        yield Event(note.written_at, "note", "Note", text=note.text, by=emails.get(note.written_by, ""))
