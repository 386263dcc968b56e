"""Exclusion rules: rows of sessions in, two verdicts for each session out, pay and use. The standard library alone, as
the service judges with it as files are judged.
"""
