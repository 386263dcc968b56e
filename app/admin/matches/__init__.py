"""Matches while they are played and after: the list, one match as a replay, stopping it."""
