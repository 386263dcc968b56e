"""Positions without clips: where players were, for signatures and for judges that never look. Nothing here has a video.

They come as a folder with a file for each path (`SOURCE/NAME.csv`, or `SOURCE/PLAYER/NAME.csv`), as a folder with a
`manifest.csv` that names files of positions and none of videos, or as one table of all of them.
"""

import csv
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from app.core.errors import StudyError
from app.core.problems import Problem
from app.core.spreadsheet import BadTable, CsvTable, TableRow, text_in
from app.judges.base import StimulusFiles
from app.judges.positions import TIME
from app.judges.runner import PairToJudge

MANIFEST: Final = "manifest.csv"
FILE, POSITIONS, PLAYER = "file", "positions", "player"
_NAMED: Final = ("name", "source")
_COLUMNS: Final = (TIME, "x_m", "y_m")
_OPTIONAL: Final = ("heading_rad", "goal_x_m", "goal_y_m", "wall_m", "goal_in_view", "others_in_view")
_LARGEST_BYTES: Final = 500_000_000
_PAIRS: Final = ("pair", "a", "b")


@dataclass(frozen=True, slots=True)
class Located:
    """One path: its name, source and attributes, and the file of its positions."""

    name: str
    source: str
    attributes: Mapping[str, str]
    positions: Path


def are_positions(target: Path) -> bool:
    """True for a folder, or a table, that has positions without clips."""
    if target.is_dir():
        manifest = target / MANIFEST
        return not manifest.exists() or FILE not in _header(manifest)
    return target.suffix == ".csv" and set(_COLUMNS) <= set(_header(target))


@contextmanager
def located(target: Path) -> Iterator[Sequence[Located]]:
    """The paths of a folder or a table, whose files may go when this ends. Raises StudyError with the place."""
    if not target.is_dir():
        with TemporaryDirectory(prefix="positions-") as folder:
            yield _once(target, list(_of_table(target, Path(folder))))
    elif (target / MANIFEST).exists():
        yield _once(target, list(_of_manifest(target / MANIFEST)))
    else:
        found = list(_of_folder(target))
        if not found:
            raise StudyError(
                f"{target}: there is no {MANIFEST} in it, and no file of positions as SOURCE/NAME.csv"
            )
        yield _once(target, found)


def pairs_of(paths: Sequence[Located], pairs: Path, study: str) -> list[PairToJudge]:
    """The pairs of a table with the columns `pair`, `a` and `b`, the two being names of paths. Raises StudyError."""
    by_name = {one.name: one for one in paths}
    found: dict[str, PairToJudge] = {}
    for row in CsvTable(text_in(pairs, _LARGEST_BYTES), str(pairs), _PAIRS):
        name, *members = (row.cells[column] for column in _PAIRS)
        for column, member in zip("ab", members, strict=True):
            if member not in by_name:
                why = "is the name of no path with positions"
                raise BadTable(Problem(str(pairs), row.line, why, row=row.row, column=column, value=member))
        if not name or name in found:
            raise BadTable(
                Problem(
                    str(pairs),
                    row.line,
                    "names no pair, or one twice",
                    row=row.row,
                    column="pair",
                    value=name,
                )
            )
        files = [by_name[member].positions for member in members]
        a, b = (StimulusFiles(None, file) for file in files)
        known = [frozenset({hashlib.sha256(file.read_bytes()).hexdigest()}) for file in files]
        found[name] = PairToJudge(study, name, "", a, b, hashes_a=known[0], hashes_b=known[1])
    if not found:
        raise StudyError(f"{pairs}: names no pair")
    return list(found.values())


def _of_folder(folder: Path) -> Iterator[Located]:
    for path in sorted(folder.rglob("*.csv")):
        *above, _ = path.relative_to(folder).parts
        if path.name.startswith(".") or len(above) not in (1, 2):
            if len(above) == 0:
                raise StudyError(
                    f"{path}: stands in no folder of a source; make it {folder.name}/SOURCE/{path.name}, or "
                    f"{folder.name}/SOURCE/PLAYER/{path.name}"
                )
            continue
        source, *player = above
        name = "-".join((*above, path.stem))
        yield Located(name, source, {PLAYER: player[0]} if player else {}, path)


def _of_manifest(path: Path) -> Iterator[Located]:
    for row in CsvTable(text_in(path, _LARGEST_BYTES), str(path), (*_NAMED, POSITIONS)):
        file = path.parent / row.cells[POSITIONS]
        if not row.cells[POSITIONS] or not file.is_file():
            raise _bad(path, row, POSITIONS, "is no file here (it is looked for beside the manifest)")
        yield Located(
            *_named(path, row),
            {key: value for key, value in row.cells.items() if key not in (*_NAMED, POSITIONS)},
            file,
        )


def _of_table(path: Path, folder: Path) -> Iterator[Located]:
    """A file for each name of a table, its rows in the order of theirs."""
    table = CsvTable(text_in(path, _LARGEST_BYTES), str(path), (*_NAMED, *_COLUMNS))
    kept = [column for column in (*_COLUMNS, *_OPTIONAL) if column in table.header]
    rows: dict[str, list[TableRow]] = {}
    for row in table:
        name, _ = _named(path, row)
        first = rows.setdefault(name, [row])[0]
        for column in table.header:
            if column not in kept and row.cells[column] != first.cells[column]:
                why = f"differs within {name}, which has {first.cells[column]!r} in row {first.row}"
                raise _bad(path, row, column, why)
        if first is not row:
            rows[name].append(row)
    for number, (name, own) in enumerate(rows.items()):
        # By number, as a path's name may be no file name.
        file = folder / f"{number}.csv"
        with file.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([kept, *([row.cells[column] for column in kept] for row in own)])
        about = {key: value for key, value in own[0].cells.items() if key not in (*_NAMED, *kept)}
        yield Located(name, own[0].cells["source"], about, file)


def _once(target: Path, found: list[Located]) -> list[Located]:
    if not found:
        raise StudyError(f"{target}: holds no positions")
    names: set[str] = set()
    for one in found:
        if one.name in names:
            raise StudyError(f"{target}: two paths are called {one.name}; name each once")
        names.add(one.name)
    return found


def _named(path: Path, row: TableRow) -> tuple[str, str]:
    for column in _NAMED:
        if not row.cells[column]:
            raise _bad(path, row, column, "is empty")
    return row.cells["name"], row.cells["source"]


def _bad(path: Path, row: TableRow, column: str, why: str) -> BadTable:
    return BadTable(
        Problem(str(path), row.line, why, row=row.row, column=column, value=row.cells[column] or None)
    )


def _header(path: Path) -> Sequence[str]:
    """The columns of a table, from its first line only; empty if unreadable, which its reader reports."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [cell.strip() for cell in next(csv.reader(file), [])]
    except (OSError, UnicodeDecodeError, csv.Error):
        return []
