"""Wrap the paragraphs of Markdown that have a line of more than 160 characters: `python -m tools.wrap_markdown`.

Only where lines break changes, never what is rendered: code, tables, headings and HTML stay as they are, and no code
span or link is broken, because links are looked for line by line.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
LONGEST, WIDTH = 160, 120
FOLDERS = ("analysis", "app", "bench", "docs", "migrations", "stimuli", "tests", "tools")
# Written whole by a program (`bench`): the width of its tables is that of what it measured.
GENERATED = frozenset({"bench/allocation.md", "bench/calibration.md", "bench/judges.md", "bench/stopping.md"})
_PARSER = MarkdownIt("commonmark").enable("table")
_CHUNK = re.compile(r"(?:(`+)(?!`).*?(?<!`)\1(?!`)|!?\[(?:[^\[\]]|\[[^\]]*\])*\]\([^)]*\)|<[^>]*>|\S)+")
# At the beginning of a line these would begin a list, a heading, a quotation, a table, a rule or HTML.
_BEGINS = re.compile(r"[-+*]$|\d+[.)]$|#{1,6}$|[>|<]|=+$|-+$|~~~|```")


def pages() -> Iterator[Path]:
    """The Markdown files of the repository that are written by hand."""
    for path in sorted(
        (*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md")))
    ):
        inside = path.relative_to(ROOT)
        if inside.as_posix() not in GENERATED and not any(part.startswith(".") for part in inside.parts):
            yield path


def wrapped(text: str) -> str:
    """The same Markdown with its long paragraphs wrapped."""
    lines = text.split("\n")
    for token in reversed(list(_paragraphs(text))):
        first, end = token.map or (0, 0)
        if any(len(line) > LONGEST for line in lines[first:end]):
            lines[first:end] = _filled(lines[first:end], token)
    return "\n".join(lines)


def rendered(text: str) -> str:
    """The HTML, in which a line break within a paragraph is a space."""
    parts = re.split(r"(<pre>.*?</pre>)", str(_PARSER.render(text)), flags=re.DOTALL)
    return "".join(part if part.startswith("<pre>") else re.sub(r"\s+", " ", part) for part in parts)


def _paragraphs(text: str) -> Iterator[Token]:
    tokens = _PARSER.parse(text)
    for before, token in pairwise(tokens):
        has_hard_break = any(child.type == "hardbreak" for child in token.children or ())
        if before.type == "paragraph_open" and token.type == "inline" and not has_hard_break:
            yield token


def _filled(lines: Sequence[str], token: Token) -> list[str]:
    begun = token.content.split("\n")[0]
    head = lines[0][: lines[0].index(begun)]
    indent = re.sub(r"[^>\s]", " ", head)
    chunks = (found[0] for found in _CHUNK.finditer(" ".join(token.content.split("\n"))))
    return [(indent if n else head) + line for n, line in enumerate(_lines(chunks, WIDTH - len(head)))]


def _lines(chunks: Iterable[str], width: int) -> Iterator[str]:
    line = ""
    for chunk in chunks:
        if line and len(line) + 1 + len(chunk) > width and not _BEGINS.match(chunk):
            yield line
            line = chunk
        else:
            line = f"{line} {chunk}" if line else chunk
    yield line


def main() -> None:
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new = wrapped(text)
        if rendered(new) != rendered(text):
            sys.exit(f"{path}: wrapping would change what is rendered")
        path.write_text(new, encoding="utf-8")
        for number, line in enumerate(new.split("\n"), start=1):
            if len(line) > LONGEST:
                sys.stdout.write(f"{path.relative_to(ROOT)}:{number}: {len(line)} characters: {line[:60]}\n")


if __name__ == "__main__":
    main()
