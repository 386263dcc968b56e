"""Scores of items by raters."""
