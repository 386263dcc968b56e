"""Names of people, pairs, clips and conditions in a checked table that look alike and are not the same."""

from collections.abc import Iterator

import pandas as pd

from analysis.files.lookalikes import lookalike_notes, note_lookalikes

_NAMES = (
    *(
        "participant",
        "rater",
        "judge",
        "pair",
        "item",
        "question",
        "criterion",
        "condition",
        "group",
        "block",
    ),
    *("stimulus", "source", "metric"),
)
_OF_MEMBERS = ("stimulus", "source")


def note_names(origin: str, frame: pd.DataFrame) -> None:
    """Note the names in each column that look alike; they stay different."""
    note_lookalikes(origin, _names(frame))


def names_alike(frame: pd.DataFrame) -> list[str]:
    """A sentence for each column that has names that look alike."""
    return list(lookalike_notes(_names(frame)))


def _names(frame: pd.DataFrame) -> Iterator[tuple[str, list[str]]]:
    for name in _NAMES:
        columns = [f"{name}_a", f"{name}_b"] if name in _OF_MEMBERS and f"{name}_a" in frame else [name]
        texts = dict.fromkeys(
            text for column in columns if column in frame for text in _distinct(frame[column])
        )
        if texts:
            yield name, list(texts)


def _distinct(cells: pd.Series) -> list[str]:
    return [str(text) for text in cells.dropna().unique()]
