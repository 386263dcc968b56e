"""Parts of every text for a terminal: headings, tables, numbers, intervals, names from outside."""

from collections.abc import Mapping, Sequence
from io import StringIO
from shutil import get_terminal_size

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table

from analysis.stats.intervals import NOT_ASKED, Interval

WIDTH, NARROWEST = 100, 60


def as_text(parts: Sequence[RenderableType], width: int = WIDTH) -> str:
    """The parts one below the other, as plain text; no wider than the terminal, where there is one."""
    page = StringIO()
    width = min(width, max(NARROWEST, get_terminal_size((width, 0)).columns))
    # Names come from experimenters and participants: they are text, never markup.
    console = Console(file=page, width=width, color_system=None, markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()) + "\n"


def heading(text: str) -> RenderableType:
    return Padding(f"{text}\n{'-' * len(text)}", (1, 0, 0, 0))


def table_of(*columns: str, left: int = 1) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place < left else "right", overflow="fold")
    return table


def name_of(text: str) -> str:
    """A name from outside, without control characters that a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def shortened(text: str, longest: int) -> str:
    """The text in one line, or its beginning and an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"


def resamples_words(resamples: int) -> str:
    """The number of resamples of every bootstrap."""
    return f"{resamples:,} bootstrap resamples" if resamples else "no bootstrap"


def number(value: float | None, digits: int = 3) -> str:
    # z: a value that rounds to -0.000 is shown as 0.000.
    return "-" if value is None else f"{value:z.{digits}f}"


def share_of(value: float | None, part: int, whole: int) -> str:
    return "-" if value is None else f"{value:.2f} ({part}/{whole})"


def interval_of(interval: Interval, digits: int = 3) -> str:
    return (
        "-" if interval.low is None else f"[{number(interval.low, digits)}, {number(interval.high, digits)}]"
    )


def why_unbounded(interval: Interval) -> str | None:
    """The reason for a missing interval that was requested."""
    return None if interval.reason == NOT_ASKED else interval.reason


def pair_of(values: Sequence[float | None], digits: int) -> str:
    return "   ".join(number(value, digits) for value in values)


def range_of(low: float | None, high: float | None, digits: int = 3) -> str:
    """Both limits of an interval."""
    return "-" if low is None else f"[{number(low, digits)}, {number(high, digits)}]"


def left_out_words(left_out: Mapping[str, Mapping[str, int]]) -> str:
    """The number of answers left out by reason, as the end of a sentence."""
    parts = [
        f"{n} {'excluded by ' if why == 'excluded' else ''}{name_of(value)}"
        for why in left_out
        for value, n in left_out[why].items()
    ]
    return f"; left out: {', '.join(parts)}" if parts else ""
