"""The base of all results: frozen dataclasses that convert to plain JSON values, never NaN."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

# Metadata of a field whose own keys stand in its place.
FLAT = {"flat": True}


class Result:
    """Base of the result dataclasses."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Every field under its own name, or the `key` of its metadata, as values that `json.dumps` takes."""
        found: dict[str, Any] = {}
        for each in fields(self):  # type: ignore[arg-type]
            value = plain(getattr(self, each.name))
            found |= value if each.metadata.get("flat") else {each.metadata.get("key", each.name): value}
        return found


def plain(value: Any) -> Any:
    """`value` as JSON-able types; a table becomes a list of rows with null where a cell is missing."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _finite(value)
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, pd.DataFrame):
        return table_rows(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def table_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dictionaries of plain values, None where a cell is missing."""
    columns = {str(name): _cells(column.array) for name, column in table.items()}
    return [
        dict(zip(columns, map(plain, cells), strict=True)) for cells in zip(*columns.values(), strict=True)
    ]


def _cells(column: ExtensionArray) -> list[Any]:
    missing = np.asarray(column.isna())
    cells = column.tolist()
    return (
        [None if gone else cell for gone, cell in zip(missing, cells, strict=True)]
        if missing.any()
        else cells
    )


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"a result holds {value}: give None and a reason instead")
    return value
