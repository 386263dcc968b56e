"""Two studies, or two conditions, tested against each other: the same people with themselves, others as groups."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from analysis.findings.model import Measured, Numbers
from analysis.findings.tables import column, counts, measured, names, p_values
from analysis.stats.comparisons import MannWhitney
from analysis.stats.intervals import Interval
from analysis.stats.paired import PairedTest
from analysis.stats.shift import HodgesLehmann

Test = TypeVar("Test", PairedTest, MannWhitney)
_MEASURES = {"d_prime": "sensitivity d'", "criterion": "criterion c"}


@dataclass(frozen=True, slots=True)
class Line(Generic[Test]):
    """One comparison in a table: its two sides, its measure, its test, and p after Holm's correction if it applies."""

    names: str
    about: str
    test: Test
    p_holm: float | None


def about(measure: str, trials: str | None, source: str | None, against: str | None) -> str:
    """The label of a comparison, such as `accuracy` or `preference, hybrid over symbolic`."""
    which = "pairs with a right member" if trials == "with-truth" else trials and f"{trials} main pairs"
    of = source and f"{source} over {against}"
    return ", ".join(filter(None, (_MEASURES.get(measure, measure), which, of)))


def tables(
    within: Sequence[Line[PairedTest]], apart: Sequence[Line[MannWhitney]], one: str, several: str
) -> Iterator[Numbers]:
    """The tests of either kind, if any; `one` and `several` name what is compared."""
    if within:
        yield from _paired(within, several)
    if apart:
        yield from _independent(apart, one, several)


def how(within: Sequence[Line[PairedTest]], apart: Sequence[Line[MannWhitney]], one: str) -> Iterator[str]:
    """Explanations of the tables, their methods, and the reasons for missing numbers."""
    if within:
        yield (
            f"First less second, within each person. Higher and lower: people whose value is higher, or lower, in the "
            f"first {one}. Effect: matched-pairs rank-biserial correlation, from -1 to 1. Shift: Hodges-Lehmann "
            "estimate with its signed-rank interval. Permutation: values swapped within people, two-sided."
        )
    if apart:
        yield (
            f"U first is the first {one}'s U. Effect: probability that a participant of the first {one} is higher, "
            "ties half (0.5: no difference). Shift: Hodges-Lehmann estimate, first less second, with its rank-based "
            "interval. Permutation test of the difference in means, two-sided."
        )
    both: list[Line[PairedTest] | Line[MannWhitney]] = [*within, *apart]
    methods = (line.test.method for line in both)
    yield from (f"Method: {method}." for method in sorted(set(filter(None, methods))))
    for line in both:
        for reason in dict.fromkeys(filter(None, _reasons(line.test))):
            yield f"Missing for {line.names}, {line.about}: {reason}."


def warned(warnings: Iterable[tuple[tuple[str, str], str | None]]) -> Iterator[str]:
    """Each warning once for each two."""
    for two, warning in dict.fromkeys(warnings):
        if warning:
            yield f"{' and '.join(two)}: {warning}."


def _reasons(test: PairedTest | MannWhitney) -> tuple[str | None, ...]:
    of = test.difference.interval if isinstance(test, PairedTest) else test.effect_interval
    return test.reason, test.shift.reason, test.permutation.reason, of.reason


def _p_columns(alternative: str) -> tuple[str, ...]:
    return (f"p {alternative}", *(("p two-sided",) if alternative != "two-sided" else ()), "p Holm")


def _p_cells(line: Line[PairedTest] | Line[MannWhitney]) -> tuple[float | None, ...]:
    test = line.test
    beside = (test.p_two_sided,) if test.alternative != "two-sided" else ()
    return test.p, *beside, line.p_holm


def _shift(one: HodgesLehmann) -> Measured:
    return Measured(one.value, one.low, one.high)


def _paired(lines: Sequence[Line[PairedTest]], several: str) -> Iterator[Numbers]:
    yield Numbers(
        f"The same people in both {several}: Wilcoxon's signed-rank test",
        (
            *names(several, "measure"),
            *counts("people", "higher", "lower"),
            column("V", digits=1),
            *p_values(*_p_columns(lines[0].test.alternative)),
            column("effect", digits=2),
        ),
        tuple(
            (
                *(line.names, line.about, line.test.n, line.test.n_higher, line.test.n_lower, line.test.v),
                *(*_p_cells(line), line.test.rank_biserial),
            )
            for line in lines
        ),
    )
    yield Numbers(
        f"How far apart the {several} are for the same people, first less second, with 95% intervals",
        (
            *(*names(several, "measure"), column("shift", digits=2), column("mean difference", digits=2)),
            *p_values("p of permutations"),
        ),
        tuple(
            (
                *(line.names, line.about, _shift(line.test.shift), measured(line.test.difference)),
                line.test.permutation.p,
            )
            for line in lines
        ),
    )


def _independent(lines: Sequence[Line[MannWhitney]], one: str, several: str) -> Iterator[Numbers]:
    yield Numbers(
        "Mann-Whitney tests, and a permutation test of the means (two-sided)",
        (
            *(*names(several, "measure"), column("U first", digits=1), column("U second", digits=1)),
            *p_values(*_p_columns(lines[0].test.alternative), "p of permutations"),
        ),
        tuple(
            (
                *(line.names, line.about, line.test.u1, line.test.u2),
                *(*_p_cells(line), line.test.permutation.p),
            )
            for line in lines
        ),
    )
    yield Numbers(
        f"Effects with 95% intervals: the probability that a participant of the first {one} is higher, and the shift",
        (*names(several, "measure"), column("effect", digits=2), column("shift", digits=2)),
        tuple(
            (
                *(line.names, line.about, effect(line.test.effect, line.test.effect_interval)),
                _shift(line.test.shift),
            )
            for line in lines
        ),
    )


def effect(value: float | None, within: Interval) -> Measured:
    """A value with the interval that stands apart from it."""
    return Measured(value, within.low, within.high)
