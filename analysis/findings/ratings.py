"""The ratings of a study on its results page: criteria with intervals, distributions, groups, agreement, severity."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase

from analysis.findings.arms import rating_arms_figure
from analysis.findings.marks import estimated, plain_interval
from analysis.findings.model import Column, Figure, Mark, Numbers, Piece
from analysis.findings.paired_ratings import paired_figures
from analysis.findings.words import count, exact, listed, people, sentence, why_missing
from analysis.ratings.between import BlocksCompared
from analysis.ratings.scores import CriterionResult, RatingAnalysis
from analysis.ratings.studies import BlockRatings
from analysis.results import table_rows
from analysis.signs import signed
from analysis.stats.intervals import Interval

# More different answers than these have no drawing; their numbers are in the analysis.
MOST_PARTS, MOST_ROWS = 11, 12

Scale = tuple[float, float]


def headline(blocks: Sequence[BlockRatings]) -> str:
    """The mean by the first criterion; empty where there is none."""
    for one in (one for block in blocks for one in scored(block.analysis)):
        scale = "" if one.scale is None else f", on a scale of {one.scale[0]:g} to {one.scale[1]:g}"
        several = sum(len(scored(block.analysis)) for block in blocks) > 1
        by = f" by {one.criterion}" if several else ""
        return f"Items scored {exact(one.mean)} on average{by}{scale}."
    return ""


def ratings_figures(
    blocks: Sequence[BlockRatings], pseudonym: Mapping[str, str], compared: Sequence[BlocksCompared] = ()
) -> Iterator[Figure]:
    """The figures of every block, in a section named `ratings:` and the block; names end in a letter from the second
    on.
    """
    for number, block in enumerate(blocks):
        letter = ascii_lowercase[number % 26] if number else ""
        if scored(block.analysis):
            yield from _of_block(block, letter, f"ratings:{block.block}", pseudonym)
            yield from paired_figures(block, letter, f"ratings:{block.block}", compared)


def _of_block(
    block: BlockRatings, letter: str, section: str, pseudonym: Mapping[str, str]
) -> Iterator[Figure]:
    by_scale: dict[Scale | None, list[CriterionResult]] = defaultdict(list)
    every = scored(block.analysis)
    several = len(every) > 1
    for one in every:
        by_scale[one.scale].append(one)
    for number, (scale, criteria) in enumerate(by_scale.items()):
        suffix = letter + ("" if number == 0 else f"x{ascii_lowercase[number % 26]}")
        yield _scores_figure(f"scores{suffix}", section, criteria, _drawn_scale(scale, criteria), several)
        if any(_steps(one) for one in criteria):
            yield _distribution_figure(f"distribution{suffix}", section, criteria, several)
        if any(one.groups for one in criteria):
            yield _groups_figure(f"groups{suffix}", section, criteria, _drawn_scale(scale, criteria), several)
        names = {one.criterion for one in criteria}
        if arms := [one for one in block.arms.measures if one.measure in names] if block.arms else []:
            yield rating_arms_figure(f"scorearms{suffix}", section, arms, scale=_drawn_scale(scale, criteria))
    yield _agreement_figure(f"alpha{letter}", section, every)
    if block.analysis.raters["severity"].notna().any():
        yield _severity_figure(f"severity{letter}", section, block.analysis, pseudonym, several)


def scored(analysis: RatingAnalysis) -> list[CriterionResult]:
    return [one for one in analysis.criteria if one.mean is not None]


def _drawn_scale(scale: Scale | None, criteria: Sequence[CriterionResult]) -> Scale:
    """The scale, or the scores that there are; never without width."""
    lows = [one.minimum for one in criteria if one.minimum is not None]
    highs = [one.maximum for one in criteria if one.maximum is not None]
    low, high = scale or (min(lows), max(highs))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _ends(scale: Scale) -> tuple[str, str]:
    return f"{scale[0]:g}", f"{scale[1]:g}"


def _limits(one: Interval) -> str:
    return "no interval" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"


def mean_mark(name: str, mean: float | None, interval: Interval, group: str = "") -> Mark:
    beside = _limits(interval)
    return Mark(
        name, mean, interval.low, interval.high, exact(mean), beside, "ink", group,
        spoken=f"{name}: mean {exact(mean)}, {plain_interval_of(interval)}",
    )  # fmt: skip


def plain_interval_of(one: Interval) -> str:
    if one.low is None or one.high is None:
        return f"no interval: {one.reason}"
    return f"95% interval {one.low:.2f} to {one.high:.2f}"


def _by(criterion: str, several: bool) -> str:
    """` by` and the criterion; empty if there is no other criterion."""
    return f" by {criterion}" if several else ""


def _scores_figure(
    name: str, section: str, criteria: Sequence[CriterionResult], scale: Scale, several: bool
) -> Figure:
    means = [f"{exact(one.mean)}{_by(one.criterion, several)}" for one in criteria]
    first = criteria[0]
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=f"The mean score is {listed(means)}.",
        strong=exact(first.mean),
        how=f"Mean of all scores with 95% interval over items and raters: {count(first.n_items, 'item')}, "
        f"{people(first.n_raters)}.{why_missing((one.criterion, one.interval) for one in criteria)}",
        numbers=Numbers(
            "Scores by criterion",
            (
                Column("criterion", "Criterion", "text"),
                Column("n", "Scores", "count"),
                Column("items", "Items", "count"),
                Column("raters", "Raters", "count"),
                Column("mean", "Mean"),
                Column("ci_low", "from"),
                Column("ci_high", "to"),
                Column("sd_ddof1", "SD (n-1)"),
                Column("lower_quartile", "Lower quartile"),
                Column("median", "Median"),
                Column("upper_quartile", "Upper quartile"),
            ),
            tuple(
                (
                    one.criterion, one.n, one.n_items, one.n_raters, one.mean, one.interval.low, one.interval.high,
                    one.sd_ddof1, *_quartiles(one),
                )
                for one in criteria
            ),
        ),
        marks=tuple(mean_mark(one.criterion, one.mean, one.interval) for one in criteria),
        chance=None,
        scale=scale,
        ends=_ends(scale),
    )  # fmt: skip


def _quartiles(one: CriterionResult) -> tuple[float | None, float | None, float | None]:
    found = one.quartiles
    return (None, None, None) if found is None else (found.lower, found.median, found.upper)


def _steps(one: CriterionResult) -> tuple[float, ...]:
    """The answers that a stacked bar has a part for, given or not; none where they are too many."""
    given = [each.score for each in one.counts]
    if one.scale and all(score.is_integer() for score in (*one.scale, *given)):
        low, high = map(int, one.scale)
        if high - low < MOST_PARTS:
            return tuple(float(step) for step in range(low, high + 1))
    return tuple(given) if len(given) <= MOST_PARTS else ()


def _distribution_figure(
    name: str, section: str, criteria: Sequence[CriterionResult], several: bool
) -> Figure:
    drawn = [one for one in criteria if _steps(one)]
    first = drawn[0]
    most = max(first.counts, key=lambda each: each.n)
    return Figure(
        name=name,
        section=section,
        drawing="stacks",
        said=f"The score given most often{_by(first.criterion, several)} is {most.score:g}: "
        f"{100 * most.share:.0f}% of scores.",
        strong=f"{most.score:g}",
        how="How often each score was given, from the lowest on the left to the highest on the right; the darker, "
        "the higher.",
        numbers=Numbers(
            "How often each score was given",
            (
                Column("criterion", "Criterion", "text"),
                Column("score", "Score"),
                Column("n", "Scores", "count"),
                Column("share", "Share", "share"),
            ),
            tuple(
                (one.criterion, each.score, each.n, each.share) for one in drawn for each in one.counts
            ),
        ),
        marks=tuple(
            Mark(
                one.criterion, None, None, None, f"{one.n:,}", "scores", "ink", pieces=tuple(_pieces(one)),
                spoken=f"{one.criterion}: "
                + ", ".join(f"{each.score:g} {100 * each.share:.0f}%" for each in one.counts),
            )
            for one in drawn
        ),
        chance=None,
    )  # fmt: skip


def _pieces(one: CriterionResult) -> Iterator[Piece]:
    shares = {each.score: each.share for each in one.counts}
    steps, before = _steps(one), 0.0
    for number, step in enumerate(steps):
        share = shares.get(step, 0.0)
        depth = 0.15 + 0.85 * number / max(1, len(steps) - 1)
        yield Piece(f"{step:g}", before, share, round(depth, 2))
        before += share


def _groups_figure(
    name: str, section: str, criteria: Sequence[CriterionResult], scale: Scale, several: bool
) -> Figure:
    rows = [(one, group) for one in criteria for group in one.groups]
    first = next(one for one in criteria if one.groups)
    said = [f"{group.group} {group.mean:.2f}" for group in first.groups]
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=sentence(f"by {first.criterion}: {listed(said)}" if several else f"mean scores: {listed(said)}"),
        strong=said[0],
        how="Mean score of each group of items, with 95% interval over items and raters."
        + why_missing((group.group, group.interval) for _, group in rows),
        numbers=Numbers(
            "Scores by group of items",
            (
                Column("criterion", "Criterion", "text"),
                Column("group", "Group", "text"),
                Column("n", "Scores", "count"),
                Column("items", "Items", "count"),
                Column("mean", "Mean"),
                Column("ci_low", "from"),
                Column("ci_high", "to"),
                Column("sd_ddof1", "SD (n-1)"),
            ),
            tuple(
                (
                    one.criterion, group.group, group.n, group.n_items, group.mean, group.interval.low,
                    group.interval.high, group.sd_ddof1,
                )
                for one, group in rows
            ),
        ),
        marks=tuple(
            mean_mark(
                f"{one.criterion}: {group.group}" if several else group.group, group.mean, group.interval
            )
            for one, group in rows
        ),
        chance=None,
        scale=scale,
        ends=_ends(scale),
    )  # fmt: skip


def _agreement_figure(name: str, section: str, criteria: Sequence[CriterionResult]) -> Figure:
    first = criteria[0].agreement.alpha
    alphas = [(one.criterion, one.agreement.alpha) for one in criteria]
    by = _by(criteria[0].criterion, len(criteria) > 1)
    lows = [end for _, alpha in alphas for end in (alpha.value, alpha.interval.low) if end is not None]
    scale = (-1.0 if min(lows, default=0.0) < 0 else 0.0, 1.0)
    coefficients = [
        (one.criterion, coefficient, value)
        for one in criteria
        for coefficient, value in (
            ("Krippendorff's alpha", one.agreement.alpha),
            ("agreement", one.agreement.agreement),
            ("Fleiss' kappa", one.agreement.kappa),
            ("Gwet's AC1", one.agreement.ac1),
            ("ICC of one rater", one.agreement.icc_single),
            ("ICC of the raters' mean", one.agreement.icc_average),
            ("ICC, one-way", one.icc_oneway),
        )
    ]
    said = (
        f"agreement{by} cannot be measured: {first.reason}"
        if first.value is None
        else f"Krippendorff's alpha{by} is {exact(first.value)}"
    )
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=sentence(said),
        strong=exact(first.value),
        how="Krippendorff's alpha with 95% interval over items: 0 is chance, 1 is agreement on everything."
        + why_missing((name, alpha.interval) for name, alpha in alphas),
        numbers=Numbers(
            "Agreement of raters",
            (
                Column("criterion", "Criterion", "text"),
                Column("coefficient", "Coefficient", "text"),
                Column("items", "Items", "count"),
                Column("value", "Value"),
                Column("ci_low", "from"),
                Column("ci_high", "to"),
            ),
            tuple((criterion, name, *estimated(value)) for criterion, name, value in coefficients),
        ),
        marks=tuple(
            Mark(
                criterion, alpha.value, alpha.interval.low, alpha.interval.high, exact(alpha.value),
                _limits(alpha.interval), "ink",
                spoken=f"{criterion}: alpha {exact(alpha.value)}, {plain_interval(alpha)}",
            )
            for criterion, alpha in alphas
        ),
        chance=0.0 if scale[0] < 0 else None,
        even="0",
        scale=scale,
        ends=_ends(scale),
    )  # fmt: skip


def _severity_figure(
    name: str, section: str, analysis: RatingAnalysis, pseudonym: Mapping[str, str], several: bool
) -> Figure:
    rows = [
        (pseudonym.get(str(row["rater"]), "p"), str(row["criterion"]), int(row["n"]), float(row["severity"]))
        for row in table_rows(analysis.raters)
        if row["severity"] is not None
    ]
    rows.sort(key=lambda row: (row[3], row[0], row[1]))
    half = MOST_ROWS // 2
    shown = rows if len(rows) <= MOST_ROWS else [*rows[:half], *rows[-half:]]
    widest = max(abs(row[3]) for row in rows) or 1.0
    lowest, highest = rows[0], rows[-1]
    return Figure(
        name=name,
        column="",
        section=section,
        drawing="marks",
        said=f"The most severe rater is {abs(lowest[3]):.2f} below others{_by(lowest[1], several)}, the most lenient "
        f"{highest[3]:.2f} above{_by(highest[1], several)}.",
        strong=f"{abs(lowest[3]):.2f}",
        how="A rater's scores less the mean score of the same items by all raters; left of the line is severe."
        + (f" The {half} most severe and the {half} most lenient of {len(rows)}." if len(rows) > MOST_ROWS else ""),
        numbers=Numbers(
            "Severity of raters",
            (
                Column("rater", "Rater", "text"),
                Column("criterion", "Criterion", "text"),
                Column("n", "Scores", "count"),
                Column("severity", "Severity"),
            ),
            tuple(rows),
        ),
        marks=tuple(
            Mark(
                f"{rater}, {criterion}" if several else rater, severity, None, None, signed(severity),
                f"of {count(n, 'score')}", "ink", spoken=f"{rater}, {criterion}: {signed(severity)}",
            )
            for rater, criterion, n, severity in shown
        ),
        chance=0.0,
        even="0",
        scale=(-widest, widest),
        ends=(f"{-widest:.2g}", f"+{widest:.2g}"),
    )  # fmt: skip
