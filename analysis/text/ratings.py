"""An analysis of ratings as text for a terminal, 100 columns wide."""

from collections.abc import Iterator, Sequence

import pandas as pd
from rich.console import RenderableType

from analysis.ratings.between import BlocksCompared
from analysis.ratings.groups import Quartiles
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.ratings.studies import BlockRatings, OwnScores
from analysis.results import table_rows
from analysis.signs import signed
from analysis.stats.estimates import Estimate
from analysis.stats.p_values import p_cell
from analysis.text.brief_ratings import brief
from analysis.text.paired_ratings import between_parts, paired_parts, self_parts
from analysis.text.rater_pairs import rater_pairs_parts
from analysis.text.terminal import (
    WIDTH,
    as_text,
    heading,
    interval_of,
    left_out_words,
    name_of,
    number,
    range_of,
    resamples_words,
    shortened,
    table_of,
    why_unbounded,
)

LONGEST, MOST_BLOCKS, MOST_NAMED = 60, 3, 4
EVERYTHING = "Everything: --full; as data: --json."
# More different scores than fit beside each other; the JSON has up to 100.
MOST_SCORES = 11
MOST_QUESTIONS, LONGEST_QUESTION = 9, 80


def render_ratings(analysis: RatingAnalysis, width: int = WIDTH, *, full: bool = True) -> str:
    """Return the analysis as plain text: the scores of each criterion, agreement, raters, and scores that are odd.

    Without `full`, what fits a screen. Lists of more than 60 raters, items or odd scores are cut, and the text says so;
    the JSON has them all.
    """
    if full:
        return as_text(list(_parts(analysis)), width)
    return as_text([*brief(analysis), EVERYTHING], width)


def render_rating_blocks(
    blocks: Sequence[BlockRatings],
    width: int = WIDTH,
    *,
    full: bool = False,
    compared: Sequence[BlocksCompared] = (),
) -> str:
    """The ratings of studies as plain text, block by block: what counts, scores, agreement and severity.

    With `full` also every two raters, and the means of raters and items, as `render_ratings` has them. Studies
    `compared` (`compare_blocks`) come last.
    """
    shown = blocks if full else blocks[:MOST_BLOCKS]
    parts = [part for one in shown for part in _block_parts(one, full=full)]
    if len(blocks) > len(shown):
        parts.append(f"... and {len(blocks) - len(shown)} more blocks: --full has them all.")
    parts.extend(between_parts(compared, full=full))
    return as_text([*parts, *([] if full else [EVERYTHING])], width)


def _block_parts(one: BlockRatings, *, full: bool) -> Iterator[RenderableType]:
    selection = one.selection
    what = one.kind.capitalize()
    yield heading(f"{what} of {name_of(one.study)}, block {name_of(one.block)} ({selection.mode})")
    left_out = left_out_words(selection.left_out)
    people = f"{selection.n_participants_used} of {selection.n_participants} participants"
    pages = f"{selection.n_used} of {selection.n_rows} answered pages"
    yield f"{people} and {pages} count (a page is one item rated by one participant){left_out}."
    if one.n_sessions_excluded:
        yield f"Sessions of which answers are excluded: {one.n_sessions_excluded}."
    if one.n_repeated:
        yield f"{one.n_repeated} scores are a participant's second of an item; the first ones count."
    if selection.reason:
        yield f"There are no numbers: {selection.reason}."
        return
    if not one.analysis.criteria:
        yield "No question has numbers for answers, so there is nothing to average."
        return
    yield from _questions(one.analysis.criteria)
    yield from _parts(one.analysis) if full else brief(one.analysis)
    if full and one.self_assessment is not None and one.self_assessment.scores:
        yield from _beside_oneself(one.analysis.criteria, one.self_assessment.scores)
    yield from self_parts(one.self_assessment, full=full)


def _questions(criteria: Sequence[CriterionResult]) -> Iterator[str]:
    """The question behind each criterion, where its id does not say it."""
    for one in criteria[:MOST_QUESTIONS]:
        if one.asked and one.asked != one.criterion:
            yield f"  {name_of(one.criterion)}: {shortened(name_of(one.asked), LONGEST_QUESTION)}"


def _parts(analysis: RatingAnalysis) -> Iterator[RenderableType]:
    yield f"{_scales(analysis)}; seed {analysis.seed}; {resamples_words(analysis.resamples)}"
    if analysis.agreement_level == "nominal":
        yield from _classes(analysis.criteria)
    else:
        yield from _criteria(analysis.criteria)
        yield from _distribution(analysis.criteria)
        yield from _groups(analysis.criteria)
        yield from paired_parts("Groups compared in matched sets", analysis.matched_groups)
        yield from paired_parts("Criteria compared", analysis.criteria_compared)
    yield from _agreement(analysis)
    yield from rater_pairs_parts(analysis)
    yield from _means(analysis.raters, "rater")
    yield from _severity(analysis.raters)
    yield from _means(analysis.items, "item")
    yield from _odd(analysis.odd)


def _scales(analysis: RatingAnalysis) -> str:
    """The scale of all criteria, or that of each."""
    given = {one.criterion: one.scale for one in analysis.criteria}
    if len(set(given.values())) < 2:
        scale = next(iter(given.values()), analysis.scale)
        return "Scale not given" if scale is None else f"Scale {scale[0]:g} to {scale[1]:g}"
    each = (
        f"{name_of(name)} {'not given' if scale is None else f'{scale[0]:g} to {scale[1]:g}'}"
        for name, scale in given.items()
    )
    return f"Scales: {', '.join(each)}"


def _criteria(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    yield heading("Scores")
    table = table_of(
        "criterion", "n", "mean", "95% interval", "SD (n-1)", "SD (n)", "range", "items", "raters"
    )
    for one in criteria:
        table.add_row(
            name_of(one.criterion),
            str(one.n),
            number(one.mean, 2),
            interval_of(one.interval, 2),
            number(one.sd_ddof1, 2),
            number(one.sd_ddof0, 2),
            "-" if one.minimum is None else f"{one.minimum:g} to {one.maximum:g}",
            str(one.n_items),
            str(one.n_raters),
        )
    yield table
    yield from _left_out(criteria)
    for one in criteria:
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            yield f"  {name_of(one.criterion)}: {reason}."
    for method in sorted({one.interval.method for one in criteria if one.interval.low is not None}):
        yield f"Intervals of means: {method}."


def _distribution(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    """How often each score was given, and the quartiles."""
    criteria = tuple(one for one in criteria if one.quartiles)
    scores = sorted({each.score for one in criteria for each in one.counts})
    if not criteria:
        return
    yield heading("Distribution (scores given)")
    shown = scores if len(scores) <= MOST_SCORES else []
    table = table_of("criterion", "quartiles", *(f"{score:g}" for score in shown))
    for one in criteria:
        counts = {each.score: each for each in one.counts}
        cells = (f"{counts[score].n}" if score in counts else "0" for score in shown)
        table.add_row(name_of(one.criterion), _quartiles(one.quartiles), *cells)
    yield table


def _beside_oneself(
    criteria: tuple[CriterionResult, ...], own: tuple[OwnScores, ...]
) -> Iterator[RenderableType]:
    """Quartiles, means and SDs of items and of what raters gave themselves: table 3 of Alympics."""
    yield heading("Scores of items and of oneself")
    table = table_of("criterion", "items", "mean", "SD", "n", "oneself", "mean", "SD", "n")
    of_oneself = {one.criterion: one for one in own}
    for one in criteria:
        self_ = of_oneself.get(one.criterion)
        mine = (
            ("-",) * 4
            if self_ is None
            else (_quartiles(self_.quartiles), number(self_.mean, 2), number(self_.sd_ddof1, 2), str(self_.n))
        )
        items = (_quartiles(one.quartiles), number(one.mean, 2), number(one.sd_ddof1, 2), str(one.n))
        table.add_row(name_of(one.criterion), *items, *mine)
    yield table
    yield "SDs with n - 1; the columns of items and of oneself are quartiles."


def _quartiles(quartiles: Quartiles | None) -> str:
    if quartiles is None:
        return "-"
    return f"{quartiles.lower:g} {quartiles.median:g} {quartiles.upper:g}"


def _groups(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    rows = [(one.criterion, group) for one in criteria for group in one.groups]
    if not rows:
        return
    yield heading("Scores by group of items")
    table = table_of(
        "criterion", "group", "n", "mean", "95% interval", "SD (n-1)", "quartiles", "items", "raters", left=2
    )
    for name, group in rows[:LONGEST]:
        table.add_row(
            name_of(name),
            name_of(group.group),
            str(group.n),
            number(group.mean, 2),
            interval_of(group.interval, 2),
            number(group.sd_ddof1, 2),
            _quartiles(group.quartiles),
            str(group.n_items),
            str(group.n_raters),
        )
    yield table
    yield from _cut(len(rows))
    missing: dict[str, list[str]] = {}
    for name, group in rows:
        if reason := why_unbounded(group.interval):
            missing.setdefault(reason, []).append(f"{name_of(name)} {name_of(group.group)}")
    yield from (f"  No interval of {_some(names)}: {reason}." for reason, names in missing.items())
    pairs = [(one.criterion, pair) for one in criteria for pair in one.group_comparisons]
    if not pairs:
        return
    yield heading("Groups compared (Mann-Whitney over the mean of each item, two-sided)")
    table = table_of("criterion", "groups", "items", "difference", "effect", "p", "p (Holm)", left=2)
    for name, pair in pairs[:LONGEST]:
        table.add_row(
            name_of(name),
            " and ".join(map(name_of, pair.groups)),
            f"{pair.test.n1} and {pair.test.n2}",
            signed(pair.difference),
            number(pair.test.effect, 2),
            p_cell(pair.test.p_two_sided),
            p_cell(pair.p_holm),
        )
    yield table
    yield from _cut(len(pairs))
    yield "Effect: how often an item of the first group has the higher mean (ties half). Holm: over all rows."
    reasons = {pair.test.reason for _, pair in pairs if pair.test.reason}
    yield from (f"  No test where {reason}." for reason in sorted(reasons))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _cut(n: int) -> Iterator[str]:
    if n > LONGEST:
        yield f"The first {LONGEST} of {n}; --json has them all."


def _severity(raters: pd.DataFrame) -> Iterator[RenderableType]:
    """A row per rater, a column per criterion."""
    if "severity" not in raters or not raters["severity"].notna().any():
        return
    criteria = list(dict.fromkeys(raters["criterion"].astype("str")))
    found: dict[str, dict[str, str]] = {}
    for row in table_rows(raters):
        if row["severity"] is not None:
            found.setdefault(row["rater"], {})[row["criterion"]] = signed(row["severity"])
    yield heading(
        "Severity of raters (their scores less the mean score of the same items; below 0 is severe)"
    )
    shown = table_of("rater", *map(name_of, criteria))
    for name, apart in list(found.items())[:LONGEST]:
        shown.add_row(name_of(name), *(apart.get(criterion, "-") for criterion in criteria))
    yield shown
    yield from _cut(len(found))


def _left_out(criteria: tuple[CriterionResult, ...]) -> Iterator[str]:
    for one in criteria:
        left_out = [
            f"{n} {words}"
            for n, words in (
                (one.n_missing, "empty"),
                (one.n_not_numbers, "not a number"),
                (one.n_out_of_range, "out of range"),
            )
            if n
        ]
        if left_out:
            yield f"  {name_of(one.criterion)}: of {one.n_ratings} scores {', '.join(left_out)}."


def _classes(criteria: tuple[CriterionResult, ...]) -> Iterator[RenderableType]:
    """Scores that are names: how often each was given."""
    yield heading("Classes")
    table = table_of("criterion", "class", "scores", "share", left=2)
    rows = [(one, each) for one in criteria for each in one.classes]
    for one, each in rows[:LONGEST]:
        table.add_row(name_of(one.criterion), name_of(each.name), str(each.n), number(each.share))
    yield table
    yield from _cut(len(rows))
    yield from _left_out(criteria)
    for one in criteria:
        yield f"  {name_of(one.criterion)}: {one.n} scores of {one.n_items} items by {one.n_raters} raters."


def _agreement(analysis: RatingAnalysis) -> Iterator[RenderableType]:
    yield heading(
        f"Agreement of raters (95% bootstrap interval over items; scores are {analysis.agreement_level})"
    )
    table = table_of("criterion", "coefficient", "value", "95% interval", "items", left=2)
    reasons: dict[str, list[str]] = {}
    unbounded: dict[str, list[str]] = {}
    for one in analysis.criteria:
        for label, estimate in _estimates(one):
            if estimate.value is None:
                reasons.setdefault(str(estimate.reason), []).append(label)
                continue
            low, high = estimate.interval.low, estimate.interval.high
            if reason := why_unbounded(estimate.interval):
                unbounded.setdefault(reason, []).append(name_of(one.criterion))
            cells = number(estimate.value), range_of(low, high), str(estimate.n)
            table.add_row(name_of(one.criterion), label, *cells)
    if table.row_count:
        yield table
    for reason, labels in reasons.items():
        yield f"  Not there for {', '.join(dict.fromkeys(labels))}: {reason}."
    for reason, names in unbounded.items():
        yield f"  No interval of {_some(list(dict.fromkeys(names)))}: {reason}."


def _estimates(one: CriterionResult) -> list[tuple[str, Estimate]]:
    found = one.agreement
    return [
        ("two raters agree", found.agreement),
        ("Krippendorff's alpha", found.alpha),
        ("Fleiss' kappa", found.kappa),
        ("Gwet's AC1", found.ac1),
        ("ICC, one rater of a complete table", found.icc_single),
        ("ICC, mean of as many raters", found.icc_average),
        ("ICC, one-way, any raters", one.icc_oneway),
    ]


def _means(table: pd.DataFrame, column: str) -> Iterator[RenderableType]:
    """A row per rater or item, a column per criterion."""
    if "plurality" in table and table["plurality"].notna().any():
        yield from _pluralities(table)
        return
    if len(table) and table["mean"].isna().all():
        return
    criteria = list(dict.fromkeys(table["criterion"].astype("str")))
    yield heading(f"Mean score by {column}")
    shown = table_of(column, *map(name_of, criteria))
    found: dict[str, dict[str, str]] = {}
    for row in table_rows(table):
        found.setdefault(row[column], {})[row["criterion"]] = f"{number(row['mean'], 2)} ({row['n']})"
    for name, means in list(found.items())[:LONGEST]:
        shown.add_row(name_of(name), *(means.get(criterion, "-") for criterion in criteria))
    yield shown
    yield "In brackets: scores that count."
    if len(found) > LONGEST:
        yield f"The first {LONGEST} of {len(found)}; --json has them all."


def _pluralities(table: pd.DataFrame) -> Iterator[RenderableType]:
    yield heading("The class of each item (plurality)")
    shown = table_of("criterion", "item", "class", "scores for it", left=3)
    for row in table_rows(table.head(LONGEST)):
        votes = f"{int(row['n_plurality'] or 0)} of {row['n']}"
        shown.add_row(
            name_of(row["criterion"]), name_of(row["item"]), name_of(row["plurality"] or "-"), votes
        )
    yield shown
    if len(table) > LONGEST:
        yield f"The first {LONGEST} of {len(table)}; --json has them all."


def _odd(odd: pd.DataFrame) -> Iterator[RenderableType]:
    if odd.empty:
        return
    yield heading("Scores that are no numbers, or out of range")
    table = table_of("row", "item", "rater", "criterion", "score", "", left=6)
    for row in table_rows(odd.head(LONGEST)):
        table.add_row(
            str(row["row"]), *(name_of(row[name]) for name in ("item", "rater", "criterion", "score", "why"))
        )
    yield table
    if len(odd) > LONGEST:
        yield f"The first {LONGEST} of {len(odd)}; --json has them all."
