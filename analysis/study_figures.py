"""Every figure of an analysis and of the judges held against its people, in the order of a report."""

from collections.abc import Iterator

from analysis.figures import (
    AnyFigure,
    certainty_figure,
    flow_figure,
    participants_figure,
    preference_figures,
    votes_figure,
)
from analysis.judging.figure import judges_figure
from analysis.judging.validation import JudgeValidation
from analysis.reported import Analysis


def figures_of(
    analysis: Analysis,
    *,
    judges: JudgeValidation | None = None,
) -> Iterator[AnyFigure]:
    """Every figure of an analysis, in the order of a report."""
    several = len(analysis.studies) > 1
    for number, study in enumerate(analysis.studies, start=1):
        name = f"flow-{number}" if several else "flow"
        yield flow_figure(study.study, study.selection, study.flow, name)
    yield participants_figure(analysis.studies, analysis.comparisons)
    yield from preference_figures(analysis.studies)
    yield certainty_figure([(study.study, study.certainty) for study in analysis.studies])
    for number, study in enumerate(analysis.studies, start=1):
        yield votes_figure(study, analysis.labels, f"votes-{number}" if several else "votes")
    if judges is not None:
        yield judges_figure(judges)
