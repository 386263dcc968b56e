"""People's ratings of items by one criterion as numbers, and a judge's values for the same items."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.data.rating_table import Ratings, as_number
from analysis.errors import SchemaError, shown
from analysis.judging.pairs import Bools, Ints
from analysis.natural import natural
from analysis.results import Result
from analysis.stats.intervals import Floats

_LISTED = 10


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The counted ratings of one criterion, one row each: the codes of item and rater, and the value.

    `names` are the items in order, including those whose every rating was left out. `value` is an index into `classes`
    (the classes that people or a judge named, in order) if they are classes, else a number; `scale` is the lowest and
    the highest number that could be given, or was.
    """

    criterion: str
    names: tuple[str, ...]
    item: Ints
    rater: Ints
    value: Floats
    classes: tuple[str, ...]
    scale: tuple[float, float] | None
    n_left_out: int

    def __len__(self) -> int:
        return len(self.names)

    @property
    def n(self) -> Ints:
        """Ratings of each item."""
        counted: Ints = np.bincount(self.item, minlength=len(self)).astype(np.int64)
        return counted

    @property
    def n_raters(self) -> int:
        """Raters with a rating that counts."""
        return int(np.count_nonzero(np.bincount(self.rater))) if len(self.rater) else 0

    def of(self, used: Bools) -> "Items":
        """The same without the ratings of items that are not used; their codes stay."""
        kept = used[self.item]
        return Items(
            self.criterion,
            self.names,
            self.item[kept],
            self.rater[kept],
            self.value[kept],
            self.classes,
            self.scale,
            self.n_left_out,
        )


@dataclass(frozen=True, slots=True)
class ItemCounts(Result):
    """The outcome of one run's values by one criterion.

    Of the `n_items` items that people rated it judged `n_judged`, abstained on `n_abstained` and has no row for
    `n_missing`. Of its `n_rows` rows, `n_unrated` name unrated items (the first ten are listed).
    """

    n_rows: int
    n_items: int
    n_judged: int
    n_abstained: int
    n_missing: int
    n_unrated: int
    unrated: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """One run's values of one judge for the items: an index into their classes, or a number; NaN for none.

    `on_scale`: whether its numbers are on people's scale.
    """

    judge: str
    run: str
    value: Floats
    on_scale: bool
    counts: ItemCounts


def collect_items(ratings: Ratings, verdicts: pd.DataFrame) -> Iterator[Items]:
    """The ratings that count of each criterion, in the order of the ratings.

    Classes are texts as people gave them; a rating that is no number is left out and counted where the level asks for
    numbers, and so is one off the scale where the mapping drops such."""
    table, nominal = ratings.table, ratings.level == "nominal"
    scores = ratings.scores()
    counted = table["score"].notna().to_numpy() if nominal else ~np.isnan(scores)
    classes = _classes(table["score"], verdicts["value"]) if nominal else ()
    value = table["score"].astype(object).map({name: place for place, name in enumerate(classes)})
    values: Floats = np.asarray(value, dtype=np.float64) if nominal else scores
    rater = table["rater"].cat.codes.to_numpy().astype(np.int64)
    there = set(map(str, table["criterion"].unique()))
    for criterion in (name for name in ratings.criteria if name in there):
        of_criterion, scale = (table["criterion"] == criterion).to_numpy(), ratings.scale_of(criterion)
        counts = counted
        if not nominal and scale and ratings.out_of_range == "drop":
            counts = counted & (scores >= scale[0]) & (scores <= scale[1])
        named = sorted(map(str, table.loc[of_criterion, "item"].unique()), key=natural)
        numbered = {name: number for number, name in enumerate(named)}
        place = table["item"].astype(object).map(numbered).to_numpy(dtype=float)
        used = np.flatnonzero(of_criterion & counts)
        # In an order of their own: what is drawn, and floating sums, depend on it.
        used = used[np.lexsort((rater[used], place[used]))]
        given = values[used]
        within = scale or ((float(given.min()), float(given.max())) if len(given) else None)
        yield Items(
            criterion=criterion,
            names=tuple(named),
            item=place[used].astype(np.int64),
            rater=rater[used],
            value=given,
            classes=classes,
            scale=None if nominal else within,
            n_left_out=int((of_criterion & ~counts).sum()),
        )


def said_of(items: Items, verdicts: pd.DataFrame, origin: str) -> Iterator[Said]:
    """The values of each run of each judge for the items.

    Raises
    ------
    SchemaError
        For a value that is no number if people gave numbers, or a second one for the same item.
    """
    of_criterion = verdicts["criterion"].isna() | (verdicts["criterion"] == items.criterion)
    rows = verdicts[of_criterion.to_numpy(dtype=bool)]
    numbers = _numbers(items, rows, origin)
    place = rows["item"].astype(object).map({name: number for number, name in enumerate(items.names)})
    judged_by = rows[["judge", "run"]].astype(object).fillna("")
    rated = items.n > 0
    for judge, run in sorted(set(judged_by.itertuples(index=False, name=None)), key=_in_order):
        mine = ((judged_by["judge"] == judge) & (judged_by["run"] == run)).to_numpy()
        at = place[mine].to_numpy(dtype=float)
        known = ~np.isnan(at)
        known[known] = rated[at[known].astype(int)]
        _refuse_twice(rows[mine], at, origin)
        value = np.full(len(items), np.nan)
        value[at[known].astype(int)] = numbers[mine][known]
        unrated = sorted(set(rows.loc[mine, "item"].astype(str)[~known]), key=natural)
        n_judged = int((~np.isnan(value)).sum())
        yield Said(
            judge=judge,
            run=run,
            value=value,
            on_scale=_on_scale(items, rows[mine], numbers[mine]),
            counts=ItemCounts(
                n_rows=int(mine.sum()),
                n_items=int(rated.sum()),
                n_judged=n_judged,
                n_abstained=int(known.sum()) - n_judged,
                n_missing=int(rated.sum() - known.sum()),
                n_unrated=int((~known).sum()),
                unrated=tuple(unrated[:_LISTED]),
            ),
        )


def _refuse_twice(rows: pd.DataFrame, at: Floats, origin: str) -> None:
    """Two rows of a run on one item, one of them by the criterion and one by none."""
    again = pd.Series(at).duplicated().to_numpy() & ~np.isnan(at)
    if again.any():
        row = rows.iloc[int(again.argmax())]
        problem = f"{shown(row['item'])} was already judged, by another row with or without the criterion"
        raise SchemaError(origin, int(row["row"]), "item", problem, "one value for each judge, run and item")


def _in_order(name: tuple[str, str]) -> tuple[object, object]:
    return natural(name[0]), natural(name[1])


def _classes(given: pd.Series, judged: pd.Series) -> tuple[str, ...]:
    named = {str(value) for column in (given, judged) for value in column.dropna().unique()}
    return tuple(sorted(named, key=natural))


def _numbers(items: Items, rows: pd.DataFrame, origin: str) -> Floats:
    values = rows["value"].astype(object)
    if items.classes:
        places = values.map({name: place for place, name in enumerate(items.classes)})
        return np.asarray(places, dtype=np.float64)
    numbers = np.array([np.nan if pd.isna(value) else as_number(value) for value in values], dtype=float)
    bad = np.isnan(numbers) & values.notna().to_numpy()
    if bad.any():
        row = rows.iloc[int(bad.argmax())]
        allowed = "a number, or empty; for classes, say `level: nominal` in the mapping file"
        raise SchemaError(origin, int(row["row"]), "value", f"{shown(row['value'])} is not a number", allowed)
    return numbers


def _on_scale(items: Items, rows: pd.DataFrame, numbers: npt.NDArray[np.float64]) -> bool:
    """True if the file says so, or if every number is within people's scale."""
    said: Sequence[str] = [str(scale) for scale in rows["scale"].dropna().unique()]
    if said:
        return "own" not in said
    if items.scale is None:
        return False
    low, high = items.scale
    known = numbers[~np.isnan(numbers)]
    return bool(((known >= low) & (known <= high)).all())
