"""Results as figures: results in, SVG and PNG with a sentence and a table of numbers out.

from analysis.figures import figures_of
for figure in figures_of(analysis):
    print(figure.name, figure.title)
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from analysis.figures.certainty import certainty_figure
from analysis.figures.figure import AnyFigure, Figure, NoFigure, Numbers
from analysis.figures.flow import Sessions, flow_figure
from analysis.figures.participants import participants_figure
from analysis.figures.preferences import preference_figures
from analysis.figures.votes import votes_figure
from analysis.reported import Analysis

if TYPE_CHECKING:
    from analysis.judging.validation import JudgeValidation

__all__ = [
    "AnyFigure",
    "Figure",
    "NoFigure",
    "Numbers",
    "Sessions",
    "certainty_figure",
    "figures_of",
    "flow_figure",
    "participants_figure",
    "preference_figures",
    "votes_figure",
]


def figures_of(
    analysis: Analysis,
    *,
    sessions: Mapping[str, Sessions] = MappingProxyType({}),
    judges: "JudgeValidation | None" = None,
) -> Iterator[AnyFigure]:
    """Every figure of an analysis, in the order of a report; `sessions` is by study, where they are known."""
    several = len(analysis.studies) > 1
    for number, study in enumerate(analysis.studies, start=1):
        name = f"flow-{number}" if several else "flow"
        yield flow_figure(study.study, study.selection, sessions.get(study.study), name)
    yield participants_figure(analysis.studies, analysis.comparisons)
    yield from preference_figures(analysis.studies)
    yield certainty_figure([(study.study, study.certainty) for study in analysis.studies])
    for number, study in enumerate(analysis.studies, start=1):
        yield votes_figure(study, analysis.labels, f"votes-{number}" if several else "votes")
    if judges is not None:
        # Judges bring their own figure; those who have none do not wait for it.
        from analysis.judging.figure import judges_figure

        yield judges_figure(judges)
