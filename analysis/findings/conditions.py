"""Comparisons of a study's conditions: within people if they answered in both, else as groups."""

from collections.abc import Iterator, Sequence

from analysis.choice.conditions import ConditionComparison, ConditionsCompared, taken_as_they_are
from analysis.findings.condition_words import asked, finding, names_of
from analysis.findings.marks import nothing
from analysis.findings.model import Cell, Column, Figure, Mark, Numbers
from analysis.findings.reading import exact_limits, signed_limits, signed_points
from analysis.findings.words import count, exact, people, sentence
from analysis.signs import signed
from analysis.stats.evidence import ALPHA, NOT_YET
from analysis.stats.mixed import ModelNumber
from analysis.stats.mixed_conditions import ConditionsModel
from analysis.stats.multiplicity import out_of_reach
from analysis.stats.p_values import p_words
from analysis.stats.paired import least_p

_MOST_DRAWN = 10
_SCALES = (0.1, 0.25, 0.5, 1.0)

_ABOUT = (
    Column("first", "First", "text"),
    Column("second", "Second", "text"),
    Column("measure", "Measure", "text"),
    Column("about", "Of", "text"),
)
_HOLM = (Column("p_holm", "p, Holm", "p"), Column("n_family", "Comparisons", "count"))
_WITHIN = (
    *_ABOUT,
    Column("people", "People in both", "count"),
    Column("difference", "Mean difference"),
    Column("difference_low", "from"),
    Column("difference_high", "to"),
    Column("shift", "Hodges-Lehmann"),
    Column("shift_low", "from"),
    Column("shift_high", "to"),
    Column("p_two_sided", "p, two-sided", "p"),
    Column("p_permutation", "p, permutation", "p"),
    *_HOLM,
)
_APART = (
    *_ABOUT,
    Column("n1", "People, first", "count"),
    Column("n2", "People, second", "count"),
    Column("n_shared", "In both", "count"),
    Column("effect", "Effect"),
    Column("effect_low", "from"),
    Column("effect_high", "to"),
    Column("p_two_sided", "p, two-sided", "p"),
    *_HOLM,
)


def conditions_figures(found: ConditionsCompared) -> Iterator[Figure]:
    """Comparisons within people, then those between groups; none with fewer than two conditions."""
    if len(found.conditions) < 2:
        return
    if found.reason:
        yield nothing(
            "conditions", "conditions", sentence(f"conditions are not compared: {found.reason}"), ""
        )
        return
    within = [one for one in found.comparisons if one.compared_as == "paired"]
    apart = [one for one in found.comparisons if one.compared_as == "independent"]
    if within:
        yield _within(within, found)
    if apart:
        yield _apart(apart, found)
    if found.mixed is not None and found.mixed.intercept is not None:
        yield _modelled(found.mixed)


def _modelled(model: ConditionsModel) -> Figure:
    """Each condition less the first in one mixed model, in log odds."""
    first, *others = model.conditions
    rows = [(f"{one.condition} less {first.condition}", one, one.log_odds) for one in others if one.log_odds]
    most = max(1.0, *(abs(end) for _, _, found in rows for end in (found.low, found.high)))
    label, _, found = rows[0]
    return Figure(
        name="conditionsmodel",
        section="conditions",
        drawing="marks",
        said=_modelled_said(label, found),
        strong=signed(found.value),
        how="Logistic mixed model with 95% interval, 0 is no difference: the condition is a fixed effect, "
        f"{people(model.n_participants)} "
        f"({model.n_crossed:,} of them in several conditions) and {count(model.n_pairs, 'pair')} are crossed, so that "
        "it reaches to other people and other pairs.",
        numbers=Numbers(
            "Conditions in one mixed model",
            (
                Column("condition", "Condition", "text"),
                Column("answers", "Answers", "count"),
                Column("participants", "People", "count"),
                Column("pairs", "Pairs", "count"),
                Column("log_odds", "Log odds"),
                Column("se", "SE"),
                Column("ci_low", "from"),
                Column("ci_high", "to"),
                Column("p", "p", "p"),
            ),
            tuple(
                (
                    name, one.n, one.n_participants, one.n_pairs, number.value, number.sd, number.low, number.high,
                    number.p,
                )
                for name, one, number in [(first.condition, first, model.intercept), *rows]
                if number is not None
            ),
        ),
        marks=tuple(
            Mark(
                name, number.value, number.low, number.high, signed(number.value),
                f"{exact(number.low)} to {exact(number.high)}", "ink",
                spoken=f"{name}: {signed(number.value)} log odds, 95% interval {exact(number.low)} to "
                f"{exact(number.high)}",
            )
            for name, _, number in rows
        ),
        chance=0.0,
        even="0",
        scale=(-most, most),
        ends=(f"{-most:.2g}", f"+{most:.2g}"),
    )  # fmt: skip


def _modelled_said(label: str, found: ModelNumber) -> str:
    size = f"{label} is {signed(found.value)} log odds of a right answer, {exact(found.low)} to {exact(found.high)}"
    if found.low <= 0 <= found.high:
        return f"Whether {label.replace(' less ', ' and ')} differ over other people and pairs {NOT_YET}: {size}."
    return f"Over other people and pairs, too: {size}."


def _within(comparisons: Sequence[ConditionComparison], found: ConditionsCompared) -> Figure:
    """The mean difference of each two conditions, in points."""
    marks = tuple(
        Mark(
            names_of(one),
            test.difference.mean,
            test.difference.interval.low,
            test.difference.interval.high,
            signed_points(test.difference.mean),
            signed_limits(test.difference.interval),
            "ink",
        )
        for one in asked(comparisons)
        if (test := one.paired) is not None and test.difference.mean is not None
    )
    drawn = _farthest(marks, 0.0)
    most = _most(drawn)
    how = (
        f"First condition less second within each of {_how_many(comparisons)}, in points of their share of pairs, mean "
        f"with 95% interval; 0 is no difference.{_left_out(marks)} The test is Wilcoxon's signed-rank test"
        f"{_p_of(comparisons)}."
    )
    return Figure(
        name="conditions",
        section="conditions",
        drawing="marks" if marks else "none",
        said=finding(comparisons, found),
        how=_how(how if marks else "Uncertainty is compared in the table.", comparisons),
        numbers=Numbers("Conditions, the same people in both", _WITHIN, tuple(map(_within_row, comparisons))),
        marks=drawn,
        chance=0.0,
        even="0",
        ends=(f"-{100 * most:.0f}", f"+{100 * most:.0f}"),
        scale=(-most, most),
        caution=_cautions(comparisons),
    )


def _apart(comparisons: Sequence[ConditionComparison], found: ConditionsCompared) -> Figure:
    """The probability that a person of the first condition is higher than one of the second."""
    marks = tuple(
        Mark(
            names_of(one),
            test.effect,
            test.effect_interval.low,
            test.effect_interval.high,
            exact(test.effect),
            exact_limits(test.effect_interval),
            "ink",
        )
        for one in asked(comparisons)
        if (test := one.independent) is not None and test.effect is not None
    )
    how = (
        "Different people answered in each condition. Probability that a person of the first is higher than one of the "
        "second, ties half, with 95% interval; 0.5 is no difference."
        f"{_left_out(marks)} The test is Mann-Whitney's{_p_of(comparisons)}."
    )
    return Figure(
        name="conditions-apart",
        section="conditions",
        drawing="marks" if marks else "none",
        said=finding(comparisons, found),
        how=_how(how if marks else "Uncertainty is compared in the table.", comparisons),
        numbers=Numbers("Conditions, different people in each", _APART, tuple(map(_apart_row, comparisons))),
        marks=_farthest(marks, 0.5),
        even="0.5",
        ends=("0", "1"),
        caution=_cautions(comparisons),
    )


def _p_of(comparisons: Sequence[ConditionComparison]) -> str:
    """The p of the drawn comparison, if there is one; of several, the table has them."""
    there = asked(comparisons)
    test = there[0].to_read if len(there) == 1 else None
    return f", two-sided: {p_words(test.p_two_sided)}" if test and test.p_two_sided is not None else ""


def _how(how: str, comparisons: Sequence[ConditionComparison]) -> str:
    family = max(one.n_family for one in comparisons)
    corrected = f" Holm's correction is over {family} comparisons of a measure." if family > 1 else ""
    return f"{how}{corrected}{_out_of_reach(comparisons, family)} {taken_as_they_are()}."


def _out_of_reach(comparisons: Sequence[ConditionComparison], family: int) -> str:
    # People who are equal in both have no sign: the least p is that of the others.
    n = max((one.paired.n_higher + one.paired.n_lower for one in comparisons if one.paired), default=0)
    if family < 2 or any(one.compared_as == "independent" for one in comparisons):
        return ""
    if not out_of_reach(least_p(n), family, ALPHA):
        return ""
    return (
        f" With {people(n)} who differ no p can be below .05 after it, whatever is found: the least is "
        f"{min(1.0, family * least_p(n)):.2g}."
    )


def _farthest(marks: Sequence[Mark], even: float) -> tuple[Mark, ...]:
    """The marks farthest from no difference, as many as are readable, in their original order."""
    far = sorted(marks, key=lambda mark: -abs((mark.value or 0.0) - even))[:_MOST_DRAWN]
    return tuple(mark for mark in marks if mark in far)


def _left_out(marks: Sequence[Mark]) -> str:
    if len(marks) <= _MOST_DRAWN:
        return ""
    return f" Of {len(marks)} comparisons the {_MOST_DRAWN} farthest apart are drawn; the numbers below have all."


def _how_many(comparisons: Sequence[ConditionComparison]) -> str:
    """`8 people`, or `6 to 8 people` where not everybody answered in all conditions."""
    n = [one.paired.n for one in comparisons if one.paired]
    return people(max(n)) if min(n) == max(n) else f"{min(n):,} to {people(max(n))}"


def _cautions(comparisons: Sequence[ConditionComparison]) -> str:
    """The warning of one comparison as it is; of several, how many it is of."""
    warned = [one for one in comparisons if one.warning]
    if len({one.warning for one in warned}) < 2:
        return sentence(warned[0].warning) if warned and warned[0].warning else ""
    of = f"In {len(warned)} of {len(comparisons)} comparisons"
    if warned[0].compared_as == "paired":
        return f"{of} some participants have a value in one of the conditions alone and are not in the paired test."
    return f"{of} a few participants have a value in both conditions, and this test takes them for different people."


def _most(marks: Sequence[Mark]) -> float:
    """The scale's extent to both sides of no difference."""
    ends = [end for one in marks for end in (one.value, one.low, one.high) if end is not None]
    farthest = max(map(abs, ends), default=1.0)
    return next((each for each in _SCALES if farthest <= each), 1.0)


def _about(one: ConditionComparison) -> tuple[Cell, ...]:
    return *one.conditions, one.measure, f"{one.source} over {one.against}" if one.source else ""


def _within_row(one: ConditionComparison) -> tuple[Cell, ...]:
    test = one.paired
    if test is None:
        return (*_about(one), *(None,) * (len(_WITHIN) - len(_ABOUT)))
    mean, shift = test.difference, test.shift
    return (
        *(*_about(one), test.n, mean.mean, mean.interval.low, mean.interval.high),
        *(shift.value, shift.low, shift.high, test.p_two_sided, test.permutation.p, one.p_holm, one.n_family),
    )


def _apart_row(one: ConditionComparison) -> tuple[Cell, ...]:
    test = one.independent
    if test is None:
        return (*_about(one), *(None,) * (len(_APART) - len(_ABOUT)))
    ends = test.effect_interval
    return (
        *(*_about(one), test.n1, test.n2, one.n_shared, test.effect, ends.low, ends.high),
        *(test.p_two_sided, one.p_holm, one.n_family),
    )
