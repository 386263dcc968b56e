"""Strengths of sources from paired comparisons: the model of Bradley and Terry, with a side effect."""

from analysis.stats.bradley_terry.model import (
    BradleyTerry,
    Strength,
    WinProbability,
    bradley_terry,
    bradley_terry_of_wins,
)
from analysis.stats.bradley_terry.ranking import Difference, Ranked, Ranking, ranking, ranking_of_wins

__all__ = [
    "BradleyTerry",
    "Difference",
    "Ranked",
    "Ranking",
    "Strength",
    "WinProbability",
    "bradley_terry",
    "bradley_terry_of_wins",
    "ranking",
    "ranking_of_wins",
]
