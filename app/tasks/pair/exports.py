"""Exports of a study of pairs: answers, evidence of watching, and results of the votes."""

from analysis.data.columns import LABEL_COLUMNS, RESPONSE_COLUMNS
from app.exports.columns import PLAYBACK_COLUMNS, PREFERENCE_COLUMNS
from app.exports.tables import SESSION, Exports, ExportTable, Reference, of_select
from app.tasks.pair import responses

EXPORTS = Exports(
    (
        ExportTable(
            "responses",
            tuple(RESPONSE_COLUMNS),
            "One row per answer to a trial, of every kind of pair and every mode, by session and position.",
            rows=of_select(responses.responses),
            key=("trial",),
            references=(SESSION,),
        ),
        ExportTable(
            "playback",
            PLAYBACK_COLUMNS,
            "One row per clip of each trial answered, as the browser reported it; one row with an empty `member` "
            "where it reported nothing that could be read.",
            rows=of_select(responses.playback),
            references=(SESSION, Reference("trial", "responses")),
        ),
        ExportTable(
            "labels",
            tuple(LABEL_COLUMNS),
            "One row per pair: the majority vote of one mode. Main and attention trials that no rule excludes are "
            "counted, blanks are not votes, ties stay ties.",
        ),
        ExportTable(
            "preferences",
            PREFERENCE_COLUMNS,
            "One record per main pair whose votes have a majority: the clip chosen and the clip rejected. Where arms "
            "ask in different words, one per pair and question.",
        ),
    )
)
