"""The state of a match, folded from its rows. The cache is keyed by the last event: the rows are the match."""

import random
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Row, select
from sqlmodel import Session, SQLModel

from app.core.committed import once_committed
from app.tasks.game.agents.registry import agents_for, is_outside
from app.tasks.game.base import Agent, Budget, Event, Player
from app.tasks.game.games import GAMES
from app.tasks.game.match import STOP, Match, stream
from app.tasks.game.replay import FED
from app.tasks.game.tables import Decision, GameEvent, Seat
from app.tasks.game.tables import Match as MatchRow

match_table = SQLModel.metadata.tables[str(MatchRow.__tablename__)]
seat_table = SQLModel.metadata.tables[str(Seat.__tablename__)]
event_table = SQLModel.metadata.tables[str(GameEvent.__tablename__)]
decision_table = SQLModel.metadata.tables[str(Decision.__tablename__)]
MOST_KEPT = 1_000

_EVENTS = event_table.c
_LOG = (
    select(
        *(_EVENTS.seq, _EVENTS.phase_id, _EVENTS.kind, _EVENTS.seat, _EVENTS.move, _EVENTS.message),
        *(_EVENTS.auto, _EVENTS.reason),
    )
    .order_by(_EVENTS.seq)
)  # fmt: skip


@dataclass(slots=True)
class Folded:
    """A match as far as it was played, with the agents on its seats and their memory."""

    match: Match
    players: dict[int, tuple[Player, random.Random]] = field(default_factory=dict)

    @property
    def key(self) -> tuple[int, str]:
        """The last event and the hash after it: those of the row that it is the fold of."""
        last = self.match.log[-1]
        return last.seq, last.state_hash


class Stand(NamedTuple):
    """The state of a match, and the players who left, came back or were replaced."""

    state: Any
    switches: tuple[tuple[str, int | None], ...]


_lock = threading.Lock()
_folds: OrderedDict[tuple[Any, int], Folded] = OrderedDict()
_stands: OrderedDict[tuple[Any, int], tuple[tuple[int, str], "Stand"]] = OrderedDict()


def agent_of(game: str, seat: Any) -> Agent:
    """The agent of an occupancy, as it was when it sat down."""
    return agents_for(game)[seat.agent.rpartition("-")[0]].model_validate(seat.settings or {})


def player_of(folded: Folded, seat: Any) -> tuple[Player, random.Random]:
    """The player of an agent's occupancy, and its chance; the same whenever it is made anew."""
    found = folded.players.get(seat.id)
    if found is None:
        match = folded.match
        purpose = f"agent:{seat.seat}" if seat.from_seq == 1 else f"agent:{seat.seat}:{seat.from_seq}"
        found = agent_of(match.game.name, seat).player(), stream(match.seed, purpose)
        folded.players[seat.id] = found
    return found


def take_fold(session: Session, row: Row[Any], seats: Sequence[Any]) -> Folded:
    """The match of a row for a write that locks it. It is removed from the cache until it is stored again."""
    # A second change in one write finds the first here: the cache gets it only with the commit.
    ours = session.info.get(("fold", row.id))
    if ours is not None and ours.key == (row.last_seq, row.last_hash):
        return ours  # type: ignore[no-any-return]
    with _lock:
        # Taken out, as after a rollback it would have events that never were.
        found = _folds.pop((_database(session), row.id), None)
    if found is not None and found.key == (row.last_seq, row.last_hash):
        return found
    return folded_from_rows(session, row, seats)


def keep_fold(session: Session, match_id: int, folded: Folded) -> None:
    """Cache the match once its additions are committed."""
    database, key, stand = _database(session), folded.key, _stand(folded.match)
    session.info["fold", match_id] = folded

    def keep() -> None:
        with _lock:
            _cache(_folds, (database, match_id), folded)
            _cache(_stands, (database, match_id), (key, stand))

    once_committed(session, keep)


def forget_folds(session: Session) -> None:
    """Clear the cache, as after a restart: everything is read from rows again."""
    database = _database(session)
    with _lock:
        for kept in (_folds, _stands):
            for key in [key for key in kept if key[0] == database]:
                del kept[key]


def state_of(session: Session, row: Row[Any]) -> Any:
    """The state that a match's row is at, to look at."""
    return stand_of(session, row).state


def stand_of(session: Session, row: Row[Any]) -> Stand:
    """The state of a match at its row."""
    database, key = _database(session), (row.last_seq, row.last_hash)
    with _lock:
        found = _stands.get((database, row.id))
    if found is not None and found[0] == key:
        return found[1]
    stand = _stand(folded_from_rows(session, row, ()).match)
    with _lock:
        _cache(_stands, (database, row.id), (key, stand))
    return stand


def _stand(match: Match) -> Stand:
    return Stand(match.state, match.switches)


def folded_from_rows(session: Session, row: Row[Any], seats: Sequence[Any]) -> Folded:
    """The fold of a match's log up to the last event of `row`; agents on `seats` observe their past again.

    Raises ValueError if the log does not result in the row's values.
    """
    game = GAMES[row.game]
    folded = Folded(Match(game, game.Config.model_validate(row.config), int(row.seed)))
    match = folded.match
    agents = [seat for seat in seats if seat.agent is not None and not is_outside(seat.agent)]
    for line in session.execute(_LOG.where(_EVENTS.match_id == row.id, _EVENTS.seq <= row.last_seq)):
        if line.kind not in FED and line.move.get("kind") != STOP:
            continue
        if line.kind == "move" and not line.auto:
            for seat in agents:
                is_there = seat.from_seq <= line.seq and (seat.to_seq is None or line.seq <= seat.to_seq)
                if seat.seat == line.seat and is_there:
                    _act_again(folded, seat)
        match.append(event_of(line))
    if folded.key != (row.last_seq, row.last_hash):
        raise ValueError(f"match {row.id}: its events come to {folded.key}, its row says {row.last_seq}")
    return folded


def _act_again(folded: Folded, seat: Any) -> None:
    match = folded.match
    player, rng = player_of(folded, seat)
    # Agents have memory and a stream of chance: seeing the past again brings both to where they were.
    player.act(
        match.game.view(match.state, seat.seat), match.game.legal(match.state, seat.seat), rng, Budget()
    )


def event_of(line: Any) -> Event:
    """An event from its row."""
    return Event(line.kind, line.phase_id, line.seat, line.move, line.message, line.auto, line.reason)


def _database(session: Session) -> Any:
    return session.get_bind().engine.url


def _cache(cache: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > MOST_KEPT:
        cache.popitem(last=False)
