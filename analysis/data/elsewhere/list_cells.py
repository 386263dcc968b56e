"""Cells that hold arrays: JSON, or what Python prints for a list, or texts with a separator between."""

import ast
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.errors import shown


@dataclass(frozen=True, slots=True)
class Path:
    """A column and, where its cells are objects or arrays of objects, the key of the entries."""

    column: str
    key: str | None


def path_of(text: str, header: Collection[str]) -> Path:
    """`votes.worker` is the key `worker` in the column `votes`, unless a column has that whole name."""
    if text not in header:
        column, dot, key = text.partition(".")
        while dot:
            if column in header:
                return Path(column, key)
            more, dot, key = key.partition(".")
            column = f"{column}.{more}"
    return Path(text, None)


def entries_of(cell: object, path: Path, separator: str | None = None) -> list[object]:
    """The entries of one cell: each a text, a number, a truth or None.

    With a key, those under it: of an object that holds arrays, of an array of objects, or, for the keys `keys` and
    `values`, the names and the values of an object. An empty cell has none. Raises ValueError for any other cell.
    """
    found = _parsed(cell, separator)
    if path.key is not None:
        found = _under(found, path.key)
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise ValueError(f"{shown(cell)} is no array")
    for entry in found:
        if not (entry is None or isinstance(entry, str | int | float)):
            key = next(iter(entry), None) if isinstance(entry, Mapping) else None
            hint = f" (do you mean {path.column}.{key}?)" if key is not None else ""
            raise ValueError(f"the entry {shown(entry)} is not one value{hint}")
    return list(found)


def _under(found: object, key: str) -> object:
    if isinstance(found, Mapping):
        if key in found:
            return found[key]
        named = {"keys": list(found), "values": list(found.values())}
        if key in named:
            return named[key]
        raise ValueError(f"the object has no {shown(key)}; it has {', '.join(map(str, found)) or 'nothing'}")
    if isinstance(found, Sequence) and not isinstance(found, str):
        for entry in found:
            if not isinstance(entry, Mapping):
                raise ValueError(f"the entry {shown(entry)} is no object with {shown(key)}")
        if found and not any(key in entry for entry in found):
            raise ValueError(f"no object has {shown(key)}; the first has {', '.join(map(str, found[0]))}")
        return [entry.get(key) for entry in found]
    raise ValueError(f"{shown(found)} is neither an object nor an array of objects")


def _parsed(cell: object, separator: str | None) -> object:
    """The content of a cell; an empty one is an empty array."""
    if (
        cell is None
        or cell is pd.NA
        or (isinstance(cell, str) and not cell)
        or (isinstance(cell, float) and cell != cell)
    ):
        return []
    if isinstance(cell, np.ndarray):
        return cell.tolist()
    if not isinstance(cell, str):
        return cell
    if separator is not None:
        return [part.strip() for part in cell.split(separator)]
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return _printed(cell)


def _printed(cell: str) -> object:
    """`['a', 'b']`: single quotes are no JSON, but a table that pandas wrote from lists is full of them."""
    try:
        # Lists as Python writes them into a CSV; literal_eval runs no code.
        return ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(
            f"{shown(cell)} is no array (where a character divides the entries, give `separator`)"
        ) from error
