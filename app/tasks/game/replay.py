"""Replaying a table of moves: every state is computed again from the moves, and must have the hash that is written."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from analysis.data.columns import BY_RULE
from app.core.errors import StudyError
from app.core.problems import message_of
from app.core.spreadsheet import CsvTable, restored
from app.tasks.game.base import Event, Seat
from app.tasks.game.files import LATER, MOVES, VERDICTS, line_cells, move_of
from app.tasks.game.games import GAMES
from app.tasks.game.match import START, STOP, Match, config_hash, keyed_hash
from app.tasks.game.moves import IllegalMove

Progress = Callable[[int, int, str], None]
FED = frozenset({"nature", "move", "message", "timeout", "left", "returned", "replaced"})
"""Kinds of events that happened; the others follow from them."""
AUTOS = ("timeout", "dropout", "invalid")
"""Why the default move was played for a seat."""


class ReplayError(StudyError):
    """A table that differs from the replay of its moves; it names the first line that differs."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table with the line it begins on."""

    line: int
    cells: Mapping[str, str]

    def fault(self, why: str) -> ReplayError:
        """The error for a row, with its position."""
        at = f"match {self.cells['match']}, seq {self.cells['seq']}"
        return ReplayError(f"line {self.line} ({at}): {why}")


@dataclass(frozen=True, slots=True)
class Took:
    """The time of one of a seat's own moves: a person's response time, or an agent's delay set by the service."""

    round: int
    ms: int
    by: Literal["person", "delay"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A match of a file, its identifier there, and the first occupant of each seat.

    `occupants` are `human`, `rule`, `model`, `simulated`; `sessions` are those of people. Seats in `handed_over` had
    more than one occupant, and `switched` is the first round of the second. `excluded` says why the match is left out:
    `by-hand`, or `rule: ` and an exclusion rule by which a person in it is not used; empty if it counts. Seats in
    `people` had a person, if only for a while. `took` has the times of moves made by the seat's occupant, if known.
    """

    match: Match
    occupants: Mapping[Seat, str]
    id: str = ""
    sessions: Mapping[Seat, str] = field(default_factory=dict)
    handed_over: frozenset[Seat] = frozenset()
    excluded: str = ""
    people: frozenset[Seat] = frozenset()
    switched: Mapping[Seat, int] = field(default_factory=dict)
    took: Mapping[Seat, Sequence[Took]] = field(default_factory=dict)


def replayed(path: Path) -> Iterator[Replayed]:
    """The matches of a file, each checked event by event. Raises ReplayError at the first difference, BadTable for
    anything but a table of moves.
    """
    table = CsvTable(path, str(path), [name for name in MOVES if name not in LATER], cell=restored)
    seen: set[str] = set()
    later = dict.fromkeys((*LATER, *VERDICTS), "")
    each = (Row(row.line, {**later, **row.cells}) for row in table)
    for name, rows in groupby(each, key=lambda row: row.cells["match"]):
        given = list(rows)
        # groupby() joins neighbours alone: a match that lies in two places would pass for two.
        if name in seen:
            raise given[0].fault("the rows of this match are not together; sort the file by match and seq")
        seen.add(name)
        yield _replayed(replay(given), [row.cells for row in given])
    if not seen:
        raise ReplayError(f"{path} has no moves")


def replay(rows: Sequence[Row]) -> Match:
    """One match from its rows. Raises ReplayError at the first row that differs."""
    match = _started(rows[0])
    key = _key(rows[0])
    shared = {"game": match.game.name, "config_hash": config_hash(match.config)}
    roles = {role.seat: role.name for role in match.game.seats(match.config)}
    for i, row in enumerate(rows):
        if i >= len(match.log) and row.cells["kind"] in FED:
            _feed(match, row)
        elif i >= len(match.log) and row.cells["kind"] == "note":
            _stop(match, row)
        if i >= len(match.log):
            raise row.fault(f"no event of kind {row.cells['kind']!r} follows here")
        line = match.log[i]
        computed = {**shared, "role": roles.get(line.event.seat or 0, ""), **line_cells(line)}
        if key:
            computed["state_hash"] = keyed_hash(key, line.state_hash)
            computed["move"] = (
                row.cells["move"] if i == 0 else computed["move"]
            )  # it has the key for the seed
        _compare(row, computed)
    if len(match.log) > len(rows):
        missing = match.log[len(rows)]
        raise rows[-1].fault(f"the next row is missing: kind {missing.event.kind}, seq {missing.seq}")
    if not match.is_over:
        raise rows[-1].fault("the match is not over, and no row follows")
    return match


def _replayed(match: Match, rows: Sequence[Mapping[str, str]]) -> Replayed:
    # In reverse, so that the first occupant of a seat is written last and stays.
    seats = [cells for cells in reversed(rows) if cells["seat"]]
    sat = {(int(cells["seat"]), cells["occupant"], cells["session"]) for cells in seats}
    n_sat = Counter(seat for seat, _, _ in sat)
    return Replayed(
        match,
        {int(cells["seat"]): cells["occupant"] for cells in seats},
        rows[0]["match"],
        {int(cells["seat"]): cells["session"] for cells in seats if cells["session"]},
        frozenset(seat for seat, n in n_sat.items() if n > 1),
        _excluded(rows),
        frozenset(seat for seat, occupant, _ in sat if occupant == "human"),
        _switched(rows),
        _took(rows),
    )


def _excluded(rows: Sequence[Mapping[str, str]]) -> str:
    """The reason why a match is left out: a person in it was excluded by hand, or is not used by an exclusion rule."""
    by_hand = next((cells["excluded"] for cells in rows if cells["excluded"]), "")
    unused = (cells["rules"].partition(";")[0] for cells in rows if cells["use"].lower() == "false")
    rule = next(unused, None)
    return by_hand or ("" if rule is None else f"{BY_RULE}{rule or 'not named'}")


def _took(rows: Sequence[Mapping[str, str]]) -> dict[Seat, list[Took]]:
    """A person's `rt_ms`; of others the time since the event before their phase, which is when it began."""
    found: dict[Seat, list[Took]] = {}
    began = last = rows[0]["received_at"]
    phase = rows[0]["round"], rows[0]["phase"]
    for cells in rows:
        if (cells["round"], cells["phase"]) != phase:
            began, phase = last, (cells["round"], cells["phase"])
        last = cells["received_at"]
        if cells["kind"] != "move" or cells["auto"]:
            continue
        ms = int(cells["rt_ms"]) if cells["rt_ms"].isdecimal() else None
        by: Literal["person", "delay"] = "delay" if ms is None else "person"
        if ms is None and cells["occupant"] != "human":
            ms = _ms_between(began, last)
        if ms is not None:
            found.setdefault(int(cells["seat"]), []).append(Took(int(cells["round"]), ms, by))
    return found


def _ms_between(earlier: str, later: str) -> int | None:
    try:
        apart = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    except (ValueError, TypeError):
        return None
    return round(1000 * apart.total_seconds())


def _switched(rows: Sequence[Mapping[str, str]]) -> dict[Seat, int]:
    first: dict[str, tuple[str, str]] = {}
    found: dict[Seat, int] = {}
    for cells in rows:
        there = cells["occupant"], cells["session"]
        if cells["seat"] and first.setdefault(cells["seat"], there) != there:
            found.setdefault(int(cells["seat"]), int(cells["round"]))
    return found


def _started(row: Row) -> Match:
    cells = row.cells
    game = GAMES.get(cells["game"])
    if game is None:
        raise row.fault(f"there is no game {cells['game']!r}; there are {', '.join(GAMES)}")
    note = _move(row)
    if cells["kind"] != "note" or note.get("kind") != START:
        raise row.fault(f"a match begins with a note of kind {START!r}, which has its configuration")
    if note.get("version") != game.version:
        raise row.fault(
            f"it was played with version {note.get('version')} of {game.name}; here is {game.version}"
        )
    try:
        config = game.Config.model_validate(note.get("config"))
    except ValidationError as error:
        raise row.fault(f"its configuration is not valid: {_first(error)}") from None
    if config_hash(config) != cells["config_hash"]:
        raise row.fault(f"config_hash is {cells['config_hash']}; the configuration has {config_hash(config)}")
    # A package without links has no seed, and none is needed: all chance is in the log.
    seed = 0 if _key(row) else note.get("seed")
    if not isinstance(seed, int):
        raise row.fault(f"its seed is {seed!r}; it must be a whole number")
    return Match(game, config, seed)


def _key(row: Row) -> str:
    """The key for computing the hashes of a package without links; empty in every other file."""
    key = _move(row).get("key", "")
    return key if isinstance(key, str) else ""


def _stop(match: Match, row: Row) -> None:
    note = _move(row)
    if match.is_over or note.get("kind") != STOP:
        raise row.fault(f"a note follows that is none of kind {STOP!r} in a match under way")
    match.stop(str(note.get("reason", "")))


def _feed(match: Match, row: Row) -> None:
    cells = row.cells
    seat = int(cells["seat"]) if cells["seat"].isdecimal() else None
    move, auto = _move(row), cells["auto"]
    if auto and (cells["kind"] != "move" or auto not in AUTOS):
        raise row.fault(f"auto is {auto!r}; of a move it may be empty or {', '.join(AUTOS)}")
    try:
        if auto and move != match.game.default_move(match.state, seat or 0):
            raise row.fault(f"auto is {auto!r}, and the move is not the default one")
        kind: Any = cells["kind"]
        match.append(Event(kind, match.phase.phase_id, seat, move, cells["message"], auto, cells["reason"]))
    except IllegalMove as error:
        raise row.fault(f"the rules do not allow it: {error}") from None


def _compare(row: Row, computed: Mapping[str, str]) -> None:
    for column, value in computed.items():
        if row.cells[column] != value:
            raise row.fault(f"{column} is {row.cells[column]!r}; computed again it is {value!r}")


def _move(row: Row) -> Mapping[str, object]:
    try:
        return move_of(row.cells["move"])
    except ValueError as error:
        raise row.fault(f"move cannot be read: {error}") from None


def _first(error: ValidationError) -> str:
    found = error.errors()[0]
    return f"{'.'.join(str(part) for part in found['loc']) or 'it'}: {message_of(found)}"
