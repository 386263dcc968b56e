"""An analysis as text for a terminal, 100 columns wide."""

from collections.abc import Iterator

from rich.console import RenderableType

from analysis.choice.studies import StudyResult
from analysis.choice.ties import TieAnswers
from analysis.findings.registry import sections_of, sections_of_all
from analysis.reported import Analysis
from analysis.terminal import WIDTH, as_text, heading, left_out_words, name_of, resamples_words
from analysis.text.sections import render_sections


def render(analysis: Analysis, width: int = WIDTH) -> str:
    """Return the analysis as plain text: every statistic of the registry, reasons for missing numbers.

    Tables of more than 60 rows are cut, and the text says so; the JSON has them all.
    """
    return as_text(list(_parts(analysis)), width)


def _parts(analysis: Analysis) -> Iterator[RenderableType]:
    settings = analysis.settings
    yield (
        f"Mode {settings.mode}; blanks {settings.blank}; seed {settings.seed}; "
        f"{resamples_words(settings.resamples)} over participants; ties {settings.ties}"
    )
    for study in analysis.studies:
        yield heading(f"Study {name_of(study.study)}")
        yield counted(study)
        if study.selection.reason:
            yield f"No numbers: {study.selection.reason}."
        yield from render_sections(sections_of(study, settings))
    yield from render_sections(sections_of_all(analysis))


def counted(study: StudyResult) -> str:
    """The numbers of participants and answers counted, and what became of the others."""
    selection = study.selection
    left_out = left_out_words(selection.left_out)
    return (
        f"{selection.n_participants_used} of {selection.n_participants} participants and "
        f"{selection.n_used} of {selection.n_rows} answers count{_named(study.ties)}{left_out}"
    )


def _named(ties: TieAnswers) -> str:
    """The number of counted answers that name no clip."""
    parts = [
        f"{n} {what}"
        for n, what in ((ties.n_tie, "say no difference (a vote)"), (ties.n_blank, "are blank (no vote)"))
        if n
    ]
    return f": {ties.n_chosen} name one of the two, {', '.join(parts)}" if parts else ""
