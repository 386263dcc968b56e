"""A released game as rows of a table, one for each player and day (`wac_rounds.csv`)."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from app.core.problems import Problem
from app.core.spreadsheet import BadTable, CsvTable, TableRow, text_in
from app.library.alympics.games import (
    AS_RELEASED,
    LARGEST_BYTES,
    BadRelease,
    Day,
    Evening,
    Game,
    RecordedGame,
)

ROUNDS: Final = "wac_rounds.csv"
LOSS: Final = "no_drink_after"
_COLUMNS = (
    "persona",
    "lo",
    "hi",
    "run",
    "round",
    "supply",
    "player",
    "bid",
    "won",
    "balance_after",
    "hp_after",
)
_PERSONAS = {"persona": True, "nopersona": False}
# As Python, R, spreadsheets and databases write it.
_TRUTH = {
    **dict.fromkeys(("true", "1", "1.0", "yes"), True),
    **dict.fromkeys(("false", "0", "0.0", "no"), False),
}


def table_in(path: Path, needed: Collection[str]) -> CsvTable:
    """A CSV file of the release. Raises BadTable."""
    table = CsvTable(text_in(path, LARGEST_BYTES, AS_RELEASED), str(path), needed)
    if not table.header:
        raise BadTable(Problem(str(path), 0, "is empty"))
    return table


def games_in(path: Path) -> list[RecordedGame]:
    """The games of a table, in order. Raises BadRelease or BadTable with the row and the column."""
    games: dict[Game, dict[int, dict[str, tuple[int, Evening]]]] = {}
    for row in table_in(path, _COLUMNS):
        known = _flag(path, row, "persona", _PERSONAS)
        game = Game(known, *(_whole(path, row, name) for name in ("lo", "hi", "run")))
        day = games.setdefault(game, {}).setdefault(_whole(path, row, "round"), {})
        player = row.cells["player"]
        if player in day:
            raise BadTable(Problem(str(path), row.line, f"{player} has this day already", row=row.row))
        day[player] = _whole(path, row, "supply"), _evening(path, row)
    return [
        RecordedGame(game, path, [_day(path, number, rows) for number, rows in sorted(days.items())])
        for game, days in sorted(games.items())
    ]


def _day(path: Path, number: int, rows: Mapping[str, tuple[int, Evening]]) -> Day:
    supplies = {supply for supply, _ in rows.values()}
    if len(supplies) > 1:
        raise BadRelease(f"{path}: day {number} of a game has {len(supplies)} supplies of water")
    return Day(number, min(supplies), {name: evening for name, (_, evening) in rows.items()})


def _evening(path: Path, row: TableRow) -> Evening:
    balance, health = (_number(path, row, name) for name in ("balance_after", "hp_after"))
    loss = _number(path, row, LOSS) if LOSS in row.cells else None
    return Evening(_number(path, row, "bid"), _flag(path, row, "won", _TRUTH), balance, health, loss)


def _flag(path: Path, row: TableRow, column: str, known: Mapping[str, bool]) -> bool:
    value = row.cells[column]
    if value.lower() not in known:
        raise _refusal(path, row, column, f"is none of {', '.join(known)}")
    return known[value.lower()]


def _whole(path: Path, row: TableRow, column: str) -> int:
    try:
        return int(row.cells[column])
    except ValueError:
        raise _refusal(path, row, column, "is no whole number") from None


def _number(path: Path, row: TableRow, column: str) -> float | None:
    value = row.cells[column]
    try:
        number = float(value) if value else None
    except ValueError:
        raise _refusal(path, row, column, "is no number") from None
    if number is not None and abs(number) >= 1e9:
        raise _refusal(path, row, column, "is no number that a game can have")
    return number


def _refusal(path: Path, row: TableRow, column: str, why: str) -> BadTable:
    return BadTable(
        Problem(str(path), row.line, why, AS_RELEASED, row=row.row, column=column, value=row.cells[column])
    )
