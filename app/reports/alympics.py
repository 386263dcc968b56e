"""A release of Alympics: its games as records, its scores in the layout that `analyze` reads, and what was printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import mean, stdev

from sqlmodel import Session, col, select

from analysis.ratings.table import as_number
from app.core.errors import Conflict
from app.core.spreadsheet import csv_text
from app.library.alympics.documents import read_games
from app.library.alympics.games import BadRelease
from app.library.contents import add_documents, keep_content
from app.library.documents import ImportedDocument
from app.library.editing import drop_content
from app.library.tables import Stimulus
from app.reports.alympics_sheets import HIGHEST, LOWEST, Score, scores_in
from app.studies.file.problems import counted

TABLE, MAPPING = "alympics-ratings.csv", "alympics-ratings.yaml"
_COLUMNS = ("record", "judge", "criterion", "score", "group", "reason", "refused")
_MAPPING = f"""\
# Judges' scores of Alympics, as `likely-human import alympics` wrote them. Only scores that count are there.
kind: ratings
columns: {{item: record, rater: judge, criterion: criterion, score: score, group: group}}
scale: [{LOWEST}, {HIGHEST}]
level: ordinal
"""
# Means and standard deviations of the agents in table 3 of the paper "ALYMPICS: LLM agents meet game theory".
PRINTED: Mapping[str, tuple[str, str]] = {
    "IU": ("3.33", "1.04"),
    "LR": ("3.47", "1.00"),
    "SE": ("3.46", "1.10"),
    "AD": ("3.42", "1.12"),
    "LP": ("3.88", "0.88"),
    "IA": ("3.51", "1.24"),
}


@dataclass(frozen=True, slots=True)
class Criterion:
    """Scores of one criterion that count: number, mean and SD (ddof 1), and what the paper prints of it.

    `with_impossible` is the same with numbers that are not on the scale.
    """

    name: str
    n: int
    mean: str
    sd: str
    printed: tuple[str, str] | None
    with_impossible: tuple[str, str] | None

    @property
    def is_as_printed(self) -> bool:
        return self.printed == (self.mean, self.sd)

    def __str__(self) -> str:
        said = f"{self.name}: {self.n} scores, mean {self.mean} (SD {self.sd})"
        if self.printed is None:
            return said
        if self.is_as_printed:
            return f"{said}, as printed"
        said += f"; printed {self.printed[0]} ({self.printed[1]})"
        if self.with_impossible is None:
            return f"{said}, which the released scores do not give"
        impossible = f"with the impossible scores it is {self.with_impossible[0]} ({self.with_impossible[1]})"
        exact = self.with_impossible == self.printed
        return f"{said}; {impossible}{'' if exact else ', so neither is what was printed'}"


@dataclass(frozen=True, slots=True)
class Released:
    """What a folder holds: records by name, and scores in the order of the sheets."""

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


def criteria_of(scores: Sequence[Score]) -> list[Criterion]:
    """Each criterion in the order of the sheet, those with fewer than two scores left out."""
    found = []
    for name in dict.fromkeys(row.criterion for row in scores):
        rows = [row for row in scores if row.criterion == name]
        counted = [as_number(row.score) for row in rows if not row.refused]
        numbers = [n for row in rows if (n := as_number(row.score)) == n]
        if len(counted) > 1:
            other = _described(numbers) if len(numbers) > len(counted) else None
            found.append(Criterion(name, len(counted), *_described(counted), PRINTED.get(name), other))
    return found


def write_ratings(released: Released, folder: Path) -> tuple[Path, Path]:
    """Write the scores and their mapping file: `likely-human analyze TABLE --mapping MAPPING`. Raises BadRelease."""
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
    except OSError as error:
        raise BadRelease(
            f"{folder}: the ratings cannot be written there ({error.strerror or error}); give another with --out"
        ) from None
    return folder / TABLE, folder / MAPPING


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the records: `new` ones, those that were there and `changed`, and those that were as they are."""

    new: int
    changed: int
    kept: int

    def __str__(self) -> str:
        said = f"{counted(self.new, 'record')} imported"
        if self.changed:
            said += f", {self.changed} that were there changed (versions of studies keep what they were saved with)"
        return said + (f", {self.kept} were there already" if self.kept else "")


def refuse_others(session: Session, released: Released) -> None:
    """Raise Conflict where the library has something else under the name of a record."""
    for each, there in _with_present(session, released):
        if there is not None and (there.content_sha256 is None or _game(there) != _game(each)):
            raise Conflict(f"The library has another stimulus named {each.name}; rename it first.")


def import_records(session: Session, released: Released, now: datetime) -> Imported:
    """Put all records into the library, or none; one that was there takes what the release says now.

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


def _described(values: Sequence[float]) -> tuple[str, str]:
    return f"{mean(values):.2f}", f"{stdev(values):.2f}"
