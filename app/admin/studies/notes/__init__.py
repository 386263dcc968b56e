"""Notes on a study: part of its overview."""
