"""Data from elsewhere: a table and its mapping file in, checked `responses`, ratings or judgements out."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from analysis.data.checking import check_columns
from analysis.data.columns import RESPONSE_COLUMNS, Column
from analysis.data.elsewhere.mapped_cells import SIDES
from analysis.data.elsewhere.mapped_rows import NAMED, PROSE, REPEAT, MappedRows
from analysis.data.elsewhere.mapping_file import (
    QUOTINGS,
    Kind,
    MappingFile,
    read_mapping_file,
    require_columns,
    require_known,
    require_known_wide,
)
from analysis.data.elsewhere.rating_rows import mapped_ratings, require_ratings
from analysis.data.elsewhere.table_files import TableFile, open_table
from analysis.data.elsewhere.yaml_entries import Entry
from analysis.data.elsewhere.yes_no_rows import mapped_judgements, require_yes_no
from analysis.data.judgements import Judgements
from analysis.data.naming import note_names
from analysis.data.rating_table import Ratings
from analysis.errors import SchemaError, shown

_OURS: Mapping[str, Column] = {column.name: column for column in RESPONSE_COLUMNS}
_NAMES = ("source", "stimulus")
AnyTable: TypeAlias = Path | str | pd.DataFrame
AnyMapping: TypeAlias = Path | str | Mapping[str, Any]
ANONYMOUS = (
    "The table does not say who answered: every answer is taken for another person's. Where people gave several, "
    "intervals are too narrow and p-values too small."
)


def mapping_kind(path: AnyMapping) -> Kind:
    """The kind of table a mapping file declares: ``2afc``, ``ratings``, ``yes-no``. Raises as `read_mapping_file`."""
    return read_mapping_file(path).kind


def mapping_notes(path: AnyMapping) -> tuple[str, ...]:
    """Notes for readers on how the table was interpreted. Raises as `read_mapping_file` does."""
    wide = read_mapping_file(path).wide
    return (ANONYMOUS,) if wide and wide.anonymous else ()


def read_mapped(path: AnyTable, mapping_path: AnyMapping) -> pd.DataFrame:
    """Read 2AFC answers from elsewhere as checked `responses`.

    One row is one answer of one participant to one pair. The mapping file (docs/analysis.md) names their column for
    ours, and our value for theirs; a value that it does not list passes as it is. What the table lacks: the study is
    the file's name, the session the participant, the trial the pair, the pair the two clips, the position the order
    of the rows within the session, the clips the pair's name with -a and -b; version 1, arm main, mode live, kind
    main. Where a pair's clips (or, without clips, its sources) stand the other way round in some rows, these rows
    are turned to the way of most of the pair's, with their choice, truth and left. A certainty may have a percent sign;
    with `certainty_scale: [least, most]` it must lie on this scale, and a scale that runs the other way is reversed.

    Parameters
    ----------
    path
        A CSV, TSV, JSON lines or Parquet file, by its suffix; with `delimiter` in the mapping any text table. Or a
        DataFrame. With `quoting: none` quotation marks are letters.
    mapping_path
        The mapping file, of kind ``2afc``, or a ``dict`` of what it would say.

    Returns
    -------
    DataFrame
        As `check_responses` returns it, rows in the order of the file.

    Raises
    ------
    ReadError
        If a file cannot be read.
    MappingError
        At the first entry of the mapping file that cannot be used, with its line.
    SchemaError
        At the first cell that is not allowed, naming row and column as they are in the table.
    """
    mapping = read_mapping_file(mapping_path)
    _require_2afc(mapping)
    file = _opened(path, mapping)
    require_columns(mapping, mapping.columns, "columns", file.header, str(file.path))
    found = MappedRows(mapping, file).responses()
    note_names(str(file.path), found[[name for name in found if name in mapping.given]])
    return found


def read_ratings(path: AnyTable, mapping_path: AnyMapping) -> Ratings:
    """Read ratings from elsewhere, checked.

    One row of the table is one rater's score of one item by one criterion, or, where the mapping lists `criteria`, one
    rater's scores of one item by all of them, a column each. Scores stay as they were typed; `analyze_ratings` counts
    those that are numbers.

    Parameters
    ----------
    path
        As in `read_mapped`.
    mapping_path
        The mapping file, of kind ``ratings``.

    Raises
    ------
    ReadError, MappingError, SchemaError
        As in `read_mapped`.
    """
    mapping = read_mapping_file(mapping_path)
    require_ratings(mapping)
    file = _opened(path, mapping)
    require_columns(mapping, mapping.columns, "columns", file.header, str(file.path))
    found = mapped_ratings(mapping, file)
    note_names(str(file.path), found.table)
    return found


def read_judgements(path: AnyTable, mapping_path: AnyMapping) -> Judgements:
    """Read judgements of single stimuli from elsewhere (yes / no, real or fake), checked.

    One row of the table is one answer of one participant about one stimulus. The mapping's `classes` names what a
    stimulus can be, first what the question asks for; an empty answer is a blank, and a stimulus without a truth counts
    in no number.

    Parameters
    ----------
    path
        As in `read_mapped`.
    mapping_path
        The mapping file, of kind ``yes-no``.

    Raises
    ------
    ReadError, MappingError, SchemaError
        As in `read_mapped`.
    """
    mapping = read_mapping_file(mapping_path)
    require_yes_no(mapping)
    file = _opened(path, mapping)
    require_columns(mapping, mapping.columns, "columns", file.header, str(path))
    found = mapped_judgements(mapping, file)
    note_names(str(file.path), found.table)
    return found


def _opened(path: AnyTable, mapping: MappingFile) -> TableFile:
    joined = {name: tuple(part.text for part in parts) for name, parts in mapping.joined.items()}
    theirs = [part for parts in joined.values() for part in parts]
    theirs += [entry.text for entry in mapping.columns.values()]
    is_plain = mapping.option("quoting", QUOTINGS) == "none"
    where = mapping.options.get("rows")
    file = open_table(path, mapping.delimiter, theirs, letters=is_plain, rows=where.text if where else None)
    return replace(file, joined=joined, joined_by=mapping.joined_by, parts=mapping.parts)


def _require_2afc(mapping: MappingFile) -> None:
    if mapping.kind != "2afc":
        problem = f"this maps {mapping.kind}, and 2AFC answers are needed"
        mapping.refuse(mapping.options["kind"].line, "kind", problem, "give a mapping of kind 2afc")
    for section, entries in (("columns", mapping.columns), ("constants", mapping.constants)):
        require_known(mapping, section, entries, (*_OURS, REPEAT))
    require_known(mapping, "named_by", mapping.named_by, NAMED)
    require_known_wide(mapping, (*_OURS, REPEAT))
    if "positions_from" in mapping.options and "position" not in mapping.given:
        line = mapping.options["positions_from"].line
        mapping.refuse(line, "positions_from", "no column is given for position", "add position to columns")
    given = mapping.given
    for name in ("participant", "choice"):
        if name not in given:
            mapping.lacks(name)
    if "pair" not in given and not {"stimulus_a", "stimulus_b"} <= given:
        mapping.lacks("pair", "no column is given for pair, nor for stimulus_a and stimulus_b")
    if "study" in mapping.options and "study" in given:
        line = mapping.options["study"].line
        mapping.refuse(line, "study", "columns or constants gives it too", "remove one of the two")
    if "certainty_scale" in mapping.lists and "certainty" not in given:
        line = mapping.lines["certainty_scale"]
        mapping.refuse(
            line, "certainty_scale", "no column is given for certainty", "add certainty to columns"
        )
    _require_names(mapping, given)
    _require_values(mapping)


def _require_names(mapping: MappingFile, given: Collection[str]) -> None:
    for name, entry in mapping.named_by.items():
        key = f"named_by.{name}"
        if entry.text not in _NAMES:
            problem = f"{shown(entry.text)} is not allowed"
            mapping.refuse(entry.line, key, problem, f"allowed: {', '.join(_NAMES)}")
        if not {f"{entry.text}_a", f"{entry.text}_b"} <= set(given):
            problem = f"{entry.text}_a and {entry.text}_b are not both given"
            mapping.refuse(entry.line, key, problem, "add them to columns")


def _require_values(mapping: MappingFile) -> None:
    """Refuse our values that no cell of ours may hold."""
    for name, entries in mapping.values.items():
        for theirs, entry in entries.items():
            if name in PROSE:
                mapping.refuse(entry.line, f"values.{name}", "free text has no values", "remove them")
            _require_value(mapping, f"values.{name}.{theirs}", name, entry)
    for name, entry in mapping.constants.items():
        _require_value(mapping, f"constants.{name}", name, entry)
    for theirs, entry in (mapping.wide.counts if mapping.wide else {}).items():
        _require_value(mapping, f"wide.counts.{theirs}", mapping.answer, entry)


def _require_value(mapping: MappingFile, key: str, name: str, entry: Entry) -> None:
    may_be_side = name in ("choice", "truth")
    if name in mapping.named_by or not entry.text or (may_be_side and entry.text in SIDES):
        return
    try:
        check_columns(pd.DataFrame({name: [entry.text]}), [_OURS[name]], "", 1)
    except SchemaError as error:
        allowed = f"allowed: {'left, right, ' if may_be_side else ''}{error.allowed}"
        mapping.refuse(entry.line, key, error.problem, allowed)
