"""The released rating sheets of Alympics: scores in the long layout that `analyze` reads, and what was printed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import mean, stdev
from typing import Final

from sqlmodel import Session, col, select

from analysis.ratings.table import as_number
from app.core.errors import Conflict
from app.core.spreadsheet import csv_text
from app.library.alympics import BadRelease, Game, game_of, read_games, table_in
from app.library.contents import add_documents
from app.library.documents import ImportedDocument
from app.library.tables import Stimulus

SHEETS: Final = "ratings.csv"
TABLE, MAPPING = "alympics-ratings.csv", "alympics-ratings.yaml"
LOWEST, HIGHEST = 1, 5
_NEEDED = ("record", "judge", "criterion", "score", "player", "game_file")
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
class SheetRow:
    """One score as typed; `refused` says why it does not count, and is empty where it does."""

    row: int
    record: str
    judge: str
    criterion: str
    score: str
    group: str
    reason: str
    refused: str


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
    """What a folder holds: records by name, and scores in the order of the sheet; `sheet` is None without one."""

    documents: Sequence[ImportedDocument]
    sheet: Path | None
    scores: Sequence[SheetRow]

    @property
    def refused(self) -> Sequence[SheetRow]:
        return [row for row in self.scores if row.refused]

    @property
    def without_record(self) -> Sequence[str]:
        """Records that were rated and whose game is not in the folder."""
        there = {each.name for each in self.documents}
        return sorted({row.record for row in self.scores} - there)


def read_release(folder: Path) -> Released:
    """Read the games and, where `ratings.csv` is there, the scores. Raises BadRelease."""
    if not folder.is_dir():
        raise BadRelease(f"{folder}: is no folder; give the one with the released games and {SHEETS}")
    sheet = folder / SHEETS
    is_there = sheet.is_file()
    return Released(read_games(folder), sheet if is_there else None, _scores(sheet) if is_there else ())


def criteria_of(scores: Sequence[SheetRow]) -> list[Criterion]:
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


def refuse_known_records(session: Session, released: Released) -> None:
    """Raise Conflict for a record that is in the library already."""
    names = [each.name for each in released.documents]
    there = session.exec(
        select(Stimulus.name).where(col(Stimulus.name).in_(names)).order_by(Stimulus.name)
    ).first()
    if there:
        raise Conflict(f"{there} is in the library already; nothing was imported")


def import_records(session: Session, released: Released, now: datetime) -> None:
    """Put all records into the library, or none. Raises Conflict where one is there already."""
    refuse_known_records(session, released)
    add_documents(session, released.documents, now)


def _scores(path: Path) -> list[SheetRow]:
    found: list[SheetRow] = []
    first: dict[tuple[str, str, str], int] = {}
    for number, row in ((each.row, each.cells) for each in table_in(path, _NEEDED)):
        game = game_of(row["game_file"])
        if game is None:
            raise BadRelease(
                f"{path}: row {number}, column game_file: {row['game_file']!r} names no released game"
            )
        for name in ("judge", "criterion", "player"):
            if not row[name]:
                raise BadRelease(f"{path}: row {number}, column {name}: is empty")
        one = _score(number, row, game)
        key = (one.record, one.judge, one.criterion)
        if first.setdefault(key, number) != number:
            raise BadRelease(
                f"{path}: row {number}: judge {one.judge} has scored {one.record} by {one.criterion} in row "
                f"{first[key]} already"
            )
        found.append(one)
    return found


def _score(number: int, row: Mapping[str, str], game: Game) -> SheetRow:
    return SheetRow(
        row=number,
        record=game.record_of(row["player"]),
        judge=row["judge"],
        criterion=row["criterion"],
        score=row["score"],
        group=game.group,
        reason=row.get("reason", ""),
        refused=_refusal(row["score"]),
    )


def _refusal(score: str) -> str:
    value = as_number(score)
    if not score:
        return "empty"
    if value != value:
        return "no number"
    if not LOWEST <= value <= HIGHEST:
        return f"impossible on a scale from {LOWEST} to {HIGHEST}"
    return ""


def _described(values: Sequence[float]) -> tuple[str, str]:
    return f"{mean(values):.2f}", f"{stdev(values):.2f}"
