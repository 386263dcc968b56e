"""The clue report: what gives a clip's source away."""
