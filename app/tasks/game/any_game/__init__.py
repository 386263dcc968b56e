"""Defaults for any game: pages, records, and tables for experimenters."""
