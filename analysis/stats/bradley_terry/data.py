"""Comparisons as numbers: the rows of a table of answers, or of wins, as places among the sums of the model."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.columns import TIE
from analysis.errors import AnalysisError, shown
from analysis.stats.agreement.units import Codes, dense
from analysis.stats.bradley_terry.fit import Cells
from analysis.stats.intervals import Floats

# Two items in the order of the alphabet, where the first stood (+1 left, -1 right, 0 unknown), and whether it won.
_Comparison = tuple[str, str, int, bool]

_LEFT_OUT = ("n_blank", "n_same_source", "n_without_source", "n_tie")


@dataclass(frozen=True, slots=True)
class Coded:
    """Comparisons as numbers: for each row its place among the sums of `cells`, -1 where it is left out."""

    names: list[str]
    cells: Cells
    column: Codes
    left_out: Mapping[str, int]


def coded_rows(rows: pd.DataFrame) -> Coded:
    columns = [rows[name].cat for name in ("source_a", "source_b", "left", "choice")]
    key = np.zeros(len(rows), dtype=np.int64)
    for column in columns:
        key = key * (len(column.categories) + 1) + column.codes.to_numpy() + 1
    widths = [len(column.categories) + 1 for column in columns]
    counts = np.bincount(key, minlength=int(np.prod(widths)))
    sources = [["", *map(str, column.categories)] for column in columns[:2]]
    left_out = dict.fromkeys(_LEFT_OUT, 0)
    kept: dict[int, _Comparison] = {}
    for used in np.flatnonzero(counts).tolist():
        a, b, left, choice = (int(place) for place in np.unravel_index(used, widths))
        names = sources[0][a], sources[1][b]
        reason = _why_left_out(names, choice)
        if reason:
            left_out[reason] += int(counts[used])
        else:
            one, other = sorted(names)
            a_is_one = names[0] == one
            side = 0 if left == 0 else 1 if (left == 1) == a_is_one else -1
            kept[used] = (one, other, side, (choice == 1) == a_is_one)
    return _numbered(kept, key, len(counts), left_out)


def _why_left_out(sources: tuple[str, str], choice: int) -> str | None:
    if choice == 0:
        return "n_blank"
    if not all(sources):
        return "n_without_source"
    if sources[0] == sources[1]:
        return "n_same_source"
    # The code of a missing cell is 0 here.
    return "n_tie" if choice == TIE + 1 else None


def _numbered(kept: Mapping[int, _Comparison], key: Codes, n_keys: int, left_out: Mapping[str, int]) -> Coded:
    """Cells in the order of the names, so that neither row order nor the names of members change them."""
    compared = sorted({cell[:3] for cell in kept.values()})
    names = sorted({name for cell in compared for name in cell[:2]})
    place = {cell: number for number, cell in enumerate(compared)}
    number = {name: at for at, name in enumerate(names)}
    cells = Cells(
        np.array([number[one] for one, _, _ in compared], dtype=np.int64),
        np.array([number[other] for _, other, _ in compared], dtype=np.int64),
        np.array([side for _, _, side in compared], dtype=np.float64),
        len(names),
    )
    column = np.full(n_keys, -1, dtype=np.int64)
    for used, (one, other, side, one_won) in kept.items():
        column[used] = place[one, other, side] + (0 if one_won else len(compared))
    return Coded(names, cells, column[key], left_out)


def coded_wins(wins: pd.DataFrame) -> tuple[Coded, Floats]:
    for name in ("winner", "loser"):
        if name not in wins:
            raise AnalysisError(f"wins: the column {name} is missing; needed: winner, loser")
    weight = np.ones(len(wins)) if "n" not in wins else wins["n"].to_numpy(dtype=np.float64)
    _refuse(wins, ~((weight >= 0) & (weight == np.floor(weight))), "n", "a whole number from 0")
    for name in ("winner", "loser"):
        _refuse(wins, wins[name].isna().to_numpy(), name, "a name")
    left = wins["left"] if "left" in wins else pd.Series(np.nan, index=wins.index)
    columns = [column.map(str, na_action="ignore") for column in (wins["winner"], wins["loser"], left)]
    codes, names = pd.factorize(pd.concat(columns), sort=True)
    winner, loser, stood_left = codes.reshape(3, len(wins)).astype(np.int64)
    _refuse(wins, winner == loser, "loser", "another than the winner")
    outsider = (stood_left >= 0) & (stood_left != winner) & (stood_left != loser)
    _refuse(wins, outsider, "left", "the winner, the loser or nothing")
    one, other = np.minimum(winner, loser), np.maximum(winner, loser)
    side = np.where(stood_left < 0, 0, np.where(stood_left == one, 1, -1))
    shape = (len(names), len(names), 3, 2)
    key, used = dense(np.ravel_multi_index((one, other, side + 1, winner == one), shape), int(np.prod(shape)))
    kept = {
        number: (str(names[first]), str(names[second]), int(place) - 1, bool(won))
        for number, (first, second, place, won) in enumerate(
            zip(*(part.tolist() for part in np.unravel_index(used, shape)), strict=True)
        )
    }
    return _numbered(kept, key, len(used), dict.fromkeys(_LEFT_OUT, 0)), weight


def _refuse(wins: pd.DataFrame, bad: npt.NDArray[np.bool_], column: str, allowed: str) -> None:
    if bad.any():
        row = int(bad.argmax())
        cell = wins[column].iloc[row]
        problem = "the cell is empty" if pd.isna(cell) else f"{shown(cell)} is not allowed"
        raise AnalysisError(f"wins: row {row + 1}, column {column}: {problem}; allowed: {allowed}")
