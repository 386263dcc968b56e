"""A document as headings, paragraphs, lists and tables, and as Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Items:
    """A list, or with `is_quoted` a text that others wrote, line by line."""

    texts: tuple[str, ...]
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Piece = str | Items | Grid


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading with what is below it; `level` 1 stands below the title, 2 below that."""

    heading: str
    pieces: tuple[Piece, ...]
    level: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    about: tuple[str, ...]
    chapters: tuple[Chapter, ...]

    def markdown(self) -> str:
        return "\n\n".join(_parts(self)) + "\n"


def blank(what: str) -> str:
    """A blank to be filled in, since no study file says it."""
    return f"[TO BE FILLED IN: {what}]"


def blanks_in(document: Document) -> Sequence[str]:
    """The blanks, each once."""
    return tuple(dict.fromkeys(re.findall(r"\[TO BE FILLED IN: ([^\]]*)\]", document.markdown())))


def _parts(document: Document) -> Iterator[str]:
    yield f"# {_line(document.title)}"
    yield from map(_escaped, document.about)
    for chapter in document.chapters:
        yield f"{'#' * (chapter.level + 1)} {_line(chapter.heading)}"
        for piece in chapter.pieces:
            yield _piece(piece)


def _piece(piece: Piece) -> str:
    if isinstance(piece, str):
        return _escaped(piece)
    if isinstance(piece, Grid):
        lines = [piece.head, tuple("---" for _ in piece.head), *piece.rows]
        return "\n".join(f"| {' | '.join(map(_line, line))} |" for line in lines)
    start = "> " if piece.is_quoted else "- "
    return "\n".join(f"{start}{text if piece.is_quoted else _line(text)}".rstrip() for text in piece.texts)


def _line(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _escaped(text: str) -> str:
    """Text as Markdown that shows it as it is: titles and names come from outside. Brackets stay."""
    return re.sub(r"([\\`*_<>#|])", r"\\\1", text)
