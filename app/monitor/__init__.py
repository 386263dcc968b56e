"""Monitoring of a study: progress, the list of sessions, one session. Read-only."""
