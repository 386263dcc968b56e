"""Strengths of sources from paired comparisons: the model of Bradley and Terry, with a side effect."""

from analysis.stats.bradley_terry.model import (
    BradleyTerry,
    Strength,
    WinProbability,
    bradley_terry,
    bradley_terry_of_wins,
)

__all__ = ["BradleyTerry", "Strength", "WinProbability", "bradley_terry", "bradley_terry_of_wins"]
