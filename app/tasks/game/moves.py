"""The legal moves at one point of a game, as a schema: checked, sampled and shown from the same few fields."""

import random
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any

# Programs may send any number, so one without a bound has this one (docs/decisions/0017).
LARGEST = 10**15
"""No number of a move is larger; every reader of JSON and CSV takes these exactly."""

Move = Mapping[str, Any]
"""A move as flat JSON: `kind` and one value for each field of that kind; no fractions."""


# Controls of direction, invisible characters and tags, which can show a message as another than it is or hide a part
# of it. The joiners U+200C and U+200D stay: Persian and emoji are written with them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def visible(message: str) -> str:
    """A message without characters that are not seen or turn the direction of others."""
    return _INVISIBLE.sub("", message)


class IllegalMove(ValueError):
    """A move, or a draw of nature, that is illegal here; the message says what was wrong and what is allowed."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number from `minimum` to `maximum` in steps of `step`, counted from `minimum`.

    `maximum` None is no bound; then `usual` is the largest value that a random player tries.
    """

    name: str
    minimum: int
    maximum: int | None
    step: int = 1
    usual: int | None = None

    def check(self, value: object) -> None:
        """Raises IllegalMove unless the value is such a number; booleans are not."""
        if not isinstance(value, int) or isinstance(value, bool):
            raise IllegalMove(f"{self.name} is {shortened(value)}; it must be a whole number")
        if abs(value) > LARGEST:
            raise IllegalMove(f"{self.name} is beyond {LARGEST}; it must be {self.words()}")
        over = self.maximum is not None and value > self.maximum
        if value < self.minimum or over or (value - self.minimum) % self.step:
            raise IllegalMove(f"{self.name} is {value}; it must be {self.words()}")

    def words(self) -> str:
        """The bounds in words."""
        steps = "" if self.step == 1 else f", in steps of {self.step}"
        if self.maximum is None:
            return f"{self.minimum} or more{steps}"
        return f"from {self.minimum} to {self.maximum}{steps}"

    def sample(self, rng: random.Random) -> int:
        """A value drawn uniformly."""
        top = self.maximum if self.maximum is not None else max(self.minimum, self.usual or 0)
        return rng.randrange(self.minimum, top + 1, self.step)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few options, each text, a whole number or yes/no."""

    name: str
    options: tuple[str | int | bool, ...]

    def check(self, value: object) -> None:
        """Raises IllegalMove unless the value is an option; 1 and True differ."""
        if not any(type(value) is type(option) and value == option for option in self.options):
            raise IllegalMove(f"{self.name} is {shortened(value)}; it must be {self.words()}")

    def words(self) -> str:
        """The options in words."""
        return "one of " + ", ".join(str(option) for option in self.options)

    def sample(self, rng: random.Random) -> str | int | bool:
        """An option drawn uniformly."""
        return rng.choice(self.options)


@dataclass(frozen=True, slots=True)
class MoveKind:
    """One kind of move, `{"kind": kind, field: value, ...}` with exactly these fields, and text where `message`."""

    kind: str
    fields: tuple[Number | Choice, ...] = ()
    message: bool = False


@dataclass(frozen=True, slots=True)
class MoveSchema:
    """The moves a seat may make now, of one or several kinds; `max_length` bounds a message, in characters."""

    kinds: tuple[MoveKind, ...]
    max_length: int = 0

    def kind(self, name: object) -> MoveKind:
        """The kind of that name. Raises IllegalMove for one that is not allowed here."""
        found = next((kind for kind in self.kinds if kind.kind == name), None)
        if found is None:
            allowed = ", ".join(kind.kind for kind in self.kinds)
            raise IllegalMove(f"a move of kind {shortened(name)} is not allowed here; allowed: {allowed}")
        return found

    def check(self, move: Move, message: str = "") -> None:
        """Raises IllegalMove for a move, or a message with it, that is not allowed."""
        kind = self.kind(move.get("kind"))
        names = {"kind", *(field.name for field in kind.fields)}
        if names != set(move):
            wrong = ", ".join(sorted(names ^ set(move)))
            raise IllegalMove(
                f"a move of kind {kind.kind} has exactly {', '.join(sorted(names))}; see {wrong}"
            )
        for field in kind.fields:
            field.check(move[field.name])
        if message and not kind.message:
            raise IllegalMove(f"no message may go with a move of kind {kind.kind}")
        if len(message) > self.max_length and kind.message:
            raise IllegalMove(
                f"the message has {len(message)} characters; at most {self.max_length} are allowed"
            )
        if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n\r" for c in message):
            raise IllegalMove("the message has characters that are no text, such as control characters")

    def sample(self, rng: random.Random) -> Move:
        """A legal move drawn uniformly: first its kind, then each field."""
        kind = rng.choice(self.kinds)
        return {"kind": kind.kind, **{field.name: field.sample(rng) for field in kind.fields}}


@dataclass(frozen=True, slots=True)
class ChanceSpec:
    """A draw of nature: `outcomes` with whole-number `weights` (1 and 2 for chances of 1/3 and 2/3).

    The draw becomes a logged move, `{"kind": name, "value": outcome}`, and is never drawn again.
    """

    name: str
    outcomes: tuple[str | int | bool, ...]
    weights: tuple[int, ...]

    def draw(self, rng: random.Random) -> Move:
        """One draw, as nature's move."""
        return {"kind": self.name, "value": rng.choices(self.outcomes, self.weights)[0]}

    def check(self, move: Move) -> None:
        """Raises IllegalMove unless the draw is possible."""
        possible = tuple(o for o, weight in zip(self.outcomes, self.weights, strict=True) if weight > 0)
        MoveSchema((MoveKind(self.name, (Choice("value", possible),)),)).check(move)
