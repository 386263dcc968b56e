"""What jobs make of a study: reports, packages, judgings, results, clue reports: asked for, found again, withheld."""
