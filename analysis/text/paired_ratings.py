"""Scores compared as pairs, as text for a terminal: criteria, matched groups, oneself and others, two studies."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.ratings.between import BlocksCompared
from analysis.ratings.paired import SELF, UNITS, PairedScores, smallest_p
from analysis.ratings.studies import SelfAssessment
from analysis.signs import signed
from analysis.stats.multiplicity import out_of_reach
from analysis.stats.p_values import p_cell, p_words
from analysis.stats.paired import least_p
from analysis.text.terminal import heading, interval_of, name_of, range_of, table_of, why_unbounded

LONGEST, MOST_BRIEF = 60, 3


def paired_parts(title: str, comparisons: Sequence[PairedScores]) -> Iterator[RenderableType]:
    """All of one kind: n, mean difference and shift with their intervals, and the tests; nothing of none."""
    if not comparisons:
        return
    unit = UNITS[comparisons[0].paired_by][1]
    yield heading(f"{title} (as pairs, over {unit})")
    has_criterion = comparisons[0].criterion is not None
    names = ("criterion", "compared") if has_criterion else ("compared",)
    head = "n", "difference", "shift", "p", "p (Holm)", "p (swaps)"
    table = table_of(*names, *head, left=len(names))
    for one in comparisons[:LONGEST]:
        test, criterion = one.test, [name_of(one.criterion or "")] if has_criterion else []
        table.add_row(
            *criterion,
            names_of(one),
            str(test.n),
            f"{_signed(test.difference.mean)} {interval_of(test.difference.interval, 2)}",
            f"{_signed(test.shift.value)} {range_of(test.shift.low, test.shift.high, 2)}",
            p_cell(test.p),
            p_cell(one.p_holm),
            p_cell(test.permutation.p),
        )
    yield table
    if len(comparisons) > LONGEST:
        yield f"The first {LONGEST} of {len(comparisons)}; --json has them all."
    methods = "; ".join(sorted({one.test.method for one in comparisons if one.test.method}))
    yield (
        f"n: {unit} with both. Difference: mean of the first less that of the second; shift: Hodges-Lehmann; both with "
        f"95% intervals. p: Wilcoxon's signed-rank test, two-sided ({methods or 'none could be made'}); Holm over "
        f"{comparisons[0].n_family} tests; swaps: the permutation test of the difference."
    )
    yield from (f"  {note}." for note in paired_notes(comparisons))


def paired_notes(comparisons: Sequence[PairedScores]) -> Iterator[str]:
    """Why a test or an interval is missing, and what has no partner; without a full stop."""
    found: dict[str, list[str]] = {}
    for one in comparisons:
        test = one.test
        for reason in dict.fromkeys(
            filter(None, (test.reason, why_unbounded(test.difference.interval), test.shift.reason))
        ):
            found.setdefault(reason, []).append(title_of(one))
    if said := unreachable(comparisons):
        yield said
    for reason, names in found.items():
        more = f" and {len(names) - MOST_BRIEF} more" if len(names) > MOST_BRIEF else ""
        yield f"{'; '.join(names[:MOST_BRIEF])}{more}: {reason}"
    alone = [(title_of(one), one.test.n_only_first, one.test.n_only_second) for one in comparisons]
    for name, first, second in [each for each in alone if each[1] or each[2]][:MOST_BRIEF]:
        yield f"{name}: left out without a partner, {first} of the first and {second} of the second"


def unreachable(comparisons: Sequence[PairedScores]) -> str:
    """That no difference could pass Holm's correction, without a full stop; empty where one could."""
    if not comparisons or comparisons[0].n_family < 2:
        return ""
    n = max(one.test.n_higher + one.test.n_lower for one in comparisons)
    family, unit = comparisons[0].n_family, UNITS[comparisons[0].paired_by][n != 1]
    if not out_of_reach(least_p(n), family):
        return ""
    return (
        f"After Holm's correction over {family} tests no p can be below .05, whatever is found: with {n} {unit} that "
        f"differ the least p is {least_p(n):.2g}, after the correction {min(1.0, family * least_p(n)):.2g}. It takes "
        f"more {UNITS[comparisons[0].paired_by][1]}, or fewer comparisons, chosen beforehand"
    )


def brief_pairs(comparisons: Sequence[PairedScores]) -> Iterator[str]:
    """The comparisons of least p, a sentence each."""
    for one in list(smallest_p(comparisons))[:MOST_BRIEF]:
        test = one.test
        said = (
            f"not tested, {test.reason}"
            if test.reason
            else f"Wilcoxon {p_words(test.p)}, after Holm {p_words(one.p_holm)}"
        )
        interval = interval_of(test.difference.interval, 2)
        within = "" if interval == "-" else f" {interval}"
        yield f"{title_of(one)}, {counted_pairs(one)}: difference {_signed(test.difference.mean)}{within}, {said}."
    if said := unreachable(comparisons):
        yield f"{said}."
    if len(comparisons) > MOST_BRIEF:
        yield f"... and {len(comparisons) - MOST_BRIEF} more paired comparisons: --full has them all."


def self_parts(own: SelfAssessment | None, *, full: bool) -> Iterator[RenderableType]:
    """What raters said of themselves, held against what they gave to items."""
    if own is None:
        return
    if own.reason:
        yield f"Raters answered about themselves, too, and that is not compared: {own.reason}."
        return
    if full:
        yield from paired_parts("Raters about themselves, less what they gave to items", own.criteria)
    else:
        yield from brief_pairs(own.criteria)
    if own.not_asked:
        yield f"Nobody was asked about themselves by {', '.join(map(name_of, own.not_asked))}."


def between_parts(compared: Sequence[BlocksCompared], *, full: bool) -> Iterator[RenderableType]:
    """Two studies over the stimuli that both have."""
    for one in compared:
        yield heading(f"{' and '.join(map(name_of, one.studies))}: ratings of the same stimuli")
        blocks = " and ".join(map(name_of, dict.fromkeys(one.blocks)))
        yield f"Block {blocks}: {one.n_shared} stimuli in both, of {one.n_stimuli[0]} and {one.n_stimuli[1]}."
        if one.reason:
            yield f"Nothing is compared: {one.reason}."
        if one.other_scale:
            yield f"On different scales, and not compared: {', '.join(map(name_of, one.other_scale))}."
        yield from paired_parts("Studies compared", one.criteria) if full else brief_pairs(one.criteria)


def title_of(one: PairedScores) -> str:
    """What is compared, with the criterion."""
    return names_of(one) if one.criterion is None else f"{names_of(one)}, {name_of(one.criterion)}"


def counted_pairs(one: PairedScores) -> str:
    """``12 matched sets``."""
    return f"{one.test.n:,} {UNITS[one.paired_by][one.test.n != 1]}"


def names_of(one: PairedScores) -> str:
    """The two that are compared."""
    if one.first == SELF and one.paired_by == "rater":
        return "oneself less items"
    return f"{name_of(one.first)} less {name_of(one.second)}"


def _signed(value: float | None) -> str:
    return "-" if value is None else signed(value)
