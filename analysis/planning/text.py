"""A plan as text for a terminal, 100 columns wide."""

from collections.abc import Iterator

from rich import box
from rich.console import RenderableType
from rich.table import Table

from analysis.planning.asked import Asked
from analysis.planning.plans import Plan, TestPlan
from analysis.planning.words import name_of
from analysis.stats.estimates import Estimate
from analysis.terminal import WIDTH, as_text


def render_plan(plan: Plan, width: int = WIDTH) -> str:
    """Return the plan as plain text: the answer in sentences, the powers as a table, what was simulated."""
    return as_text(list(_parts(plan)), width)


def _parts(plan: Plan) -> Iterator[RenderableType]:
    asked = plan.settings
    yield _title(asked)
    yield ""
    yield from plan.sentences
    yield _table(plan)
    for test in plan.tests:
        yield f"{name_of(test.test)}: {test.method}; {test.simulations:,} simulated studies for each number."
    yield from _simulated(plan)


def _title(asked: Asked) -> str:
    groups = "two groups of participants" if asked.design == "between" else "the same participants"
    text = f"Planning: {asked.measure} {asked.share_from:g} against {asked.share_to:g}, {groups}"
    return f"{text}\n{'-' * len(text)}"


def _table(plan: Plan) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("test", no_wrap=True)
    for column in ("participants", "trials", "power", "95% interval", "false alarms", "95% interval"):
        table.add_column(column, justify="right")
    for test in plan.tests:
        for row in _rows(test):
            table.add_row(name_of(test.test), *row)
    return table


def _rows(test: TestPlan) -> Iterator[list[str]]:
    """The power curve, or the one number that was asked for; false alarms where they were simulated."""
    chosen = (test.participants, test.trials)
    sizes = [(point.participants, point.trials, point.power) for point in test.curve]
    if not sizes and test.power:
        sizes = [(test.participants or 0, test.trials or 0, test.power)]
    for participants, trials, power in sizes:
        alarms = test.false_alarms if (participants, trials) == chosen else None
        yield [f"{participants:,}", str(trials), *_estimate(power), *_estimate(alarms)]


def _estimate(found: Estimate | None) -> list[str]:
    if found is None or found.value is None:
        return ["", ""]
    return [f"{found.value:.3f}", f"[{found.interval.low:.2f}, {found.interval.high:.2f}]"]


def _simulated(plan: Plan) -> Iterator[str]:
    asked = plan.settings
    first, second = plan.log_odds
    yield (
        f"Simulated: log odds = {first:.2f} or {second:.2f} + participant (SD {asked.participant_sd:g}) + pair "
        f"(SD {asked.pair_sd:g}); {_pairs(asked)}. Tests two-sided at {asked.alpha:g}; seed {asked.seed}."
    )
    yield (
        f"Participants: {'of each group' if asked.design == 'between' else 'in all'}; trials: of each participant"
        f"{'' if asked.design == 'between' else ' in each condition'}. False alarms: what the test finds where both "
        f"are at {asked.share_from:g}. Intervals: Monte Carlo error."
    )


def _pairs(asked: Asked) -> str:
    where = "group" if asked.design == "between" else "condition"
    whose = f"each {where} has pairs of its own" if asked.own_pairs else f"the same pairs in each {where}"
    if asked.pairs is None:
        return f"everybody sees all pairs; {whose}"
    return f"{asked.pairs} pairs; {whose}"
