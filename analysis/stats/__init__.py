"""Tests, intervals, models and agreement: what needs no column of a study."""
