"""The request for a plan, and its validation."""

from dataclasses import dataclass
from typing import Literal

from analysis.errors import AnalysisError
from analysis.options import chosen
from analysis.results import Result

Measure = Literal["accuracy", "preference"]
Design = Literal["between", "within"]
Test = Literal["mann-whitney", "wilcoxon", "mixed"]
Needed = Literal["participants", "trials"]

MEASURES: tuple[Measure, ...] = ("accuracy", "preference")
DESIGNS: tuple[Design, ...] = ("between", "within")
TESTS = ("mann-whitney", "mixed", "both")

MOST_PARTICIPANTS = 5_000
MOST_TRIALS = 200
MOST_PAIRS = 1_000
MOST_SD = 5.0
# Near those of the published Human Navigation Turing Test: docs/analysis.md.
PARTICIPANT_SD = 0.5
PAIR_SD = 0.3
SIMULATIONS = {"mann-whitney": 10_000, "wilcoxon": 10_000, "mixed": 1_000}
_FEWEST_SIMULATIONS = 100
_MOST_SIMULATIONS = 100_000


@dataclass(frozen=True, slots=True)
class Asked(Result):
    """The settings of a plan.

    `participants` is of each group, or of the one group that sees both conditions (within); `trials` of each
    participant in each condition. One of them is None if it is to be found. `pairs` None: every participant sees all
    pairs, so there are as many as trials. `own_pairs`: each group or condition has pairs of its own. Standard
    deviations are in log odds.
    """

    measure: Measure
    design: Design
    share_from: float
    share_to: float
    participants: int | None
    trials: int | None
    pairs: int | None
    own_pairs: bool
    power: float
    alpha: float
    participant_sd: float
    pair_sd: float
    test: str
    simulations: int | None
    seed: int

    @property
    def needed(self) -> Needed | None:
        """The number to be found; None if both are given and the power is to be found."""
        if self.participants is None:
            return "participants"
        return "trials" if self.trials is None else None

    @property
    def tests(self) -> tuple[Test, ...]:
        ranks: Test = "mann-whitney" if self.design == "between" else "wilcoxon"
        if self.test == "mixed":
            return ("mixed",)
        return (ranks,) if self.test == "mann-whitney" else (ranks, "mixed")

    def simulations_of(self, test: Test) -> int:
        return self.simulations or SIMULATIONS[test]


def check(asked: Asked) -> None:
    """Refuse what cannot be planned, with one line that names the option.

    Raises
    ------
    AnalysisError
        At the first option that is out of its range or does not fit the others.
    """
    chosen("--measure", asked.measure, MEASURES)
    chosen("--design", asked.design, DESIGNS)
    chosen("--test", asked.test, TESTS)
    for option, share in (("--from", asked.share_from), ("--to", asked.share_to)):
        if not 0 < share < 1:
            _refuse(option, share, "between 0 and 1, both excluded: where everybody agrees nothing varies")
    _within("--alpha", asked.alpha, 0.0001, 0.5)
    _within("--participant-sd", asked.participant_sd, 0, MOST_SD)
    _within("--pair-sd", asked.pair_sd, 0, MOST_SD)
    _within("--participants", asked.participants, 2, MOST_PARTICIPANTS)
    _within("--pairs", asked.pairs, 1, MOST_PAIRS)
    _within("--trials", asked.trials, 1, MOST_TRIALS)
    _within("--simulations", asked.simulations, _FEWEST_SIMULATIONS, _MOST_SIMULATIONS)
    _within("--seed", asked.seed, 0, 2**63)
    if not asked.alpha < asked.power <= 0.99:
        _refuse("--power", asked.power, f"above --alpha ({asked.alpha:g}), up to 0.99")
    _check_together(asked)


def _check_together(asked: Asked) -> None:
    if asked.trials is not None and asked.pairs is not None and asked.trials > asked.pairs:
        _refuse(
            "--trials",
            asked.trials,
            f"at most --pairs ({asked.pairs}): nobody sees a pair twice in a condition",
        )
    if asked.participants is None and asked.trials is None:
        raise AnalysisError(
            "--participants or --trials is missing; allowed: give one and the other is sought"
        )
    if asked.needed and asked.share_from == asked.share_to:
        raise AnalysisError(
            f"--to {asked.share_to:g} is the same as --from; allowed: another value, "
            "for no number of participants finds a difference that is not there"
        )


def _within(option: str, value: float | None, low: float, high: float) -> None:
    if value is not None and not low <= value <= high:
        _refuse(option, value, f"from {low:,} to {high:,}")


def _refuse(option: str, value: float, allowed: str) -> None:
    raise AnalysisError(f"{option} {value:g} is not allowed; allowed: {allowed}")
