"""Exports of a study of ratings: every question answered about an item, or about oneself."""

from collections.abc import Iterator, Sequence

from sqlmodel import Session

from analysis.data.columns import RATING_COLUMNS
from app.exports.tables import SESSION, Exports, ExportTable, OfStudy, Row, selected
from app.tasks.rating.rated import by_rating, selects_of


def _ratings(
    session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
) -> Iterator[Row]:
    for found in selects_of(study):
        yield from by_rating(selected(session, found, modes, by_arrival=by_arrival), study.designs)


EXPORTS = Exports(
    (
        ExportTable(
            "ratings",
            RATING_COLUMNS,
            "One row per question answered about one item, of every kind of item and every mode, by session and "
            "position; then one per question that participants answered about themselves (`kind` is self).",
            rows=_ratings,
            key=("trial", "question"),
            references=(SESSION,),
        ),
    )
)
