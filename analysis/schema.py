"""The contract of the `responses` table: what analysis accepts, checked before anything is computed."""

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from analysis.checking import categorical, check_columns
from analysis.columns import LABEL_COLUMNS, RESPONSE_COLUMNS, Column, names
from analysis.errors import SchemaError, shown

__all__ = ["LABEL_COLUMNS", "RESPONSE_COLUMNS", "Column", "SchemaError", "check_responses", "names"]


def check_responses(df: pd.DataFrame, origin: str = "responses", first_row: int = 2) -> pd.DataFrame:
    """Return a typed copy of a `responses` table, or refuse it at its first fault.

    One row is one answer to one trial. Checking a checked table changes nothing and is cheap.

    Parameters
    ----------
    df
        The columns of `RESPONSE_COLUMNS` in any order, as text or typed; further columns are ignored.
    origin
        The file or table named in an error.
    first_row
        The number of the first data row in an error: 2 for a CSV (the header is row 1), 1 where there is no
        header.

    Returns
    -------
    DataFrame
        Exactly the columns of `RESPONSE_COLUMNS`, in order. `correct` and `chosen_source` are computed from
        choice, truth and sources; where the table gives them they must agree.

    Raises
    ------
    SchemaError
        For a missing column, a cell that is not allowed, a derived cell that contradicts its origin, or a
        second answer of a session to the same trial or pair.
    """
    typed = check_columns(df, RESPONSE_COLUMNS, origin, first_row)
    _derive_chosen_source(typed, origin, first_row)
    _derive_correct(typed, origin, first_row)
    for column in ("trial", "pair"):
        refuse_repeats(typed, ["study", "session", column], origin, first_row)
    return typed


def refuse_repeats(df: pd.DataFrame, key: list[str], origin: str, first_row: int) -> None:
    """Refuse a second row with the same `key` (the last of which is named as the column)."""
    repeated = df.duplicated(key).to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    values = df[key].iloc[second]
    same = np.logical_and.reduce(
        [(df[name] == values[name]).to_numpy(dtype=bool, na_value=False) for name in key]
    )
    where = ", ".join(f"{name} {values[name]}" for name in key[:-1])
    problem = (
        f"{shown(values[key[-1]])} was already answered in row {first_row + int(same.argmax())} ({where})"
    )
    raise SchemaError(origin, first_row + second, key[-1], problem, f"one answer for each {', '.join(key)}")


def _derive_chosen_source(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    rows = len(typed)
    both = union_categoricals([typed["source_a"], typed["source_b"]], sort_categories=True)
    choice = typed["choice"].cat.codes.to_numpy()
    codes = np.where(choice == 0, both.codes[:rows], np.where(choice == 1, both.codes[rows:], -1))
    given = typed["chosen_source"].array
    assert isinstance(given, pd.Categorical)
    translation = np.append(both.categories.get_indexer(given.categories), -1)
    contradicts = (given.codes >= 0) & (translation[given.codes] != codes)
    derived = pd.Series(pd.Categorical.from_codes(codes, dtype=both.dtype))
    _refuse_contradiction(typed["chosen_source"], derived, contradicts, origin, first_row)
    typed["chosen_source"] = categorical(derived)


def _derive_correct(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    choice, truth = (typed[name].cat.codes.to_numpy() for name in ("choice", "truth"))
    derived = pd.Series(pd.array(choice == truth, dtype="boolean")).mask((choice < 0) | (truth < 0))
    given = typed["correct"]
    agrees = (given == derived).fillna(False).to_numpy(dtype=bool)
    _refuse_contradiction(given, derived, given.notna().to_numpy() & ~agrees, origin, first_row)
    typed["correct"] = derived


def _refuse_contradiction(
    given: pd.Series, derived: pd.Series, contradicts: np.ndarray, origin: str, first_row: int
) -> None:
    if contradicts.any():
        first = int(contradicts.argmax())
        right = "empty" if pd.isna(derived.iloc[first]) else str(derived.iloc[first]).lower()
        problem = f"{shown(given.iloc[first])} contradicts choice, truth and sources"
        raise SchemaError(
            origin, first_row + first, str(given.name), problem, f"{right} in this row, or empty"
        )
