"""Ratings on one screen: how many scores of whom count, the mean and agreement of each criterion, groups, raters."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from analysis.findings.paired_words import counted_pairs, title_of, unreachable
from analysis.ratings.paired import PairedScores, smallest_p
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.results import table_rows
from analysis.signs import signed
from analysis.stats.p_values import p_words
from analysis.terminal import interval_of, name_of, number, table_of, why_unbounded

MOST_CRITERIA, MOST_GROUPS, MOST_COMPARED, MOST_CLASSES, MOST_NOTES = 9, 8, 3, 9, 4
MOST_PAIRS = 3


def brief(analysis: RatingAnalysis) -> Iterator[RenderableType]:
    """At most some 40 lines, for any number of criteria, groups, classes and raters."""
    yield _counted(analysis)
    criteria = analysis.criteria[:MOST_CRITERIA]
    if analysis.agreement_level == "nominal":
        yield from _classes(analysis.criteria)
        yield from _agreement(criteria)
    else:
        yield from _scores(criteria)
    yield from _more(len(analysis.criteria) - len(criteria), "criteria")
    yield from _groups(analysis.criteria)
    # Matched conditions are compared within their sets; --full has both.
    if not analysis.matched_groups:
        yield from _groups_compared(analysis.criteria)
    yield from brief_pairs(analysis.matched_groups)
    yield from brief_pairs(analysis.criteria_compared)
    yield from _severity(analysis)
    notes = list(dict.fromkeys(_notes(criteria)))
    yield from notes[:MOST_NOTES]
    yield from _more(len(notes) - MOST_NOTES, "notes")


def _counted(analysis: RatingAnalysis) -> str:
    criteria = analysis.criteria
    n, rated = sum(one.n for one in criteria), sum(one.n_ratings for one in criteria)
    outside = sum(one.n_out_of_range for one in criteria)
    is_kept = analysis.out_of_range == "keep"
    named = (
        (sum(one.n_missing for one in criteria), "empty"),
        (sum(one.n_not_numbers for one in criteria), "not a number"),
        (0 if is_kept else outside, "out of range"),
    )
    left_out = ", ".join(f"{count} {what}" for count, what in named if count)
    ending = f"; left out: {left_out}" if left_out else ""
    if is_kept and outside:
        ending += f"; {outside} out of range are counted"
    if len(analysis.odd):
        ending += "; --full lists those that are odd"
    items, raters = (_distinct(analysis, name) for name in ("items", "raters"))
    return f"{n} of {rated} scores count, of {items} items by {raters} raters{ending}."


def _distinct(analysis: RatingAnalysis, what: str) -> int:
    """The number of items or raters with a counted score, by any criterion."""
    table = analysis.items if what == "items" else analysis.raters
    return int(table.loc[table["n"] > 0, what.removesuffix("s")].nunique())


def _scores(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    table = table_of("criterion", "n", "mean", "95% interval", "SD (n-1)", "alpha", "95% interval", "ICC")
    for one in criteria:
        alpha = one.agreement.alpha
        table.add_row(
            name_of(one.criterion),
            str(one.n),
            number(one.mean, 2),
            interval_of(one.interval, 2),
            number(one.sd_ddof1, 2),
            number(alpha.value, 2),
            interval_of(alpha.interval, 2),
            number(one.icc_oneway.value, 2),
        )
    yield table
    yield "alpha is Krippendorff's, ICC of one rater, one-way: how far raters agree."


def _classes(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    table = table_of("criterion", "class", "scores", "share", left=2)
    rows = [(one, each) for one in criteria for each in one.classes]
    for one, each in rows[:MOST_CLASSES]:
        table.add_row(name_of(one.criterion), name_of(each.name), str(each.n), number(each.share))
    yield table
    yield from _more(len(rows) - MOST_CLASSES, "classes")


def _agreement(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    table = table_of("criterion", "Krippendorff's alpha", "95% interval", "Fleiss' kappa", "95% interval")
    for one in criteria:
        both = one.agreement.alpha, one.agreement.kappa
        cells = [cell for each in both for cell in (number(each.value, 2), interval_of(each.interval, 2))]
        table.add_row(name_of(one.criterion), *cells)
    yield table


def _groups(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    """The means of the groups of items, a column for each criterion that fits."""
    shown = [one for one in criteria if one.groups][:4]
    if not shown:
        return
    names = list(dict.fromkeys(group.group for one in shown for group in one.groups))
    table = table_of("group of items", *(f"mean of {name_of(one.criterion)}" for one in shown))
    means = [{group.group: group.mean for group in one.groups} for one in shown]
    for name in names[:MOST_GROUPS]:
        table.add_row(name_of(name), *(number(each.get(name), 2) for each in means))
    yield table
    yield from _more(len(names) - MOST_GROUPS, "groups")


def _groups_compared(criteria: tuple[CriterionResult, ...]) -> Iterator[str]:
    """The comparisons of least p."""
    pairs = [(one.criterion, pair) for one in criteria for pair in one.group_comparisons]
    pairs.sort(key=lambda named: 2.0 if named[1].test.p_two_sided is None else named[1].test.p_two_sided)
    for criterion, pair in pairs[:MOST_COMPARED]:
        first, second = map(name_of, pair.groups)
        test = (
            f"not tested, {pair.test.reason}"
            if pair.test.reason
            else f"Mann-Whitney {_p(pair.test.p_two_sided)}"
        )
        corrected = "" if pair.p_holm is None else f", after Holm {p_words(pair.p_holm)}"
        said = f"difference {signed(pair.difference)}, {test}{corrected}"
        yield f"{first} against {second}, {name_of(criterion)}: {said}."
    yield from _more(len(pairs) - MOST_COMPARED, "comparisons of groups")


def _p(p: float | None) -> str:
    return "without a p" if p is None else p_words(p)


def _severity(analysis: RatingAnalysis) -> Iterator[str]:
    """The strictest and the mildest rater of the first criterion."""
    if "severity" not in analysis.raters:
        return
    known = analysis.raters.dropna(subset=["severity"])
    of_first = known[known["criterion"] == known["criterion"].iloc[0]] if len(known) else known
    if len(of_first) < 2:
        return
    rows = sorted(table_rows(of_first), key=lambda row: row["severity"])
    low, high = rows[0], rows[-1]
    yield (
        f"Severity by {name_of(str(low['criterion']))}: from {name_of(low['rater'])} {signed(low['severity'])} to "
        f"{name_of(high['rater'])} {signed(high['severity'])} (a rater's scores less the mean score of the same items)."
    )


def _notes(criteria: tuple[CriterionResult, ...]) -> Iterator[str]:
    for one in criteria:
        about = f"Note, {name_of(one.criterion)}"
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            if not one.classes:
                yield f"{about}: {reason}."
        if one.agreement.alpha.reason:
            yield f"{about}, no alpha: {one.agreement.alpha.reason}."
        elif why := why_unbounded(one.agreement.alpha.interval):
            yield f"{about}, alpha without an interval: {why}."


def _more(n: int, what: str) -> Iterator[str]:
    if n > 0:
        yield f"... and {n} more {what}: --full has them all."


def brief_pairs(comparisons: Sequence[PairedScores]) -> Iterator[str]:
    """The comparisons of least p, a sentence each."""
    for one in list(smallest_p(comparisons))[:MOST_PAIRS]:
        test = one.test
        said = (
            f"not tested, {test.reason}"
            if test.reason
            else f"Wilcoxon {p_words(test.p)}, after Holm {p_words(one.p_holm)}"
        )
        interval = interval_of(test.difference.interval, 2)
        within = "" if interval == "-" else f" {interval}"
        apart = f"difference {_signed(test.difference.mean)}{within}"
        yield f"{name_of(title_of(one))}, {counted_pairs(one)}: {apart}, {said}."
    if said := unreachable(comparisons):
        yield f"{said}."
    if len(comparisons) > MOST_PAIRS:
        yield f"... and {len(comparisons) - MOST_PAIRS} more paired comparisons: --full has them all."


def _signed(value: float | None) -> str:
    return "-" if value is None else signed(value)
