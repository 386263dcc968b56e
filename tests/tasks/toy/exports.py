"""The table `counts`: how many dots each card had, and how many were counted."""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement
from sqlmodel import Session, col

from app.exports.columns import Column, trial_columns
from app.exports.tables import SESSION, Exports, ExportTable, OfStudy, Row, answered_in
from app.trials.responses import Response
from app.trials.tables import Unit

OWN: Sequence[ColumnElement[Any]] = (col(Unit.name).label("card"), col(Response.answers).label("answers"))


def _counts(
    session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
) -> Iterator[Row]:
    for row in answered_in(session, study, "dots", OWN, modes, by_arrival=by_arrival):
        yield {**row, "counted": row["answers"].get("dots")}


EXPORTS = Exports(
    (
        ExportTable(
            "counts",
            trial_columns(
                Column("card", "text", "", "the card's name"),
                Column("counted", "number", "dots", "the answer to the question `dots`"),
            ),
            "One row per card counted, by session and position.",
            rows=_counts,
            key=("trial",),
            references=(SESSION,),
        ),
    )
)
