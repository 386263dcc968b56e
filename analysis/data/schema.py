"""The contract of the `responses` table: what analysis accepts, checked before anything is computed."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from analysis.data.checking import check_cells, coded, empty_cells, require_columns, without_absent
from analysis.data.codes import Codes, recoded, small_type
from analysis.data.columns import (
    ANALYZED_COLUMNS,
    BY_RULE,
    LABEL_COLUMNS,
    RATING_COLUMNS,
    RESPONSE_COLUMNS,
    SELF,
    TIE,
    Column,
    names,
)
from analysis.data.repeats import refuse_repeats
from analysis.errors import SchemaError, shown

__all__ = [
    "ANALYZED_COLUMNS",
    "LABEL_COLUMNS",
    "RATING_COLUMNS",
    "RESPONSE_COLUMNS",
    "Column",
    "SchemaError",
    "check_rating_rows",
    "check_response_cells",
    "check_responses",
    "columns_to_check",
    "names",
    "refuse_repeats",
]


def check_responses(
    df: pd.DataFrame,
    origin: str = "responses",
    first_row: int = 2,
    columns: Sequence[Column] = RESPONSE_COLUMNS,
) -> pd.DataFrame:
    """Return a typed copy of a `responses` table, or refuse it at its first fault.

    One row is one answer to one trial. Checking a checked table changes nothing and is cheap.

    Parameters
    ----------
    df
        The columns of `columns` in any order, as text or typed; further columns are ignored.
    origin
        The file or table named in an error.
    first_row
        The number of the first data row in an error: 2 for a CSV (the header is row 1), 1 where there is no
        header.
    columns
        `RESPONSE_COLUMNS`, or `ANALYZED_COLUMNS`: only what `analyze` uses, without reasons, times and
        playback, which need most of the memory. The other columns are then neither needed nor checked, but
        for `trial`: where it is there it is looked at for repeats.

    Returns
    -------
    DataFrame
        Exactly the columns of `columns`, in order. `correct` and `chosen_source` are computed from
        choice, truth and sources; where the table gives them they must agree.

    Raises
    ------
    SchemaError
        For a missing column, a cell that is not allowed, a derived cell that contradicts its origin, or a
        second answer of a session to the same trial or pair.
    """
    given = [str(name) for name in df.columns]
    require_columns(given, columns, origin)
    return check_response_cells(lambda name: df[name], given, len(df), origin, first_row, columns)


def check_rating_rows(df: pd.DataFrame, origin: str = "ratings", first_row: int = 2) -> pd.DataFrame:
    """Return a typed copy of a `ratings` table, or refuse it at its first fault, as `check_responses`.

    One row is one question answered about one item, or, of kind ``self``, about the raters themselves. Raises
    SchemaError also for a second answer to one question of a trial, and for a row about no item.
    """
    given = [str(name) for name in df.columns]
    require_columns(given, RATING_COLUMNS, origin)
    there = without_absent(RATING_COLUMNS, given)
    typed = check_cells(lambda name: df[name], len(df), there, origin, first_row)
    for each in RATING_COLUMNS:
        if each.name not in typed:
            typed[each.name] = empty_cells(each, len(df))
    _require_items(typed, origin, first_row)
    leave_out_by_rules(typed)
    refuse_repeats(typed, ["study", "session", "trial", "question"], origin, first_row)
    return typed[list(names(RATING_COLUMNS))]


def _require_items(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    """Every row but those about the raters themselves has an item, and a place in its session."""
    about_items = (typed["kind"] != SELF).to_numpy()
    for column in RATING_COLUMNS:
        if column.name in ("position", "item"):
            empty = typed[column.name].isna().to_numpy() & about_items
            if empty.any():
                row = first_row + int(empty.argmax())
                raise SchemaError(origin, row, column.name, "the cell is empty", column.allowed_text)


def check_response_cells(
    cells: Callable[[str], pd.Series],
    given: Sequence[str],
    n_rows: int,
    origin: str,
    first_row: int,
    columns: Sequence[Column],
) -> pd.DataFrame:
    """Like `check_responses`, for the columns `given`, each returned by `cells` on demand."""
    typed = check_cells(cells, n_rows, columns_to_check(columns, given), origin, first_row)
    for each in columns:
        if each.name not in typed:
            typed[each.name] = empty_cells(each, n_rows)
    _derive_chosen_source(typed, origin, first_row)
    _derive_correct(typed, origin, first_row)
    leave_out_by_rules(typed)
    for column in ("trial", "pair"):
        if column in typed:
            refuse_repeats(typed, ["study", "session", column], origin, first_row)
    return typed[list(names(columns))]


def columns_to_check(columns: Sequence[Column], given: Sequence[str]) -> tuple[Column, ...]:
    """`columns`, and `trial` if it is given: a trial answered twice is always a fault.

    Optional columns that are not given are left out.
    """
    asked = set(names(columns)) | ({"trial"} & set(given))
    return without_absent((column for column in RESPONSE_COLUMNS if column.name in asked), given)


def leave_out_by_rules(typed: pd.DataFrame) -> None:
    """Fill `excluded` of rows that no other rule leaves out with the exclusion rule of their study that does."""
    unused = typed["use"].eq(False).fillna(False).to_numpy(dtype=bool) & typed["excluded"].isna().to_numpy()
    if not unused.any():
        return
    met = typed["rules"][unused].astype("str").str.partition(";")[0].fillna("not named")
    excluded = typed["excluded"].astype(object)
    excluded[unused] = BY_RULE + met
    typed["excluded"] = coded(excluded)


def _derive_chosen_source(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    first, second = (typed[name].array for name in ("source_a", "source_b"))
    sources = first.categories.union(second.categories)
    type_ = small_type(len(sources))

    def places(cells: pd.Categorical) -> Codes:
        return recoded(cells.codes, np.append(sources.get_indexer(cells.categories), -1).astype(type_))

    choice, nothing = typed["choice"].array.codes, np.array(-1, dtype=type_)
    codes = np.where(choice == 0, places(first), np.where(choice == 1, places(second), nothing))
    given = typed["chosen_source"].array
    contradicts = (given.codes >= 0) & (places(given) != codes)
    derived = pd.Series(pd.Categorical.from_codes(codes, categories=sources), copy=False)
    _refuse_contradiction(typed["chosen_source"], derived, contradicts, origin, first_row)
    # Coded anew: of a checked table every category is in use.
    typed["chosen_source"] = coded(derived)


def _derive_correct(typed: pd.DataFrame, origin: str, first_row: int) -> None:
    choice, truth = (typed[name].array.codes for name in ("choice", "truth"))
    # A tie is neither right nor wrong.
    unknown = (choice < 0) | (choice == TIE) | (truth < 0)
    right = (choice == truth) & ~unknown
    derived = pd.Series(pd.arrays.BooleanArray(right, unknown), copy=False)
    given = typed["correct"]
    said = given.to_numpy(dtype=bool, na_value=False)
    contradicts = given.notna().to_numpy() & (unknown | (said != right))
    _refuse_contradiction(given, derived, contradicts, origin, first_row)
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
