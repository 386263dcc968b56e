"""Exports of a study of walks: each walk, and its walker's positions."""

from app.exports.columns import POSITION_COLUMNS, WALK_COLUMNS
from app.exports.tables import SESSION, Exports, ExportTable, Reference
from app.tasks.walk import walked

EXPORTS = Exports(
    (
        ExportTable(
            "walks",
            WALK_COLUMNS,
            "One row per walk that was answered, by session and position.",
            rows=walked.walks,
            key=("trial",),
            references=(SESSION,),
        ),
        ExportTable(
            "positions",
            POSITION_COLUMNS,
            "One row per thirtieth of a second of each of these walks.",
            rows=walked.positions,
            key=("trial", "t_s"),
            references=(SESSION, Reference("trial", "walks")),
        ),
    )
)
