"""Scores compared as pairs on the results page: conditions, criteria, oneself and items, two studies."""

from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from analysis.findings.model import Column, Figure, Mark, Numbers
from analysis.findings.paired_words import counted_pairs, names_of, title_of, unreachable
from analysis.findings.words import sentence, why_missing
from analysis.ratings.between import BlocksCompared
from analysis.ratings.paired import SELF, UNITS, PairedScores, smallest_p
from analysis.ratings.studies import BlockRatings
from analysis.signs import signed
from analysis.stats.evidence import evidence
from analysis.stats.p_values import p_words

MOST_ROWS = 12
_SIGNIFICANT = 0.05

Scale = tuple[float, float]


def paired_figures(
    block: BlockRatings, letter: str, section: str, compared: Sequence[BlocksCompared]
) -> Iterator[Figure]:
    """The figures of a block."""
    own = block.self_assessment
    kinds = (
        ("matched", "Conditions within matched sets", block.analysis.matched_groups),
        ("compared", "Criteria compared", block.analysis.criteria_compared),
        ("self", "Oneself less items", own.criteria if own else ()),
        ("between", "Two studies", _of_studies(block, compared)),
    )
    scales = {one.criterion: one.scale for one in block.analysis.criteria}
    for name, caption, comparisons in kinds:
        # Points and percent have no axis in common.
        by_scale: dict[Scale | None, list[PairedScores]] = {}
        for one in comparisons:
            by_scale.setdefault(scales[one.criterion or one.first], []).append(one)
        for number, of_scale in enumerate(by_scale.values()):
            suffix = letter if number == 0 else f"{letter}x{ascii_lowercase[number % 26]}"
            yield _figure(f"{name}{suffix}", section, caption, of_scale)


def _of_studies(block: BlockRatings, compared: Sequence[BlocksCompared]) -> list[PairedScores]:
    """The comparisons of this block with those of other studies."""
    return [
        each
        for one in compared
        if (block.study, block.block) == (one.studies[0], one.blocks[0])
        for each in one.criteria
    ]


def paired_claims(
    blocks: Sequence[BlockRatings], compared: Sequence[BlocksCompared]
) -> Iterator[tuple[bool, str]]:
    """Claims as pairs (supported or not, sentence): of matched conditions, of oneself and items, and of two studies."""
    for block in blocks:
        own = block.self_assessment.criteria if block.self_assessment else ()
        for one in (*block.analysis.matched_groups, *own, *_of_studies(block, compared)):
            yield _claim(one)


def _claim(one: PairedScores) -> tuple[bool, str]:
    difference, over = one.test.difference.mean or 0.0, counted_pairs(one)
    by = f"by {one.criterion}, " if one.criterion else ""
    interval = one.test.difference.interval
    # Where all differ by as much there is no interval, and p decides alone.
    is_apart = difference != 0 if interval.low is None else evidence(interval) in ("more", "less")
    is_known = is_apart and one.p_holm is not None and one.p_holm < _SIGNIFICANT
    if one.first == SELF:
        more = "more" if difference > 0 else "less"
        said = f"raters give themselves {abs(difference):.2f} {more} than items"
        open_ = "raters give themselves more or less than items"
    else:
        more = "higher" if difference > 0 else "lower"
        said = f"{one.first} scores {abs(difference):.2f} {more} than {one.second}"
        open_ = f"{one.first} scores higher or lower than {one.second}"
    return is_known, sentence(by + (f"{said}, over {over}" if is_known else f"whether {open_}, over {over}"))


def _figure(name: str, section: str, caption: str, comparisons: Sequence[PairedScores]) -> Figure:
    shown = list(smallest_p(comparisons))[:MOST_ROWS]
    first = shown[0]
    intervals = [(title_of(one), one.test.difference.interval) for one in shown]
    ends = [
        abs(end)
        for one in shown
        for end in (
            one.test.difference.mean,
            one.test.difference.interval.low,
            one.test.difference.interval.high,
        )
        if end is not None
    ]
    widest = max(ends, default=0.0) or 1.0
    unit = UNITS[first.paired_by][1]
    tested = (
        f"not tested, {first.test.reason}" if first.p_holm is None else f"{p_words(first.p_holm)} after Holm"
    )
    most = f" The {MOST_ROWS} of least p of {len(comparisons)}." if len(comparisons) > MOST_ROWS else ""
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=sentence(
            f"{title_of(first)}: {_signed(first.test.difference.mean)} over {counted_pairs(first)} ({tested})"
        ),
        strong=_signed(first.test.difference.mean),
        how=f"Mean difference over {unit} that have both, with 95% interval; Wilcoxon's signed-rank test, two-sided, "
        f"Holm over {first.n_family} tests. Right of the line the first is higher.{most}"
        f"{f' {unreachable(comparisons)}.' if unreachable(comparisons) else ''}{why_missing(intervals)}",
        numbers=Numbers(
            caption,
            (
                Column("criterion", "Criterion", "text"),
                Column("compared", "Compared", "text"),
                Column("n", unit.capitalize(), "count"),
                Column("difference", "Mean difference"),
                Column("ci_low", "from"),
                Column("ci_high", "to"),
                Column("shift", "Shift"),
                Column("shift_low", "from"),
                Column("shift_high", "to"),
                Column("p", "p", "p"),
                Column("p_holm", "p (Holm)", "p"),
                Column("p_permutation", "p (permutation)", "p"),
            ),
            tuple(
                (
                    one.criterion, names_of(one), one.test.n, one.test.difference.mean,
                    one.test.difference.interval.low, one.test.difference.interval.high, one.test.shift.value,
                    one.test.shift.low, one.test.shift.high, one.test.p, one.p_holm, one.test.permutation.p,
                )
                for one in comparisons
            ),
        ),
        marks=tuple(_mark(one, is_alike=len({names_of(each) for each in shown}) == 1) for one in shown),
        chance=0.0,
        even="0",
        scale=(-widest, widest),
        ends=(f"{-widest:.2g}", f"+{widest:.2g}"),
    )  # fmt: skip


def _mark(one: PairedScores, *, is_alike: bool) -> Mark:
    """Named by its criterion alone where all `is_alike`: the sentence above says what is compared."""
    interval, value = one.test.difference.interval, one.test.difference.mean
    beside = (
        "no interval"
        if interval.low is None or interval.high is None
        else f"{interval.low:z.2f} to {interval.high:z.2f}"
    )
    spoken = f"{title_of(one)}: {_signed(value)}, {beside}, {counted_pairs(one)}"
    name = one.criterion if is_alike and one.criterion else title_of(one)
    return Mark(name, value, interval.low, interval.high, _signed(value), beside, "ink", spoken=spoken)


def _signed(value: float | None) -> str:
    return "–" if value is None else signed(value)
