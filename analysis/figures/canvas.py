"""The one place that touches matplotlib: from a painter to the bytes of an SVG and a PNG, equal for equal data."""

import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from functools import lru_cache
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

# Fits a column of an A4 page, and a phone without its letters becoming too small to read.
WIDTH = 4.2
FONT = 8.0
SMALL = 7.0
DPI = 300

# Colours of Okabe and Ito, apart for the colour-blind: those that stand out on white at 3 to 1. Each comes with a
# marker of its own and beside a name, so that no colour alone says anything.
INK, MUTED, LINE = "#1b2127", "#55606b", "#8a949d"
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P")

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_STYLE: Mapping[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": FONT,
    # Names come from outside: a dollar sign is one.
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    # Letters as shapes: the same on every machine and on paper, and nothing to fetch.
    "svg.fonttype": "path",
    # Without a salt ids are random, and equal results have to give equal bytes.
    "svg.hashsalt": "likely-human",
    "path.simplify": False,
}
_MISSING = "\N{WHITE SQUARE}"
# matplotlib's settings are one for the process.
_lock = threading.RLock()


def drawn(height: float, paint: "Callable[[Sheet], None]", title: str, alt: str) -> tuple[str, bytes]:
    """An SVG and a PNG of what `paint` draws on a sheet of `WIDTH` by `height` inches."""
    # Half a second to import, which only those who draw should pay.
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Sheet

    svg = StringIO()
    with _lock, matplotlib.rc_context():
        # A matplotlibrc of the user must not change the drawing.
        matplotlib.rcdefaults()
        settings: MutableMapping[str, Any] = matplotlib.rcParams  # type: ignore[assignment]
        settings.update(_STYLE)
        sheet = Sheet(figsize=(WIDTH, height), facecolor="white")
        FigureCanvasAgg(sheet)
        paint(sheet)
        # No version and no date in the files: equal results have to give equal bytes.
        png = picture(sheet)
        sheet.savefig(svg, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return _plain(svg.getvalue(), title, alt), png


def picture(sheet: "Sheet") -> bytes:
    """The sheet as a PNG of `DPI` dots an inch."""
    png = BytesIO()
    sheet.savefig(png, format="png", dpi=DPI, metadata={"Software": None})
    return png.getvalue()


def _plain(svg: str, title: str, alt: str) -> str:
    """The SVG without document type and style sheets: a page's policy may forbid styles; attributes it cannot."""
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    root = ElementTree.fromstring(svg)  # noqa: S314 (matplotlib wrote it)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}style", f"{{{_SVG}}}metadata"):
                parent.remove(child)
        # As attributes, because the pages' content policy forbids inline styles.
        for part in filter(None, parent.attrib.pop("style", "").split(";")):
            name, _, value = part.partition(":")
            parent.set(name.strip(), value.strip())
    root.set("role", "img")
    root.set("stroke-linejoin", "round")
    for tag, text in (("desc", alt), ("title", title)):
        element = ElementTree.Element(f"{{{_SVG}}}{tag}")
        element.text = xml_text(text)
        root.insert(0, element)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def xml_text(text: str) -> str:
    """`text` without what XML cannot hold."""
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)


def axes_at(sheet: "Sheet", left: float, bottom: float, width: float, height: float) -> "Axes":
    """Axes placed in inches from the sheet's lower left corner."""
    across, up = sheet.get_size_inches()
    return sheet.add_axes((left / across, bottom / up, width / across, height / up))


def fitted(text: str, width: float, size: float = FONT) -> str:
    """`text` as the font can write it, on one line, shortened in its middle to `width` inches."""
    known = legible(text)
    if width_of(known, size) <= width:
        return known
    # The fewest letters that are too wide, for names may be of any length.
    kept = bisect_left(range(len(known)), True, key=lambda n: width_of(_shortened(known, n), size) > width)
    return _shortened(known, max(0, kept - 1))


def _shortened(text: str, kept: int) -> str:
    """`kept` letters of a text, from both ends."""
    head = (kept + 1) // 2
    return f"{text[:head]}…{text[len(text) - (kept - head) :]}"


def legible(text: str) -> str:
    """`text` on one line, with a square for each letter that the font does not have."""
    letters = _letters()
    return "".join(letter if ord(letter) in letters else _MISSING for letter in " ".join(text.split()))


def missing_note(names: Iterable[str]) -> str:
    """A sentence for the caption where a drawing cannot show some letter of the `names` in it, else nothing."""
    if not any(_MISSING in legible(name) for name in names):
        return ""
    return f" A {_MISSING} stands for a letter that the drawing's font does not have; the numbers have the full names."


def width_of(text: str, size: float = FONT) -> float:
    """The width of one line of `text`, in inches."""
    with _lock:
        font = _font()
        font.set_size(size, 72)
        font.set_text(text, 0.0)
        width, _ = font.get_width_height()
    return float(width) / 64 / 72


def wrapped(text: str, width: float, size: float = FONT) -> list[str]:
    """`text` broken at spaces into lines of at most `width` inches."""
    lines: list[str] = []
    for word in legible(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(fitted(word, width, size))
    return lines


@lru_cache(maxsize=1)
def _letters() -> frozenset[int]:
    return frozenset(_font().get_charmap())


def _font() -> Any:
    from matplotlib.font_manager import findfont, get_font

    return get_font(findfont("DejaVu Sans"))
