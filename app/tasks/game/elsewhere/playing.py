"""A match of others through our rules: each of their moves is taken when the rules ask for such a move."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pydantic import ValidationError

from app.tasks.game.agents.registry import why_not
from app.tasks.game.base import AnyGame, Event, GameConfig, Phase, Seat
from app.tasks.game.elsewhere.mapping import BadMapping, Cell, Chosen, GameMapping, Value
from app.tasks.game.elsewhere.reading import GivenMatch, GivenRow, is_so
from app.tasks.game.games import GAMES, KITS
from app.tasks.game.match import Match
from app.tasks.game.moves import Choice, IllegalMove, MoveKind, Number

OCCUPANTS = ("human", "model", "rule", "simulated")


class Breaks(Exception):
    """A row that the rules do not allow, or that says nothing that they could; where, and why."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place, self.why = place, why


@dataclass(frozen=True, slots=True)
class Sat:
    """The occupant of a seat: the person's identifier, or the program's name."""

    occupant: str
    person: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class PlayedElsewhere:
    """A match as our rules have it, who sat there, and how long moves took, in ms, by `seq`."""

    name: str
    place: str
    match: Match
    sat: Mapping[Seat, Sat]
    took: Mapping[int, int]


@dataclass(slots=True)
class _Given:
    """A move of theirs; `round` is None where they do not say it. `used` once the rules have taken it."""

    row: GivenRow
    chosen: Chosen
    seat: Seat | None
    kind: str
    fields: Mapping[str, Value]
    round: int | None
    used: bool = False


class Replaying:
    """Plays matches again by a mapping. `rows` of a seat may be another row's, where partners are dealt."""

    def __init__(self, mapping: GameMapping) -> None:
        self.mapping, self.game = mapping, GAMES[mapping.game]

    def played(self, given: GivenMatch) -> PlayedElsewhere:
        """Play a match of theirs. Raises Breaks at the first row that does not fit, BadMapping for the mapping."""
        config = self._config(given)
        seats = self._seats(given, len(self.game.seats(config)))
        moves = _once([move for row in given.rows for move in self._moves(row, seats)])
        return self._play(given, config, moves, seats)

    def dealt(self, name: str, first: GivenRow, second: GivenRow) -> PlayedElsewhere:
        """Play the first row's choices at seat 1 against the second row's at seat 2."""
        given = GivenMatch(name, (first,))
        config = self._config(given)
        moves = [
            move
            for seat, row in enumerate((first, second), 1)
            for move in self._moves(row, {})
            if move.seat in (seat, None)
        ]
        return self._play(given, config, moves, {})

    def _play(
        self, given: GivenMatch, config: GameConfig, moves: Sequence[_Given], seats: Mapping[str, Seat]
    ) -> PlayedElsewhere:
        match, took = Match(self.game, config, 0), dict[int, int]()
        while not match.is_over:
            parts = self._next(match, moves, given)
            event = self._event(match, parts, seats)
            try:
                match.append(event)
            except IllegalMove as error:
                raise Breaks(parts[0].row.place, f"{error}{_cells(parts[0])}") from None
            for part in parts:
                part.used = True
            if parts[0].chosen.rt_ms is not None:
                took[len(match.log)] = self._whole(parts[0].row, parts[0].chosen.rt_ms, "rt_ms")
        if left := next((move for move in moves if not move.used), None):
            outcome = match.outcome.reason if match.outcome else match.stopped
            raise Breaks(
                left.row.place, f"the match was over before it ({outcome}, round {match.phase.round})"
            )
        sat = {role.seat: self._sat(role.seat, given, moves) for role in self.game.seats(config)}
        return PlayedElsewhere(given.name, given.rows[0].place, match, sat, took)

    def _next(self, match: Match, moves: Sequence[_Given], given: GivenMatch) -> list[_Given]:
        """The moves that the rules can take now: one, or the parts of one that came in several rows."""
        phase, chance = match.phase, self.game.nature(match.state)
        wanted = {(None, chance.name)} if chance else _wanted(self.game, match.state, phase)
        fitting = [
            move
            for move in moves
            if not move.used and (move.seat, move.kind) in wanted and move.round in (None, phase.round)
        ]
        if not fitting:
            left = next((move for move in moves if not move.used), None)
            asked = " or ".join(
                f"{kind} of {'chance' if seat is None else f'seat {seat}'}"
                for seat, kind in sorted(wanted, key=str)
            )
            if left is None:
                why = f"the rows end before the match does: in round {phase.round} the rules ask for {asked}"
                raise Breaks(given.rows[-1].place, why)
            said = f"{left.kind}{'' if left.seat is None else f' of seat {left.seat}'}"
            at = "" if left.round is None else f" in round {left.round}"
            raise Breaks(
                left.row.place, f"has {said}{at}, where the rules ask for {asked} in round {phase.round}"
            )
        first = fitting[0]
        if first.seat is None:
            return [first]
        needed = {field.name for field in self._kind(match, first).fields}
        parts, names = [first], set(first.fields)
        for other in fitting[1:]:
            same = (other.seat, other.kind) == (first.seat, first.kind)
            if names < needed and same and not names & set(other.fields):
                parts.append(other)
                names |= set(other.fields)
        return parts

    def _kind(self, match: Match, move: _Given) -> MoveKind:
        return self.game.legal(match.state, move.seat or 0).kind(move.kind)

    def _event(self, match: Match, parts: Sequence[_Given], seats: Mapping[str, Seat]) -> Event:
        first, phase = parts[0], match.phase
        if first.seat is None:
            chance = self.game.nature(match.state)
            assert chance is not None
            (value,) = first.fields.values()
            drawn = self._value(first.row, value, Choice("value", chance.outcomes), seats)
            return Event("nature", phase.phase_id, None, {"kind": chance.name, "value": drawn})
        known = {field.name: field for field in self._kind(match, first).fields}
        move: dict[str, Any] = {"kind": first.kind}
        for part in parts:
            for name, value in part.fields.items():
                if name not in known and isinstance(value, Cell) and self._is_empty(part.row, value):
                    continue
                if isinstance(value, Cell) and value.threshold:
                    move[name] = self._answer(match, part.row, value, first.seat)
                else:
                    move[name] = self._value(part.row, value, known.get(name), seats)
        said = {
            name: self._written(first.row, column)
            for name, column in (("message", first.chosen.message), ("reason", first.chosen.reason))
        }
        return Event("move", phase.phase_id, first.seat, move, **said)

    def _written(self, row: GivenRow, column: str) -> str:
        text = row.text(column) if column else ""
        return "" if text in self.mapping.empty else text

    def _is_empty(self, row: GivenRow, cell: Cell) -> bool:
        return row.text(cell.name) in self.mapping.empty

    def _answer(self, match: Match, row: GivenRow, cell: Cell, seat: Seat) -> str:
        """The answer to the standing offer of a player with such a threshold: accept or reject."""
        accepts = KITS[self.game.name].accepts
        if accepts is None or match.state.standing is None:
            raise BadMapping(f"{self.game.name} has no standing offer that a threshold could be held against")
        least = self._whole(row, cell, cell.threshold)
        try:
            return "accept" if accepts(match.state, match.config, seat, least) else "reject"
        except IllegalMove as error:
            raise Breaks(row.place, f"column {cell.threshold}: {error}") from None

    def _moves(self, row: GivenRow, seats: Mapping[str, Seat]) -> Iterator[_Given]:
        found = False
        for chosen in self.mapping.moves:
            if not is_so(row, chosen.when, self.mapping.empty):
                continue
            found = True
            seat = None if chosen.nature else self._seat(row, chosen, seats)
            kind = next(iter(chosen.nature)) if chosen.nature else str(chosen.move["kind"])
            given = chosen.nature or {name: value for name, value in chosen.move.items() if name != "kind"}
            fields = {self._named(row, name, seats): value for name, value in given.items()}
            at = self.mapping.round
            yield _Given(
                row, chosen, seat, kind, fields, None if at is None else self._whole(row, at, "round")
            )
        if not found:
            raise Breaks(row.place, "is no move: none of the mapping's moves fits its cells")

    def _seat(self, row: GivenRow, chosen: Chosen, seats: Mapping[str, Seat]) -> Seat:
        given = chosen.seat if chosen.seat is not None else self.mapping.seat
        if given is None:
            raise BadMapping(
                "the mapping does not say whose move it is: give seat, for all moves or for each"
            )
        if isinstance(given, Cell) and given.column and not given.values:
            return self._named_seat(row, given.column, seats)
        return self._whole(row, given, "seat")

    def _named_seat(self, row: GivenRow, column: str, seats: Mapping[str, Seat]) -> Seat:
        name = row.text(column)
        known = self.mapping.seats if isinstance(self.mapping.seats, Mapping) else seats
        if name in known:
            return known[name]
        # Tables that pandas wrote have 1.0 for 1 where the column has gaps.
        if not known and name.removesuffix(".0").isdecimal():
            return int(name.removesuffix(".0"))
        named = f"; there are {', '.join(known)}" if known else "; give seats, such as {Alice: 1, Bob: 2}"
        raise Breaks(row.place, f"column {column}: {name!r} is no seat{named}")

    def _seats(self, given: GivenMatch, n: int) -> Mapping[str, Seat]:
        """The seats by the names that are in their columns; in the order in which these come, if that is asked for."""
        if self.mapping.seats != "by-appearance":
            return {}
        columns: dict[str, None] = {}
        for chosen in self.mapping.moves:
            inside = [cell for cell in chosen.move.values() if isinstance(cell, Cell) and cell.seat_in]
            whose = chosen.seat if chosen.seat is not None else self.mapping.seat
            columns |= dict.fromkeys(cell.name for cell in (whose, *inside) if isinstance(cell, Cell))
        names = dict.fromkeys(row.text(column) for row in given.rows for column in columns)
        names.pop("", None)
        if len(names) > n:
            why = f"{len(names)} players are named in the match; {self.game.name} has {n} seats in its configuration"
            raise Breaks(given.rows[0].place, why)
        return {name: seat for seat, name in enumerate(names, 1)}

    def _named(self, row: GivenRow, name: str, seats: Mapping[str, Seat]) -> str:
        """A field's name, in which `{column}` stands for the seat that the column names."""
        before, brace, rest = name.partition("{")
        column, _, after = rest.partition("}")
        return f"{before}{self._named_seat(row, column, seats)}{after}" if brace else name

    def _config(self, given: GivenMatch) -> GameConfig:
        first = given.rows[0]
        values: dict[str, Any] = {}
        for name, value in self.mapping.config.items():
            if not isinstance(value, Cell):
                values[name] = value
                continue
            found = {self._text(row, value) for row in given.rows}
            if len(found) > 1:
                raise Breaks(
                    first.place,
                    f"{name} changes within the match: {', '.join(map(str, sorted(found, key=str)))}",
                )
            values[name] = found.pop()
        try:
            config: GameConfig = self.game.Config.model_validate(values)
        except ValidationError as error:
            raise self._bad_config(first, error) from None
        return config

    def _bad_config(self, row: GivenRow, error: ValidationError) -> Exception:
        one = error.errors()[0]
        name = ".".join(str(part) for part in one["loc"]) or "it"
        if one["type"] == "extra_forbidden":
            known = ", ".join(self.game.Config.model_fields)
            return BadMapping(f"config: {self.game.name} has no parameter {name}; there are {known}")
        return Breaks(row.place, f"its configuration is not valid: {name}: {why_not(one, self.game.Config)}")

    def _text(self, row: GivenRow, value: Value) -> Any:
        """A value of the configuration: as in the cell, or the computed number."""
        if not isinstance(value, Cell):
            return value
        text = row.text(value.name)
        if text in value.values:
            return value.values[text]
        if value.times != 1 or value.plus or value.subtract_from is not None:
            return self._whole(row, value, value.name)
        return text.removesuffix(".0") if text.removesuffix(".0").isdecimal() else text

    def _value(
        self, row: GivenRow, value: Value, field: Number | Choice | None, seats: Mapping[str, Seat]
    ) -> Any:
        """A value of a move, in the type of its field."""
        if isinstance(value, Cell) and value.seat_in:
            return self._named_seat(row, value.seat_in, seats)
        if isinstance(value, Cell) and row.text(value.name) in value.values:
            value = value.values[row.text(value.name)]
        if isinstance(field, Number):
            return self._whole(row, value, field.name)
        text = row.text(value.name) if isinstance(value, Cell) else value
        if isinstance(field, Choice):
            return next((option for option in field.options if _same(option, text)), text)
        return text

    def _whole(self, row: GivenRow, value: Value, what: str) -> int:
        """A whole number, after the mapping's arithmetic. Raises Breaks."""
        cell = value if isinstance(value, Cell) else None
        text = row.text(cell.name) if cell else str(value)
        if cell and text in cell.values:
            text = str(cell.values[text])
        where = f"column {cell.name}" if cell else what
        if text in self.mapping.empty:
            raise Breaks(row.place, f"{where}: is empty")
        try:
            # Fraction() takes 1_000 for a thousand; in a cell it is no number.
            number = Fraction(text.replace("_", "no"))
        except (ValueError, ZeroDivisionError):
            raise Breaks(row.place, f"{where}: {text!r} is no number") from None
        if cell:
            number = number * cell.times + cell.plus
            number = number if cell.subtract_from is None else cell.subtract_from - number
        if number.denominator != 1:
            why = f"{float(number):g} is no whole number; amounts of games are whole units: see times in the mapping"
            raise Breaks(row.place, f"{where}: {why}")
        return number.numerator

    def _sat(self, seat: Seat, given: GivenMatch, moves: Sequence[_Given]) -> Sat:
        sitting = self.mapping.sitting(seat)
        row = next((move.row for move in moves if move.seat == seat), given.rows[0])
        occupant, name = str(self._text(row, sitting.occupant)), str(self._text(row, sitting.name))
        if occupant not in OCCUPANTS:
            raise BadMapping(
                f"{row.place}: {occupant!r} is no occupant of a seat; there are {', '.join(OCCUPANTS)}"
            )
        person = row.text(sitting.person) if sitting.person and occupant == "human" else ""
        return Sat(occupant, person, "" if occupant == "human" else name or occupant)


def _once(moves: Sequence[_Given]) -> list[_Given]:
    """The moves without draws repeated in several rows of a round, such as a day's supply in the row of each player."""
    seen: set[tuple[int, str, str]] = set()
    kept = []
    for move in moves:
        if move.seat is None and move.round is not None:
            (value,) = move.fields.values()
            drawn = move.row.text(value.name) if isinstance(value, Cell) else str(value)
            if (move.round, move.kind, drawn) in seen:
                continue
            seen.add((move.round, move.kind, drawn))
        kept.append(move)
    return kept


def _cells(move: _Given) -> str:
    """The cells that a move was read from, for an error message."""
    columns = dict.fromkeys(value.name for value in move.fields.values() if isinstance(value, Cell))
    said = ", ".join(f"{column} {move.row.text(column)!r}" for column in columns)
    return f" (from {said})" if said else ""


def _wanted(game: AnyGame, state: Any, phase: Phase) -> set[tuple[Seat | None, str]]:
    return {(seat, kind.kind) for seat in phase.seats for kind in game.legal(state, seat).kinds}


def _same(option: str | int | bool, given: Any) -> bool:
    if isinstance(option, bool) or isinstance(given, bool):
        return str(option).lower() == str(given).lower()
    return str(option) == str(given).removesuffix(".0")
