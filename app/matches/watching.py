"""Live matches as experimenters see them: waiting participants, slow players, results so far."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, func, select
from sqlmodel import Session, SQLModel

from app.accounts.audit import record
from app.accounts.logins import Who
from app.core.errors import Conflict, NotFound
from app.sessions import beginning_queries
from app.sessions.runs import run_of
from app.sessions.where import SESSIONS
from app.studies.access import StudyHere
from app.tasks.game.base import AnyGame, GameConfig
from app.tasks.game.choosing import config_words
from app.tasks.game.fold import match_table, seat_table, state_of
from app.tasks.game.games import GAMES, KITS
from app.tasks.game.live import BY_HAND, Live
from app.tasks.game.match import Match
from app.tasks.game.matching import IN_POOL, PRESENT, waiting_table
from app.tasks.game.parts import amount
from app.tasks.game.settings import GameDesign
from app.tasks.game.sweep import design_at
from app.tasks.game.tables import EntryStatus, MatchStatus
from app.trials.tables import Mode, ParticipantSession, StudyVersion

PAGE = 50
MODES = tuple(mode for mode in Mode if mode is not Mode.PREVIEW)
_m, _s, _w = match_table.c, seat_table.c, waiting_table.c
_version = SQLModel.metadata.tables[str(StudyVersion.__tablename__)].c
_session = SQLModel.metadata.tables[str(ParticipantSession.__tablename__)].c


@dataclass(frozen=True, slots=True)
class Sat:
    """The current state of a seat. `who` is a participant, or an agent's name; `session_id` is a person's.

    `acts`: its move is pending. `is_slow`: little time is left, or the last move was made for this person. `is_silent`:
    the browser has sent no heartbeat for too long. `is_away`: the person has left, and the seat is free.
    """

    seat: int
    name: str
    who: str
    occupant: str
    session_id: int | None
    earned: str
    acts: bool = False
    is_slow: bool = False
    is_silent: bool = False
    is_away: bool = False


@dataclass(frozen=True, slots=True)
class Watched:
    """A match. `rounds` is None where there is no bound; `left_s` the time to the deadline, None without one."""

    id: int
    title: str
    version: int
    mode: str
    block: str
    config: str
    status: str
    end_reason: str
    round: int
    rounds: int | None
    round_name: str
    phase: str
    formed_at: datetime
    ended_at: datetime | None
    left_s: int | None
    n_events: int
    seats: tuple[Sat, ...]

    @property
    def is_running(self) -> bool:
        return self.status == MatchStatus.RUNNING

    @property
    def is_finished(self) -> bool:
        """True if it was played to its end."""
        return self.status == MatchStatus.FINISHED

    @property
    def waited_for(self) -> tuple[Sat, ...]:
        """The seats whose move is pending."""
        return tuple(seat for seat in self.seats if seat.acts)


@dataclass(frozen=True, slots=True)
class Waiter:
    """A participant waiting for a match; `silent_s` is the time since the last heartbeat, if too long."""

    session_id: int
    participant: str
    block: str
    status: EntryStatus
    since: datetime | None
    until: datetime | None
    silent_s: int | None


@dataclass(frozen=True, slots=True)
class Matches:
    """A study's matches of one mode at one moment: all under way, and a page of the finished ones."""

    at: datetime
    mode: str
    n_by_mode: Mapping[str, int]
    waiting: tuple[Waiter, ...]
    running: tuple[Watched, ...]
    over: tuple[Watched, ...]
    n_finished: int
    n_stopped: int
    next: int

    @property
    def n_on_the_way(self) -> int:
        """The number of people on the way to a match; those who missed the ready check are not."""
        return sum(each.status is not EntryStatus.AWAY for each in self.waiting)


def matches_now(session: Session, study: StudyHere, mode: str, after: int, now: datetime) -> Matches:
    """The current matches. An empty `mode` means the first that has matches; finished ones are listed below id `after`.

    Raises Conflict for an invalid mode.
    """
    if mode and mode not in MODES:
        raise Conflict(f"{mode[:40]!r} is not a mode; use {', '.join(MODES)}.")
    mine = _version.study_id == study.id
    joined = match_table.join(StudyVersion, _version.id == _m.version_id)
    connection = session.connection()
    counts: dict[tuple[str, str], int] = {
        (row.mode, row.status): row.n
        for row in connection.execute(
            select(_m.mode, _m.status, func.count().label("n"))
            .select_from(joined)
            .where(mine)
            .group_by(_m.mode, _m.status)
        )
    }
    by_mode = {each.value: sum(n for (of, _), n in counts.items() if of == each) for each in MODES}
    chosen = mode or next((each for each, n in by_mode.items() if n), MODES[0].value)
    found = (
        select(match_table, _version.number.label("version"))
        .select_from(joined)
        .where(mine, _m.mode == chosen)
    )
    running = connection.execute(found.where(_m.status == MatchStatus.RUNNING).order_by(_m.id)).all()
    over = connection.execute(_page(found.where(_m.status != MatchStatus.RUNNING), after)).all()
    more = len(over) > PAGE
    return Matches(
        at=now,
        mode=chosen,
        n_by_mode=by_mode,
        waiting=_waiting(session, study, chosen, now),
        running=tuple(_watched(session, row, now) for row in running),
        over=tuple(_watched(session, row, now) for row in over[:PAGE]),
        n_finished=counts.get((chosen, MatchStatus.FINISHED), 0),
        n_stopped=counts.get((chosen, MatchStatus.STOPPED), 0),
        next=over[PAGE - 1].id if more else 0,
    )


def _page(statement: Select[Any], after: int) -> Select[Any]:
    # One more than a page shows tells whether another page follows.
    statement = statement.order_by(_m.id.desc()).limit(PAGE + 1)
    return statement.where(_m.id < after) if after else statement


def match_row(session: Session, study: StudyHere, match_id: int) -> Row[Any]:
    """The row of a match with the number of its `version`. Raises NotFound for a preview, or one of another study."""
    found = (
        select(match_table, _version.number.label("version"))
        .join(StudyVersion, _version.id == _m.version_id)
        .where(_version.study_id == study.id, _m.id == match_id, _m.mode != Mode.PREVIEW)
    )
    row = session.connection().execute(found).first()
    if row is None:
        raise NotFound(f"This study has no match {match_id}.")
    return row


def watched(session: Session, study: StudyHere, match_id: int, now: datetime) -> Watched:
    """One match. Raises NotFound."""
    return _watched(session, match_row(session, study, match_id), now)


def stop_match(
    session: Session, who: Who, study: StudyHere, match_id: int, reason: str, now: datetime
) -> None:
    """End a match now: all players keep their earnings and are told that it was ended. Recorded in the audit log.

    Raises NotFound; Conflict if it is over.
    """
    row = match_row(session, study, match_id)
    # What is due comes first: by it the match may be over, and then nothing is stopped.
    live = Live.hold(session, design_at(SESSIONS, session, row.version_id, row.arm, row.block)[1], match_id)
    live.advance(now)
    if live.is_running:
        last = live.row["last_seq"]
        live.stop(BY_HAND, now)
        live.store()
        after = {"reason": reason.strip(), "events": last}
        record(
            session,
            who.actor,
            "match.stop",
            now=now,
            study=study.slug,
            subject=f"match {match_id}",
            after=after,
        )
        return
    live.store()
    raise Conflict(f"Match {match_id} is already over.")


def match_blocks(session: Session, study: StudyHere) -> tuple[str, ...]:
    """The blocks of the newest version in which people play matches."""
    newest = beginning_queries.NEWEST_VERSION.first(session, {"study_id": study.id})
    if newest is None:
        return ()
    return tuple(block.id for block in run_of(session, newest.id, newest.sha256).design.blocks_of(GameDesign))


def _waiting(session: Session, study: StudyHere, mode: str, now: datetime) -> tuple[Waiter, ...]:
    shown = (*IN_POOL, EntryStatus.QUESTIONS, EntryStatus.BOUND, EntryStatus.AWAY)
    found = (
        select(waiting_table, _session.participant)
        .join(StudyVersion, _version.id == _w.version_id)
        .join(ParticipantSession, _session.id == _w.session_id)
        .where(_version.study_id == study.id, _w.mode == mode, _w.status.in_(shown))
        .order_by(_w.since, _w.id)
    )
    return tuple(
        Waiter(
            row.session_id,
            row.participant or "",
            row.block,
            EntryStatus(row.status),
            row.since,
            row.until if row.status in IN_POOL else None,
            _silent_s(row, now),
        )
        for row in session.connection().execute(found)
    )


def _silent_s(row: Row[Any], now: datetime) -> int | None:
    """Only who waits keeps in touch."""
    if row.status not in IN_POOL or row.seen_at >= now - PRESENT:
        return None
    return int((now - row.seen_at).total_seconds())


def _watched(session: Session, row: Row[Any], now: datetime) -> Watched:
    game = GAMES[row.game]
    config = game.Config.model_validate(row.config)
    state = state_of(session, row)
    phase, view = game.to_move(state), game.view(state, "observer")
    left_s = None if row.deadline_at is None else max(0, round((row.deadline_at - now).total_seconds()))
    return Watched(
        id=row.id,
        title=KITS[row.game].page.title,
        version=row.version,
        mode=row.mode,
        block=row.block,
        config=config_words(config),
        status=row.status,
        end_reason=row.end_reason,
        round=phase.round,
        rounds=view.rounds,
        round_name=KITS[row.game].round_name,
        phase=phase.name,
        formed_at=row.formed_at,
        ended_at=row.ended_at,
        left_s=left_s if row.status == MatchStatus.RUNNING else None,
        n_events=row.last_seq,
        seats=_seats(session, row, game, config, state, left_s, now),
    )


def _seats(
    session: Session,
    row: Row[Any],
    game: AnyGame,
    config: GameConfig,
    state: Any,
    left_s: int | None,
    now: datetime,
) -> tuple[Sat, ...]:
    """The current, or else last, occupant of each seat."""
    last = _occupants(session, row.id, row.last_seq)
    runs = row.status == MatchStatus.RUNNING
    design: GameDesign | None = (
        design_at(SESSIONS, session, row.version_id, row.arm, row.block)[1] if runs else None
    )
    acting = game.to_move(state).seats if runs else ()
    earned = game.payoffs(state)
    names = seat_names(game, config)
    found = []
    for number, seat in last.items():
        acts, is_person = number in acting, seat.agent is None
        hurries = left_s is not None and design is not None and left_s <= design.deadlines.warn_at_s
        found.append(
            Sat(
                seat=number,
                name=names[number],
                who=who_of(seat),
                occupant=seat.occupant,
                session_id=seat.session_id,
                earned=amount(earned[number - 1]),
                acts=acts,
                is_slow=runs and is_person and ((acts and hurries) or seat.missed > 0),
                is_silent=runs and seat.lapse_at is not None and seat.lapse_at <= now,
                is_away=runs and seat.away_at is not None,
            )
        )
    return tuple(found)


def _occupants(session: Session, match_id: int, seq: int) -> Mapping[int, Any]:
    """The occupancy of each seat at an event: a player who left is shown until replaced."""
    rows = session.connection().execute(
        select(seat_table, _session.participant)
        .outerjoin(ParticipantSession, _session.id == _s.session_id)
        .where(_s.match_id == match_id, _s.from_seq <= max(seq, 1))
        .order_by(_s.id)
    )
    found = {seat.seat: seat for seat in rows}
    return dict(sorted(found.items()))


def seats_at(session: Session, match_id: int, match: Match, seq: int) -> tuple[Sat, ...]:
    """The occupant of each seat at an event, its earnings by then, and whether its move came next; `match` is played up
    to that event.
    """
    acting, earned = match.game.to_move(match.state).seats, match.game.payoffs(match.state)
    names = seat_names(match.game, match.config)
    return tuple(
        Sat(
            seat=number,
            name=names[number],
            who=who_of(seat),
            occupant=seat.occupant,
            session_id=seat.session_id,
            earned=amount(earned[number - 1]),
            acts=number in acting,
        )
        for number, seat in _occupants(session, match_id, seq).items()
    )


def who_of(seat: Any) -> str:
    """The occupant of a seat: an agent's name, or a participant; `session 12` without an id."""
    if seat.agent is not None:
        return str(seat.agent.rpartition("-")[0])
    return seat.participant or f"session {seat.session_id}"


def seat_names(game: AnyGame, config: GameConfig) -> Mapping[int, str]:
    """The seats' names in the observer's view."""
    return {
        role.seat: f"Player {role.seat}" if role.name == "player" else role.name.capitalize()
        for role in game.seats(config)
    }
