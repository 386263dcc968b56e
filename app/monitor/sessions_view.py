"""One session from arrival to its end: every page and event, what was watched, exclusions and notes since."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from sqlmodel import Session, col, select

from app.accounts.tables import User
from app.core.spans import span
from app.library.tables import Stimulus
from app.monitor.counting import AWAY, TRIALS, Group, SessionTally, add_trials, practice_pairs
from app.monitor.progress import page_title
from app.sessions.design import (
    TIE,
    Kind,
    Member,
    PageKey,
    PairPlan,
    Pressed,
    Side,
    chosen_by,
    member_at,
    side_of,
)
from app.sessions.exclusions import no_such_session
from app.sessions.flags import Flag, in_order, split
from app.sessions.runs import run_of
from app.sessions.tables import (
    Evidence,
    Exclusion,
    Mode,
    ParticipantSession,
    Response,
    SessionNote,
    Status,
    Trial,
)
from app.studies.access import StudyHere
from app.studies.file.load import Question, StudyDesign
from app.studies.tables import StudyVersion, Unit, UnitMember

_ENDS = {
    Status.COMPLETED: "Completed",
    Status.UNPLAYABLE: "Came to the end without a video that would play",
    Status.REFUSED: "Did not want to take part",
    Status.UNDER_AGE: "Said to be too young",
}


@dataclass(frozen=True, slots=True)
class Watched:
    """One clip of a trial as the browser told it was played; times in ms, `played` in seconds of the clip.

    `side` is None where answers were imported that do not say it; `fetched` is whether the server sent the clip
    whole, None where that was not recorded.
    """

    side: Side | None
    member: Member
    stimulus: str
    source: str
    reported: bool
    fetched: bool | None = None
    watched: bool = False
    plays: int = 0
    played: Sequence[tuple[float, float]] = ()
    duration_s: float | None = None
    stalls: int = 0
    stall_ms: int = 0
    dropped_frames: int = 0
    max_rate: float | None = None
    failed: bool = False
    errors: Sequence[str] = ()
    clip_sha256: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class TrialView:
    """A trial and what came of it. `correct` is None where nothing is right or nothing was chosen.

    `chosen_side` is empty where nothing was chosen, and where the sides are not known (`sides_known`); `unwatched` is
    whether the rule of that name excludes the answer.
    """

    pair: str
    condition: str
    kind: str
    chosen: str
    chosen_side: str
    correct: bool | None
    unplayable: bool
    clips: Sequence[Watched]
    hidden_ms: int
    page_loads: int
    drift_ms_max: int | None
    layout: str
    opened_ms: int | None
    interval_ms: int | None
    unwatched: bool
    flags: Sequence[Flag]
    reported: Sequence[str]
    sides_known: bool = True


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at `at`. `since` is when the page was first shown, where it is about one."""

    at: datetime | None
    kind: str
    title: str
    since: datetime | None = None
    rt_ms: int | None = None
    answers: Sequence[tuple[str, str]] = ()
    trial: TrialView | None = None
    text: str = ""
    by: str = ""

    @property
    def waited(self) -> str:
        """From the page's first showing to its answer."""
        return span(self.at - self.since) if self.at and self.since else ""


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
    events: Sequence[Event]

    @property
    def attention(self) -> tuple[int, int] | None:
        """Attention checks right, of those answered; None where none was. Checks without a truth are none."""
        trials = [event.trial for event in self.events if event.trial and event.trial.kind == Kind.ATTENTION]
        right = [trial.correct for trial in trials if trial.correct is not None and not trial.unplayable]
        return (sum(right), len(right)) if right else None

    @property
    def took(self) -> str:
        return span(self.ended_at - self.arrived_at) if self.ended_at else ""


def one_session(session: Session, study: StudyHere, session_id: int) -> SessionView:
    """Raises NotFound for a session that is not of this study, and for previews."""
    found = _found(session, study, session_id)
    if found is None:
        raise no_such_session(session_id)
    one, version = found
    run = run_of(session, one.version_id, version.sha256)
    sides_known = version.sides_known is not False
    tally = _counted(session, one, practice_pairs(session, one.version_id), sides_known=sides_known)
    pages = _Pages(session, session_id, run.design, run.n_practice, sides_known=sides_known)
    events = [*_passed(one, pages, run.pages[one.step]), *_said(session, session_id)]
    return SessionView(
        id=session_id,
        participant=one.participant or "",
        mode=one.mode,
        arm=one.arm,
        version=version.number,
        status=one.status,
        page=page_title(run.pages[one.step], run.n_practice),
        arrived_at=one.arrived_at,
        ended_at=one.ended_at,
        ordinal=one.ordinal,
        recruiter=one.recruiter,
        answered=tally.n_answered,
        to_come=tally.n_planned - tally.n_answered,
        flags=in_order(tally.all_flags()),
        exclusion=_exclusion(session, session_id),
        events=sorted(events, key=lambda event: event.at or one.arrived_at),
    )


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
    return session.exec(mine).first() if 0 < session_id < 2**31 else None


def _counted(
    session: Session, one: ParticipantSession, practice: frozenset[int], *, sides_known: bool
) -> SessionTally:
    tally = SessionTally(simulated=one.mode == Mode.SIMULATED, sides_known=sides_known)
    ids = {"ids": [one.id]}
    away = {row[0]: (row[1], row[2]) for row in session.connection().execute(AWAY, ids)}
    add_trials(tally, Group(), session.connection().execute(TRIALS, ids).all(), away, practice)
    return tally


def _passed(one: ParticipantSession, pages: "_Pages", current: PageKey) -> Iterator[Event]:
    """What the participant did, in order."""
    yield Event(one.arrived_at, "arrived", "Arrived")
    for response in pages.responses:
        yield pages.answered(response)
    if one.status in _ENDS:
        yield Event(one.ended_at, "ended", _ENDS[Status(one.status)])
    else:
        since = one.page_shown_at
        title = f"On the page {page_title(current, pages.n_practice)}"
        yield Event(
            since or pages.last_at or one.arrived_at, "here", title, text="" if since else "Not shown yet."
        )


class _Pages:
    """The pages that a session has answered, with all that belongs to them read at once."""

    def __init__(
        self, session: Session, session_id: int, design: StudyDesign, n_practice: int, *, sides_known: bool
    ) -> None:
        self.design, self.n_practice, self.sides_known = design, n_practice, sides_known
        mine = select(Response).where(Response.session_id == session_id)
        self.responses = session.exec(mine.order_by(col(Response.id))).all()
        self.last_at = self.responses[-1].answered_at if self.responses else None
        trials = select(Trial, Unit).join(Unit).where(Trial.session_id == session_id)
        self.trials = {trial.id: (trial, pair) for trial, pair in session.exec(trials)}
        units = [unit.id for _, unit in self.trials.values()]
        members = (
            select(UnitMember, Stimulus)
            .join(Stimulus, col(Stimulus.id) == UnitMember.stimulus_id)
            .where(col(UnitMember.unit_id).in_(units))
        )
        self.members = {(one.unit_id, one.slot): (one, of) for one, of in session.exec(members)}
        played = select(Evidence).where(col(Evidence.response_id).in_([r.id for r in self.responses]))
        self.playback = {(p.response_id, p.slot): p for p in session.exec(played)}

    def answered(self, response: Response) -> Event:
        kind, _, position = response.page.partition("-")
        page = PageKey(kind, int(position or 0))  # type: ignore[arg-type]
        return Event(
            at=response.answered_at,
            kind="answered",
            title=page_title(page, self.n_practice) if kind != "debrief" else "Last page",
            since=response.shown_at,
            rt_ms=response.rt_ms,
            answers=self._answers(response, kind),
            trial=self._trial(response) if response.trial_id else None,
        )

    def _answers(self, response: Response, kind: str) -> Sequence[tuple[str, str]]:
        """Questions as they were asked, with what was answered."""
        asked = self.design.trials.questions if kind == "trial" else self.design.background
        own = {
            "uncertainty": response.uncertainty,
            "certainty": response.certainty,
            "rationale": response.rationale,
            **response.answers,
        }
        by_id = {question.id: question for question in asked}
        return [
            (
                by_id[name].ask if name in by_id else name.replace("_", " ").capitalize(),
                _in_words(by_id.get(name), value),
            )
            for name, value in own.items()
            if value is not None
        ]

    def _trial(self, response: Response) -> TrialView:
        trial, pair = self.trials[response.trial_id]
        left = PairPlan.of(trial.plan).left
        answer = chosen_by(cast(Pressed, response.side), left) if response.side else None
        chosen = None if answer == TIE else answer
        reported = {member: self.playback.get((response.id or 0, member)) for member in Member}
        first = next((playback for playback in reported.values() if playback), None)
        flags = split(response.raised)
        fetched = {Member.A: response.fetched_a, Member.B: response.fetched_b}
        return TrialView(
            pair=pair.name,
            condition=pair.condition,
            kind=pair.kind,
            chosen=self._stimulus(pair, chosen).name if chosen else "",
            chosen_side=(response.side or "") if self.sides_known or answer == TIE else "",
            correct=chosen == pair.truth if chosen and pair.truth else None,
            unplayable=response.unplayable,
            clips=[
                replace(
                    self._watched(pair, member_at(side, left), left, reported, fetched),
                    is_chosen=response.side == side,
                )
                for side in Side
            ],
            hidden_ms=first.hidden_ms if first else 0,
            page_loads=first.page_loads if first else 0,
            drift_ms_max=first.drift_ms_max if first else None,
            layout=response.layout or "",
            opened_ms=response.opened_ms,
            interval_ms=response.interval_ms,
            unwatched=bool(response.unwatched),
            flags=[flag for flag in Flag if flag in flags and pair.kind != Kind.PRACTICE],
            reported=response.flags,
            sides_known=self.sides_known,
        )

    def _stimulus(self, pair: Unit, member: Member) -> Stimulus:
        return self.members[pair.id or 0, member][1]

    def _watched(
        self,
        pair: Unit,
        member: Member,
        left: Member,
        reported: Mapping[Member, Evidence | None],
        fetched: Mapping[Member, bool | None],
    ) -> Watched:
        (shown, stimulus), playback = self.members[pair.id or 0, member], reported[member]
        known: dict[str, Any] = {}
        if playback is not None:
            names = (
                "watched",
                "plays",
                "duration_s",
                "stalls",
                "stall_ms",
                "dropped_frames",
                "max_rate",
                "failed",
            )
            known = {name: getattr(playback, name) for name in names}
            known |= {"errors": playback.errors, "played": [(start, end) for start, end in playback.played]}
        return Watched(
            side=side_of(member, left) if self.sides_known else None,
            member=member,
            stimulus=stimulus.name,
            source=stimulus.source,
            reported=playback is not None,
            fetched=fetched[member],
            clip_sha256=shown.sha256 or "",  # as the version was saved; of imported answers there is none
            **known,
        )


def _in_words(question: Question | None, value: Any) -> str:
    """A point of a scale with its label."""
    if (
        question is not None
        and question.type == "likert"
        and isinstance(value, int)
        and 0 < value <= len(question.labels)
    ):
        return f"{value}: {question.labels[value - 1]}"
    return str(value)


def _exclusion(session: Session, session_id: int) -> str:
    standing = select(Exclusion.reason).where(
        Exclusion.session_id == session_id, col(Exclusion.lifted_at).is_(None)
    )
    return session.exec(standing).first() or ""


def _said(session: Session, session_id: int) -> Iterator[Event]:
    """What experimenters did about the session."""
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
