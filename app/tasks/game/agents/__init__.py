"""Agents that play by rule, listed in `registry`; they see a view and a move schema, never a state."""
