"""What is said of several studies together beyond the table of comparisons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.console import RenderableType

from analysis.choice.between import MixedDifference, Several
from analysis.reported import Comparison
from analysis.stats.comparisons import MannWhitney
from analysis.stats.p_values import p_cell, p_words
from analysis.stats.paired import PairedTest
from analysis.text.terminal import heading, interval_of, name_of, number, range_of, table_of

Test = TypeVar("Test", PairedTest, MannWhitney)


def measured(one: Comparison | Several) -> str:
    """What was compared."""
    if one.measure == "preference":
        return f"{name_of(one.source or '')} over {name_of(one.against or '')}"
    return one.measure if one.trials is None else f"{one.measure} ({one.trials})"


@dataclass(frozen=True, slots=True)
class Line(Generic[Test]):
    """One comparison in a table: of which two, of what, its test, and p after Holm's correction where it is read."""

    names: str
    what: str
    test: Test
    p_holm: float | None


def lines_of(comparisons: Sequence[Comparison]) -> tuple[list[Line[PairedTest]], list[Line[MannWhitney]]]:
    """The tests of studies compared within people, and of those whose independent test is to be read."""
    within, apart = [], []
    for one in comparisons:
        about = " - ".join(map(name_of, one.studies)), measured(one)
        if one.paired is not None:
            holm = one.p_holm_as_compared if one.compared_as == "paired" else None
            within.append(Line(*about, one.paired, holm))
        if one.compared_as == "independent":
            apart.append(Line(*about, one.test, one.p_holm_as_compared))
    return within, apart


def paired(lines: Sequence[Line[PairedTest]], of: str) -> Iterator[RenderableType]:
    """Each person compared with themselves; `of` is study or condition."""
    alternative = lines[0].test.alternative
    extra = [] if alternative == "two-sided" else ["p two-sided"]
    counts = "people", "higher", "lower", "V"
    tests = table_of(
        "first - second", "measure", *counts, f"p {alternative}", *extra, "p Holm", "effect", left=2
    )
    sizes = table_of("first - second", "measure", "shift", "95% interval", "mean", "permutation p", left=2)
    for one in lines:
        test, shift, mean = one.test, one.test.shift, one.test.difference
        p_values = test.p, *([test.p_two_sided] if extra else [])
        tests.add_row(
            one.names,
            one.what,
            *(str(n) for n in (test.n, test.n_higher, test.n_lower)),
            number(test.v, 1),
            *(p_cell(p) for p in p_values),
            p_cell(one.p_holm),
            number(test.rank_biserial, 2),
        )
        sizes.add_row(
            one.names,
            one.what,
            number(shift.value),
            range_of(shift.low, shift.high),
            f"{number(mean.mean)} {interval_of(mean.interval)}",
            p_cell(test.permutation.p),
        )
    yield tests
    yield sizes
    yield (
        f"First less second, within each person. Higher and lower: people whose value is higher, or lower, in the "
        f"first {of}. Effect: matched-pairs rank-biserial correlation, from -1 to 1. Shift: Hodges-Lehmann estimate "
        "with its signed-rank interval. Permutation: values swapped within people, two-sided."
    )
    for method in sorted({one.test.method for one in lines if one.test.method}):
        yield f"Method: {method}."
    for one in lines:
        test = one.test
        reasons = test.reason, test.shift.reason, test.permutation.reason, test.difference.interval.reason
        for reason in dict.fromkeys(filter(None, reasons)):
            yield f"  {one.names}, {one.what}: {reason}."


def independent(lines: Sequence[Line[MannWhitney]], of: str) -> Iterator[RenderableType]:
    """Two groups of different people; `of` is study or condition."""
    alternative = lines[0].test.alternative
    extra = [] if alternative == "two-sided" else ["p two-sided"]
    tests = table_of(
        "first - second", "measure", "U1", "U2", f"p {alternative}", *extra, "p Holm", "effect", left=2
    )
    sizes = table_of("first - second", "measure", "shift", "95% interval", "permutation p", left=2)
    for one in lines:
        test, shift = one.test, one.test.shift
        tests.add_row(
            one.names,
            one.what,
            number(test.u1, 1),
            number(test.u2, 1),
            p_cell(test.p),
            *([p_cell(test.p_two_sided)] if extra else []),
            p_cell(one.p_holm),
            f"{number(test.effect, 2)} {interval_of(test.effect_interval, 2)}",
        )
        sizes.add_row(
            one.names,
            one.what,
            number(shift.value),
            range_of(shift.low, shift.high),
            p_cell(test.permutation.p),
        )
    yield tests
    yield (
        f"U1 is the first {of}'s U. Effect: probability that a participant of the first {of} is higher, "
        "ties half (0.5: no difference), with its 95% interval."
    )
    for method in sorted({one.test.method for one in lines if one.test.method}):
        yield f"Method: {method}."
    for one in lines:
        for reason in dict.fromkeys(filter(None, (one.test.reason, one.test.effect_interval.reason))):
            yield f"  {one.names}, {one.what}: {reason}."
    yield sizes
    yield (
        "Shift: Hodges-Lehmann estimate, first less second, with its rank-based interval. Permutation test of the "
        "difference in means, two-sided."
    )


def warnings(comparisons: Sequence[Comparison]) -> Iterator[RenderableType]:
    """What the tests take for granted of people who seem to be in two studies, once for each two."""
    for studies, warning in dict.fromkeys((one.studies, one.warning) for one in comparisons):
        if warning:
            yield f"{' - '.join(map(name_of, studies))}: {warning}."


def mixed(differences: Sequence[MixedDifference]) -> Iterator[RenderableType]:
    """The studies' differences under the mixed model."""
    for one in differences:
        studies = " - ".join(map(name_of, one.studies))
        difference = one.model.difference
        if difference is None:
            yield f"Mixed model, {studies}: not fitted, {one.model.reason}."
        else:
            yield (
                f"Mixed model, {studies}: second less first {number(difference.value)} log odds of {one.model.outcome} "
                f"{range_of(difference.low, difference.high)}, {p_words(difference.p)} (two-sided)."
                + (
                    f" {one.n_crossed} people are in both, each with one random intercept."
                    if one.n_crossed
                    else ""
                )
            )
            if one.model.boundary:
                yield one.model.boundary


def several_studies(several: Sequence[Several]) -> Iterator[RenderableType]:
    """More than two studies at once."""
    yield from _same_people(several)
    several = [one for one in several if one.compared_as == "independent"]
    if not several:
        return
    yield heading("All studies at once (Kruskal-Wallis)")
    table = table_of("measure", "studies", "H", "df", "p", "epsilon squared", "95% interval")
    for one in several:
        test = one.test
        limits = test.epsilon_squared_interval
        table.add_row(
            measured(one),
            str(len(test.groups)),
            number(test.h, 2),
            "-" if test.df is None else str(test.df),
            p_cell(test.p),
            number(test.epsilon_squared),
            range_of(limits.low, limits.high),
        )
    yield table
    for one in several:
        if one.test.reason:
            yield f"  {measured(one)}: {one.test.reason}."
    for warning in dict.fromkeys(one.warning for one in several if one.warning):
        yield f"{warning[:1].upper()}{warning[1:]}."
    yield "The comparisons above are its pairs of studies; --json has each with Holm's correction within its measure."


def _same_people(several: Sequence[Several]) -> Iterator[RenderableType]:
    found = [(one, one.friedman) for one in several if one.friedman is not None]
    if not found:
        return
    yield heading("All studies at once, the same people in each (Friedman)")
    table = table_of("measure", "studies", "people", "Q", "df", "p", "Kendall's W")
    for one, test in found:
        table.add_row(
            measured(one),
            str(len(test.studies)),
            str(test.n),
            number(test.q, 2),
            "-" if test.df is None else str(test.df),
            p_cell(test.p),
            number(test.w),
        )
    yield table
    for one, test in found:
        if test.reason:
            yield f"  {measured(one)}: {test.reason}."
