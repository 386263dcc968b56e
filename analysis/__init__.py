"""Likely Human's numbers: tables of responses in, frozen results out. No database, no web.

from analysis import analyze, read_responses
numbers = analyze(read_responses("responses.csv"))
numbers.to_dict()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.choice.accuracy import accuracy_per_participant
    from analysis.choice.chance import ChanceTest, against_chance
    from analysis.choice.majority import majority_vote
    from analysis.choice.published import Published
    from analysis.choice.studies import StudyResult
    from analysis.choice.uncertainty import uncertainty_per_participant
    from analysis.data.columns import LABEL_COLUMNS, RESPONSE_COLUMNS, Column
    from analysis.data.hntt import HNTT_COLUMNS, check_hntt, hntt_responses, read_hntt
    from analysis.data.mapping import read_mapped, read_ratings
    from analysis.data.preference import preference_per_participant
    from analysis.data.reading import read_rating_rows, read_responses
    from analysis.data.schema import check_responses
    from analysis.data.selection import Selection, select_rows
    from analysis.detection.studies import BlockJudgements, analyze_judgement_rows
    from analysis.errors import AnalysisError, ReadError, SchemaError
    from analysis.ratings.between import BlocksCompared, compare_blocks
    from analysis.ratings.scores import analyze_ratings
    from analysis.ratings.studies import BlockRatings, analyze_rating_rows
    from analysis.reported import Analysis, Comparison
    from analysis.stats.comparisons import MannWhitney, mann_whitney
    from analysis.stats.description import Description, describe
    from analysis.stats.intervals import Interval
    from analysis.stats.multiplicity import holm
    from analysis.summary import analyze
    from analysis.text.brief import render_brief
    from analysis.text.detection import render_judgement_blocks
    from analysis.text.full import render
    from analysis.text.ratings import render_rating_blocks, render_ratings

# Loaded at first use: a caller that wants the column definitions does not wait for SciPy.
_HOMES = {
    "choice.accuracy": ["accuracy_per_participant"],
    "text.brief": ["render_brief"],
    "choice.chance": ["ChanceTest", "against_chance"],
    "data.columns": ["LABEL_COLUMNS", "RESPONSE_COLUMNS", "Column"],
    "stats.comparisons": ["MannWhitney", "mann_whitney"],
    "detection.studies": ["BlockJudgements", "analyze_judgement_rows"],
    "text.detection": ["render_judgement_blocks"],
    "stats.description": ["Description", "describe"],
    "errors": ["AnalysisError", "ReadError", "SchemaError"],
    "data.hntt": ["HNTT_COLUMNS", "check_hntt", "hntt_responses", "read_hntt"],
    "stats.intervals": ["Interval"],
    "choice.majority": ["majority_vote"],
    "data.mapping": ["read_mapped", "read_ratings"],
    "stats.multiplicity": ["holm"],
    "data.preference": ["preference_per_participant"],
    "choice.published": ["Published"],
    "ratings.between": ["BlocksCompared", "compare_blocks"],
    "ratings.scores": ["analyze_ratings"],
    "ratings.studies": ["BlockRatings", "analyze_rating_rows"],
    "text.ratings": ["render_rating_blocks", "render_ratings"],
    "data.reading": ["read_rating_rows", "read_responses"],
    "data.schema": ["check_responses"],
    "data.selection": ["Selection", "select_rows"],
    "choice.studies": ["StudyResult"],
    "reported": ["Analysis", "Comparison"],
    "summary": ["analyze"],
    "text.full": ["render"],
    "choice.uncertainty": ["uncertainty_per_participant"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "HNTT_COLUMNS",
    "LABEL_COLUMNS",
    "RESPONSE_COLUMNS",
    "Analysis",
    "AnalysisError",
    "BlockJudgements",
    "BlockRatings",
    "BlocksCompared",
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
    "analyze_judgement_rows",
    "analyze_rating_rows",
    "analyze_ratings",
    "check_hntt",
    "check_responses",
    "compare_blocks",
    "describe",
    "hntt_responses",
    "holm",
    "majority_vote",
    "mann_whitney",
    "preference_per_participant",
    "read_hntt",
    "read_mapped",
    "read_rating_rows",
    "read_ratings",
    "read_responses",
    "render",
    "render_brief",
    "render_judgement_blocks",
    "render_rating_blocks",
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
