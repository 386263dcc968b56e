"""Many matches without people: games, configurations and agents as they were asked for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from analysis.files.shallow_yaml import too_long
from app.core.errors import StudyError
from app.core.plain_yaml import PlainLoader
from app.tasks.game.agents.registry import all_agents_for, why_not
from app.tasks.game.base import Agent, AnyGame, GameConfig, Seat
from app.tasks.game.games import FAMILIES, GAMES, KITS
from app.tasks.game.replay import replayed
from app.tasks.game.sampling import EXPRESSION, Sample, presets, sampled

SETTINGS = "settings"
"""The parameter of any agent that names a file of its other parameters."""
# A value may have a colon of its own, as names of models do.
_PARAMETERS = re.compile(r":(?=\w+=)")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The matches to play: each configuration `matches` times, the agents in the order of the seats."""

    game: AnyGame
    configs: Sequence[GameConfig]
    agents: Sequence[Agent]
    matches: int
    seed: int


def game_named(name: str) -> AnyGame:
    """Raises StudyError for a name that is no game."""
    if name not in GAMES:
        raise StudyError(f"there is no game {name!r}; there are {', '.join((*GAMES, *FAMILIES))}")
    return GAMES[name]


def configs_of(game: AnyGame, given: Sequence[str]) -> Sequence[GameConfig]:
    """The requested configurations; the default one if none is.

    A request is the name of a preset; `main+variants+random` or a part of it; one file of YAML; or KEY=VALUE pairs,
    which with a sample are its settings and the parameters of its main configuration. A file has one mapping of
    parameters, a list of them, or the settings of a sample. Raises StudyError if invalid.
    """
    named = presets(game.Config)
    if len(given) == 1 and given[0] in named:
        return named[given[0]]
    expressions = [one for one in given if EXPRESSION.fullmatch(one)]
    if expressions:
        pairs = pairs_of([one for one in given if one not in expressions], "--config")
        settings = {key: value for key, value in pairs.items() if key in Sample.model_fields}
        main = {key: value for key, value in pairs.items() if key not in settings}
        return _sampled(game, {"main": main, **settings, "sample": expressions[-1]}, "--config")
    if len(given) == 1 and "=" not in given[0]:
        read = _yaml(Path(given[0]), ", ".join(named))
        if isinstance(read, dict) and "sample" in read:
            return _sampled(game, read, given[0])
        return [_valid(game.Config, one, given[0]) for one in (read if isinstance(read, list) else [read])]
    return [_valid(game.Config, pairs_of(given, "--config"), "--config")]


def asked_for(
    name: str, given: Sequence[str], seats: Sequence[str], matches: int, seed: int, learn: Path | None = None
) -> list[RunRequest]:
    """A command's request: for one game, or for every game of a family, each of which may have an entry in `seats`.

    `learn` fits the agents to the people in a file of moves. Raises StudyError if invalid.
    """
    games = [game_named(one) for one in FAMILIES.get(name, (name,))]
    if len(seats) not in (1, len(games)):
        raise StudyError(f"--seats is given {len(seats)} times; {name} takes it once, or {len(games)} times")
    asked = []
    for game, for_seats in zip(games, seats if len(seats) > 1 else list(seats) * len(games), strict=True):
        configs = configs_of(game, given)
        for config in configs:
            agents = agents_of(game, config, for_seats)
        asked.append(
            RunRequest(game, configs, fitted(game, agents, learn) if learn else agents, matches, seed)
        )
    return asked


def agents_of(game: AnyGame, config: GameConfig, seats: str) -> list[Agent]:
    """The agents of `NAME[:KEY=VALUE...]` for each seat, separated by commas; a single one takes every seat.

    `settings=FILE` is a YAML file with a mapping of parameters, which those given with it override. Raises StudyError
    for an unknown agent or one that cannot take its seat, an invalid parameter, or another number of seats.
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
    """The last state and the seat of every player in a file of moves, of the first kind of occupant that is in it.

    Raises StudyError for a file that does not replay, has another game, or none of these kinds.
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
    learn = KITS[game.name].learn
    if learn is None:
        those = ", ".join(kit.name for kit in KITS.values() if kit.learn)
        raise StudyError(f"agents of {game.name} learn from no moves; those of {those} do")
    habits = learn(seats_in(game, path), path.name)
    learns = [agent for agent in agents if "habits" in type(agent).model_fields]
    if not learns:
        raise StudyError("none of the agents in --seats learns from moves")
    return [agent.model_copy(update={"habits": habits}) if agent in learns else agent for agent in agents]


def _agent(game: AnyGame, text: str) -> Agent:
    name, *pairs = _PARAMETERS.split(text)
    known = all_agents_for(game.name)
    if name not in known:
        raise StudyError(f"there is no agent {name!r} for {game.name}; there are {', '.join(known)}")
    given = dict(pairs_of(pairs, f"agent {name}"))
    if (path := given.pop(SETTINGS, None)) is not None:
        read = _yaml(Path(str(path)))
        if not isinstance(read, dict):
            raise StudyError(f"agent {name}: {path} has no mapping of parameters")
        given = {**read, **given}
    return _valid(known[name], given, f"agent {name}")


def pairs_of(given: Iterable[str], where: str) -> Mapping[str, Any]:
    """KEY=VALUE texts, with values as YAML has them. Raises StudyError, which begins with `where`, for any other."""
    pairs = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise StudyError(f"{where}: {pair!r} is not KEY=VALUE")
        if key.strip() in pairs:
            raise StudyError(f"{where}: {key.strip()} is given twice; give it one value")
        try:
            pairs[key.strip()] = yaml.load(value, PlainLoader)  # noqa: S506  (a SafeLoader)
        except yaml.YAMLError:
            raise StudyError(f"{where}: {pair!r} has no value that can be read") from None
    return pairs


def _sampled(game: AnyGame, given: object, where: str) -> list[GameConfig]:
    sample = _valid(Sample, given, where)
    try:
        return sampled(game.Config, sample)
    except ValidationError as error:
        raise _fault(error, game.Config, where) from None


def _valid(model: type[M], given: object, where: str) -> M:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise _fault(error, model, where) from None


def _fault(error: ValidationError, model: type[BaseModel], where: str) -> StudyError:
    found = error.errors()[0]
    name = ".".join(str(part) for part in found["loc"]) or "it"
    return StudyError(f"{where}: {name}: {why_not(found, model)}")


def _yaml(path: Path, named: str = "") -> object:
    try:
        text = path.read_text(encoding="utf-8")
        # Before it is parsed: aliases let a few bytes of YAML fill the memory.
        if message := too_long(text):
            raise StudyError(f"{path}: {message}")
        return yaml.load(text, PlainLoader)  # noqa: S506  (a SafeLoader)
    except OSError as error:
        raise StudyError(
            f"cannot read {path}: {error.strerror}{named and f'; presets are {named}'}"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise StudyError(f"{path} is not YAML in UTF-8: {error}") from None
