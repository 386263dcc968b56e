"""A table of ratings in all numbers: scores, groups, pairs, agreement, classes, raters, items and odd scores."""

from collections.abc import Iterator, Sequence

from analysis.findings.arms import Kind, rating_arms_section
from analysis.findings.model import Cell, Numbers, Section
from analysis.findings.paired_rating_tables import paired_sections
from analysis.findings.rating_agreement import agreement_section, rater_pairs_sections
from analysis.findings.tables import column, counts, names, p_values
from analysis.findings.two_by_two import effect
from analysis.ratings.between import BlocksCompared
from analysis.ratings.groups import Quartiles
from analysis.ratings.scores import RatingAnalysis
from analysis.ratings.studies import OwnScores, SelfAssessment
from analysis.results import table_rows
from analysis.stats.arms import ArmsCompared
from analysis.stats.intervals import NOT_ASKED, Interval

# More different scores than fit beside each other; the JSON has up to 100.
MOST_SCORES = 11


def rating_sections(
    analysis: RatingAnalysis,
    own: SelfAssessment | None = None,
    compared: Sequence[BlocksCompared] = (),
    *,
    arms: ArmsCompared | None = None,
    by_question: bool = True,
) -> Iterator[Section]:
    """All of one table; `own` is what raters said of themselves, `compared` ratings of other studies, `arms` those of
    the study. Criteria are called by their questions, which do not fit into the columns of a terminal."""
    labels = analysis.labels if by_question else {one.criterion: one.criterion for one in analysis.criteria}
    shown = analysis.labelled() if by_question else analysis
    own = own and own.labelled(labels)
    yield _scores(analysis, shown)
    kind: Kind = "classes" if analysis.agreement_level == "nominal" else "ratings"
    yield from rating_arms_section(arms and arms.labelled(labels), kind)
    yield from _groups(shown)
    yield from paired_sections(shown, own, [one.labelled(labels) for one in compared])
    if own is not None and own.scores:
        yield _beside_oneself(shown, own.scores)
    yield agreement_section(shown)
    yield from rater_pairs_sections(shown)
    yield from _classes(shown)
    yield from _raters(shown)
    yield from _items(shown)
    yield from _odd(shown)


def _scores(analysis: RatingAnalysis, shown: RatingAnalysis) -> Section:
    if analysis.agreement_level == "nominal":
        return Section("scores", "Scores", tables=tuple(_questions(analysis)), notes=tuple(_counted(shown)))
    table = Numbers(
        "Scores by criterion, with 95% intervals of the mean",
        (
            *(*names("criterion"), *counts("n"), column("mean", digits=2), column("SD (n-1)", digits=2)),
            *(column("SD (n)", digits=2), column("range", "words"), *counts("items", "raters")),
        ),
        tuple(
            (
                *(one.criterion, one.n, effect(one.mean, one.interval), one.sd_ddof1, one.sd_ddof0),
                None if one.minimum is None else f"{one.minimum:g} to {one.maximum:g}",
                *(one.n_items, one.n_raters),
            )
            for one in shown.criteria
        ),
    )
    tables = (*_questions(analysis), table, *_distribution(shown))
    return Section("scores", "Scores", tables=tables, notes=tuple(_counted(shown)))


def _questions(analysis: RatingAnalysis) -> Iterator[Numbers]:
    """The question of each criterion, if its id does not tell."""
    rows = tuple(
        (one.criterion, one.asked, "" if one.scale is None else "{:g} to {:g}".format(*one.scale))
        for one in analysis.criteria
        if one.asked and one.asked != one.criterion
    )
    if rows:
        yield Numbers("Criteria", names("id in the data", "question", "scale"), rows)


def _distribution(analysis: RatingAnalysis) -> Iterator[Numbers]:
    """The number of times each score was given, and the quartiles."""
    criteria = [one for one in analysis.criteria if one.quartiles]
    scores = sorted({each.score for one in criteria for each in one.counts})
    if not criteria:
        return
    shown = scores if len(scores) <= MOST_SCORES else []
    rows = []
    for one in criteria:
        given = {each.score: each.n for each in one.counts}
        rows.append((one.criterion, _quartiles(one.quartiles), *(given.get(score, 0) for score in shown)))
    columns = (*names("criterion"), column("quartiles", "words"), *counts(*(f"{score:g}" for score in shown)))
    yield Numbers("Distribution: how often each score was given", columns, tuple(rows))


def _quartiles(found: Quartiles | None) -> str | None:
    return None if found is None else f"{found.lower:g} {found.median:g} {found.upper:g}"


def _groups(analysis: RatingAnalysis) -> Iterator[Section]:
    """Each group of items by each criterion, and every two groups."""
    rows = [(one.criterion, group) for one in analysis.criteria for group in one.groups]
    if not rows:
        return
    scores = Numbers(
        "Scores by group of items, with 95% intervals of the mean",
        (
            *(*names("criterion", "group"), *counts("scores", "items", "raters"), column("mean", digits=2)),
            *(column("SD (n-1)", digits=2), column("quartiles", "words")),
        ),
        tuple(
            (
                *(name, group.group, group.n, group.n_items, group.n_raters),
                *(effect(group.mean, group.interval), group.sd_ddof1, _quartiles(group.quartiles)),
            )
            for name, group in rows
        ),
    )
    pairs = [(one.criterion, pair) for one in analysis.criteria for pair in one.group_comparisons]
    compared = Numbers(
        "Groups compared (Mann-Whitney over the mean of each item, two-sided; Holm over all rows)",
        (
            *(*names("criterion", "groups"), column("items", "words"), column("difference", digits=2)),
            *(column("effect", digits=2), *p_values("p", "p (Holm)")),
        ),
        tuple(
            (
                *(name, " and ".join(pair.groups), f"{pair.test.n1} and {pair.test.n2}", pair.difference),
                *(effect(pair.test.effect, pair.test.effect_interval), pair.test.p_two_sided, pair.p_holm),
            )
            for name, pair in pairs
        ),
    )
    yield Section(
        "groups",
        "Groups of items",
        tables=(scores, compared) if pairs else (scores,),
        notes=(
            *(
                ["Effect: how often an item of the first group has the higher mean (ties half)."]
                if pairs
                else []
            ),
            *_unbounded((f"{name}, {group.group}", group.interval) for name, group in rows),
            *(
                f"No test where {reason}."
                for reason in sorted({p.test.reason for _, p in pairs if p.test.reason})
            ),
        ),
    )


def _unbounded(named: Iterator[tuple[str, Interval]]) -> Iterator[str]:
    """The reason for a missing interval that was requested."""
    missing: dict[str, list[str]] = {}
    for name, one in named:
        if one.reason and one.reason != NOT_ASKED:
            missing.setdefault(one.reason, []).append(name)
    yield from (f"No interval of {'; '.join(of)}: {reason}." for reason, of in missing.items())


def _counted(analysis: RatingAnalysis) -> Iterator[str]:
    outside = "out of range" if analysis.out_of_range == "drop" else "out of range but counted"
    for one in analysis.criteria:
        left_out = (
            (one.n_missing, "empty"),
            (one.n_not_numbers, "not a number"),
            (one.n_out_of_range, outside),
        )
        if odd := [f"{n} {words}" for n, words in left_out if n]:
            yield f"{one.criterion}: {one.n} of {one.n_ratings} scores count; {', '.join(odd)}."
        if one.reason:
            yield f"{one.criterion}: {one.reason}."
    yield from _unbounded((one.criterion, one.interval) for one in analysis.criteria)
    methods = {one.interval.method for one in analysis.criteria if one.interval.low is not None}
    yield from (f"Intervals of means: {method}." for method in sorted(methods))


def _beside_oneself(analysis: RatingAnalysis, own: Sequence[OwnScores]) -> Section:
    """Quartiles, means and SDs of items and of what raters gave themselves: table 3 of Alympics."""
    mine = {one.criterion: one for one in own}
    rows: list[tuple[Cell, ...]] = []
    for one in analysis.criteria:
        self_ = mine.get(one.criterion)
        own_ = (
            (None,) * 4
            if self_ is None
            else (_quartiles(self_.quartiles), self_.mean, self_.sd_ddof1, self_.n)
        )
        rows.append((one.criterion, _quartiles(one.quartiles), one.mean, one.sd_ddof1, one.n, *own_))
    numbers = (column("mean", digits=2), column("SD", digits=2), *counts("n"))
    columns = (*names("criterion"), column("items", "words"), *numbers, column("oneself", "words"), *numbers)
    table = Numbers("Items, and oneself: quartiles, mean and SD (n-1)", columns, tuple(rows))
    return Section("oneself", "Scores of items and of oneself", tables=(table,))


def _classes(analysis: RatingAnalysis) -> Iterator[Section]:
    """Scores that are names: how often each was given, and what each item is."""
    rows = tuple(
        (one.criterion, each.name, each.n, each.share) for one in analysis.criteria for each in one.classes
    )
    if not rows:
        return
    items = tuple(
        (
            row["criterion"],
            row["item"],
            row["plurality"] or "",
            f"{int(row['n_plurality'] or 0)} of {row['n']}",
        )
        for row in table_rows(analysis.items)
    )
    given = Numbers(
        "How often each class was given",
        (*names("criterion", "class"), *counts("scores"), column("share")),
        rows,
    )
    of_item = (*names("criterion", "item", "class"), column("scores for it", "words"))
    yield Section(
        "classes",
        "Classes",
        tables=(given, Numbers("The class of each item (plurality)", of_item, items)),
        notes=tuple(
            f"{one.criterion}: {one.n} scores of {one.n_items} items by {one.n_raters} raters."
            for one in analysis.criteria
        ),
    )


def _raters(analysis: RatingAnalysis) -> Iterator[Section]:
    if analysis.agreement_level == "nominal":
        return
    numbers = (column(title, digits=2) for title in ("mean", "SD (n-1)", "severity"))
    rows = tuple(
        (row["criterion"], row["rater"], row["n"], row["mean"], row["sd_ddof1"], row.get("severity"))
        for row in table_rows(analysis.raters)
    )
    columns = (*names("criterion", "rater"), *counts("scores"), *numbers)
    notes = ("Severity: a rater's scores less the mean score of the same items; below 0 is severe.",)
    is_known = any(row[-1] is not None for row in rows)
    yield Section(
        "raters",
        "Raters",
        tables=(Numbers("Raters, one by one", columns, rows),),
        notes=notes if is_known else (),
        names_people=True,
    )


def _items(analysis: RatingAnalysis) -> Iterator[Section]:
    """Mean score of each item."""
    rows = tuple(
        (row["criterion"], row["item"], row["n"], row["mean"])
        for row in table_rows(analysis.items)
        if row["mean"] is not None
    )
    if rows:
        columns = (*names("criterion", "item"), *counts("scores"), column("mean", digits=2))
        yield Section("items", "Items", tables=(Numbers("Items, one by one: mean score", columns, rows),))


def _odd(analysis: RatingAnalysis) -> Iterator[Section]:
    rows = tuple(tuple(map(str, row.values())) for row in table_rows(analysis.odd))
    if rows:
        table = Numbers("Scores that are no numbers, or out of range", names(*map(str, analysis.odd)), rows)
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
