"""The trials that a breakdown counts, and their numbered cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.choice.cell_tables import Part
from analysis.data.codes import Codes, Groups, Mask, groups_of, recoded, same_codes, small_type
from analysis.data.outcomes import names_a_member
from analysis.options import Blank
from analysis.stats.cells import one_run_each, people_of, within

By = Literal["condition", "pair", "arm", "source"]
Measure = Literal["accuracy", "uncertainty", "preference"]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The rows that a measure counts and the whole number that each adds; for a preference its pair of sources.

    `compared` numbers the pairs of sources, which `sources` names. `n_left_out` trials show no preference."""

    measure: Measure
    rows: Mask
    value: npt.NDArray[np.int8] | Mask
    compared: Codes | None = None
    sources: tuple[tuple[str, str], ...] = ()
    n_left_out: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Trials in numbered cells, every number in use; `names` says what each cell is, a row per cell."""

    parts: tuple[Part, ...]
    names: pd.DataFrame
    n_left_out: int


class Trials:
    """The trials of one study as codes, made once for all breakdowns."""

    def __init__(self, rows: pd.DataFrame, blank: Blank) -> None:
        self.rows = rows
        self.people = people_of(rows)
        self.once = one_run_each(rows, self.people)
        self._choice, self._truth = (rows[name].cat.codes.to_numpy() for name in ("choice", "truth"))
        self._answered = names_a_member(self._choice, blank)
        self._sources, (self._source_a, self._source_b) = same_codes(
            pd.Categorical(rows["source_a"]), pd.Categorical(rows["source_b"])
        )

    def counted(self, measure: Measure) -> Counted:
        """The rows of a measure."""
        if measure == "accuracy":
            return Counted(measure, self._answered & (self._truth >= 0), self._choice == self._truth)
        if measure == "uncertainty":
            given = self.rows["uncertainty"].notna().to_numpy()
            return Counted(measure, given, self.rows["uncertainty"].to_numpy(dtype=np.int8, na_value=0))
        return self._preferences()

    def _preferences(self) -> Counted:
        n = len(self._sources)
        differ = (self._source_a >= 0) & (self._source_b >= 0) & (self._source_a != self._source_b)
        members = within(self._source_a, n, self._source_b, n)
        condition = groups_of([self.rows["condition"]], missing=True)
        kinds = within(condition.codes, condition.size, members.codes, members.size)
        texts = [*map(str, self.rows["condition"].cat.categories), ""]
        used = np.flatnonzero(kinds.counts(self._answered & differ))
        shown = [(texts[k // n**2], self._sources[k // n % n], self._sources[k % n]) for k in used.tolist()]
        names = [_ordered(*one) for one in shown]
        pairs = sorted(set(names))
        compared, first_is_a = (
            np.zeros(kinds.size + 1, dtype=np.int32),
            np.zeros(kinds.size + 1, dtype=np.int8),
        )
        compared[used] = [pairs.index(name) for name in names]
        first_is_a[used] = [name[0] == a for name, (_, a, _) in zip(names, shown, strict=True)]
        return Counted(
            measure="preference",
            rows=self._answered & differ,
            value=self._choice == recoded(kinds.codes, 1 - first_is_a),
            compared=recoded(kinds.codes, compared),
            sources=tuple(pairs),
            n_left_out=int((self._answered & ~differ).sum()),
        )

    def by_column(self, counted: Counted, by: By) -> Cells:
        """Cells by the texts of a column, and for a preference by the pair of sources within each."""
        cells = groups_of([self.rows[by]], missing=True)
        width = max(1, len(counted.sources))
        if counted.compared is not None:
            cells = within(cells.codes, cells.size, counted.compared, width)
        n_trials = cells.counts(counted.rows)
        used = np.flatnonzero(n_trials)
        texts = np.array([*map(str, self.rows[by].cat.categories), None], dtype=object)
        if not (used // width < len(texts) - 1).any():
            return _no_cells(counted)
        names = {"value": texts[used // width]}
        for place, name in enumerate(("source", "against") if counted.sources else ()):
            names[name] = np.array([pair[place] for pair in counted.sources], dtype=object)[used % width]
        part = Part(_renumbered(np.where(counted.rows, cells.codes, -1), n_trials > 0), counted.value)
        return Cells((part,), pd.DataFrame(names), counted.n_left_out)

    def by_source(self, counted: Counted) -> Cells:
        """Cells by the source of the wrong member (accuracy), each one shown (uncertainty), the chosen (preference)."""
        a, b = (np.where(counted.rows, source, -1) for source in (self._source_a, self._source_b))
        if counted.measure == "accuracy":
            return self._sourced(counted, [Part(np.where(self._truth == 0, b, a), counted.value)])
        if counted.measure == "uncertainty":
            # Two clips of one source show it once.
            b = np.where(a == b, -1, b)
            return self._sourced(counted, [Part(a, counted.value), Part(b, counted.value)])
        return self._sourced(counted, [Part(a, self._choice == 0), Part(b, self._choice == 1)])

    def _sourced(self, counted: Counted, parts: Sequence[Part]) -> Cells:
        """The parts with renumbered sources, without those that do not occur."""
        present = np.zeros(len(self._sources), dtype=bool)
        nameless = counted.rows.copy()
        for part in parts:
            present |= Groups(part.cell, len(present)).counts() > 0
            nameless &= part.cell < 0
        if not present.any():
            return _no_cells(counted)
        kept = tuple(Part(_renumbered(part.cell, present), part.value) for part in parts)
        names = pd.DataFrame({"value": np.array(self._sources, dtype=object)[present]})
        return Cells(kept, names, counted.n_left_out + int(nameless.sum()))


def _renumbered(codes: Codes, present: Mask) -> Codes:
    """The codes that are present, from 0."""
    numbers = np.append(np.cumsum(present) - 1, -1)
    return recoded(codes, numbers.astype(small_type(len(present) + 1)))


def _no_cells(counted: Counted) -> Cells:
    columns = ["value", "source", "against"] if counted.compared is not None else ["value"]
    names = pd.DataFrame({name: np.zeros(0, dtype=object) for name in columns})
    return Cells((), names, counted.n_left_out + int(counted.rows.sum()))


def _ordered(condition: str, one: str, other: str) -> tuple[str, str]:
    """Source and against, as `preference_per_participant` names them."""
    low, high = sorted((one, other))
    return (high, low) if condition == f"{high}-{low}" else (low, high)
