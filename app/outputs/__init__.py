"""Outputs of jobs on a study: reports, packages, judgings, results, clue reports: requested, found again, withheld."""
