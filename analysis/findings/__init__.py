"""Results in words, figures and tables. Renderers read it and know nothing of statistics."""
