"""The tables of a package: what a row of each is, what identifies it, and what it refers to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from analysis.data.columns import Column

ROW_IS: Mapping[str, str] = {
    "responses": "One row per answer to a trial, of every kind of pair and every mode, by session and position.",
    "participants": "One row per session that began with consent.",
    "playback": "One row per clip of each trial answered, as the browser reported it; one row with an empty `member` "
    "where it reported nothing that could be read.",
    "answers": "One row per question answered, of every page.",
    "ratings": "One row per question answered about one item, of every kind of item and every mode, by session and "
    "position; then one per question that participants answered about themselves (`kind` is self).",
    "moves": "One row per event of each match that is over, by match and `seq`.",
    "seats_played": "One row per occupancy of a seat of each match that is over, with the game's measures.",
    "walks": "One row per walk that was answered, by session and position.",
    "positions": "One row per thirtieth of a second of each of these walks.",
    "labels": "One row per pair: the majority vote of one mode. Main and attention trials that no rule excludes are "
    "counted, blanks are not votes, ties stay ties.",
    "preferences": "One record per main pair whose votes have a majority: the clip chosen and the clip rejected.",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """Every non-empty value of `column` stands in the column of the same name of `table`."""

    column: str
    table: str


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


_SESSION, _TRIAL = Reference("session", "participants"), Reference("trial", "responses")
KEYS: Mapping[str, tuple[str, ...]] = {
    "participants": ("session",),
    "responses": ("trial",),
    "answers": ("session", "page", "question"),
    "ratings": ("trial", "question"),
    "moves": ("match", "seq"),
    "seats_played": ("match", "seat", "from_seq"),
    "walks": ("trial",),
    "positions": ("trial", "t_s"),
}
REFERENCES: Mapping[str, tuple[Reference, ...]] = {
    "responses": (_SESSION,),
    "playback": (_SESSION, _TRIAL),
    "answers": (_SESSION, _TRIAL),
    "ratings": (_SESSION,),
    "moves": (_SESSION,),
    "seats_played": (_SESSION,),
    "walks": (_SESSION,),
    "positions": (_SESSION, Reference("trial", "walks")),
}


def references_of(name: str, *, only_pairs: bool) -> tuple[Reference, ...]:
    """Those of a table: an answer's trial may be one of `ratings` or `walks` where there is anything but pairs."""
    if name == "answers" and not only_pairs:
        return (_SESSION,)
    return REFERENCES.get(name, ())


def data_path(slug: str, name: str) -> str:
    """Where a table lies by Psych-DS' rule for names of data files: keywords and values, `_data`, `.csv` [KS25]_.

    Both keywords are official ones; a value is letters and digits only.
    """
    words = name.replace("_", "-").split("-")
    value = words[0] + "".join(word.capitalize() for word in words[1:])
    return f"data/study-{re.sub('[^a-zA-Z0-9]', '', slug)}_description-{value}_data.csv"
