"""Cells of findings as text: the terminal, the pages and the CSV read them here, and each says how intervals look."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.findings.model import Cell, Column, Measured, Numbers
from analysis.stats.p_values import p_cell


@dataclass(frozen=True, slots=True)
class Style:
    """A renderer's way to write a missing number, and an interval alone and next to its number."""

    none: str
    interval: str
    beside: str


TERMINAL = Style("-", "[{}, {}]", "{} [{}, {}]")
PAGE = Style("\N{EN DASH}", "{} to {}", "{} ({} to {})")


def cell_text(cell: Cell, column: Column, style: Style) -> str:
    """One cell, rounded as its column asks."""
    if cell is None:
        return style.none
    if isinstance(cell, str):
        return cell or (style.none if column.unit == "text" else "")
    if isinstance(cell, Measured):
        return _measured(cell, column, style)
    match column.unit:
        case "p":
            return p_cell(cell, style.none)
        case "count" | "number" if isinstance(cell, int):
            return f"{cell:,}"
        case _:
            return _number(cell, column)


def _number(value: float, column: Column) -> str:
    return f"{100 * value:z.1f}%" if column.unit == "share" else f"{value:z,.{column.digits}f}"


def _measured(cell: Measured, column: Column, style: Style) -> str:
    ends = [_number(end, column) for end in (cell.low, cell.high) if end is not None]
    if cell.value is None:
        return style.interval.format(*ends) if len(ends) == 2 else style.none
    value = _number(cell.value, column)
    return style.beside.format(value, *ends) if len(ends) == 2 else value


def csv_head(numbers: Numbers) -> list[str]:
    """Names of the columns; one of numbers with intervals becomes three."""
    return [name for at, column in enumerate(numbers.columns) for name in _names(numbers, at, column)]


def csv_rows(numbers: Numbers) -> Iterator[list[str]]:
    """Rows of the CSV, unrounded."""
    wide = [_has_intervals(numbers, at) for at in range(len(numbers.columns))]
    for row in numbers.rows:
        yield [text for cell, is_wide in zip(row, wide, strict=True) for text in _raw(cell, is_wide=is_wide)]


def _names(numbers: Numbers, at: int, column: Column) -> Sequence[str]:
    return (
        [column.name, f"{column.name}_low", f"{column.name}_high"]
        if _has_intervals(numbers, at)
        else [column.name]
    )


def _has_intervals(numbers: Numbers, at: int) -> bool:
    return any(isinstance(row[at], Measured) for row in numbers.rows)


def _raw(cell: Cell, *, is_wide: bool) -> list[str]:
    if isinstance(cell, Measured):
        return ["" if one is None else str(one) for one in (cell.value, cell.low, cell.high)]
    return ["" if cell is None else str(cell), *(["", ""] if is_wide else [])]
