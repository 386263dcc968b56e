"""Identification of the released games in files, and the recorded days of a game."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.errors import StudyError

LARGEST_BYTES: Final = 50_000_000
AS_RELEASED: Final = "take the file as it was released"
# As in records.zip, WAC_nopersona_10_20_1.json, and under the names that the rating sheets go by.
_FILE = re.compile(r"WAC_?(no)?(persona)?_?(\d+)_(\d+)_(?:final_)?(\d+)(?:_final)?\.json")


class BadRelease(StudyError):
    """A folder that does not hold the release; the message names the file."""

    status_code = 422


@dataclass(frozen=True, slots=True, order=True)
class Game:
    """One of the 60 games: with personas or not, the range of a day's supply in units, and the run, from 1 on."""

    persona: bool
    low: int
    high: int
    run: int

    @property
    def group(self) -> str:
        return "persona" if self.persona else "no-persona"

    def record_of(self, player: str) -> str:
        """The library name of the record of one player's view."""
        return f"wac-{self.group}-{self.low}-{self.high}-{self.run}-{player.lower()}"


@dataclass(frozen=True, slots=True)
class Evening:
    """The record of a resident's day: the bid in dollars, whether it got water, and how it stood at the end.

    None where nothing was recorded. `next_loss` is the health that the next day without water costs.
    """

    bid: float | None
    won: bool
    balance: float | None
    health: float | None
    next_loss: float | None


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a game: its number, the units of water for sale, and the residents who bid, in their order."""

    number: int
    supply: int
    residents: Mapping[str, Evening]


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game and its days as `path` has them, the first day first."""

    game: Game
    path: Path
    days: Sequence[Day]


def game_of(file_name: str) -> Game | None:
    """The game in a released file, by its name; None for another file."""
    found = _FILE.search(file_name)
    if found is None:
        return None
    no, persona, low, high, run = found.groups()
    return Game(persona is not None and no is None, int(low), int(high), int(run))


def files_in(folder: Path, *endings: str) -> list[Path]:
    """The files with one of the endings anywhere in a folder, except those added by macOS archives."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in endings)
    return sorted(path for path in found if not path.name.startswith(".") and "__MACOSX" not in path.parts)
