"""Ratings of a study as a table."""

from itertools import chain

import pandas as pd
from sqlmodel import Session

from analysis.data.columns import RATING_COLUMNS, names
from analysis.data.schema import check_rating_rows
from app.exports.tables import OfStudy
from app.reports.facts import designs_of
from app.studies.queries import study_named
from app.tasks.rating.rated import by_rating, selects_of

_ROWS_AT_ONCE = 5_000


def ratings_frame(session: Session, slug: str) -> pd.DataFrame:
    """A study's ratings, checked, as `read_rating_rows` reads them from a file; none where nothing is rated.

    Raises NotFound for an unknown study.
    """
    study_named(session, slug)
    study = OfStudy(slug, designs_of(session, slug))
    found = chain.from_iterable(
        session.execute(one.execution_options(yield_per=_ROWS_AT_ONCE)) for one in selects_of(study)
    )
    cells: dict[str, list[object]] = {name: [] for name in names(RATING_COLUMNS)}
    for row in by_rating((row._mapping for row in found), study.designs):
        for name, values in cells.items():
            values.append(row[name])
    return check_rating_rows(pd.DataFrame(cells, dtype=object), slug)
