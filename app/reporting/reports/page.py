"""What the report's page shows: the analysis' numbers as text. Nothing is computed here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from analysis import Analysis, Description, Interval, StudyResult
from analysis.results import table_rows
from app.reporting.facts import StudyFacts
from app.reporting.reports.methods import Methods


@dataclass(frozen=True, slots=True)
class TableView:
    """A table with its caption; the first `n_names` columns name the row, the others are numbers.

    `file` has all of it where the page shows less.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    n_names: int = 1
    file: str = ""
    more: int = 0


@dataclass(frozen=True, slots=True)
class StudyView:
    slug: str
    counted: str
    no_numbers: str
    tables: tuple[TableView, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The whole page; a later figure is a file of the folder, shown from a view of its own."""

    title: str
    made: str
    warning: str
    studies: tuple[StudyView, ...]
    tables: tuple[TableView, ...]
    notes: tuple[str, ...]
    methods: Methods
    files: tuple[str, ...]


LONGEST = 200

_WARNINGS = {
    "simulated": "These numbers are of simulated participants: no person gave these answers.",
    "pilot": "These numbers are of a pilot, not of the study itself.",
    "preview": "These numbers are of previews: they do not count.",
}


def report_page(
    studies: Sequence[StudyFacts],
    analysis: Analysis | None,
    methods: Methods,
    *,
    mode: str,
    made: str,
    files: Sequence[str],
) -> ReportPage:
    """The page of an analysis, or of its absence."""
    results = {result.study: result for result in analysis.studies} if analysis else {}
    return ReportPage(
        title=" and ".join(f"{facts.title} ({facts.slug})" for facts in studies),
        made=made,
        warning=_WARNINGS.get(mode, "")
        if analysis
        else "There are no answers yet: this report has no numbers.",
        studies=tuple(_study(facts.slug, results.get(facts.slug), mode) for facts in studies),
        tables=tuple(_overall(analysis)) if analysis else (),
        notes=analysis.published.what_differs if analysis and analysis.published else (),
        methods=methods,
        files=tuple(files),
    )


def _study(slug: str, result: StudyResult | None, mode: str) -> StudyView:
    if result is None:
        return StudyView(slug, "", f"No numbers: there is no answer of mode {mode}.", (), ())
    chosen = result.selection
    return StudyView(
        slug=slug,
        counted=(
            f"{chosen.n_used} of {chosen.n_rows} answers and {chosen.n_participants_used} of {chosen.n_participants} "
            f"participants count (mode {chosen.mode})."
        ),
        no_numbers=f"No numbers: {chosen.reason}." if chosen.reason else "",
        tables=() if chosen.reason else (_measures(result),),
        notes=() if chosen.reason else tuple(_notes(result)),
    )


def described(result: StudyResult) -> list[tuple[str, Description]]:
    """Everything of a study that is one value per participant, by what it is."""
    trials = "pairs with a right member" if result.uncertainty_trials == "with-truth" else "all pairs"
    preferences = [
        (f"{one.source} chosen over {one.against}, {one.condition or 'no condition'}", one.description)
        for one in result.preferences
    ]
    return [
        ("accuracy", result.accuracy),
        (f"uncertainty, {trials}", result.uncertainty),
        ("uncertainty, all main pairs", result.uncertainty_all),
        *preferences,
    ]


def _measures(result: StudyResult) -> TableView:
    return TableView(
        caption="Means over participants; each participant's trials are averaged first",
        head=("measure", "participants", "mean", "95 % interval", "SD (n-1)"),
        rows=tuple(
            (name, str(one.n), _number(one.mean), _interval(one.interval), _number(one.sd_ddof1))
            for name, one in described(result)
        ),
        file="tables/measures.csv",
    )


def _notes(result: StudyResult) -> Iterator[str]:
    test = result.against_chance
    if test.reason:
        yield f"Accuracy was not tested against chance ({test.chance}): {test.reason}."
    else:
        yield (
            f"Accuracy against chance ({test.chance}): Wilcoxon's signed-rank test, W = {_number(test.w, 1)}, "
            f"{_p(test.p)}, {test.alternative} ({test.method}); rank-biserial correlation "
            f"{_number(test.rank_biserial, 2)}; n = {test.n}, {test.n_at_chance} of them exactly at chance."
        )
    reasons: dict[str, list[str]] = {}
    for name, one in described(result):
        for reason in dict.fromkeys(filter(None, (one.reason, one.interval.reason))):
            reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"Missing in {'; '.join(names)}: {reason}."


def _overall(analysis: Analysis) -> Iterator[TableView]:
    if analysis.comparisons:
        yield _comparisons(analysis)
    if analysis.published:
        yield _published(analysis)
    yield _labels(analysis)


def _comparisons(analysis: Analysis) -> TableView:
    rows = []
    for one in analysis.comparisons:
        test = one.test
        about = ", ".join(
            filter(None, (one.measure, one.trials, one.source and f"{one.source} over {one.against}"))
        )
        effect = f"{_number(test.effect, 2)} {_interval(test.effect_interval, 2)}"
        ends = (_number(test.p, 4), _number(one.p_holm, 4), effect)
        rows.append((" and ".join(one.studies), about, _number(test.u1, 1), _number(test.u2, 1), *ends))
    alternative = analysis.settings.alternative
    return TableView(
        caption=(
            "Studies compared (Mann-Whitney); the effect is the probability that a participant of the first study "
            "is higher, ties half, with its 95 % interval"
        ),
        head=("studies", "measure", "U first", "U second", f"p {alternative}", "p Holm", "effect"),
        rows=tuple(rows),
        n_names=2,
        file="tables/comparisons.csv",
    )


def _published(analysis: Analysis) -> TableView:
    numbers = analysis.to_dict()
    rows = []
    for measure, printed in numbers["as_published"].items():
        right = numbers["corrected"][measure]
        name = measure.replace("_", " ")
        rows.append(
            (
                name,
                "as published",
                *_means(printed),
                f"{printed['min_u']:.1f}",
                f"{printed['p']:.4f} one-sided",
            )
        )
        rows.append(
            (name, "corrected", *_means(right), f"{right['u1']:.1f}", f"{right['p_two_sided']:.4f} two-sided")
        )
    return TableView(
        caption="The published numbers of the Human Navigation Turing Test, as printed and corrected",
        head=("measure", "analysis", "mean first", "mean second", "U", "p"),
        rows=tuple(rows),
        n_names=2,
        file="results.json",
    )


def _means(numbers: Any) -> tuple[str, str]:
    first, second = numbers["mean"]
    return f"{first:.3f}", f"{second:.3f}"


def _labels(analysis: Analysis) -> TableView:
    labels = table_rows(analysis.labels)
    return TableView(
        caption="Labels: the votes on each pair, the share for a with its 95 % interval, and the majority",
        head=(
            "study",
            "pair",
            "condition",
            "kind",
            "a : b",
            "share for a",
            "95 % interval",
            "majority",
            "truth",
        ),
        rows=tuple(
            (
                row["study"],
                row["pair"],
                row["condition"] or "",
                row["kind"],
                f"{row['votes_a']} : {row['votes_b']}",
                _number(row["share_a"], 2),
                f"{row['ci_low']:.2f} to {row['ci_high']:.2f}" if row["n"] else "none",
                row["majority"] or "none",
                row["truth"] or "none",
            )
            for row in labels[:LONGEST]
        ),
        n_names=4,
        file="tables/labels.csv",
        more=max(0, len(labels) - LONGEST),
    )


def _number(value: float | None, digits: int = 3) -> str:
    return "none" if value is None else f"{value:.{digits}f}"


def _interval(interval: Interval, digits: int = 3) -> str:
    if interval.low is None or interval.high is None:
        return "none"
    return f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"


def _p(value: float | None) -> str:
    return "p < 0.0001" if value is not None and value < 0.0001 else f"p = {_number(value, 4)}"
