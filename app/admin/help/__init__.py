"""Help in the web: the same Markdown as `docs/`, a page for each screen and the reference behind it."""
