"""Shared by presenters, which put a view into words, tables and drawings. They see no state."""
