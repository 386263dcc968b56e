"""A match: its append-only log, the state as the fold of it, and playing it with players who see views alone."""

import hashlib
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from fractions import Fraction

from app.core.errors import StudyError
from app.tasks.game.base import (
    AnyGame,
    Budget,
    Event,
    GameConfig,
    NoMove,
    Outcome,
    Phase,
    Player,
    Seat,
    canonical_json,
    state_hash,
)
from app.tasks.game.moves import IllegalMove, Move

START = "start"
"""The kind of the note that begins every log: it has the configuration, the version of the game and the seed; in a
package without links a `key` in place of the seed, by which its hashes are made anew."""

SWITCHES = frozenset({"left", "returned", "replaced"})
"""The kinds of events by which a seat changes hands."""

STOP = "stop"
"""The kind of the note that ends a match before its rules do; its `reason` says why."""


@dataclass(frozen=True, slots=True)
class Logged:
    """An event as it is kept. `seq` counts from 1; `state_hash` is of the state after it.

    `payoff_round` and `payoff_total` are on the `resolve` lines that follow the end of a round, one for each seat.
    """

    seq: int
    round: int
    phase: str
    event: Event
    state_hash: str
    payoff_round: Fraction | None = None
    payoff_total: Fraction | None = None


class Match:
    """One match that is under way or over. `log` only grows; `state` is the log, folded."""

    def __init__(self, game: AnyGame, config: GameConfig, seed: int) -> None:
        self.game, self.config, self.seed = game, config, seed
        self.state = game.initial(config)
        self.log: list[Logged] = []
        self._hash = state_hash(self.state)
        self._paid = game.payoffs(self.state)
        self._phase: Phase = game.to_move(self.state)
        self._keep(Event("note", self._phase.phase_id, None, self._start()))

    @property
    def phase(self) -> Phase:
        """The current phase."""
        return self._phase

    @property
    def outcome(self) -> Outcome | None:
        """The outcome; None while the match goes on."""
        return self.game.done(self.state)

    @property
    def stopped(self) -> str:
        """The reason for an early end; empty if there was none."""
        last = self.log[-1].event
        return str(last.move["reason"]) if last.kind == "note" and last.move.get("kind") == STOP else ""

    @property
    def is_over(self) -> bool:
        """True if the match is over."""
        return bool(self.stopped) or self.outcome is not None

    def stop(self, reason: str) -> None:
        """End the match here: all players keep what they have earned so far."""
        self._keep(Event("note", self._phase.phase_id, None, {"kind": STOP, "reason": reason}))

    @property
    def switches(self) -> tuple[tuple[str, Seat | None], ...]:
        """Players who left, came back or were replaced, in order: kind and seat."""
        events = (line.event for line in self.log)
        return tuple((event.kind, event.seat) for event in events if event.kind in SWITCHES)

    @property
    def events(self) -> list[Event]:
        """The events without their hashes, as `Game.metrics` takes them."""
        return [line.event for line in self.log]

    def append(self, event: Event) -> None:
        """Add an event, and what follows from it. Raises IllegalMove and keeps nothing."""
        state = self.game.apply(self.state, event)
        before = self._phase
        # Notes and departures change no state, which then need not be hashed again.
        if state is not self.state:
            self.state, self._hash = state, state_hash(state)
            self._phase = self.game.to_move(state)
        self._keep(event, before)
        if self._phase.round != before.round or self.outcome:
            self._resolve(before)

    def _start(self) -> Move:
        config = self.config.model_dump(mode="json")
        return {"kind": START, "version": self.game.version, "seed": self.seed, "config": config}

    def _keep(
        self,
        event: Event,
        phase: Phase | None = None,
        payoff_round: Fraction | None = None,
        payoff_total: Fraction | None = None,
    ) -> None:
        at = phase or self._phase
        seq = len(self.log) + 1
        self.log.append(Logged(seq, at.round, at.name, event, self._hash, payoff_round, payoff_total))

    def _resolve(self, phase: Phase) -> None:
        paid = self.game.payoffs(self.state)
        for seat, (now, before) in enumerate(zip(paid, self._paid, strict=True), start=1):
            self._keep(Event("resolve", phase.phase_id, seat, {}), phase, now - before, now)
        self._paid = paid


def keyed_hash(key: str, hash_: str) -> str:
    """A state's hash as a package has it: the same whenever it is made with its key, and like no other export's."""
    return hashlib.sha256(f"{key}/{hash_}".encode()).hexdigest()


def config_hash(config: GameConfig) -> str:
    """SHA-256 of a configuration's canonical JSON, its first 16 hexadecimal digits."""
    return state_hash(config)[:16]


def match_seed(seed: int, config: GameConfig, number: int) -> int:
    """The seed of one match of a run: independent of the other matches. 48 bits, exact in any format."""
    text = f"{seed}/{canonical_json(config)}/{number}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16)


def stream(seed: int, purpose: str) -> random.Random:
    """The chance of one match for one purpose: `nature`, or `agent:` and a seat. No purpose moves another's draws."""
    # Python seeds with SHA-512 of a text, so neighbouring seeds have unrelated streams, alike on every machine.
    return random.Random(f"{seed}/{purpose}")


def play(
    game: AnyGame, config: GameConfig, players: Sequence[Player], seed: int, at_once: bool = False
) -> Match:
    """Play one match to its end, the players in the order of their seats.

    In a simultaneous phase all see the state before any move; `at_once` asks them in threads, for slow players. Raises
    StudyError for a wrong number of players, or an illegal move.
    """
    n = len(game.seats(config))
    if len(players) != n:
        raise StudyError(f"{game.name} has {n} seats in this configuration; {len(players)} were given")
    match = Match(game, config, seed)
    nature = stream(seed, "nature")
    chances = [stream(seed, f"agent:{seat}") for seat in range(1, n + 1)]
    while match.outcome is None:
        if chance := game.nature(match.state):
            match.append(Event("nature", match.phase.phase_id, None, chance.draw(nature)))
            continue
        acting = match.phase.seats if match.phase.simultaneous else match.phase.seats[:1]
        asked = [(match, seat, players[seat - 1], chances[seat - 1]) for seat in acting]
        for event in _at_once(asked) if at_once and len(asked) > 1 else [_act(*one) for one in asked]:
            _append_of(match, event)
    return match


_Asked = tuple[Match, Seat, Player, random.Random]


def _at_once(asked: Sequence[_Asked]) -> list[Event]:
    threads = ThreadPoolExecutor(len(asked))
    stopped = True
    try:
        futures = [threads.submit(_act, *one) for one in asked]
        stopped = bool(wait(futures).not_done)
        return [future.result() for future in futures]
    finally:
        # What others were asked is answered and kept before an error goes on; who stops the run waits for nobody.
        threads.shutdown(wait=not stopped, cancel_futures=True)


def _act(match: Match, seat: Seat, player: Player, rng: random.Random) -> Event:
    view, legal = match.game.view(match.state, seat), match.game.legal(match.state, seat)
    phase_id = match.phase.phase_id
    try:
        move, message, reason = player.act(view, legal, rng, Budget())
    except NoMove as none:
        return Event("move", phase_id, seat, match.game.default_move(match.state, seat), "", none.auto)
    return Event("move", phase_id, seat, move, message, reason=reason)


def _append_of(match: Match, event: Event) -> None:
    try:
        match.append(event)
    except IllegalMove as error:
        raise StudyError(f"{match.game.name}, phase {event.phase_id}, seat {event.seat}: {error}") from None
