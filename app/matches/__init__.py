"""Matches as experimenters see and handle them: watched live, replayed, and kept as records to be rated."""
