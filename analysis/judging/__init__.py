"""Automated judges held against people: verdicts and responses in, how far to trust the judge out.

from analysis.judging import read_verdicts, validate_judges
validation = validate_judges(read_responses("responses.csv"), read_verdicts("verdicts.csv"))
validation.to_dict()
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.judging.alternative import AlternativeTest
    from analysis.judging.columns import PAIR_COLUMNS, VERDICT_COLUMNS
    from analysis.judging.files import read_pairs, read_verdicts
    from analysis.judging.measures import Group, Measure
    from analysis.judging.prediction_powered import PredictionPowered, prediction_powered_mean
    from analysis.judging.text import render_validation
    from analysis.judging.validation import JudgeResult, JudgeValidation, validate_judges
    from analysis.judging.verdicts import check_verdicts
    from analysis.judging.versus import Versus

# Loaded at first use, as in `analysis`: the columns alone need no SciPy.
_HOMES = {
    "alternative": ["AlternativeTest"],
    "columns": ["PAIR_COLUMNS", "VERDICT_COLUMNS"],
    "files": ["read_pairs", "read_verdicts"],
    "measures": ["Group", "Measure"],
    "prediction_powered": ["PredictionPowered", "prediction_powered_mean"],
    "text": ["render_validation"],
    "validation": ["JudgeResult", "JudgeValidation", "validate_judges"],
    "verdicts": ["check_verdicts"],
    "versus": ["Versus"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "PAIR_COLUMNS",
    "VERDICT_COLUMNS",
    "AlternativeTest",
    "Group",
    "JudgeResult",
    "JudgeValidation",
    "Measure",
    "PredictionPowered",
    "Versus",
    "check_verdicts",
    "prediction_powered_mean",
    "read_pairs",
    "read_verdicts",
    "render_validation",
    "validate_judges",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'analysis.judging' has no attribute {name!r}")
    value = getattr(import_module(f"analysis.judging.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
