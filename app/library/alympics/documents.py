"""Records of the released games: what each resident saw and did, day by day."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from app.library.alympics.chat import DAY, MORNING, SPEAKS, Chat, chats_in
from app.library.alympics.games import BadRelease, Game, RecordedGame
from app.library.alympics.table import ROUNDS, games_in
from app.library.documents import Document, ImportedDocument
from app.library.kinds import StimulusKind
from app.library.records import BadRecord, canonical_json, parse_record

SOURCE: Final = "model"
# Units of water that each resident needs a day, and dollars that each earns.
_RESIDENTS: Mapping[str, tuple[int, int]] = {
    "Alex": (8, 70),
    "Bob": (9, 75),
    "Cindy": (10, 100),
    "David": (11, 120),
    "Eric": (12, 120),
}


def read_games(folder: Path) -> list[ImportedDocument]:
    """A record for each player of each game in a folder, by name. Raises BadRelease."""
    chats = chats_in(folder)
    if chats:
        found = [each for chat in chats for each in _of_chat(chat)]
    elif (folder / ROUNDS).is_file():
        found = [each for recorded in games_in(folder / ROUNDS) for each in _of_days(recorded)]
    else:
        zips = ", ".join(path.name for path in sorted(folder.rglob("*.zip")))
        what = f"unpack {zips} there first" if zips else f"needed are the released *.json files, or {ROUNDS}"
        raise BadRelease(f"{folder}: there are no games in it; {what}")
    for name, times in Counter(each.name for each in found).items():
        if times > 1:
            raise BadRelease(f"{folder}: {times} files hold the game of {name}; keep one")
    return sorted(found, key=lambda each: each.name)


def _of_chat(chat: Chat) -> Iterator[ImportedDocument]:
    for name, messages in chat.players.items():
        yield _document(chat.path, chat.game, name, chat.players, *_days(name, messages))


def _days(player: str, messages: Sequence[tuple[str, str]]) -> tuple[list[Any], list[Any]]:
    """The messages before the first day, and those of each day; then balance and health, as reported each morning."""
    before: list[Any] = []
    rounds: list[Any] = []
    mornings: list[tuple[float | None, float | None]] = []
    for role, content in messages:
        if role != SPEAKS and (day := DAY.search(content)):
            rounds.append({"title": f"Day {day[1]}", "parts": []})
            if status := MORNING.search(content):
                mornings.append((_plain(float(status[1])), _plain(float(status[2]))))
        parts = rounds[-1]["parts"] if rounds else before
        if content.strip():
            parts.append({"text": f"{player}: {content}" if role == SPEAKS else content})
    if rounds and len(mornings) == len(rounds):
        before += _charts("each morning", mornings)
    return before, rounds


def _charts(when: str, values: Sequence[tuple[float | None, float | None]]) -> list[Any]:
    balance, health = zip(*values, strict=True)
    return [
        {"label": f"Balance {when}", "values": balance, "unit": "$"},
        {"label": f"Health {when}", "values": health, "unit": "points"},
    ]


def _of_days(recorded: RecordedGame) -> Iterator[ImportedDocument]:
    players = list(dict.fromkeys(name for day in recorded.days for name in day.residents))
    for player in players:
        yield _document(recorded.path, recorded.game, player, players, *_seen_by(player, recorded))


def _seen_by(player: str, recorded: RecordedGame) -> tuple[list[Any], list[Any]]:
    """Balance and health over all days; then the days up to the player's last, with all bids, which were public."""
    mine, rounds = [], []
    for day in recorded.days:
        own = day.residents.get(player)
        if own is None:
            break
        mine.append((_plain(own.balance), _plain(own.health)))
        cells = [
            [name, _plain(one.bid), one.won, _plain(one.balance), _plain(one.health)]
            for name, one in day.residents.items()
        ]
        columns = ["Resident", "Bid ($)", "Got water", "Balance after ($)", "Health after"]
        supply = {"text": f"{day.supply} units of water are for sale."}
        rounds.append({"title": f"Day {day.number}", "parts": [supply, {"columns": columns, "rows": cells}]})
    return _charts("at the end of each day", mine) if mine else [], rounds


def _plain(value: float | None) -> float | int | None:
    """Cents without the noise of the program's sums, whole dollars without decimals."""
    rounded = None if value is None else round(value, 3)
    return int(rounded) if rounded is not None and rounded.is_integer() else rounded


def _document(
    path: Path, game: Game, player: str, players: Iterable[str], parts: Sequence[Any], rounds: Sequence[Any]
) -> ImportedDocument:
    plain = {
        "title": f"Water Allocation Challenge: {player}",
        "players": [{"name": name, "about": _resident_text(name)} for name in players],
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


def _resident_text(name: str) -> str:
    if name not in _RESIDENTS:
        return ""
    need, salary = _RESIDENTS[name]
    return f"needs {need} units of water a day and earns ${salary}"
