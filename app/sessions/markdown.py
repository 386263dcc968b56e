"""Markdown of a study's texts as HTML."""

from functools import lru_cache

from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def markdown(text: str) -> str:
    """Markdown to HTML; HTML in the text comes out as text."""
    return str(_markdown.render(text))
