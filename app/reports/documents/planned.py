"""The sample size of hypotheses that say what shares they expect: the power of their test, by simulation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analysis.errors import AnalysisError
from analysis.planning import plan
from analysis.planning.plans import TestPlan
from app.studies.file.design import StudyDesign
from app.studies.file.hypotheses import DesignHypothesis
from app.trials.design import Kind

SIMULATIONS = 2_000


@dataclass(frozen=True, slots=True)
class Planned:
    """A hypothesis with the participants that its test needs for a power of 80 %, or the reason why it is not known.

    `per_group`: the number is of each of two groups."""

    hypothesis: DesignHypothesis
    found: TestPlan | None
    trials: int
    per_group: bool
    reason: str = ""


def planned(
    design: StudyDesign, on_progress: Callable[[int, int, str], None] | None = None
) -> Iterator[Planned]:
    """Each hypothesis with expected shares, two-sided as the planner tests."""
    for one in design.hypotheses:
        if one.expect is None:
            continue
        trials = trials_each(design, one)
        between = one.test == "mann-whitney"
        if one.is_against_chance:
            yield Planned(one, None, trials, between, "the planner compares two groups, and chance is none")
            continue
        low, high = sorted(one.expect)
        try:
            found = plan(
                measure="accuracy" if one.measure == "accuracy" else "preference",
                design="between" if between else "within",
                share_from=low,
                share_to=high,
                trials=max(1, trials),
                alpha=one.alpha if one.direction == "two-sided" else min(0.5, 2 * one.alpha),
                test="mann-whitney",
                simulations=SIMULATIONS,
                seed=1,
                on_progress=on_progress,
            )
        except AnalysisError as error:
            yield Planned(one, None, trials, between, str(error))
            continue
        yield Planned(one, found.tests[0], trials, between)


def trials_each(design: StudyDesign, one: DesignHypothesis) -> int:
    """The fewest main trials that a participant has on either side of a comparison."""
    counts = []
    for name in one.compare:
        n = 0
        for block in design.blocks:
            main = [unit for unit in block.units() if unit.kind is Kind.MAIN]
            named = sum(name in (unit.condition, unit.group) for unit in main)
            share = block.n_main(len(main)) / len(main) if main else 0
            n += int(named * share)
        counts.append(n)
    there = [n for n in counts if n]
    if there:
        return min(there)
    # Arms: every participant has all trials.
    return sum(block.n_main(sum(u.kind is Kind.MAIN for u in block.units())) for block in design.blocks)
