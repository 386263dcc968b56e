"""A document as PDF on A4, set by matplotlib, which the analysis has anyway: no further part is needed for it."""

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from unicodedata import bidirectional

from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.textpath import text_to_path

from app.reports.documents.document import Chapter, Document, Grid, Items, Piece

# Points; A4 is 595 x 842.
_WIDTH, _HEIGHT = 595.0, 842.0
_LEFT, _TOP, _BOTTOM = 62.0, 60.0, 60.0
_FULL = _WIDTH - 2 * _LEFT
_FONT = "DejaVu Sans"
_TEXT, _TITLE, _LEADING = 9.0, 16.0, 1.42
_HEADINGS = {1: 12.5, 2: 10.5}


@dataclass(frozen=True, slots=True)
class _Line:
    """One set line: its text, size, weight and indent; `above` is the space before it, `keeps` what follows it."""

    text: str
    size: float = _TEXT
    is_bold: bool = False
    indent: float = 0.0
    above: float = 0.0
    keeps: bool = False
    cells: tuple[tuple[float, str], ...] = ()

    @property
    def height(self) -> float:
        return self.size * _LEADING


@dataclass(slots=True)
class _Page:
    lines: list[tuple[float, _Line]] = field(default_factory=list)


def pdf_of(document: Document, made_at: datetime) -> bytes:
    """The PDF; the same document at the same time gives the same bytes."""
    document = noted(document)
    out = io.BytesIO()
    about = {"Title": document.title, "Creator": "Likely Human", "CreationDate": made_at, "ModDate": made_at}
    pages = _paged(list(_lines(document)))
    with warnings.catch_warnings(), PdfPages(out, metadata=about) as pdf:
        # A character that the font lacks is drawn as a box, and a note says so.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        for number, page in enumerate(pages, start=1):
            figure = _drawn(page, f"{number} / {len(pages)}")
            FigureCanvasPdf(figure)
            pdf.savefig(figure)
    return out.getvalue()


def noted(document: Document) -> Document:
    """The document with a note below its title where the PDF does not show every letter as it is written."""
    known = get_font(findfont(FontProperties(family=_FONT))).get_charmap()
    letters = {letter for letter in document.markdown() if letter.isprintable()}
    if all(ord(letter) in known and bidirectional(letter) not in ("R", "AL") for letter in letters):
        return document
    note = (
        "This PDF cannot show all letters: those that its font lacks are boxes, and scripts written from right to left "
        "are neither turned nor joined. The Markdown has them as they are."
    )
    return replace(document, about=(*document.about, note))


def _drawn(page: _Page, footer: str) -> Figure:
    figure = Figure(figsize=(_WIDTH / 72, _HEIGHT / 72))
    for y, line in page.lines:
        weight = "bold" if line.is_bold else "normal"
        for x, text in line.cells or ((line.indent, line.text),):
            figure.text(
                (_LEFT + x) / _WIDTH,
                1 - y / _HEIGHT,
                text,
                fontsize=line.size,
                family=_FONT,
                weight=weight,
                va="baseline",
                parse_math=False,
            )
    figure.text(0.5, 32 / _HEIGHT, footer, fontsize=7.5, family=_FONT, ha="center", color="0.4")
    return figure


def _paged(lines: Sequence[_Line]) -> list[_Page]:
    """The lines on pages; a heading goes to the next page with what follows it."""
    pages, y = [_Page()], _TOP
    for at, line in enumerate(lines):
        needed = line.above + line.height
        following = lines[at + 1].above + lines[at + 1].height if line.keeps and at + 1 < len(lines) else 0.0
        if y + needed + following > _HEIGHT - _BOTTOM and pages[-1].lines:
            pages.append(_Page())
            y = _TOP
        y += (line.above if pages[-1].lines else 0.0) + line.height
        pages[-1].lines.append((y, line))
    return pages


def _lines(document: Document) -> Iterator[_Line]:
    yield from _wrapped(document.title, _TITLE, is_bold=True)
    for text in document.about:
        yield from _wrapped(text, 8.0, above=6.0)
    for chapter in document.chapters:
        yield from _chapter(chapter)


def _chapter(chapter: Chapter) -> Iterator[_Line]:
    size = _HEADINGS[chapter.level]
    yield from _wrapped(chapter.heading, size, is_bold=True, above=size, keeps=True)
    for piece in chapter.pieces:
        yield from _piece(piece)


def _piece(piece: Piece) -> Iterator[_Line]:
    if isinstance(piece, str):
        yield from _wrapped(piece, above=5.0)
    elif isinstance(piece, Grid):
        yield from _grid(piece)
    else:
        yield from _items(piece)


def _items(items: Items) -> Iterator[_Line]:
    for text in items.texts:
        if items.is_quoted:
            yield from _wrapped(text, indent=14.0, above=1.0)
            continue
        for at, line in enumerate(_wrapped(text, indent=12.0, above=3.0)):
            yield (
                line if at else _Line("", line.size, cells=((2.0, "•"), (12.0, line.text)), above=line.above)
            )


def _grid(grid: Grid) -> Iterator[_Line]:
    step = _FULL / len(grid.head)
    for at, row in enumerate((grid.head, *grid.rows)):
        cells = tuple((step * place, _cut(text, step - 8)) for place, text in enumerate(row))
        yield _Line("", 8.5, is_bold=at == 0, cells=cells, above=6.0 if at == 0 else 0.0, keeps=at == 0)


def _cut(text: str, width: float) -> str:
    while text and _measured(text, 8.5, is_bold=False) > width:
        text = text[:-2].rstrip("…") + "…"
    return text


def _wrapped(
    text: str,
    size: float = _TEXT,
    *,
    is_bold: bool = False,
    indent: float = 0.0,
    above: float = 0.0,
    keeps: bool = False,
) -> Iterator[_Line]:
    """The text in lines of the page's width."""
    line, first = "", True
    for word in [piece for each in text.split() for piece in _parts(each, size, indent, is_bold=is_bold)] or [
        ""
    ]:
        wider = f"{line} {word}".strip()
        if line and _measured(wider, size, is_bold=is_bold) > _FULL - indent:
            yield _Line(line, size, is_bold, indent, above if first else 0.0, keeps)
            line, first = word, False
        else:
            line = wider
    yield _Line(line, size, is_bold, indent, above if first else 0.0, keeps)


def _parts(word: str, size: float, indent: float, *, is_bold: bool) -> Iterator[str]:
    """A word that is wider than a line, such as a hash, in pieces."""
    while _measured(word, size, is_bold=is_bold) > _FULL - indent and len(word) > 1:
        n = max(1, int(len(word) * (_FULL - indent) / _measured(word, size, is_bold=is_bold)) - 1)
        yield word[:n]
        word = word[n:]
    yield word


@cache
def _measured(text: str, size: float, *, is_bold: bool) -> float:
    """The width of a text in points."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        font = FontProperties(family=_FONT, weight="bold" if is_bold else "normal", size=size)
        # Not from the outlines of the letters, which takes twenty times as long.
        return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])
