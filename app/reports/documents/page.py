"""A document as one HTML file that needs nothing else: to be handed over, read in any browser, and printed."""

from collections.abc import Iterator
from html import escape

from app.reports.documents.document import Document, Grid, Items, Piece

# In the file, as it is opened from a disk: pages of the service have no style inline.
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #bbb; }
h3 { font-size: 1rem; margin-bottom: .3rem; } li { overflow-wrap: anywhere; }
ul { padding-inline-start: 1.2rem; }
ul.short { columns: 2 16rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .6rem; text-align: start; }
@media print { body { margin: 0; font-size: 10pt; } h2, h3 { break-after: avoid; } li { break-inside: avoid; } }
"""
_FEW, _LINE = 6, 60  # texts of a list, and their letters, for two columns


def page_of(document: Document) -> str:
    """Raises nothing: all text from outside is escaped."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Document) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(document.title)}</title><style>{_STYLE}</style></head>"
    yield f"<body><main><h1>{escape(document.title)}</h1>"
    yield from (f"<p>{escape(text)}</p>" for text in document.about)
    for chapter in document.chapters:
        yield f"<h{chapter.level + 1}>{escape(chapter.heading)}</h{chapter.level + 1}>"
        yield from (line for piece in chapter.pieces for line in _piece(piece))
    yield "</main></body></html>"


def _piece(piece: Piece) -> Iterator[str]:
    if isinstance(piece, str):
        yield f'<p dir="auto">{escape(piece)}</p>'
    elif isinstance(piece, Grid):
        yield "<table>"
        yield f"<tr>{''.join(f'<th>{escape(text)}</th>' for text in piece.head)}</tr>"
        for row in piece.rows:
            yield f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>"
        yield "</table>"
    else:
        yield from _items(piece)


def _items(items: Items) -> Iterator[str]:
    if items.is_quoted:
        yield f"<blockquote>{'<br>'.join(map(escape, items.texts))}</blockquote>"
        return
    yield '<ul class="short">' if len(items.texts) > _FEW and max(map(len, items.texts)) < _LINE else "<ul>"
    yield from (f'<li dir="auto">{escape(text)}</li>' for text in items.texts)
    yield "</ul>"
