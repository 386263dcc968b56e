"""The protocol of a game: pure functions of a configuration and a state. A match is the fold of its events."""

import hashlib
import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from app.core.plain_numbers import PlainNumbers
from app.tasks.game.moves import ChanceSpec, IllegalMove, Move, MoveSchema

Seat = int
"""A seat of a match, from 1, in the order of `Game.seats`."""
Viewer = Seat | Literal["observer", "record"]
"""Who looks: a seat; the experimenter, who sees everything; or a later judge, who sees the moves of rounds that are
over and nothing private."""
EventKind = Literal["nature", "move", "message", "timeout", "left", "returned", "replaced", "resolve", "note"]


class Strict(PlainNumbers):
    """Frozen settings; a key that is not known is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration to begin with: its title, what it means in a line, and the parameters that differ."""

    title: str
    about: str
    given: Mapping[str, Any]


class GameConfig(Strict):
    """The parameters of one game; amounts are whole units. Fields are hashable (tuples, no lists).

    `together` are parameters that change as one factor; `samples` are presets, each of one sample or more
    (`app.tasks.game.sampling.Sample`).
    """

    together: ClassVar[Sequence[tuple[str, ...]]] = ()
    samples: ClassVar[Mapping[str, Sequence[Mapping[str, Any]]]] = {}
    # For the form: configurations to begin with, the titles of the presets, and the field with the length of a match.
    starts: ClassVar[Sequence["Start"]] = ()
    titles: ClassVar[Mapping[str, str]] = {}
    length: ClassVar[str] = "rounds"
    noun: ClassVar[str] = "configuration"

    @classmethod
    def idle(cls, keys: Mapping[str, Any]) -> Collection[str]:
        """The parameters that mean nothing with these, as far as they are given."""
        return ()

    @classmethod
    def untimed(cls, keys: Mapping[str, Any]) -> Collection[str]:
        """The phases that do not occur with these parameters."""
        return ()

    @classmethod
    def grid(cls) -> Sequence[Self]:
        """The published configurations, the default first."""
        return (cls(),)

    @classmethod
    def named(cls) -> Mapping[str, list[Self]]:
        """Presets: lists of published configurations by name."""
        return {}


@dataclass(frozen=True, slots=True)
class Role:
    """A seat's part in the game; `name` is exported and may be shown, so it says nothing about who sits there."""

    seat: Seat
    name: str


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a match's log. Only `nature` and `move` change a state; `seat` is None for nature.

    `phase_id` is that of `Game.to_move` at the time of the event. `auto` is empty, or the reason for a default move:
    `timeout`, `dropout`, or `invalid` for a program whose answers were not legal. `reason` is the player's stated
    reason for the move: no state, view or hash contains it.
    """

    kind: EventKind
    phase_id: str
    seat: Seat | None
    move: Move
    message: str = ""
    auto: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Phase:
    """The current phase of a match. `phase_id` occurs once in a match; `seats` are those that may act now.

    Empty `seats` means that nature draws next or that the match is over. If `simultaneous`, each move is kept in the
    state until the last is in, and others see at most that it was made.
    """

    phase_id: str
    round: int
    name: str
    seats: tuple[Seat, ...]
    simultaneous: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a match: its reason, and the raw payoff of each seat in order, exact."""

    reason: str
    payoffs: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class View:
    """All that one viewer may know: nothing else of a state leaves the service.

    `round`, `phase` (its name) and `phase_id` are those of the phase, without its seats: who else may act can be a
    secret. `rounds` is None if the horizon is hidden; `acting` tells whether the viewer may act now. `facts` and the
    entries of `history` (oldest first, one or more for each round) are JSON whose keys the game documents.
    """

    viewer: Viewer
    round: int
    phase: str
    phase_id: str
    rounds: int | None
    acting: bool
    facts: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[Mapping[str, Any], ...] = ()


C = TypeVar("C", bound=GameConfig)
S = TypeVar("S")


class Game(Protocol[C, S]):
    """One game. A state is a frozen dataclass of JSON values, tuples and its configuration, without floats.

    `shares` are the names of those measures that lie between 0 and 1: their intervals do so too.
    """

    name: str
    version: str
    shares: frozenset[str]
    Config: type[C]

    def seats(self, c: C) -> Sequence[Role]:
        """The seats of a match in order, numbered from 1."""

    def initial(self, c: C) -> S:
        """The state before the first event."""

    def nature(self, s: S) -> ChanceSpec | None:
        """The draw that nature has to make before anybody may act; else None."""

    def to_move(self, s: S) -> Phase:
        """The phase, and the seats that may act now."""

    def legal(self, s: S, seat: Seat) -> MoveSchema:
        """The moves of a seat that may act now. Raises IllegalMove for another."""

    def apply(self, s: S, event: Event) -> S:
        """The state after an event: the only way forward. Raises IllegalMove and changes nothing."""

    def default_move(self, s: S, seat: Seat) -> Move:
        """The legal move that is played for a seat whose time is over."""

    def payoffs(self, s: S) -> tuple[Fraction, ...]:
        """Each seat's earnings so far, exact; the only place where anything is discounted."""

    def done(self, s: S) -> Outcome | None:
        """The outcome; None while the match goes on."""

    def view(self, s: S, viewer: Viewer) -> View:
        """The view of one viewer."""

    def metrics(self, c: C, events: Sequence[Event]) -> Mapping[Seat, Mapping[str, Fraction | float | None]]:
        """The measures of a finished match by seat, every seat with the same names; None where undefined."""


AnyGame = Game[Any, Any]


def is_out(game: AnyGame, s: object, seat: Seat) -> bool:
    """True if a seat has no move left and its payoff is final, though the match goes on; only in games with a method
    `out`.
    """
    out = getattr(game, "out", None)
    return out is not None and bool(out(s, seat))


LONGEST_REASON = 4000
"""Characters of a reason that are kept."""


class Act(NamedTuple):
    """A player's action: a move, a message to the others if allowed, and a reason that nobody in the match sees."""

    move: Move
    message: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one decision: seconds until the deadline, and tokens for a language model; None is unlimited."""

    seconds: float | None = None
    tokens: int | None = None


class NoMove(Exception):
    """A player gave no legal move, so that the default move is played; `auto` is kept with it."""

    def __init__(self, auto: Literal["timeout", "dropout", "invalid"]) -> None:
        super().__init__(auto)
        self.auto = auto


class Player(Protocol):
    """The player of one seat in one match; may keep state. Sees a view and the legal moves, never the game's state."""

    def act(self, view: View, legal: MoveSchema, rng: random.Random, budget: Budget) -> Act:
        """The player's next move. All chance comes from `rng`. Raises NoMove for the default move."""


class Agent(Strict):
    """An agent with its parameters, which are its fields: named in a study file and hashed in the records."""

    name: ClassVar[str]
    about: ClassVar[str]
    occupant: ClassVar[Literal["rule", "model", "simulated"]] = "rule"
    takes: ClassVar[tuple[Seat, ...]] = ()
    """The seats that it can take; empty for any."""

    def player(self) -> Player:
        """A fresh player for one seat of one match."""
        raise NotImplementedError


def require_turn(phase: Phase, event: Event) -> None:
    """Raises IllegalMove for a move of another phase, or of a seat that may not act now."""
    if event.phase_id != phase.phase_id:
        raise IllegalMove(f"the move is for phase {event.phase_id}; the match is in phase {phase.phase_id}")
    if event.seat not in phase.seats:
        raise IllegalMove(f"seat {event.seat} may not act in phase {phase.phase_id}")


def require_legal(game: AnyGame, s: object, event: Event) -> None:
    """Raises IllegalMove for a draw or a move that the game's phase, nature and legal moves do not allow now."""
    phase = game.to_move(s)
    if event.kind != "nature":
        require_turn(phase, event)
        return game.legal(s, event.seat or 0).check(event.move, event.message)
    chance = game.nature(s)
    if chance is None or event.phase_id != phase.phase_id:
        raise IllegalMove(f"nature draws nothing for {event.phase_id} in phase {phase.phase_id}")
    return chance.check(event.move)


@lru_cache(maxsize=256)
def _settings(settings: BaseModel) -> dict[str, Any]:
    return settings.model_dump(mode="json")


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return _settings(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return {name: getattr(value, name) for name in type(value).__dataclass_fields__}  # type: ignore[attr-defined]


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces, so that equal values have equal text; of states, moves and settings."""
    # json.dumps writes NaN and Infinity unless told, and neither is JSON.
    return json.dumps(
        value, default=_plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def state_hash(value: object) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
