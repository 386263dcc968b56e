"""The contract of a table of ratings: who gave which score to which item, by which criterion."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.checking import categorical
from analysis.data.codes import Counts, groups_of
from analysis.errors import SchemaError, shown
from analysis.files.numbers import with_points
from analysis.options import LEVELS, Level, chosen

Floats = npt.NDArray[np.float64]
OutOfRange = Literal["keep", "drop"]
Scale = tuple[float, float]

OUT_OF_RANGE: tuple[OutOfRange, ...] = ("keep", "drop")
COLUMNS = ("item", "rater", "criterion", "score", "group", "match")
# Of the item, where it has any.
OF_ITEM = COLUMNS[4:]
# A whole or decimal number and nothing beside it: "2 point" is none, nor is ",3" or "inf".
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings as given; made by `check_ratings` or `read_ratings`.

    `table` has one row per rating: `row` (its number in the file), `item`, `rater`, `criterion`, `score`, `group` and
    `match` (of the item) as categories of texts, a missing score missing, and no group or match if none was given.
    `scale` is the lowest and the highest possible score, `scales` the same of criteria that have their own,
    `out_of_range` the treatment of others, `level` the scores' level for agreement, `criteria` their order, `asked` the
    question of each, if known.
    """

    table: pd.DataFrame
    origin: str
    scale: Scale | None
    out_of_range: OutOfRange
    level: Level
    scales: Mapping[str, Scale] = field(default_factory=dict)
    criteria: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)

    def scale_of(self, criterion: str) -> Scale | None:
        """The criterion's own scale, else that of all; None if unknown."""
        return self.scales.get(criterion, self.scale)

    def scores(self) -> Floats:
        """The score of each row as a number, NaN where there is none or it is no number."""
        return numbers_in(self.table["score"])


def numbers_in(scores: pd.Series) -> Floats:
    """Each score of a category column as a number, NaN where there is none or it is no number."""
    cells = scores.cat
    numbers = [as_number(text) for text in with_points([str(text).strip() for text in cells.categories])]
    return np.array([*numbers, np.nan], dtype=float)[cells.codes.to_numpy()]


def as_number(text: object) -> float:
    """The number that a text is, spaces aside; NaN where it is none."""
    stripped = str(text).strip()
    return float(stripped) if _NUMBER.fullmatch(stripped) else np.nan


def check_ratings(
    table: pd.DataFrame,
    *,
    scale: Scale | None = None,
    scales: Mapping[str, Scale] | None = None,
    out_of_range: str = "keep",
    level: str = "ordinal",
    origin: str = "ratings",
    rows: Counts | None = None,
    criteria: Sequence[str] = (),
    asked: Mapping[str, str] | None = None,
) -> Ratings:
    """Return a table of ratings with its contract checked, or refuse it at its first fault.

    One row is one rater's score of one item by one criterion.

    Parameters
    ----------
    table
        Columns `item`, `rater`, `score` and, unless there is only one, `criterion`, as text or typed; `group`, if items
        are of several groups, such as who or what made them; `match`, if items of different groups belong together, one
        of each, such as records of the same game. Further columns are ignored.
    scale
        The lowest and the highest score that may be given, if known.
    scales
        The same by criterion, for those that have a scale of their own.
    out_of_range
        ``keep`` counts scores outside the scale, ``drop`` leaves them out; both list them.
    level
        ``nominal``, ``ordinal`` or ``interval``: what `agreement_of_ratings` takes the scores for.
    origin, rows
        The file named in an error and the number of each row in it, by default from 1.
    criteria
        The order in which criteria come in results, by default that of their first rows.
    asked
        The text of the question behind each criterion, for those that have one.

    Raises
    ------
    SchemaError
        For a missing column, an empty item, rater or criterion, a second score of a rater for the same item and
        criterion, a second group or match of an item, or a second item of a group in a match.
    """
    numbers = np.arange(1, len(table) + 1) if rows is None else rows
    columns = {"row": pd.Series(numbers)}
    for name in COLUMNS:
        if name in table:
            columns[name] = pd.Series(categorical(table[name].reset_index(drop=True)))
        elif name == "criterion":
            columns[name] = pd.Series(pd.Categorical(["score"] * len(table)))
        elif name in OF_ITEM:
            columns[name] = pd.Series(pd.Categorical([None] * len(table), categories=[]))
        else:
            raise SchemaError(origin, 1, name, "the column is missing", ", ".join(COLUMNS[:4]))
    typed = pd.DataFrame(columns)
    for name in COLUMNS[:3]:
        missing = typed[name].isna().to_numpy()
        if missing.any():
            row = int(numbers[int(missing.argmax())])
            raise SchemaError(origin, row, name, "the cell is empty", "any text (not empty)")
    _refuse_repeats(typed, origin)
    for name in OF_ITEM:
        _refuse_another(typed, name, origin)
    _refuse_second_items(typed, origin)
    return Ratings(
        typed,
        origin,
        None if scale is None else (float(scale[0]), float(scale[1])),
        chosen("out_of_range", out_of_range, OUT_OF_RANGE),
        chosen("level", level, LEVELS),
        {name: (float(low), float(high)) for name, (low, high) in (scales or {}).items()},
        tuple(dict.fromkeys([*criteria, *typed["criterion"].astype("str").unique()])),
        dict(asked or {}),
    )


def _refuse_repeats(typed: pd.DataFrame, origin: str) -> None:
    groups = groups_of([typed[name] for name in COLUMNS[:3]]).codes
    repeated = pd.Series(groups).duplicated().to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    first = int((groups == groups[second]).argmax())
    item, rater, criterion = (shown(typed[name].iloc[second]) for name in COLUMNS[:3])
    problem = (
        f"rater {rater} has scored item {item} by {criterion} already, in row {typed['row'].iloc[first]}"
    )
    row = int(typed["row"].iloc[second])
    raise SchemaError(origin, row, "score", problem, "one score for each rater, item and criterion")


def _refuse_another(typed: pd.DataFrame, column: str, origin: str) -> None:
    """An item is of one group, and of one match, in every row, or of none in every row."""
    item, cell = typed["item"].cat.codes.to_numpy(), typed[column].cat.codes.to_numpy()
    first = pd.Series(cell).groupby(item).transform("first").to_numpy()
    other = cell != first
    if not other.any():
        return
    place = int(other.argmax())
    name = shown(typed["item"].iloc[place])
    given = typed[column].iloc[place]
    said = f"no {column}" if pd.isna(given) else f"{column} {shown(given)}"
    before = typed.loc[typed["item"] == typed["item"].iloc[place], column].iloc[0]
    was = "none" if pd.isna(before) else shown(before)
    row = int(typed["row"].iloc[place])
    raise SchemaError(
        origin, row, column, f"item {name} has {said} here, and {was} before", f"one {column} of each item"
    )


def _refuse_second_items(typed: pd.DataFrame, origin: str) -> None:
    """A match has one item of each group: with more it would not say which are compared with which."""
    items = typed.drop_duplicates("item").dropna(subset=["group", "match"])
    again = items.duplicated(["group", "match"])
    if not again.any():
        return
    second = items[again].iloc[0]
    same = items[(items["group"] == second["group"]) & (items["match"] == second["match"])]
    problem = (
        f"match {shown(second['match'])} has two items of group {shown(second['group'])}, "
        f"{shown(same['item'].iloc[0])} and {shown(second['item'])}"
    )
    raise SchemaError(origin, int(second["row"]), "match", problem, "one item of each group in a match")
