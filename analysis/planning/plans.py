"""Results of planning: each test's numbers, its power at each size, and the sentences of the answer."""

from dataclasses import dataclass

from analysis.planning.asked import Asked, Needed, Test
from analysis.results import Result
from analysis.stats.estimates import Estimate


@dataclass(frozen=True, slots=True)
class Point(Result):
    """The power at one number of participants and trials."""

    participants: int
    trials: int
    power: Estimate


@dataclass(frozen=True, slots=True)
class TestPlan(Result):
    """Needs or power of one test.

    `participants` (of each group) and `trials` (of each participant in each condition): as asked, or the smallest that
    reach the power asked; then `needed_low` and `needed_high` are where Monte Carlo error leaves it (None: beyond
    `curve`). `power`: share of simulated studies in which the test finds the difference; `false_alarms`: share in which
    it finds one when both conditions are at `share_from`. `n_untestable`: studies of `power` in which everybody
    answered alike in a condition, and the mixed model finds nothing. `reason`: why numbers are missing.
    """

    test: Test
    method: str
    simulations: int
    needed: Needed | None
    participants: int | None
    trials: int | None
    needed_low: int | None
    needed_high: int | None
    power: Estimate | None
    false_alarms: Estimate | None
    n_untestable: int
    curve: tuple[Point, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Plan(Result):
    """A plan; `log_odds` are the conditions' means from which the asked shares come about, `sentences` the answer."""

    format: str
    settings: Asked
    log_odds: tuple[float, float]
    tests: tuple[TestPlan, ...]
    sentences: tuple[str, ...]
