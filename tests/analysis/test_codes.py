"""Groups of rows by codes, against pandas' own grouping."""

from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.data import codes
from analysis.data.checking import coded
from analysis.data.codes import groups_of, n_shared, recoded, rows_where, small_type, with_categories
from analysis.data.totals import totals

ROW = st.tuples(
    st.sampled_from(["x", "y", None]),
    st.sampled_from(["p1", "p10", "p2", "é", None]),
    st.sampled_from([3, 1, 2]),
    st.booleans(),
    st.integers(-5, 5),
)
ROWS = st.lists(ROW, max_size=40)


def frame(rows: list[tuple[object, ...]]) -> pd.DataFrame:
    df = pd.DataFrame(rows, columns=["study", "participant", "position", "flag", "points"])
    typed = {
        "study": "category",
        "participant": "category",
        "position": "int64",
        "flag": bool,
        "points": "int64",
    }
    return df.astype(cast(Any, typed))


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(ROWS, st.sampled_from([1 << 20, 3]))
def test_sums_and_counts_are_those_of_a_group_by(rows: list[tuple[object, ...]], block: int) -> None:
    """Also where a block of rows is three, so that groups lie in several."""
    df = frame(rows)
    by = ["study", "participant", "position"]
    expected = df.groupby(by, observed=True)[["flag", "points"]].sum().reset_index()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(codes, "_BLOCK", block)
        table = totals(df, {"flag": df["flag"].to_numpy(), "points": df["points"].to_numpy()}, by=by)
    assert table.astype(object).values.tolist() == expected.astype(object).values.tolist()


@settings(deadline=None, max_examples=60)
@given(ROWS)
def test_a_missing_cell_is_a_value_of_its_own_when_asked(rows: list[tuple[object, ...]]) -> None:
    df = frame(rows)
    groups = groups_of([df["study"], df["participant"]], missing=True).dense()
    expected = df.groupby(["study", "participant"], observed=True, dropna=False).ngroup()
    assert groups.codes.tolist() == expected.tolist()
    assert groups.counts().tolist() == expected.value_counts(sort=False).sort_index().tolist()
    rows_of = groups.some_row()
    assert groups.codes[rows_of].tolist() == list(range(groups.size))


def test_groups_of_many_columns_of_many_values_do_not_overflow() -> None:
    """Seven columns of 1,000 values have 10**21 combinations, more than a number of 64 bits counts."""
    rng = np.random.default_rng(1)
    df = pd.DataFrame({f"c{n}": rng.integers(0, 10_000, 1_000) for n in range(7)})
    df = pd.concat([df, df.iloc[:10]], ignore_index=True)
    groups = groups_of([df[name] for name in df]).dense()
    assert groups.codes.tolist() == df.groupby(list(df)).ngroup().tolist()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), max_size=12))
def test_rows_are_those_of_a_mask(which: list[bool]) -> None:
    df = pd.DataFrame({"n": range(len(which))}, index=[f"r{n}" for n in range(len(which))])
    mask = np.array(which, dtype=bool)
    pd.testing.assert_frame_equal(rows_where(df, mask), df[mask])


def test_rows_that_stand_together_are_not_copied() -> None:
    df = pd.DataFrame({"n": np.arange(10)})
    part = rows_where(df, df["n"].between(3, 6).to_numpy())
    assert np.shares_memory(part["n"].to_numpy(), df["n"].to_numpy())
    part.loc[4, "n"] = 99
    assert df["n"].tolist() == list(range(10))


def test_codes_take_no_more_room_than_they_need() -> None:
    assert [small_type(size) for size in (0, 127, 128, 40_000, 3_000_000_000)] == [
        np.dtype(name) for name in ("int8", "int8", "int16", "int32", "int64")
    ]
    found = recoded(np.array([0, -1, 1, 0], dtype=np.int32), np.array([5, 6, -1], dtype=np.int8))
    assert (found.tolist(), found.dtype) == ([5, -1, 6, 5], np.dtype("int8"))


def test_categories_keep_no_index_of_themselves() -> None:
    """pandas' check that a million texts are distinct takes three times their memory."""
    cells = with_categories(np.array([0, 1], dtype=np.int8), pd.Index(["a", "b"], dtype="str"))
    assert cells.tolist() == ["a", "b"]
    categories: Any = cells.cat.categories
    assert "_engine" not in categories._cache


def test_texts_that_two_columns_share_are_counted() -> None:
    one, two = (pd.Series(list(texts), dtype="category") for texts in ("abc", "cdea"))
    assert n_shared(one, two) == 2
    assert n_shared(one.iloc[:0], two) == 0


@pytest.mark.parametrize("size", [127, 128, 129, 32_767, 32_768, 32_769])
@pytest.mark.parametrize("empty", [0, 1, 2])
def test_groups_at_the_bounds_of_their_types_are_those_of_a_group_by(size: int, empty: int) -> None:
    """Codes are of the smallest type that holds them; a column that is empty throughout has no category at all."""
    names = pd.Series([f"p{number:05}" for number in range(size)]).astype("category")
    sides = pd.Series(["left", "right"] * size).iloc[:size].astype("category").reset_index(drop=True)
    nothing = pd.Series([None] * size, dtype=object).astype("category")
    thirds = pd.Series([f"{number % 3}" for number in range(size)]).astype("category")
    columns = [nothing if place == empty else column for place, column in enumerate([names, sides, thirds])]
    frame = pd.DataFrame({f"c{place}": column for place, column in enumerate(columns)})
    assert len(nothing.cat.categories) == 0
    for missing in (False, True):
        groups = groups_of(columns, missing=missing)
        expected = frame.groupby(list(frame), observed=True, dropna=not missing).ngroup()
        if missing:
            assert groups.dense().codes.tolist() == expected.tolist()
        else:
            assert set(groups.codes.tolist()) == {-1}
            assert groups.counts().tolist() == [0] * groups.size


@pytest.mark.parametrize(
    "cells",
    [
        [],
        [None, "", float("nan"), pd.NA, pd.NaT],
        ["b", "a", "", "B", "é", "\U0001f600", "\uffff", None, "a"],
        [1, 1.0, "1", 2.5, True, "true", False, np.True_, np.float64(3), 10**20, None, [1], {"a": 1}],
    ],
)
def test_a_short_column_is_coded_as_a_long_one(cells: list[object]) -> None:
    short = coded(pd.Series(cells, dtype=object))
    long = coded(pd.Series(cells * 1_001, dtype=object))
    pd.testing.assert_series_equal(short, long.iloc[: len(cells)])
    assert short.cat.codes.dtype == long.cat.codes.dtype


def test_half_a_letter_is_refused_in_short_columns_and_in_long_ones() -> None:
    for n in (1, 1_001):
        with pytest.raises(UnicodeEncodeError):
            coded(pd.Series(["a", "\ud800"] * n, dtype=object))
