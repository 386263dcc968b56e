"""Stimuli: upload, rules, catalogue, clue reports. `clips` processes files without a database."""
