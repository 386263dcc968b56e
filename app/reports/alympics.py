"""A release of Alympics: its games as records, its scores in the layout that `analyze` reads, and the printed table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlmodel import Session, col, select

from app.catalog.editing import drop_content
from app.core.errors import Conflict
from app.core.problems import counted
from app.core.spreadsheet import csv_text
from app.library.alympics.documents import read_games
from app.library.alympics.games import BadRelease
from app.library.contents import add_documents, keep_content
from app.library.documents import ImportedDocument
from app.library.tables import Stimulus
from app.reports.alympics_sheets import HIGHEST, LOWEST, Score, scores_in
from app.reports.alympics_table import COLUMNS, table_rows

TABLE, MAPPING, TABLE_3 = "alympics-ratings.csv", "alympics-ratings.yaml", "alympics-table-3.csv"
_COLUMNS = ("record", "judge", "criterion", "score", "group", "reason", "refused")
_MAPPING = f"""\
# Judges' scores of Alympics, as `likely-human import alympics` wrote them. Only scores that count are there.
kind: ratings
columns: {{item: record, rater: judge, criterion: criterion, score: score, group: group}}
scale: [{LOWEST}, {HIGHEST}]
level: ordinal
"""


@dataclass(frozen=True, slots=True)
class Released:
    """The content of a folder: records by name, and scores in the order of the sheets."""

    documents: Sequence[ImportedDocument]
    scores: Sequence[Score]

    @property
    def refused(self) -> Sequence[Score]:
        return [row for row in self.scores if row.refused]

    @property
    def without_record(self) -> Sequence[str]:
        """Records that were rated and whose game is not in the folder."""
        there = {each.name for each in self.documents}
        return sorted({row.record for row in self.scores} - there)


def read_release(folder: Path) -> Released:
    """Read the games and, where they are there, the scores. Raises BadRelease."""
    if not folder.is_dir():
        raise BadRelease(f"{folder}: is no folder; give the one with the released games")
    return Released(read_games(folder), scores_in(folder))


def write_ratings(released: Released, folder: Path) -> tuple[Path, Path]:
    """Write the scores, their mapping file, and table 3 of the paper: `likely-human analyze TABLE --mapping MAPPING`.

    Returns the first two. Raises BadRelease."""
    rows = [
        (
            one.record,
            one.judge,
            one.criterion,
            "" if one.refused else one.score,
            one.group,
            one.reason,
            one.refused,
        )
        for one in released.scores
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / TABLE).write_text(csv_text(_COLUMNS, rows), encoding="utf-8")
        (folder / MAPPING).write_text(_MAPPING, encoding="utf-8")
        (folder / TABLE_3).write_text(csv_text(COLUMNS, table_rows(released.scores)), encoding="utf-8")
    except OSError as error:
        raise BadRelease(
            f"{folder}: the ratings cannot be written there ({error.strerror or error}); give another with --out"
        ) from None
    return folder / TABLE, folder / MAPPING


@dataclass(frozen=True, slots=True)
class Imported:
    """The outcome of an import: `new` records, existing ones that `changed`, and those that were the same."""

    new: int
    changed: int
    kept: int

    def __str__(self) -> str:
        said = f"{counted(self.new, 'record')} imported"
        if self.changed:
            said += f", {self.changed} that were there changed (versions of studies keep what they were saved with)"
        return said + (f", {self.kept} were there already" if self.kept else "")


def refuse_others(session: Session, released: Released) -> None:
    """Raise Conflict if the library has a different stimulus under a record's name."""
    for each, there in _with_present(session, released):
        if there is not None and (there.content_sha256 is None or _game(there) != _game(each)):
            raise Conflict(f"The library has another stimulus named {each.name}; rename it first.")


def import_records(session: Session, released: Released, now: datetime) -> Imported:
    """Import all records into the library, or none; existing ones are updated from the release.

    Raises Conflict as `refuse_others` does.
    """
    refuse_others(session, released)
    pairs = _with_present(session, released)
    changed = [(each, there) for each, there in pairs if there is not None and _is_other(each, there)]
    for each, there in changed:
        before = there.content_sha256
        there.content_sha256 = keep_content(session, each.document)
        there.attributes, there.source, there.imported_at = dict(each.attributes), each.source, now
        there.original_name, there.original_bytes = each.original_name, each.original_bytes
        session.flush()
        drop_content(session, before)
    new = [each for each, there in pairs if there is None]
    add_documents(session, new, now)
    return Imported(len(new), len(changed), len(pairs) - len(new) - len(changed))


def _with_present(session: Session, released: Released) -> list[tuple[ImportedDocument, Stimulus | None]]:
    names = [each.name for each in released.documents]
    rows = session.exec(select(Stimulus).where(col(Stimulus.name).in_(names)))
    there = {row.name: row for row in rows}
    return [(each, there.get(each.name)) for each in released.documents]


def _game(stimulus: ImportedDocument | Stimulus) -> str | None:
    return stimulus.attributes.get("game")


def _is_other(each: ImportedDocument, there: Stimulus) -> bool:
    return each.document.sha256 != there.content_sha256 or each.attributes != there.attributes
