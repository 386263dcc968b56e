"""What the report's page shows: the analysis' numbers as text. Nothing is computed here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis import Analysis, Description, StudyResult
from analysis.distances import Closing
from analysis.figures import AnyFigure
from analysis.judging import JudgeValidation
from app.reports.distances import closing_section
from app.reports.facts import StudyFacts
from app.reports.page.compared import (
    comparisons_section,
)
from app.reports.page.in_short import compared_in_short, conditions_in_short, further_in_short
from app.reports.page.judges import judges_section
from app.reports.page.methods import Methods
from app.reports.page.published import published_section
from app.reports.page.sections import analysis_sections, study_sections
from app.reports.page.signatures import (
    MAP,
    PLAY_MAP,
    PLAY_TABLE,
    TABLE,
    Played,
    play_section,
    signatures_section,
)
from app.reports.page.signatures import Found as Moves
from app.reports.page.sources import Source
from app.reports.page.views import (
    FigureView,
    SectionView,
    TableView,
    figure_view,
    interval,
    number,
    p_value,
    reasons,
)

FILES = {
    "flow": "tables/flow.csv",
    "participants": "tables/participants.csv",
    "preferences": "tables/preferences.csv",
    "certainty": "tables/estimates.csv",
    "votes": "tables/labels.csv",
    "judges": "tables/judges.csv",
    "closing": "tables/closing.csv",
    "signatures": TABLE,
    "map": MAP,
    "play": PLAY_TABLE,
    "playmap": PLAY_MAP,
}

_WARNINGS = {
    "simulated": "These numbers are of simulated participants: no person gave these answers.",
    "pilot": "These numbers are of a pilot, not of the study itself.",
    "preview": "These numbers are of previews: they do not count.",
}
_EMPTY = "There are no answers yet: this report has no numbers."


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The whole page."""

    title: str
    made: str
    warning: str
    sections: tuple[SectionView, ...]
    methods: Methods
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Content:
    """What a page is of: without an `analysis` there are no answers to pairs, without `judges` no verdicts.

    `are_rated` says that pages beside it are of ratings."""

    studies: Sequence[Source]
    analysis: Analysis | None
    figures: Mapping[str, AnyFigure]
    methods: Methods
    judges: JudgeValidation | None
    mode: str
    made: str
    closing: Closing | None = None
    signatures: Moves | None = None
    play: Played | None = None
    are_rated: bool = False


def report_page(content: Content, files: Sequence[str]) -> ReportPage:
    """The page of an analysis, or of its absence."""
    analysis = content.analysis
    return ReportPage(
        title=" and ".join(_title(study) for study in content.studies),
        made=content.made,
        warning=_WARNINGS.get(content.mode, "") if analysis or content.are_rated else _EMPTY,
        sections=tuple(_sections(content)),
        methods=content.methods,
        files=tuple(files),
    )


def _title(study: Source) -> str:
    return study.slug if study.title == study.slug else f"{study.title} ({study.slug})"


def _sections(content: Content) -> Iterator[SectionView]:
    analysis, figures = content.analysis, content.figures
    if analysis:
        yield SectionView("short", "In short", summary=tuple(_in_short(analysis)))
        names = [
            "participants",
            *sorted(name for name in figures if name.startswith("preferences")),
            "certainty",
        ]
        shown = _views(figures, *names)
        yield SectionView("participants", "Participants", figures=tuple(shown))
    if analysis or not content.are_rated:
        yield from _studies(content)
    if analysis:
        yield from comparisons_section(analysis)
        yield from analysis_sections(analysis)
        yield from published_section(analysis)
    yield from judges_section(content.judges, _views(figures, "judges"))
    yield from signatures_section(content.signatures, _views(figures, "signatures", "map"))
    yield from play_section(content.play, _views(figures, "play", "playmap"))
    yield from closing_section(content.closing, _views(figures, "closing"))


def _studies(content: Content) -> Iterator[SectionView]:
    """A section for each study, also for those without answers."""
    results = {result.study: result for result in content.analysis.studies} if content.analysis else {}
    order = list(results)
    for place, study in enumerate(content.studies, start=1):
        anchor, title = f"study-{place}", f"Study {study.slug}"
        if study.slug not in results:
            warning = f"No numbers: there is no answer of mode {content.mode}."
            yield SectionView(anchor, title, warning=warning)
            continue
        ending = f"-{order.index(study.slug) + 1}" if len(order) > 1 else ""
        figures = _views(content.figures, f"flow{ending}", f"votes{ending}")
        yield _study(anchor, title, results[study.slug], figures, tuple(_trivial(study)))


def _views(figures: Mapping[str, AnyFigure], *names: str) -> list[FigureView]:
    return [figure_view(figures[name], FILES[name.partition("-")[0]]) for name in names if name in figures]


def _in_short(analysis: Analysis) -> Iterator[str]:
    for study in analysis.studies:
        if study.selection.reason:
            yield f"{study.study}: no numbers, for {study.selection.reason}."
            continue
        yield f"{study.study}: {_accuracy(study)}"
        for one in study.preferences:
            if not one.has_truth:
                what = f"choices of {one.source} over {one.against}"
                yield f"{study.study}: mean share of {what} {_mean(one.description)}."
        yield from (f"{study.study}: {said}" for said in conditions_in_short(study))
    for comparison in analysis.comparisons:
        if comparison.test.reason is None:
            yield compared_in_short(comparison)
    yield from further_in_short(analysis)


def _accuracy(study: StudyResult) -> str:
    test = study.against_chance
    if study.accuracy.mean is None:
        return "there is no accuracy, as no pair with a right member was answered."
    tested = (
        f"not tested against chance, for {test.reason}"
        if test.reason
        else f"against chance ({test.chance}): {p_value(test.p)}, {test.alternative}"
    )
    return f"mean accuracy {_mean(study.accuracy)}; {tested}."


def _mean(one: Description) -> str:
    limits = (
        f"no interval: {one.interval.reason}"
        if one.interval.reason
        else f"95% interval {interval(one.interval, 2)}"
    )
    return f"{number(one.mean, 2)} ({limits}; n = {one.n})"


def _trivial(study: Source) -> Iterator[str]:
    """What one clue alone says of the records or texts shown, to be read beside people's accuracy."""
    for block in study.leaks if isinstance(study, StudyFacts) else ():
        if block.trivial is not None:
            yield f"Beside people's accuracy, block {block.block}: {block.trivial.says}"
        for leak in block.leaks:
            how = "allowed by name" if leak.is_allowed else "not allowed by name"
            yield f"Clue to the source in block {block.block}, {how}: {leak.name}, {leak.says}."


def _study(
    anchor: str, title: str, result: StudyResult, figures: Sequence[FigureView], beside: Sequence[str] = ()
) -> SectionView:
    chosen = result.selection
    counted = (
        f"{chosen.n_used} of {chosen.n_rows} answers and {chosen.n_participants_used} of {chosen.n_participants} "
        f"participants count (mode {chosen.mode})."
    )
    section = SectionView(anchor, title, paragraphs=(counted,), figures=tuple(figures))
    if chosen.reason:
        return replace(section, warning=f"No numbers: {chosen.reason}.")
    return replace(
        section,
        tables=(_measures(result),),
        notes=(*_notes(result), *beside),
        parts=tuple(study_sections(result)),
    )


def described(result: StudyResult) -> list[tuple[str, Description]]:
    """Everything of a study that is one value per participant, by what it is."""
    trials = "pairs with a right member" if result.uncertainty_trials == "with-truth" else "all pairs"
    preferences = [
        (f"{one.source} chosen over {one.against}, {one.condition or 'no condition'}", one.description)
        for one in result.preferences
    ]
    uncertainty = [
        (f"uncertainty, {trials}", result.uncertainty),
        ("uncertainty, all main pairs", result.uncertainty_all),
    ]
    return [("accuracy", result.accuracy), *(uncertainty if result.asks_uncertainty else ()), *preferences]


def _measures(result: StudyResult) -> TableView:
    return TableView(
        caption="Means over participants; each participant's trials are averaged first",
        head=("measure", "participants", "mean", "95% interval", "SD (n-1)"),
        rows=tuple(
            (name, str(one.n), number(one.mean), interval(one.interval), number(one.sd_ddof1))
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
            f"Accuracy against chance ({test.chance}): Wilcoxon's signed-rank test, W = {number(test.w, 1)}, "
            f"{p_value(test.p)}, {test.alternative} ({test.method}); rank-biserial correlation "
            f"{number(test.rank_biserial, 2)}; n = {test.n}, {test.n_at_chance} of them exactly at chance."
        )
    yield from reasons(described(result))
