"""A table of ratings in all numbers: scores, groups, pairs, agreement, classes, raters and odd scores."""

from collections.abc import Iterator, Sequence

from analysis.findings.model import Numbers, Section
from analysis.findings.paired_rating_tables import paired_sections
from analysis.findings.rating_agreement import agreement_section, rater_pairs_sections
from analysis.findings.tables import words_table
from analysis.findings.texts import NONE, number
from analysis.ratings.between import BlocksCompared
from analysis.ratings.groups import GroupScores
from analysis.ratings.scores import RatingAnalysis
from analysis.ratings.studies import SelfAssessment
from analysis.results import table_rows


def rating_sections(
    analysis: RatingAnalysis, own: SelfAssessment | None = None, compared: Sequence[BlocksCompared] = ()
) -> Iterator[Section]:
    """All sections of one table; `own` are raters' self-assessments, `compared` ratings of other studies."""
    labels, shown = analysis.labels, analysis.labelled()
    yield Section("scores", "Scores", tables=tuple(_questions(analysis)), notes=tuple(_counted(shown)))
    yield from _groups(shown)
    yield from paired_sections(
        shown, own and own.labelled(labels), [one.labelled(labels) for one in compared]
    )
    yield agreement_section(shown)
    yield from rater_pairs_sections(shown)
    yield from _classes(shown)
    yield from _raters(shown)
    yield from _odd(shown)


def _questions(analysis: RatingAnalysis) -> Iterator[Numbers]:
    """The question of each criterion, if its id does not tell."""
    rows = [
        (one.criterion, one.asked, "" if one.scale is None else "{:g} to {:g}".format(*one.scale))
        for one in analysis.criteria
        if one.asked
    ]
    if rows:
        head = "id in the data", "question", "scale"
        yield words_table("Criteria", head, rows, n_names=3)


def _groups(analysis: RatingAnalysis) -> Iterator[Section]:
    """Each group of items by each criterion."""
    if not any(one.groups for one in analysis.criteria):
        return
    rows = [
        (
            *(one.criterion, group.group, str(group.n), f"{group.n_items}"),
            f"{number(group.mean, 2)} {_interval(group)}",
            number(group.sd_ddof1, 2),
            f"{group.quartiles.lower:g} {group.quartiles.median:g} {group.quartiles.upper:g}",
        )
        for one in analysis.criteria
        for group in one.groups
    ]
    head = "criterion", "group", "scores", "items", "mean", "SD (n-1)", "quartiles"
    caption = "Scores by group of items, with 95% intervals of the mean"
    table = words_table(caption, head, rows, n_names=2)
    missing: dict[str, list[str]] = {}
    for one in analysis.criteria:
        for group in one.groups:
            if group.interval.reason:
                missing.setdefault(group.interval.reason, []).append(f"{one.criterion}, {group.group}")
    notes = tuple(f"No interval in {'; '.join(names)}: {reason}." for reason, names in missing.items())
    yield Section("groups", "Groups of items", tables=(table,), notes=notes)


def _interval(group: GroupScores) -> str:
    low, high = group.interval.low, group.interval.high
    return "" if low is None or high is None else f"[{number(low, 2)}, {number(high, 2)}]"


def _counted(analysis: RatingAnalysis) -> Iterator[str]:
    outside = "out of range" if analysis.out_of_range == "drop" else "out of range but counted"
    for one in analysis.criteria:
        counts = (
            (one.n_missing, "empty"),
            (one.n_not_numbers, "not a number"),
            (one.n_out_of_range, outside),
        )
        if odd := [f"{n} {words}" for n, words in counts if n]:
            yield f"{one.criterion}: {one.n} of {one.n_ratings} scores count; {', '.join(odd)}."
        if one.reason:
            yield f"{one.criterion}: {one.reason}."


def _classes(analysis: RatingAnalysis) -> Iterator[Section]:
    """Scores that are names: how often each was given, and what each item is."""
    rows = [
        (criterion, name, str(n), number(share, 3))
        for criterion, name, n, share in (
            (one.criterion, each.name, each.n, each.share)
            for one in analysis.criteria
            for each in one.classes
        )
    ]
    if not rows:
        return
    items = []
    for row in table_rows(analysis.items):
        votes = f"{row['n_plurality'] or 0} of {row['n']}"
        items.append((row["criterion"], row["item"], str(row["plurality"] or NONE), votes))
    given, of_item = "How often each class was given", "The class of each item"
    head, about = ("criterion", "class", "scores", "share"), ("criterion", "item", "class", "scores for it")
    tables = (
        words_table(given, head, rows, n_names=2),
        words_table(of_item, about, items, n_names=3),
    )
    yield Section("classes", "Classes", tables=tables)


def _raters(analysis: RatingAnalysis) -> Iterator[Section]:
    if analysis.agreement_level == "nominal":
        return
    rows = [
        (row["criterion"], row["rater"], str(row["n"]), number(row["mean"], 2), number(row["sd_ddof1"], 2))
        for row in table_rows(analysis.raters)
    ]
    head = "criterion", "rater", "scores", "mean", "SD (n-1)"
    table = words_table("Each rater's scores", head, rows, n_names=2)
    yield Section("raters", "Raters", tables=(table,), names_people=True)


def _odd(analysis: RatingAnalysis) -> Iterator[Section]:
    rows = [tuple(map(str, row.values())) for row in table_rows(analysis.odd)]
    if not rows:
        return
    head, caption = tuple(map(str, analysis.odd)), "Scores that are no numbers, or out of range"
    table = words_table(caption, head, rows, n_names=len(head))
    yield Section("odd", "Odd scores", tables=(table,), names_people=True)


def rating_methods(analysis: RatingAnalysis) -> str:
    """The methods of the numbers on ratings."""
    return (
        "Means and standard deviations are over scores; the intervals are for other items and raters: Student's t with "
        "both variances added [CGM11], of 50 or more of each a bootstrap of both "
        f"({analysis.resamples:,} resamples) [Owe07]. Agreement takes scores as {analysis.agreement_level}: "
        "Krippendorff's alpha [Kri04], Fleiss' kappa [Fle71], Gwet's AC1 [Gwe08], intraclass correlations [MW96], of "
        "items with different numbers of ratings [SF79], and Cohen's kappa of two raters at a time [Coh60], weighted "
        "where scores have an order [Coh68]. What belongs together (criteria of one item, items of a matched set, a "
        "rater's own score and those given to items, a stimulus in two studies) is compared as pairs: mean difference, "
        "Hodges-Lehmann shift [HL63], Wilcoxon's signed-rank test [Wil45] and a permutation test [PS10], two-sided."
    )
