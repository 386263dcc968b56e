"""One file for each game: what its views say in words, tables and drawings. Sees views and legal moves, no state."""
