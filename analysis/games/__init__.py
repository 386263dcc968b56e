"""Metrics of economic games, from what happened in a match; no rules of a game and no agents."""
