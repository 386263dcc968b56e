"""The tables of a package: the meaning of a row, its key, and its references."""

import re
from dataclasses import dataclass

from analysis.data.columns import Column
from app.exports.tables import Reference


@dataclass(frozen=True, slots=True)
class Table:
    """One table as it lies in the package. `key` names the columns that together identify a row, if any do."""

    name: str
    path: str
    columns: tuple[Column, ...]
    row_is: str
    n_rows: int
    key: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()

    @property
    def is_csv(self) -> bool:
        return self.path.endswith(".csv")


def data_path(slug: str, name: str) -> str:
    """A table's path by Psych-DS' rule for names of data files: keywords and values, `_data`, `.csv` [KS25]_.

    Both keywords are official ones; a value is letters and digits only.
    """
    words = name.replace("_", "-").split("-")
    value = words[0] + "".join(word.capitalize() for word in words[1:])
    return f"data/study-{re.sub('[^a-zA-Z0-9]', '', slug)}_description-{value}_data.csv"
