"""The rows of `ratings`: one for each question answered about an item, from one for each item rated."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from sqlmodel import Session

from analysis.data.columns import RATING_COLUMNS, names
from analysis.data.schema import check_rating_rows
from app.reports import selects
from app.reports.facts import designs_of
from app.studies.file.design import StudyDesign
from app.studies.file.questions import scale_of
from app.studies.queries import study_named

Row = Mapping[Any, Any]

_ROWS_AT_ONCE = 5_000


def by_rating(trials: Iterable[Row], designs: Mapping[int, StudyDesign]) -> Iterator[Row]:
    """One row per question answered about an item, in the order of the study file."""
    asked = {
        (number, block.id): [(question, scale_of(question)) for question in block.questions]
        for number, design in designs.items()
        for block in design.rating_blocks
    }
    for row in trials:
        about = {**row, "condition": row["condition"] or None, "group": row["group"] or None}
        for question, (low, high) in asked.get((row["version"], row["block"]), ()):
            given = row["answers"].get(question.id)
            if given is not None:
                is_text = isinstance(given, str)
                yield {
                    **about,
                    "question": question.id,
                    "value": None if is_text else given,
                    "text": given if is_text else None,
                    "scale_low": low,
                    "scale_high": high,
                }


def ratings_frame(session: Session, slug: str) -> pd.DataFrame:
    """A study's ratings, checked, as `read_rating_rows` reads them from a file; none where nothing is rated.

    Raises NotFound for an unknown study.
    """
    study_named(session, slug)
    found = session.execute(selects.ratings(slug).execution_options(yield_per=_ROWS_AT_ONCE))
    cells: dict[str, list[object]] = {name: [] for name in names(RATING_COLUMNS)}
    for row in by_rating((row._mapping for row in found), designs_of(session, slug)):
        for name, values in cells.items():
            values.append(row[name])
    return check_rating_rows(pd.DataFrame(cells, dtype=object), slug)
