"""What is said of several studies together beyond the table of comparisons."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.choice.between import MixedDifference, Several
from analysis.stats.p_values import p_cell, p_words
from analysis.summary import Comparison
from analysis.text.terminal import heading, interval_of, name_of, number, range_of, table_of


def measured(one: Comparison | Several) -> str:
    """What was compared."""
    if one.measure == "preference":
        return f"{name_of(one.source or '')} over {name_of(one.against or '')}"
    return one.measure if one.trials is None else f"{one.measure} ({one.trials})"


def paired(comparisons: Sequence[Comparison]) -> Iterator[RenderableType]:
    """Studies with participants in common: each of these people compared with themselves."""
    found = [(one, one.paired) for one in comparisons if one.paired is not None]
    if not found:
        return
    yield heading("The same people in two studies (Wilcoxon signed-rank)")
    alternative = found[0][1].alternative
    extra = [] if alternative == "two-sided" else ["p two-sided"]
    tests = table_of(
        *(
            "first - second",
            "measure",
            "people",
            "higher",
            "lower",
            "V",
            f"p {alternative}",
            *extra,
            "p Holm",
        ),
        "effect",
        left=2,
    )
    sizes = table_of("first - second", "measure", "shift", "95 % interval", "mean", "permutation p", left=2)
    for one, test in found:
        about = " - ".join(map(name_of, one.studies)), measured(one)
        p_values = test.p, *([test.p_two_sided] if extra else [])
        tests.add_row(
            *about,
            *(str(n) for n in (test.n, test.n_higher, test.n_lower)),
            number(test.v, 1),
            *(p_cell(p) for p in p_values),
            p_cell(one.p_holm_as_compared if one.compared_as == "paired" else None),
            number(test.rank_biserial, 2),
        )
        shift, mean = test.shift, test.difference
        sizes.add_row(
            *about,
            number(shift.value),
            range_of(shift.low, shift.high),
            f"{number(mean.mean)} {interval_of(mean.interval)}",
            p_cell(test.permutation.p),
        )
    yield tests
    yield sizes
    yield (
        "First less second, within each person. Higher and lower: people whose value is higher, or lower, in the first "
        "study. Effect: matched-pairs rank-biserial correlation, from -1 to 1. Shift: Hodges-Lehmann estimate with "
        "its signed-rank interval. Permutation: values swapped within people, two-sided. "
        f"Holm over {found[0][0].n_family_as_compared} comparisons."
    )
    for method in sorted({test.method for _, test in found if test.method}):
        yield f"Method: {method}."
    for one, test in found:
        reasons = test.reason, test.shift.reason, test.permutation.reason, test.difference.interval.reason
        for reason in dict.fromkeys(filter(None, reasons)):
            yield f"  {' - '.join(map(name_of, one.studies))}, {measured(one)}: {reason}."


def warnings(comparisons: Sequence[Comparison]) -> Iterator[RenderableType]:
    """What the tests take for granted of people who seem to be in two studies, once for each two."""
    for studies, warning in dict.fromkeys((one.studies, one.warning) for one in comparisons):
        if warning:
            yield f"{' - '.join(map(name_of, studies))}: {warning}."


def shifts(comparisons: Sequence[Comparison]) -> Iterator[RenderableType]:
    """How far apart, and the permutation test beside the rank test."""
    table = table_of("first - second", "measure", "shift", "95 % interval", "permutation p", left=2)
    for one in comparisons:
        shift, permuted = one.test.shift, one.test.permutation
        table.add_row(
            " - ".join(map(name_of, one.studies)),
            measured(one),
            number(shift.value),
            range_of(shift.low, shift.high),
            p_cell(permuted.p),
        )
    yield table
    yield (
        "Shift: Hodges-Lehmann estimate, first less second, with its rank-based interval. Permutation test of the "
        "difference in means, two-sided."
    )


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
    table = table_of("measure", "studies", "H", "df", "p", "epsilon squared", "95 % interval")
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
