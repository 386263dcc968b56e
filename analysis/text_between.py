"""What is said of several studies together beyond the table of comparisons."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.between import MixedDifference, Several
from analysis.summary import Comparison
from analysis.terminal import heading, name_of, number, p_words, range_of, table_of


def measured(one: Comparison | Several) -> str:
    """What was compared."""
    if one.measure == "preference":
        return f"{name_of(one.source or '')} over {name_of(one.against or '')}"
    return one.measure if one.trials is None else f"{one.measure} ({one.trials})"


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
            number(permuted.p, 4),
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
            )


def several_studies(several: Sequence[Several]) -> Iterator[RenderableType]:
    """More than two studies at once."""
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
            number(test.p, 4),
            number(test.epsilon_squared),
            range_of(limits.low, limits.high),
        )
    yield table
    for one in several:
        if one.test.reason:
            yield f"  {measured(one)}: {one.test.reason}."
    yield "The comparisons above are its pairs of studies; --json has each with Holm's correction within its measure."
