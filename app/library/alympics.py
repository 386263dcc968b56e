"""The released games of Alympics' Water Allocation Challenge as records: what each resident saw and did, day by day.

A game comes as its players' messages (a JSON list of `{name: [{"role": ..., "content": ...}, ...]}`, as the authors'
program writes it), or as rows of a table, one per player and day (`wac_rounds.csv`). A language model played them all.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.core.errors import StudyError
from app.core.problems import Problem
from app.core.spreadsheet import BadTable, CsvTable, text_in
from app.library.documents import Document, ImportedDocument
from app.library.kinds import StimulusKind
from app.library.records import BadRecord, canonical_json, parse_record

SOURCE: Final = "model"
ROUNDS: Final = "wac_rounds.csv"
LARGEST_BYTES = 50_000_000
AS_RELEASED = "take the file as it was released"
# Units of water that each resident needs a day, and dollars that each earns.
_RESIDENTS: Mapping[str, tuple[int, int]] = {
    "Alex": (8, 70),
    "Bob": (9, 75),
    "Cindy": (10, 100),
    "David": (11, 120),
    "Eric": (12, 120),
}
_FILE = re.compile(r"WAC_?(persona)?_?(\d+)_(\d+)_(?:final_(\d+)|(\d+)_final)\.json")
_DAY = re.compile(r"[Tt]oday is the Day (\d+)")
_STATUS = re.compile(r"BALANCE:\s*(-?\d+(?:\.\d+)?)\s+HEALTH POINT:\s*(-?\d+(?:\.\d+)?)")
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


class BadRelease(StudyError):
    """A folder that does not hold what was released; the message names the file."""

    status_code = 422


@dataclass(frozen=True, slots=True, order=True)
class Game:
    """Which of the 60 games: with personas or not, the range of a day's supply in units, and the run, from 1 on."""

    persona: bool
    low: int
    high: int
    run: int

    @property
    def group(self) -> str:
        return "persona" if self.persona else "no-persona"

    def record_of(self, player: str) -> str:
        """The name in the library of what one player saw."""
        return f"wac-{self.group}-{self.low}-{self.high}-{self.run}-{player.lower()}"


def game_of(file_name: str) -> Game | None:
    """Which game a released file holds, by its name; None for another file."""
    found = _FILE.search(file_name)
    if found is None:
        return None
    persona, low, high, *runs = found.groups()
    return Game(persona is not None, int(low), int(high), int(runs[0] or runs[1]))


def read_games(folder: Path) -> list[ImportedDocument]:
    """A record for each player of each game in a folder, by name. Raises BadRelease."""
    files = sorted(path for path in folder.rglob("*.json") if game_of(path.name))
    if files:
        found = [each for path in files for each in _of_messages(path)]
    elif (folder / ROUNDS).is_file():
        found = list(_of_table(folder / ROUNDS))
    else:
        zips = ", ".join(path.name for path in sorted(folder.rglob("*.zip")))
        what = f"unpack {zips} there first" if zips else f"needed are the released *.json files, or {ROUNDS}"
        raise BadRelease(f"{folder}: there are no games in it; {what}")
    for name, times in Counter(each.name for each in found).items():
        if times > 1:
            raise BadRelease(f"{folder}: {times} files hold the game of {name}; keep one")
    return sorted(found, key=lambda each: each.name)


def table_in(path: Path, needed: Collection[str]) -> CsvTable:
    """A CSV file of the release. Raises BadTable."""
    table = CsvTable(text_in(path, LARGEST_BYTES, AS_RELEASED), str(path), needed)
    if not table.header:
        raise BadTable(Problem(str(path), 0, "is empty"))
    return table


def _of_messages(path: Path) -> Iterator[ImportedDocument]:
    game = game_of(path.name)
    assert game is not None
    try:
        histories = json.loads(text_in(path, LARGEST_BYTES, AS_RELEASED))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadRelease(f"{path}: is not JSON ({error})") from None
    if not isinstance(histories, list) or not all(isinstance(each, dict) for each in histories):
        raise BadRelease(f"{path}: is no list of players' messages, such as [{{Alex: [...]}}, ...]")
    players = [(name, messages) for each in histories for name, messages in each.items()]
    if not players:
        raise BadRelease(f"{path}: holds no player")
    for name, messages in players:
        said = [
            _message(path, name, number, each) for number, each in enumerate(_listed(path, name, messages), 1)
        ]
        yield _document(path, game, name, [other for other, _ in players], *_days(name, said))


def _listed(path: Path, name: str, messages: object) -> Sequence[Any]:
    if not isinstance(messages, list) or not messages:
        raise BadRelease(f"{path}: {name} has no list of messages")
    return messages


def _message(path: Path, name: str, number: int, message: object) -> tuple[str, str]:
    role, content = (message.get(key) if isinstance(message, dict) else None for key in ("role", "content"))
    if not isinstance(role, str) or not isinstance(content, str):
        raise BadRelease(f"{path}: message {number} of {name} has no role and content in text")
    return role, content


def _days(player: str, messages: Sequence[tuple[str, str]]) -> tuple[list[Any], list[Any]]:
    """What was said before the first day, and day by day; then balance and health, as each morning reported them."""
    before: list[Any] = []
    rounds: list[Any] = []
    mornings: list[tuple[float, float]] = []
    for role, content in messages:
        if role != "assistant" and (day := _DAY.search(content)):
            rounds.append({"title": f"Day {day[1]}", "parts": []})
            if status := _STATUS.search(content):
                mornings.append((float(status[1]), float(status[2])))
        parts = rounds[-1]["parts"] if rounds else before
        if content.strip():
            parts.append({"text": f"{player}: {content}" if role == "assistant" else content})
    if rounds and len(mornings) == len(rounds):
        before += _charts("each morning", mornings)
    return before, rounds


def _charts(when: str, values: Sequence[tuple[float | None, float | None]]) -> list[Any]:
    balance, health = zip(*values, strict=True)
    return [
        {"label": f"Balance {when}", "values": balance, "unit": "$"},
        {"label": f"Health {when}", "values": health, "unit": "points"},
    ]


def _of_table(path: Path) -> Iterator[ImportedDocument]:
    games: dict[Game, dict[int, list[Mapping[str, str]]]] = {}
    for number, row in ((each.row, each.cells) for each in table_in(path, _COLUMNS)):
        try:
            game = Game(row["persona"] == "persona", int(row["lo"]), int(row["hi"]), int(row["run"]))
            games.setdefault(game, {}).setdefault(int(row["round"]), []).append(row)
        except ValueError as error:
            raise BadRelease(
                f"{path}: row {number}: {error}; lo, hi, run and round are whole numbers"
            ) from None
    for game, days in sorted(games.items()):
        players = list(dict.fromkeys(row["player"] for _, rows in sorted(days.items()) for row in rows))
        for player in players:
            yield _document(path, game, player, players, *_seen_by(path, player, days))


def _seen_by(
    path: Path, player: str, days: Mapping[int, Sequence[Mapping[str, str]]]
) -> tuple[list[Any], list[Any]]:
    """Balance and health over all days; then the days up to the player's last, with all bids, which were public."""
    mine, rounds = [], []
    for day, rows in sorted(days.items()):
        own = next((row for row in rows if row["player"] == player), None)
        if own is None:
            break
        mine.append((_number(path, own["balance_after"]), _number(path, own["hp_after"])))
        cells = [
            [
                row["player"],
                _number(path, row["bid"]),
                row["won"] == "True",
                _number(path, row["balance_after"]),
                _number(path, row["hp_after"]),
            ]
            for row in rows
        ]
        columns = ["Resident", "Bid ($)", "Got water", "Balance after ($)", "Health after"]
        supply = {"text": f"{own['supply']} units of water are for sale."}
        rounds.append({"title": f"Day {day}", "parts": [supply, {"columns": columns, "rows": cells}]})
    return _charts("at the end of each day", mine) if mine else [], rounds


def _number(path: Path, cell: str) -> float | int | None:
    try:
        value = float(cell) if cell else None
    except ValueError:
        raise BadRelease(f"{path}: {cell[:40]!r} is no number") from None
    return int(value) if value is not None and value.is_integer() else value


def _document(
    path: Path, game: Game, player: str, players: Iterable[str], parts: Sequence[Any], rounds: Sequence[Any]
) -> ImportedDocument:
    plain = {
        "title": f"Water Allocation Challenge: {player}",
        "players": [{"name": name, "about": _about(name)} for name in players],
        "parts": parts,
        "rounds": rounds,
    }
    try:
        content = canonical_json(parse_record(json.dumps(plain)))
    except BadRecord as error:
        raise BadRelease(f"{path}: what {player} saw is {error}") from None
    return ImportedDocument(
        name=game.record_of(player),
        source=SOURCE,
        attributes={
            "game": "water-allocation",
            "group": game.group,
            "supply": f"{game.low}-{game.high}",
            "run": str(game.run),
            "player": player,
        },
        document=Document(StimulusKind.RECORD, content),
        original_name=path.name,
        original_bytes=len(content.encode()),
    )


def _about(name: str) -> str:
    if name not in _RESIDENTS:
        return ""
    need, salary = _RESIDENTS[name]
    return f"needs {need} units of water a day and earns ${salary}"
