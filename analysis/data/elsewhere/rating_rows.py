"""Ratings from elsewhere: a table, long or with one column per criterion, and its mapping file."""

from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.data.elsewhere.mapped_cells import constant, texts_of
from analysis.data.elsewhere.mapping_file import (
    MappingFile,
    require_columns,
    require_known,
    require_known_wide,
)
from analysis.data.elsewhere.table_files import TableFile
from analysis.data.elsewhere.wide import long_table
from analysis.data.elsewhere.yaml_entries import Entry
from analysis.data.rating_table import COLUMNS, OUT_OF_RANGE, Ratings, as_number, check_ratings
from analysis.errors import SchemaError, shown
from analysis.options import LEVELS

_LEVELS = ("ordinal", *(level for level in LEVELS if level != "ordinal"))


def require_ratings(mapping: MappingFile) -> None:
    """Refuse a mapping that does not say where item, rater and score are."""
    if mapping.kind != "ratings":
        answers = "2AFC answers" if mapping.kind == "2afc" else mapping.kind
        problem = f"this maps {answers}, and ratings are needed"
        mapping.refuse(mapping.options["kind"].line, "kind", problem, "give a mapping of kind ratings")
    for section, entries in (("columns", mapping.columns), ("constants", mapping.constants)):
        require_known(mapping, section, entries, COLUMNS)
    require_known_wide(mapping, COLUMNS)
    given = mapping.given
    wide = "criteria" in mapping.lists
    for name in ("item", "rater") if wide else ("item", "rater", "score"):
        if name not in given:
            mapping.lacks(name)
    for name in ("criterion", "score"):
        if wide and name in given:
            line = {**mapping.columns, **mapping.constants}[name].line
            mapping.refuse(
                line, name, "criteria lists the columns of scores already", "remove one of the two"
            )


def mapped_ratings(mapping: MappingFile, file: TableFile) -> Ratings:
    """The checked ratings of a table."""
    criteria = mapping.lists.get("criteria", ())
    for entry in criteria:
        # As if it were a column of ours of that name.
        require_columns(mapping, {entry.text: entry}, "criteria", file.header, str(file.path))
    # As if they were columns of ours, of names that no column of ours has.
    columns = {**mapping.columns, **{f"criterion {entry.text}": entry for entry in criteria}}
    long = long_table(replace(mapping, columns=columns), file)
    values = {name: {t: e.text for t, e in entries.items()} for name, entries in mapping.values.items()}
    cells = {name: texts_of(long.cells[name], values.get(name, {})) for name in COLUMNS if name in long.cells}
    for name, entry in mapping.constants.items():
        cells[name] = constant(entry.text, len(long))
    rows = long.rows
    ours = pd.DataFrame({name: pd.Series(column) for name, column in cells.items()})
    if criteria:
        scores = [
            pd.Series(texts_of(long.cells[f"criterion {entry.text}"], values.get("score", {})))
            for entry in criteria
        ]
        ours = pd.concat(
            [
                ours.assign(criterion=entry.text, score=score.astype("str"))
                for entry, score in zip(criteria, scores, strict=True)
            ],
            ignore_index=True,
        )
        rows = np.tile(rows, len(criteria))
    try:
        return check_ratings(
            ours,
            scale=_scale(mapping),
            out_of_range=mapping.option("out_of_range", OUT_OF_RANGE),
            level=mapping.option("level", _LEVELS),
            origin=str(file.path),
            rows=rows,
        )
    except SchemaError as error:
        entry = mapping.columns.get(error.column, Entry(error.column, 1))
        column = error.column if entry.text == error.column else f"{entry.text} (our {error.column})"
        raise SchemaError(error.origin, error.row, column, error.problem, error.allowed) from error


def _scale(mapping: MappingFile) -> tuple[float, float] | None:
    if "scale" not in mapping.lists:
        return None
    entries, line = mapping.lists["scale"], mapping.lines["scale"]
    ends = [as_number(entry.text) for entry in entries]
    if len(ends) != 2 or not ends[0] < ends[1]:
        given = ", ".join(entry.text for entry in entries)
        mapping.refuse(line, "scale", f"{shown(given)} is no scale", "give [lowest, highest], such as [1, 5]")
    return ends[0], ends[1]
