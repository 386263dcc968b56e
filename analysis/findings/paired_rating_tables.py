"""Scores compared as pairs, in the report of ratings: criteria, matched groups, oneself and items, two studies."""

from collections.abc import Iterable, Iterator, Sequence

from analysis.findings.model import Measured, Numbers, Section
from analysis.findings.paired_words import names_of, paired_notes
from analysis.findings.tables import column, counts, measured, p_values
from analysis.findings.tables import names as column_names
from analysis.ratings.between import BlocksCompared
from analysis.ratings.paired import UNITS, PairedScores
from analysis.ratings.scores import RatingAnalysis
from analysis.ratings.studies import SelfAssessment
from analysis.words import sentence

PAIRED = (
    "paired_by", "criterion", "first", "second", "n", "n_only_first", "n_only_second", "mean_first", "mean_second",
    "difference", "low", "high", "shift", "shift_low", "shift_high", "v", "p", "p_holm", "n_family", "alternative",
    "method", "rank_biserial", "p_permutation", "reason",
)  # fmt: skip
MOST_ROWS = 60


def paired_rows(comparisons: Iterable[PairedScores]) -> Iterator[tuple[object, ...]]:
    """The rows of `paired.csv`, under `PAIRED`."""
    for one in comparisons:
        test, interval = one.test, one.test.difference.interval
        yield (
            *(one.paired_by, one.criterion, one.first, one.second),
            *(test.n, test.n_only_first, test.n_only_second, one.mean_first, one.mean_second),
            *(test.difference.mean, interval.low, interval.high),
            *(test.shift.value, test.shift.low, test.shift.high, test.v, test.p, one.p_holm, one.n_family),
            *(test.alternative, test.method, test.rank_biserial, test.permutation.p, test.reason),
        )


def paired_sections(
    analysis: RatingAnalysis, own: SelfAssessment | None, compared: Sequence[BlocksCompared]
) -> Iterator[Section]:
    """A section of each kind that there is."""
    if analysis.matched_groups:
        yield _section("matched", "Conditions within matched sets", analysis.matched_groups)
    if analysis.criteria_compared:
        yield _section("compared", "Criteria compared", analysis.criteria_compared)
    if own is not None:
        yield _of_oneself(own)
    yield from map(of_studies, compared)


def _of_oneself(own: SelfAssessment) -> Section:
    notes = [f"Nobody was asked about themselves: {', '.join(own.not_asked)}."] if own.not_asked else []
    if own.reason:
        notes.append(sentence(f"what raters said of themselves is not compared: {own.reason}"))
    about = (
        f"{own.n_raters} raters answered the questions about themselves, too. Their own scores are held against the "
        "mean of what each of them gave to items; they are in no other number.",
    )
    return _section("self", "Oneself and items", own.criteria, about, notes)


def of_studies(one: BlocksCompared) -> Section:
    notes = []
    if one.reason:
        notes.append(sentence(f"nothing is compared: {one.reason}"))
    if one.other_scale:
        notes.append(f"On different scales, and not compared: {', '.join(one.other_scale)}.")
    about = (
        f"{one.n_shared} stimuli were rated in both studies, of {one.n_stimuli[0]} in {one.studies[0]} and "
        f"{one.n_stimuli[1]} in {one.studies[1]}. The raters are others: where they are stricter in one study, that is "
        "part of the difference.",
    )
    return _section(
        "studies", f"{' and '.join(one.studies)}: ratings of the same stimuli", one.criteria, about, notes
    )


def _section(
    anchor: str,
    title: str,
    comparisons: Sequence[PairedScores],
    paragraphs: tuple[str, ...] = (),
    notes: Sequence[str] = (),
) -> Section:
    if not comparisons:
        return Section(anchor, title, paragraphs, notes=tuple(notes))
    unit = UNITS[comparisons[0].paired_by][1]
    has_criterion = comparisons[0].criterion is not None
    columns = (
        *column_names(*(("criterion", "compared") if has_criterion else ("compared",))),
        *(*counts(unit), column("mean difference", digits=2), column("shift", digits=2)),
        *p_values("p", "p (Holm)", "p (permutation)"),
    )
    rows = tuple(
        (
            *((one.criterion or "",) if has_criterion else ()),
            *(names_of(one), test.n, measured(test.difference)),
            Measured(test.shift.value, test.shift.low, test.shift.high),
            *(test.p, one.p_holm, test.permutation.p),
        )
        for one in comparisons
        for test in [one.test]
    )
    methods = "; ".join(sorted({one.test.method for one in comparisons if one.test.method}))
    caption = (
        f"{title} as pairs, over {unit} that have both, with 95% intervals; Wilcoxon's signed-rank test, two-sided "
        f"({methods or 'none could be made'}), Holm over {comparisons[0].n_family} tests; shift: Hodges-Lehmann"
    )
    table = Numbers(caption, columns, rows)
    found = (f"{note}." for note in paired_notes(comparisons))
    return Section(anchor, title, paragraphs, tables=(table,), notes=(*found, *notes))
