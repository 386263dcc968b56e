"""Stimuli: upload, rules, catalogue, clue reports. `clips` holds what is done to a file, without a database."""
