"""Numbers of the JSON in the cells of a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from analysis import p_values
from app.reporting.reports.views import LONGEST, NONE, TableView, limits, number

Cells = Mapping[str, Any]


def value_of(one: Cells) -> Any:
    """The number itself: a mean over participants, or an estimate's value."""
    return one["value"] if "value" in one else one["mean"]


def with_interval(one: Cells, digits: int = 3) -> str:
    """``0.839 (0.783 to 0.894)``."""
    if value_of(one) is None:
        return NONE
    return (
        f"{number(value_of(one), digits)} ({limits(one['interval']['low'], one['interval']['high'], digits)})"
    )


def p_cell(value: float | None) -> str:
    """A p value without its letter."""
    return p_values.p_cell(value, NONE)


def reasons(named: Iterable[tuple[str, Cells]]) -> Iterator[str]:
    """A sentence for each reason why numbers or their intervals are missing."""
    found: dict[str, list[str]] = {}
    for name, one in named:
        for reason in dict.fromkeys(filter(None, (one["reason"], one["interval"]["reason"]))):
            found.setdefault(reason, []).append(name)
    for reason, names in found.items():
        yield f"Missing in {'; '.join(dict.fromkeys(names))}: {reason}."


def as_sentence(text: str) -> str:
    """With a capital first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def shortened(
    caption: str,
    head: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    *,
    n_names: int = 1,
    file: str,
    most: int = LONGEST,
) -> TableView:
    """A table of at most `most` rows."""
    return TableView(caption, tuple(head), tuple(rows[:most]), n_names, file, max(0, len(rows) - most))
