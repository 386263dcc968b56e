"""The table of clips and their clues, checked."""

import numpy as np
import pandas as pd

from analysis.errors import SchemaError, shown

FIXED = ("stimulus", "source")


def check_clues(clips: pd.DataFrame) -> pd.DataFrame:
    """Return the clips sorted by stimulus: stimulus, source, then every other column as floats.

    Raises
    ------
    SchemaError
        If a column is missing or double, a stimulus stands twice, a stimulus or source is empty, or a clue's
        cell is neither a finite number nor missing. Rows are counted from 1.
    """
    columns = [str(name) for name in clips.columns]
    for name in dict.fromkeys((*FIXED, *columns)):
        if columns.count(name) != 1:
            problem = "the column appears more than once" if name in columns else "the column is missing"
            raise SchemaError("clips", 1, name, problem, "stimulus, source, then one column for each clue")
    stimulus, source = (_texts(clips[name], name) for name in FIXED)
    _refuse(stimulus, stimulus.duplicated(), "stimulus", "each stimulus once")
    clues = {name: _numbers(clips[name], name) for name in columns if name not in FIXED}
    table = pd.DataFrame({"stimulus": stimulus, "source": source, **clues})
    # Sorted: folds and draws must not depend on the order of the rows.
    return table.sort_values("stimulus", ignore_index=True)


def _texts(cells: pd.Series, name: str) -> pd.Series:
    texts = cells.astype(object).where(cells.notna(), "").map(str).reset_index(drop=True)
    _refuse(texts, texts == "", name, "a text that is not empty")
    return texts


def _numbers(cells: pd.Series, name: str) -> pd.Series:
    cells = cells.reset_index(drop=True)
    read = pd.to_numeric(cells, errors="coerce")
    numbers = pd.Series(read.to_numpy(dtype=float, na_value=np.nan))
    _refuse(cells, (numbers.isna() & cells.notna()) | np.isinf(numbers), name, "a finite number, or nothing")
    return numbers


def _refuse(cells: pd.Series, bad: pd.Series, name: str, allowed: str) -> None:
    if bad.any():
        first = int(bad.to_numpy().argmax())
        raise SchemaError("clips", first + 1, name, f"{shown(cells.iloc[first])} is not allowed", allowed)
