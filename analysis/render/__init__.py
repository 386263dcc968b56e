"""Renderers of findings: they place words, tables and marks, and know nothing of statistics."""
