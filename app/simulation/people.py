"""Simulated participants whose true accuracy, bias, lapses, uncertainty and speed are known."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from app.core.errors import StudyError
from app.questions.sides import TIE, Pressed, Side

TYPICAL_RT_MS = 14_000
USUAL_NUMBER = 30  # where a question has no bounds
NARROW_SHARE = 0.3  # of people whose window is too narrow for two clips side by side
SPREAD = 40.0  # people differ: each one's accuracy is drawn from a beta distribution of this concentration


@dataclass(frozen=True, slots=True)
class Traits:
    """Parameters of a simulated population. Shares lie in [0, 1].

    `accuracy`: how often an attentive person finds the true clip. `preference`: how often the clip of the first-named
    source is chosen if no clip is true. `side_bias`: how often the left is pressed without looking. `lapse`: how often
    a random side is pressed. `tie`: how often no difference is chosen, if the study allows it. `uncertainty`: mean
    uncertainty as a share of the scale (0 certain). `speed`: 2 answers twice as fast as 1.

    Ratings, in points of the scale: `severity` is the standard deviation of how much lower a person scores than others,
    `halo` that of a person's shift of all criteria of one item, `noise` that of each score around these.
    """

    accuracy: float = 0.75
    preference: float = 0.75
    side_bias: float = 0.0
    lapse: float = 0.0
    uncertainty: float = 0.4
    speed: float = 1.0
    tie: float = 0.0
    severity: float = 0.5
    halo: float = 0.3
    noise: float = 0.5

    def __post_init__(self) -> None:
        for name in ("accuracy", "preference", "side_bias", "lapse", "tie", "uncertainty"):
            if not 0 <= getattr(self, name) <= 1:
                raise StudyError(
                    f"{name.replace('_', '-')} is {getattr(self, name):g}; it is a share from 0 to 1"
                )
        for name in ("severity", "halo", "noise"):
            if not 0 <= getattr(self, name) <= 100:
                raise StudyError(
                    f"{name} is {getattr(self, name):g}; it is a standard deviation from 0 to 100"
                )
        if self.side_bias + self.lapse > 1:
            raise StudyError(
                "side-bias and lapse together are more than 1; they are shares of the same trials"
            )
        if not 0.01 <= self.speed <= 1000:
            raise StudyError(f"speed is {self.speed:g}; it goes from 0.01 to 1000")

    @property
    def expected_accuracy(self) -> float:
        """Share correct to expect of presses of a side, sides balanced: unseen presses are right half the time."""
        unseen = self.side_bias + self.lapse
        return (1 - unseen) * self.accuracy + unseen / 2


class Person:
    """One simulated participant. People of one `world` find the same items good and bad."""

    def __init__(self, traits: Traits, rng: random.Random, world: int = 0) -> None:
        self._traits, self._rng, self._world = traits, rng, world
        self.rng = random.Random(rng.getstate()[1][1])  # a stream of its own: the others stay what they were
        self.has_narrow_window = random.Random(rng.getstate()[1][2]).random() < NARROW_SHARE
        self._accuracy = _around(traits.accuracy, rng)
        self._preference = _around(traits.preference, rng)
        self.severity: float | None = None  # drawn at the first score: people of pairs stay who they were
        self._halo: dict[str, float] = {}

    def answer(self, target: Side, *, is_true: bool, allow_tie: bool) -> Pressed:
        """Press a side, or no difference where the page offers it."""
        if allow_tie and self._rng.random() < self._traits.tie:
            return TIE
        return self.choose(target, is_true=is_true)

    def choose(self, target: Side, *, is_true: bool) -> Side:
        """Press a side; `target` is where the true clip (or the first-named source's) is."""
        draw = self._rng.random()
        if draw < self._traits.side_bias:
            return Side.LEFT
        if draw < self._traits.side_bias + self._traits.lapse:
            return self._rng.choice((Side.LEFT, Side.RIGHT))
        hit = self._rng.random() < (self._accuracy if is_true else self._preference)
        return target if hit else target.other

    def score(self, item: str, question: str, n_points: int) -> int:
        """A score on a scale of `n_points` for an item: its true value, less severity, with halo and noise."""
        if self.severity is None:
            self.severity = self._rng.gauss(0, self._traits.severity)
        if item not in self._halo:
            self._halo[item] = self._rng.gauss(0, self._traits.halo)
        worth = worth_of(self._world, item, question, n_points)
        value = worth - self.severity + self._halo[item] + self._rng.gauss(0, self._traits.noise)
        return min(n_points, max(1, round(value)))

    def point(self, n_points: int) -> int:
        """A point of a scale of `n_points`, 1 the most certain."""
        middle = self._traits.uncertainty * (n_points - 1)
        return 1 + min(n_points - 1, max(0, round(self._rng.gauss(middle, (n_points - 1) / 4))))

    def mark(self, low: float, high: float, step: float) -> str:
        """A number on a scale from `low` to `high`, the highest being the most certain."""
        n_steps = round((high - low) / step)
        # Ten digits, as 3 x 0.1 is 0.30000000000000004 and would be between two steps.
        return f"{low + step * (n_steps + 1 - self.point(n_steps + 1)):.10g}"

    def number(self, low: float | None, high: float | None) -> str:
        """A number between two bounds, each None where there is none: a whole one where there is any."""
        usual = self.rng.lognormvariate(math.log(USUAL_NUMBER), 0.4)
        least = low if low is not None else high - 2 * usual if high is not None else 0.0
        most = high if high is not None else least + 2 * usual
        first, last = math.ceil(least), math.floor(most)
        return (
            str(self.rng.randint(first, last)) if first <= last else f"{self.rng.uniform(least, most):.10g}"
        )

    def rt_ms(self) -> int:
        # Log-normal, as response times have a long tail to the right.
        return round(TYPICAL_RT_MS / self._traits.speed * self._rng.lognormvariate(0, 0.35))

    def pick(self, options: Sequence[str]) -> str:
        return self._rng.choice(options)

    def order(self, options: Sequence[str]) -> Sequence[str]:
        return self._rng.sample(options, len(options))


def _around(share: float, rng: random.Random) -> float:
    # The beta distribution has no parameter 0.
    if share in (0.0, 1.0):
        return share
    return rng.betavariate(share * SPREAD, (1 - share) * SPREAD)


def worth_of(world: int, item: str, question: str, n_points: int) -> float:
    """An item's true value on a criterion: spread around the middle of the scale by a sixth of its length."""
    drawn = random.Random(f"{world}/{item}/{question}").gauss(0, (n_points - 1) / 6)
    return (n_points + 1) / 2 + drawn
