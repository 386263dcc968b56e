"""A released game as its players' messages: what each was told and said, and the days as reported to them.

`WAC_*.json` is one object, a list of `{"role": ..., "content": ...}` for each player under a letter; the authors'
program writes a list of such objects, each under the player's name. A language model played them all.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.core.spreadsheet import text_in
from app.library.alympics.games import (
    AS_RELEASED,
    LARGEST_BYTES,
    BadRelease,
    Day,
    Evening,
    Game,
    RecordedGame,
    files_in,
    game_of,
)

SPEAKS: Final = "assistant"
DAY: Final = re.compile(r"[Tt]oday is the Day (\d+)")
_GREETED = re.compile(r"Hello, (\w+)!")
_NUMBER = r"(-?\d+(?:\.\d+)?)"
_RESULT = re.compile(
    r"in Round (\d+)\. In this round, (.*?)\.\s*Total water resource supply is (\d+)\."
    r".*?tied, (.*?) won this auction.*?is as follows: (.*)",
    re.DOTALL,
)
_BID = re.compile(rf"(\w+) bid {_NUMBER}")
# One game has a backslash where the others have a tab.
_STATUS = re.compile(
    rf"NAME:(\w+)\s+BALANCE:{_NUMBER}[\s\\]+HEALTH POINT:{_NUMBER}\s+NO_DRINK:{_NUMBER}", re.DOTALL
)
MORNING: Final = re.compile(rf"BALANCE:{_NUMBER}[\s\\]+HEALTH POINT:{_NUMBER}")


@dataclass(frozen=True, slots=True)
class Chat:
    """The messages of a game by player, each a role and its text, in order."""

    game: Game
    path: Path
    players: Mapping[str, Sequence[tuple[str, str]]]


def chats_in(folder: Path) -> list[Chat]:
    """The games whose messages are anywhere in a folder, by the names of the files. Raises BadRelease."""
    files = [path for path in files_in(folder, ".json") if game_of(path.name)]
    return [_chat(path) for path in files]


def recorded(chat: Chat) -> RecordedGame:
    """The days of a game as reported to its players; no days if none were. Raises BadRelease."""
    contents: dict[int, tuple[str, str]] = {}
    for player, messages in chat.players.items():
        for role, content in messages:
            if role == SPEAKS or "Thank you all for participating in Round" not in content:
                continue
            number = _round(chat, player, content)
            first, said = contents.setdefault(number, (player, content))
            if said != content:
                raise BadRelease(f"{chat.path}: day {number} is told to {first} and {player} differently")
    days = [_day(chat, number, said) for number, (_, said) in sorted(contents.items())]
    return RecordedGame(chat.game, chat.path, days)


def _chat(path: Path) -> Chat:
    game = game_of(path.name)
    assert game is not None
    try:
        content = json.loads(text_in(path, LARGEST_BYTES, AS_RELEASED))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadRelease(f"{path}: is not JSON ({error})") from None
    histories = [content] if isinstance(content, dict) else content
    if not isinstance(histories, list) or not all(isinstance(each, dict) for each in histories):
        raise BadRelease(f"{path}: holds no players' messages, such as {{A: [...], B: [...]}}")
    players: dict[str, Sequence[tuple[str, str]]] = {}
    for name, messages in (pair for each in histories for pair in each.items()):
        said = list(_messages(path, name, messages))
        player = _greeted(said) or name
        if player in players:
            raise BadRelease(f"{path}: {player} has two lists of messages")
        players[player] = said
    if not players:
        raise BadRelease(f"{path}: holds no player")
    return Chat(game, path, players)


def _messages(path: Path, name: str, messages: object) -> Iterator[tuple[str, str]]:
    if not isinstance(messages, list) or not messages:
        raise BadRelease(f"{path}: {name} has no list of messages")
    for number, message in enumerate[Any](messages, 1):
        role, content = (
            message.get(key) if isinstance(message, dict) else None for key in ("role", "content")
        )
        if not isinstance(role, str) or not isinstance(content, str):
            raise BadRelease(f"{path}: message {number} of {name} has no role and content in text")
        yield role, content


def _greeted(messages: Sequence[tuple[str, str]]) -> str | None:
    """The name addressed in the first message about a day: the released keys are letters."""
    mornings = (content for role, content in messages if role != SPEAKS and DAY.search(content))
    found = _GREETED.search(next(mornings, ""))
    return found[1] if found else None


def _round(chat: Chat, player: str, content: str) -> int:
    found = re.search(r"Round (\d+)", content)
    if found is None:
        raise BadRelease(f"{chat.path}: {player} is told the result of a round without a number")
    return int(found[1])


def _day(chat: Chat, number: int, said: str) -> Day:
    where = f"{chat.path}: day {number}"
    found = _RESULT.search(said)
    if found is None:
        raise BadRelease(f"{where} is not told as released: bids, supply, winners, how everybody stands")
    bids = {name: float(bid) for name, bid in _BID.findall(found[2])}
    named = {name.strip() for name in found[4].split(",")} - {"", "no one"}
    if unknown := named - set(bids):
        raise BadRelease(f"{where}: {min(unknown)} won, who did not bid")
    stood = {name: tuple(map(float, numbers)) for name, *numbers in _STATUS.findall(found[5])}
    residents = {
        name: Evening(bid, name in named, *stood.get(name, (None, None, None))) for name, bid in bids.items()
    }
    return Day(number, int(found[3]), residents)
