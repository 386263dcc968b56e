"""A part of each cell of a column, where one column holds several things: `human_hybrid`."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.data.checking import categorical
from analysis.errors import SchemaError, shown


@dataclass(frozen=True, slots=True)
class Part:
    """The part of number `part`, from 1, of the cells of `column`: between `split` marks, or a group of `pattern`."""

    column: str
    part: int
    split: str = ""
    pattern: re.Pattern[str] | None = None

    @property
    def name(self) -> str:
        how = self.pattern.pattern if self.pattern else self.split
        return f"{self.column} [{self.part} of {how}]"

    def of(self, column: pd.Series, origin: str, first_row: int) -> pd.Series:
        """The part of each cell; an empty cell has none. Raises SchemaError at the first cell without the parts."""
        cells = categorical(column)
        texts = [str(text) for text in cells.categories]
        found = [self._parts(text) for text in texts]
        n = len(found[0]) if found else 0
        bad = np.array([*(len(parts) < self.part or len(parts) != n for parts in found), False])[cells.codes]
        if bad.any():
            row = int(bad.argmax())
            has = len(found[cells.codes[row]])
            if self.pattern:
                problem, allowed = (
                    f"{shown(cells[row])} does not fit {shown(self.pattern.pattern)}",
                    "text that fits",
                )
            else:
                problem = f"{shown(cells[row])} has {has} parts between {shown(self.split)}"
                allowed = f"{max(n, self.part)} parts in each cell, or a `pattern` that says where they are"
            raise SchemaError(origin, first_row + row, self.column, problem, allowed)
        parts = [*(parts[self.part - 1] for parts in found), ""]
        return pd.Series(np.array(parts, dtype=object)[cells.codes])

    def _parts(self, text: str) -> list[str]:
        if self.pattern is None:
            return text.split(self.split)
        match = self.pattern.fullmatch(text)
        return [group or "" for group in match.groups()] if match else []
