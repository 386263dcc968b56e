"""Results as figures: results in, SVG and PNG with a sentence and a table of numbers out.

from analysis.study_figures import figures_of
for figure in figures_of(analysis):
    print(figure.name, figure.title)
"""

from analysis.figures.certainty import certainty_figure
from analysis.figures.figure import AnyFigure, Figure, NoFigure, Numbers
from analysis.figures.flow import flow_figure
from analysis.figures.participants import participants_figure
from analysis.figures.preferences import preference_figures
from analysis.figures.votes import votes_figure

__all__ = [
    "AnyFigure",
    "Figure",
    "NoFigure",
    "Numbers",
    "certainty_figure",
    "flow_figure",
    "participants_figure",
    "preference_figures",
    "votes_figure",
]
