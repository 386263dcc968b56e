"""Markdown of a study's texts as HTML."""

from functools import lru_cache
from html import escape
from typing import Final

from markdown_it import MarkdownIt

LONGEST: Final = 40_000
"""Characters of a text that are laid out, as the time of some grows with the square: half a second for 20,000 `![`."""
# HTML is off, so that nothing an experimenter writes becomes script (docs/decisions/0006).
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def markdown(text: str) -> str:
    """Markdown to HTML; HTML in the text comes out as text, and so does all of a text that is longer than `LONGEST`."""
    if len(text) > LONGEST:
        return f'<p class="plain">{escape(text)}</p>'
    return str(_markdown.render(text))
