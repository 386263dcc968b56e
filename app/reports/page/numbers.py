"""The figures, tables and JSON that lie in a report's folder."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from analysis import Analysis
from analysis.figures import AnyFigure, Figure
from analysis.findings.judge_tables import HEAD as JUDGES_HEAD
from analysis.findings.judge_tables import judge_rows
from analysis.hypotheses import HypothesesDecided
from analysis.judging import JudgeValidation
from analysis.reported import FORMAT
from analysis.study_figures import figures_of
from app.reports.page.tables import tables_of
from app.reports.page.writing import csv_text


def figures_in(analysis: Analysis | None, judges: JudgeValidation | None) -> Iterator[AnyFigure]:
    """Every figure of the answers to pairs; none without an analysis."""
    if analysis is not None:
        yield from figures_of(analysis, judges=judges)


def tables_in(
    analysis: Analysis | None, figures: Iterable[AnyFigure], judges: JudgeValidation | None
) -> Iterator[tuple[str, str]]:
    """The CSV files of the folder, by name."""
    for name, head, rows in tables_of(analysis):
        yield f"tables/{name}.csv", csv_text(head, rows)
    yield "tables/flow.csv", csv_text(("study", "of", "step", "n"), _flow(analysis, figures))
    if judges is not None:
        yield "tables/judges.csv", csv_text(JUDGES_HEAD, judge_rows(judges))


def _flow(analysis: Analysis | None, figures: Iterable[AnyFigure]) -> Iterator[tuple[str, ...]]:
    """The steps of each study's flow; they come in the order of the studies."""
    flows = [one for one in figures if one.name.startswith("flow")]
    for study, figure in zip(analysis.studies if analysis else (), flows, strict=True):
        if isinstance(figure, Figure):
            for row in figure.numbers.rows:
                yield study.study, *row


def results_in(analysis: Analysis | None, hypotheses: Mapping[str, HypothesesDecided]) -> dict[str, Any]:
    """The contents of `results.json`; `hypotheses` where a study has any."""
    decided = {"hypotheses": [one.to_dict() for one in hypotheses.values()]} if hypotheses else {}
    if analysis:
        return {**analysis.to_dict(), **decided}
    return {
        "format": FORMAT,
        "settings": None,
        "studies": [],
        "comparisons": [],
        "labels": [],
        "reason": "there are no answers to analyse",
        **decided,
    }
