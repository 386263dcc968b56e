"""Likely Human's numbers: tables of responses in, frozen results out. No database, no web.

from analysis import analyze, read_responses
numbers = analyze(read_responses("responses.csv"))
numbers.to_dict()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.accuracy import accuracy_per_participant
    from analysis.brief import render_brief
    from analysis.chance import ChanceTest, against_chance
    from analysis.columns import LABEL_COLUMNS, RESPONSE_COLUMNS, Column
    from analysis.comparisons import MannWhitney, mann_whitney
    from analysis.description import Description, describe
    from analysis.errors import AnalysisError, ReadError, SchemaError
    from analysis.hntt import HNTT_COLUMNS, check_hntt, hntt_responses, read_hntt
    from analysis.intervals import Interval
    from analysis.majority import majority_vote
    from analysis.mapping import read_mapped, read_ratings
    from analysis.multiplicity import holm
    from analysis.preference import preference_per_participant
    from analysis.published import Published
    from analysis.ratings import analyze_ratings
    from analysis.ratings_text import render_ratings
    from analysis.reading import read_responses
    from analysis.schema import check_responses
    from analysis.selection import Selection, select_rows
    from analysis.studies import StudyResult
    from analysis.summary import Analysis, Comparison, analyze
    from analysis.text import render
    from analysis.uncertainty import uncertainty_per_participant

# Loaded at first use: a caller that wants the column definitions does not wait for SciPy.
_HOMES = {
    "accuracy": ["accuracy_per_participant"],
    "brief": ["render_brief"],
    "chance": ["ChanceTest", "against_chance"],
    "columns": ["LABEL_COLUMNS", "RESPONSE_COLUMNS", "Column"],
    "comparisons": ["MannWhitney", "mann_whitney"],
    "description": ["Description", "describe"],
    "errors": ["AnalysisError", "ReadError", "SchemaError"],
    "hntt": ["HNTT_COLUMNS", "check_hntt", "hntt_responses", "read_hntt"],
    "intervals": ["Interval"],
    "majority": ["majority_vote"],
    "mapping": ["read_mapped", "read_ratings"],
    "multiplicity": ["holm"],
    "preference": ["preference_per_participant"],
    "published": ["Published"],
    "ratings": ["analyze_ratings"],
    "ratings_text": ["render_ratings"],
    "reading": ["read_responses"],
    "schema": ["check_responses"],
    "selection": ["Selection", "select_rows"],
    "studies": ["StudyResult"],
    "summary": ["Analysis", "Comparison", "analyze"],
    "text": ["render"],
    "uncertainty": ["uncertainty_per_participant"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "HNTT_COLUMNS",
    "LABEL_COLUMNS",
    "RESPONSE_COLUMNS",
    "Analysis",
    "AnalysisError",
    "ChanceTest",
    "Column",
    "Comparison",
    "Description",
    "Interval",
    "MannWhitney",
    "Published",
    "ReadError",
    "SchemaError",
    "Selection",
    "StudyResult",
    "accuracy_per_participant",
    "against_chance",
    "analyze",
    "analyze_ratings",
    "check_hntt",
    "check_responses",
    "describe",
    "hntt_responses",
    "holm",
    "majority_vote",
    "mann_whitney",
    "preference_per_participant",
    "read_hntt",
    "read_mapped",
    "read_ratings",
    "read_responses",
    "render",
    "render_brief",
    "render_ratings",
    "select_rows",
    "uncertainty_per_participant",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'analysis' has no attribute {name!r}")
    value = getattr(import_module(f"analysis.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
