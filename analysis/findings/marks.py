"""Helpers shared by figures: a row from a result, columns of means, and remarks on few people."""

from analysis.findings.model import Cell, Column, Figure, Mark, Numbers, Shape
from analysis.findings.words import count, ends_of, limits, people, percent
from analysis.stats.description import Description
from analysis.stats.estimates import Estimate

FEW = 30
INTERVAL = (Column("ci_low", "from", "share"), Column("ci_high", "to", "share"))
SHARES = (
    Column("participants", "People", "count"),
    Column("mean", "Mean", "share"),
    *INTERVAL,
)


def nothing(name: str, section: str, said: str, how: str) -> Figure:
    return Figure(name, section, "none", said, how, Numbers("", (), ()))


def mark(
    name: str, one: Description | Estimate, shape: Shape = "human", beside: str = "", group: str = ""
) -> Mark:
    value = one.mean if isinstance(one, Description) else one.value
    low, high = ends_of(one)
    return Mark(
        name, value, low, high, percent(value), beside or limits(low, high) or "no interval", shape, group
    )


def few(n: int, of: str, one: Description | Estimate) -> str:
    """A remark on the precision of so few, in points of the interval's width."""
    low, high = ends_of(one)
    if n >= FEW:
        return ""
    if low is None or high is None:
        return f"{count(n, of)}: too few for an interval." if of != "person" else f"{people(n)}: no interval."
    width = f"{100 * (high - low):.0f} points wide"
    return f"{people(n) if of == 'person' else count(n, of)} are few: the interval is {width}."


def described(name: str, one: Description) -> tuple[Cell, ...]:
    return name, one.n, one.mean, *ends_of(one), one.sd_ddof1


def plain_interval(one: Description | Estimate) -> str:
    low, high = ends_of(one)
    if low is None or high is None:
        return f"no interval: {one.interval.reason}"
    return f"95% interval {low:.2f} to {high:.2f}"


def estimated(one: Estimate) -> tuple[Cell, ...]:
    return one.n, one.value, *ends_of(one)
