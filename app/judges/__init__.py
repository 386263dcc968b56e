"""Automated judges: a file for each."""
