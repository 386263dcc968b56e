"""The matches of files of moves, replayed: who played which seat, and groups of seats."""

import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path

from analysis.data.columns import BY_RULE
from analysis.options import RESAMPLES
from app.core.errors import StudyError
from app.core.spreadsheet import CsvTable, restored
from app.tasks.game.base import AnyGame, Seat
from app.tasks.game.replay import Replayed, replayed

SEATS_FILE = "seats_played.csv"
HUMAN = "human"
PEOPLE = (HUMAN, "simulated")
PUBLISHED = " as published"
"""Ends the name of a measure as the published scripts compute it."""


class NoMatchCounts(StudyError):
    """All matches of a file are left out."""


@dataclass(frozen=True, slots=True)
class SeatPlayed:
    """One seat of one match. `player` is `human` or the agent's name; `person` the session, or the seat without one."""

    match: Replayed
    seat: Seat
    role: str
    occupant: str
    player: str
    person: str


@dataclass(frozen=True)
class MatchFile:
    """The finished matches of one file that count; `left_out` says how many do not, by reason: `by-hand`, or `rule: `
    and the exclusion rule by which a person in the match is not used.

    `may_show` has the seats of people who agreed that others read their play, `arms` the arm of each match, where
    known.
    """

    path: Path
    matches: Sequence[Replayed]
    agents: Mapping[tuple[str, Seat], str]
    left_out: Mapping[str, int]
    may_show: frozenset[tuple[str, Seat]] = frozenset()
    arms: Mapping[str, str] = field(default_factory=dict)

    @property
    def agreed(self) -> list[Replayed]:
        """The matches in which every person agreed to have their play shown; those of programs only are included."""
        return [one for one in self.matches if all((one.id, seat) in self.may_show for seat in one.people)]

    @property
    def games(self) -> list[AnyGame]:
        """The games in it, in the order of their first match."""
        return list({one.match.game.name: one.match.game for one in self.matches}.values())

    @cached_property
    def seats(self) -> list[SeatPlayed]:
        """Every seat that one occupant had throughout."""
        return [
            self._seat(one, role.seat, role.name)
            for one in self.matches
            for role in one.match.game.seats(one.match.config)
            if role.seat not in one.handed_over and role.seat in one.occupants
        ]

    @property
    def people(self) -> list[SeatPlayed]:
        """The seats of people; of simulated ones where no person is in the file. Raises StudyError without either."""
        for kind in PEOPLE:
            if found := [seat for seat in self.seats if seat.occupant == kind]:
                return found
        raise StudyError(f"{self.path} has no seat of a person, nor of a simulated one")

    @property
    def programs(self) -> list[SeatPlayed]:
        """The seats of agents; next to people, simulated people are agents as well."""
        are_people = HUMAN if any(seat.occupant == HUMAN for seat in self.seats) else PEOPLE[1]
        return [seat for seat in self.seats if seat.occupant != are_people]

    def _seat(self, one: Replayed, seat: Seat, role: str) -> SeatPlayed:
        occupant = one.occupants[seat]
        named = "" if occupant == "human" else self.agents.get((one.id, seat), "")
        session = one.sessions.get(seat, "")
        return SeatPlayed(one, seat, role, occupant, named or occupant, session or f"{one.id}/{seat}")


def read_matches(path: Path, *, everything: bool = False) -> MatchFile:
    """Replay a file of moves; agents have their names if `seats_played.csv` is in the same folder.

    Moves of a match answer one another, so a match counts whole or not at all: it is left out if a person in it was
    excluded by hand, or is not used by an exclusion rule; with `everything`, rules leave nothing out. Raises StudyError
    for a file that does not replay, NoMatchCounts where all are left out.
    """
    kept, left_out = [], Counter[str]()
    for one in replayed(path):
        if one.excluded and not (everything and one.excluded.startswith(BY_RULE)):
            left_out[one.excluded] += 1
        else:
            kept.append(one)
    if not kept:
        raise NoMatchCounts(
            f"{path} has no match that counts: all {left_out.total()} are left out ({reasons(left_out)})"
        )
    rows = _seat_rows(path.with_name(SEATS_FILE))
    return MatchFile(
        path,
        kept,
        _agents(rows),
        dict(left_out),
        _may_show(rows),
        {row["match"]: row["arm"] for row in rows if row.get("arm")},
    )


def reasons(left_out: Mapping[str, int]) -> str:
    """``by-hand 1, rule: automatic-moves 2``."""
    return ", ".join(f"{why} {n}" for why, n in left_out.items())


def left_out_note(files: Sequence[MatchFile]) -> str:
    """A sentence on the matches that are left out of these files, and why; empty where all count."""
    every = Counter[str]()
    for file in files:
        every.update(file.left_out)
    n = every.total()
    said = "match is left out: a person in it" if n == 1 else "matches are left out: a person in each"
    return f"{n} {said} is excluded ({reasons(every)})." if every else ""


def one_game(files: Sequence[MatchFile]) -> AnyGame:
    """The game of all files. Raises StudyError where there are several."""
    games = {game.name: game for file in files for game in file.games}
    if len(games) > 1:
        raise StudyError(f"the files have matches of several games ({', '.join(games)}): give one game's")
    return next(iter(games.values()))


@dataclass(frozen=True, slots=True)
class Options:
    """Options for computing distances and intervals."""

    smoothing: float = 0.5
    log_base: float = math.e
    seed: int = 1
    resamples: int = RESAMPLES
    over: str = "matches"


@dataclass(frozen=True, slots=True)
class Groups:
    """Two groups of seats of one game, with their names for words."""

    game: AnyGame
    first: Sequence[SeatPlayed]
    second: Sequence[SeatPlayed]
    names: tuple[str, str]
    files: tuple[MatchFile, MatchFile]


def name_of_play(seats: Sequence[SeatPlayed], taken: Container[str] = ()) -> str:
    """The players of some seats, for a legend: people, or agents by name; a name already used gets a number."""
    said = {"human": "people", "simulated": "simulated people"}
    name = ", ".join(dict.fromkeys(said.get(one.player, one.player) for one in seats))
    return next(one for n in count(1) if (one := name if n == 1 else f"{name} ({n})") not in taken)


def units_of(seats: Sequence[SeatPlayed], file: MatchFile, over: str) -> list[str]:
    """The match or person of each seat, as text that is equal where it is the same."""
    if over == "matches":
        return [f"{file.path}:{one.match.id}" for one in seats]
    if unnamed := [one for one in seats if not one.match.sessions.get(one.seat)]:
        raise StudyError(
            f"{file.path} has {len(unnamed)} of these seats without a session, so who is the same person is not known: "
            "compare over matches"
        )
    return [one.person for one in seats]


def _seat_rows(path: Path) -> list[Mapping[str, str]]:
    """The rows of `seats_played.csv`; none where there is no such file."""
    if not path.is_file():
        return []
    table = CsvTable(path, str(path), ("match", "seat", "agent"), cell=restored)
    return [row.cells for row in table]


def _may_show(rows: Sequence[Mapping[str, str]]) -> frozenset[tuple[str, Seat]]:
    """The seats that people had who all agreed that others read their play."""
    people = [row for row in rows if row.get("occupant") == HUMAN and row["seat"].isdecimal()]
    refused = {(row["match"], int(row["seat"])) for row in people if row.get("may_show") != "yes"}
    return frozenset((row["match"], int(row["seat"])) for row in people) - refused


def _agents(rows: Sequence[Mapping[str, str]]) -> Mapping[tuple[str, Seat], str]:
    """The names of agents by match and seat, without the hash of their parameters where one name has one hash."""
    named = {(row["match"], int(row["seat"])): row["agent"] for row in rows if row["seat"].isdecimal()}
    short = {agent: agent.rsplit("-", 1)[0] for agent in named.values()}
    several = {name for name in short.values() if sum(one == name for one in short.values()) > 1}
    return {key: agent if short[agent] in several else short[agent] for key, agent in named.items()}
