"""The released rating sheets of Alympics: a workbook for each record and judge, or all of them as one table.

The release has `Labeling_Results/RECORD/PLAYERn.xlsx` (or xls), n being the judge: aspects are columns under a first
row, and there is a row of scores and one of reasons. `Details.txt` maps records to games and players.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from analysis.data.rating_table import as_number
from app.core.workbooks import sheets_in
from app.library.alympics.games import AS_RELEASED, BadRelease, Game, files_in, game_of
from app.library.alympics.table import table_in

TABLE: Final = "ratings.csv"
DETAILS: Final = "Details.txt"
LOWEST, HIGHEST = 1, 5
_NEEDED = ("record", "judge", "criterion", "score", "player", "game_file")
# The aspects as the sheets head them, without blanks, signs and capitals; the paper's short names.
_ASPECTS: Mapping[str, str] = {
    "informationutilization": "IU",
    "logicalreasoning": "LR",
    "strategiceffectiveness": "SE",
    "adaptabilityandstrategicevolution": "AD",
    "longtermplanning": "LP",
    "identityalignment": "IA",
}
_JUDGE = re.compile(r"player\s*(\d+)", re.IGNORECASE)
_DETAIL = re.compile(r"No\.\s*(\d+)\t([^\t]+)\t[^\t]*\t\s*(\w+)")


@dataclass(frozen=True, slots=True)
class Score:
    """One score as typed; `refused` says why it does not count, and is empty where it does. `place` is where it is."""

    place: str
    record: str
    judge: str
    criterion: str
    score: str
    group: str
    reason: str
    refused: str


def scores_in(folder: Path) -> list[Score]:
    """The scores in a folder: those of the workbooks, else those of `ratings.csv`. Raises BadRelease or BadTable."""
    books = [path for path in files_in(folder, ".xls", ".xlsx") if _JUDGE.fullmatch(path.stem)]
    if books:
        found = [score for path in books for score in _of_book(path, _records(folder, books))]
    elif (folder / TABLE).is_file():
        found = list(_of_table(folder / TABLE))
    else:
        return []
    first: dict[tuple[str, str, str], Score] = {}
    for one in found:
        before = first.setdefault((one.record, one.judge, one.criterion), one)
        if before is not one:
            raise BadRelease(
                f"{one.place}: judge {one.judge} has scored {one.record} by {one.criterion} in {before.place} already"
            )
    return found


def _records(folder: Path, books: Sequence[Path]) -> Mapping[str, tuple[Game, str]]:
    """The game and the player of each record, by its number, as `Details.txt` has them."""
    lists = [path for path in files_in(folder, ".txt") if path.name == DETAILS]
    if len(lists) != 1:
        raise BadRelease(
            f"{folder}: has {len(books)} rating sheets, such as {books[0]}, and {len(lists) or 'no'} {DETAILS}, which "
            "says whose play of which game a record is; take the one of the release (human annotation.zip)"
        )
    return _details(lists[0])


def _details(path: Path) -> Mapping[str, tuple[Game, str]]:
    data = path.read_bytes()
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadRelease(f"{path}: is no text ({AS_RELEASED})") from None
    found: dict[str, tuple[Game, str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parts = _DETAIL.match(line)
        game = game_of(parts[2]) if parts else None
        if parts is None or game is None:
            raise BadRelease(f"{path}:{number}: has no record, game and player ({AS_RELEASED})")
        found[parts[1]] = game, parts[3]
    return found


def _of_book(path: Path, records: Mapping[str, tuple[Game, str]]) -> Iterator[Score]:
    record, judge = path.parent.name, _JUDGE.fullmatch(path.stem)
    if record not in records or judge is None:
        raise BadRelease(f"{path}: the folder {record} is none of the records in {DETAILS}")
    game, player = records[record]
    for column, aspect, score, reason in _scored(path):
        refused = _refusal(score) if aspect in _ASPECTS.values() else "no aspect of the published rubric"
        place, name = f"{path}, column {column}", game.record_of(player)
        yield Score(place, name, judge[1], aspect, score, game.group, reason, refused)


def _scored(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Column, criterion, score and reason of each aspect of a sheet."""
    for sheet in sheets_in(path):
        rows = [row for row in sheet.rows if any(row)]
        label = next((i for row in rows[1:] for i, cell in enumerate(row) if cell.casefold() == "score"), -1)
        if label >= 0:
            named = {row[label].casefold(): row for row in rows[1:]}
            reasons = named.get("reasons", named.get("reason", [""] * len(rows[0])))
            yield from _columns(path, label, rows[0], named["score"], reasons)
            return
    raise BadRelease(f"{path}: no sheet of it has a row of scores ({AS_RELEASED})")


def _columns(
    path: Path, label: int, headings: Sequence[str], scores: Sequence[str], reasons: Sequence[str]
) -> Iterator[tuple[str, str, str, str]]:
    for index in range(label + 1, len(headings)):
        heading, column = headings[index], _letter(index)
        if heading:
            letters = re.sub(r"[^a-z]", "", heading.casefold())
            known = get_close_matches(letters, _ASPECTS, n=1, cutoff=0.85)
            aspect = _ASPECTS[known[0]] if known else " ".join(heading.split())
            yield column, aspect, scores[index], reasons[index]
        elif scores[index]:
            raise BadRelease(f"{path}, column {column}: has a score and no aspect ({AS_RELEASED})")


def _letter(index: int) -> str:
    return chr(ord("A") + index) if index < 26 else str(index + 1)


def _of_table(path: Path) -> Iterator[Score]:
    for number, row in ((each.row, each.cells) for each in table_in(path, _NEEDED)):
        place = f"{path}, row {number}"
        game = game_of(row["game_file"])
        if game is None:
            raise BadRelease(f"{place}, column game_file: {row['game_file']!r} names no released game")
        for name in ("judge", "criterion", "player"):
            if not row[name]:
                raise BadRelease(f"{place}, column {name}: is empty")
        record, reason = game.record_of(row["player"]), row.get("reason", "")
        refused = _refusal(row["score"])
        yield Score(place, record, row["judge"], row["criterion"], row["score"], game.group, reason, refused)


def _refusal(score: str) -> str:
    value = as_number(score)
    if not score:
        return "empty"
    if value != value:
        return "no number"
    if not LOWEST <= value <= HIGHEST:
        return f"impossible on a scale from {LOWEST} to {HIGHEST}"
    return ""
