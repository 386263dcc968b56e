"""Data and results out: selects, export, report, results, package."""
