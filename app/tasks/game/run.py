"""Many matches without people: configurations and agents as they were asked for, and the files that are written."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from app.core.errors import StudyError
from app.core.spreadsheet import defused
from app.core.whole_files import written_whole
from app.tasks.game.agents.registry import LEARNERS, agents_for
from app.tasks.game.base import Agent, AnyGame, GameConfig, Seat
from app.tasks.game.files import MOVES, Played, move_rows, seat_columns, seat_rows
from app.tasks.game.games import GAMES
from app.tasks.game.match import match_seed, play
from app.tasks.game.replay import replayed

GRID = "grid"
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Asked:
    """What to play: each configuration `matches` times, the agents in the order of the seats."""

    game: AnyGame
    configs: Sequence[GameConfig]
    agents: Sequence[Agent]
    matches: int
    seed: int


def game_named(name: str) -> AnyGame:
    """Raises StudyError for a name that is no game."""
    if name not in GAMES:
        raise StudyError(f"there is no game {name!r}; there are {', '.join(GAMES)}")
    return GAMES[name]


def configs_of(game: AnyGame, given: Sequence[str]) -> Sequence[GameConfig]:
    """The configurations that KEY=VALUE pairs, one file of YAML, or `grid` ask for; the default without any.

    A file has one mapping of parameters, or a list of them. Raises StudyError for what is not valid.
    """
    if list(given) == [GRID]:
        return list(game.Config.grid())
    if len(given) == 1 and "=" not in given[0]:
        read = _yaml(Path(given[0]))
        return [
            _valid(game.Config, one, f"{given[0]}") for one in (read if isinstance(read, list) else [read])
        ]
    return [_valid(game.Config, _pairs(given, "--config"), "--config")]


def agents_of(game: AnyGame, config: GameConfig, seats: str) -> list[Agent]:
    """The agents of `NAME[:KEY=VALUE...]` for each seat, separated by commas; one alone takes every seat.

    Raises StudyError for an agent that is not known or cannot take its seat, a parameter that is not valid, or another
    number of seats.
    """
    found = [_agent(game, text.strip()) for text in seats.split(",")]
    n = len(game.seats(config))
    if len(found) == 1:
        found = found * n
    for seat, agent in enumerate(found, start=1):
        if agent.takes and seat not in agent.takes:
            raise StudyError(
                f"{agent.name} cannot take seat {seat} of {game.name}: give that seat another agent"
            )
    if len(found) != n:
        raise StudyError(
            f"--seats names {len(found)} agents; {game.name} has {n} seats in this configuration"
        )
    return found


PEOPLE = ("human", "simulated")
AGENTS = ("rule", "model", *PEOPLE)


def seats_in(game: AnyGame, path: Path, occupants: Sequence[str] = PEOPLE) -> list[tuple[Any, Seat]]:
    """The last state and the seat of everybody in a file of moves who is of the first kind that is in it.

    Raises StudyError for a file that does not replay, has another game, or has nobody of these kinds.
    """
    seats: dict[str, list[tuple[Any, Seat]]] = {}
    for one in replayed(path):
        if one.match.game.name != game.name:
            raise StudyError(f"{path} has matches of {one.match.game.name}, not of {game.name}")
        for seat, occupant in one.occupants.items():
            seats.setdefault(occupant, []).append((one.match.state, seat))
    for occupant in occupants:
        if occupant in seats:
            return seats[occupant]
    raise StudyError(f"{path} has no seat of a person, nor of a simulated one")


def fitted(game: AnyGame, agents: Sequence[Agent], path: Path) -> list[Agent]:
    """The same agents with the habits of the people in a file of moves. Raises StudyError where they learn none."""
    if game.name not in LEARNERS:
        raise StudyError(f"agents of {game.name} learn from no moves; those of {', '.join(LEARNERS)} do")
    habits = LEARNERS[game.name](seats_in(game, path), path.name)
    learns = [agent for agent in agents if "habits" in type(agent).model_fields]
    if not learns:
        raise StudyError("none of the agents in --seats learns from moves")
    return [agent.model_copy(update={"habits": habits}) if agent in learns else agent for agent in agents]


def played(asked: Asked) -> Iterator[Played]:
    """The matches one after the other, numbered from 1."""
    number = 0
    for config in asked.configs:
        for i in range(1, asked.matches + 1):
            number += 1
            players = [agent.player() for agent in asked.agents]
            match = play(asked.game, config, players, match_seed(asked.seed, config, i))
            yield Played(str(number), match, asked.agents)


def write(asked: Asked, folder: Path, on_progress: Callable[[int, int, str], None]) -> int:
    """Play, and write `moves.csv` and `seats_played.csv` into a folder that has neither: both whole, or none.

    Gives the number of matches. Raises StudyError where the folder cannot be written or has one of the files.
    """
    paths = (folder / "moves.csv", folder / "seats_played.csv")
    if there := [path.name for path in paths if path.exists()]:
        raise StudyError(f"{folder} has {' and '.join(there)} already; name another folder with --out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror}") from None
    n, total = 0, len(asked.configs) * asked.matches
    with ExitStack() as files:
        moves, seats = (files.enter_context(written_whole(path)) for path in paths)
        moves.write(_csv([MOVES]))
        for n, one in enumerate(played(asked), start=1):
            if n == 1:
                seats.write(_csv([seat_columns(one.match)]))
            moves.write(_csv(move_rows(one)))
            seats.write(_csv(seat_rows(one)))
            on_progress(n, total, "")
    return n


def _agent(game: AnyGame, text: str) -> Agent:
    name, *pairs = text.split(":")
    known = agents_for(game.name)
    if name not in known:
        raise StudyError(f"there is no agent {name!r} for {game.name}; there are {', '.join(known)}")
    return _valid(known[name], _pairs(pairs, name), f"agent {name}")


def _pairs(given: Iterable[str], where: str) -> Mapping[str, Any]:
    pairs = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise StudyError(f"{where}: {pair!r} is not KEY=VALUE")
        try:
            pairs[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise StudyError(f"{where}: {pair!r} has no value that can be read") from None
    return pairs


def _valid(model: type[M], given: object, where: str) -> M:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        found = error.errors()[0]
        name = ".".join(str(part) for part in found["loc"]) or "it"
        unknown = found["type"] == "extra_forbidden"
        known = ", ".join(model.model_fields) or "none"
        why = f"no such parameter; there are: {known}" if unknown else found["msg"]
        raise StudyError(f"{where}: {name}: {why}") from None


def _yaml(path: Path) -> object:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyError(f"cannot read {path}: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise StudyError(f"{path} is not YAML in UTF-8: {error}") from None


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([defused(cell) for cell in row] for row in rows)
    return text.getvalue().encode()
