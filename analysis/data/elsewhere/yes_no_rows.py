"""Single stimuli judged one of two things, from elsewhere: a table and its mapping file."""

import numpy as np
import pandas as pd

from analysis.data.elsewhere.mapped_cells import constant, texts_of
from analysis.data.elsewhere.mapping_file import MappingFile, require_known, require_known_wide
from analysis.data.elsewhere.table_files import TableFile
from analysis.data.elsewhere.wide import LongTable, long_table
from analysis.data.judgements import COLUMNS, Judgements
from analysis.errors import SchemaError, shown


def require_yes_no(mapping: MappingFile) -> None:
    """Refuse a mapping without participant, stimulus, answer or truth."""
    if mapping.kind != "yes-no":
        problem = f"this maps {mapping.kind}, and judgements of single stimuli are needed"
        mapping.refuse(mapping.options["kind"].line, "kind", problem, "give a mapping of kind yes-no")
    for section, entries in (("columns", mapping.columns), ("constants", mapping.constants)):
        require_known(mapping, section, entries, COLUMNS)
    require_known_wide(mapping, COLUMNS)
    for name in ("participant", "stimulus", "truth", "answer"):
        if name not in mapping.given:
            mapping.lacks(name)
    if "classes" not in mapping.lists:
        problem = "nothing says what a stimulus can be"
        mapping.refuse(1, "classes", problem, "add `classes: [real, fake]`, first the one that is asked for")
    classes = mapping.lists["classes"]
    if len(classes) != 2 or classes[0].text == classes[1].text or not all(one.text for one in classes):
        given = ", ".join(one.text for one in classes)
        problem = f"{shown(given)} is not allowed"
        remedy = "give two different ones, such as [real, fake], first the one that is asked for"
        mapping.refuse(mapping.lines["classes"], "classes", problem, remedy)


def mapped_judgements(mapping: MappingFile, file: TableFile) -> Judgements:
    """The checked judgements of a table."""
    long = long_table(mapping, file)
    values = {name: {t: e.text for t, e in entries.items()} for name, entries in mapping.values.items()}
    cells = {name: texts_of(long.cells[name], values.get(name, {})) for name in COLUMNS if name in long.cells}
    for name, entry in mapping.constants.items():
        cells[name] = constant(entry.text, len(long))
    table = pd.DataFrame({name: pd.Series(cells.get(name, constant("", len(long)))) for name in COLUMNS})
    signal, noise = (one.text for one in mapping.lists["classes"])
    for name in ("participant", "stimulus"):
        missing = table[name].isna().to_numpy()
        if missing.any():
            _refuse(
                mapping, file, long, name, int(missing.argmax()), "the cell is empty", "any text (not empty)"
            )
    for name in ("truth", "answer"):
        bad = table[name].notna().to_numpy() & ~table[name].isin([signal, noise]).to_numpy()
        if bad.any():
            at = int(bad.argmax())
            problem = f"{shown(table[name].iloc[at])} is not allowed"
            allowed = f"{signal}, {noise}, or empty; say what it is with us under `values`, `{name}` in {mapping.path}"
            _refuse(mapping, file, long, name, at, problem, allowed)
    _refuse_two_truths(mapping, file, long, table)
    return Judgements(table, str(file.path), signal, noise)


def _refuse_two_truths(mapping: MappingFile, file: TableFile, long: LongTable, table: pd.DataFrame) -> None:
    known = table[table["truth"].notna()]
    first = known.groupby("stimulus", observed=True)["truth"].transform("first")
    bad = (first.astype("str") != known["truth"].astype("str")).to_numpy()
    if bad.any():
        at = int(known.index[int(bad.argmax())])
        stimulus = shown(table["stimulus"].iloc[at])
        problem = (
            f"stimulus {stimulus} is {table['truth'].iloc[at]} here and {first.loc[at]} in an earlier row"
        )
        _refuse(mapping, file, long, "truth", at, problem, "one truth for each stimulus")


def _refuse(
    mapping: MappingFile, file: TableFile, long: LongTable, name: str, at: int, problem: str, allowed: str
) -> None:
    entry = mapping.columns.get(name)
    theirs = long.theirs(name, at) or (entry.text if entry else name)
    column = name if theirs == name else f"{theirs} (our {name})"
    raise SchemaError(str(file.path), int(np.asarray(long.rows)[at]), column, problem, allowed)
