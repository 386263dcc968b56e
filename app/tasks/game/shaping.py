"""The form of a block of matches as far as it depends on its own keys: presets, choices, and what they come to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from app.core.errors import StudyError
from app.core.money import money, number_text
from app.core.problems import counted
from app.core.widgets import Named, RuledOut, Shape, Ways
from app.tasks.game.agents.outside import settings_of
from app.tasks.game.agents.registry import agent_named, agents_for, all_agents_for, is_outside
from app.tasks.game.base import GameConfig
from app.tasks.game.choosing import LIST, ONE, PRESET, SAMPLE, START, presets_of, sample_of, sizes_of
from app.tasks.game.games import GAMES, KITS, phases
from app.tasks.game.match import play
from app.tasks.game.sampling import GRID, values_of
from app.tasks.game.terms import BonusPay, Deadlines, Matching

Keys = Mapping[str, Any]
_HUMAN, _ANY = "human", "any"
_PEOPLE = {"human": "A person", "any": "A person, or an agent if nobody comes"}
_OWN = "The game’s own"
_ALIKE, _EACH = "alike", "each"
_MOST_SEATS = 20
_CURRENCY = re.compile(r"[A-Z]{3}")
_ANY_MOVE = Deadlines.model_fields["default_s"].default
# Of a match that takes longer to play than a form may take to come.
_MOST_ROUNDS = 100


def ways_of(keys: Keys) -> Ways:
    """The configurations: one to begin with, one's own parameters, a published set, a sample, or a list."""
    game, value = str(keys["game"]), keys.get("configs")
    config = GAMES[game].Config
    held = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Mapping)]
    one = {name: given for name, given in (held[0] if held else {}).items() if name != SAMPLE}
    starts = {f"{START}{at}": start for at, start in enumerate(config.starts)}
    model: Any = None
    if isinstance(value, Mapping) and SAMPLE in value:
        main = value.get("main")
        one = dict(main) if isinstance(main, Mapping) else {}
        way, model = SAMPLE, sample_of(game)
    elif isinstance(value, str):
        way = PRESET + value
    elif isinstance(value, (list, tuple)):
        way = LIST
    else:
        way, model = next((name for name, start in starts.items() if start.given == one), ONE), config
    titles = {GRID: "All that are published", **config.titles}
    sets = {PRESET + name: titles.get(name, name) for name in sizes_of(game)}
    return Ways(
        way,
        {
            **{name: start.title for name, start in starts.items()},
            **({ONE: "Your own"} if one and way not in starts else {}),
            **sets,
            SAMPLE: "A main one, its variants, and a random share of the others",
            LIST: "A list of your own",
        },
        {
            **{name: dict(start.given) or None for name, start in starts.items()},
            ONE: one or None,
            LIST: [one],
            SAMPLE: {SAMPLE: "main+variants+random", **({"main": one} if one else {})},
            **{PRESET + name: name for name in sizes_of(game)},
        },
        model,
        is_whole=isinstance(value, str),
        about={
            **{name: start.about for name, start in starts.items()},
            ONE: "With the parameters below, which differ from these",
            **{PRESET + name: f"{n}; matches are balanced over them" for name, n in sizes_of(game).items()},
            SAMPLE: "Matches are balanced over them",
            LIST: "Each on a card of its own; matches are balanced over them",
        },
        costs={
            name: f"at most {_minutes(longest)}"
            for name, start in starts.items()
            if (longest := _longest(game, {**keys, "configs": start.given})) is not None
        },
        rare=(*sets, SAMPLE, LIST),
        alike=(ONE, *starts),
        entry=config if way == LIST else None,
    )


def ways_of_seats(keys: Keys) -> Ways | None:
    """One entry for all seats, or one for each; None for what is neither."""
    given = _seats(keys)
    if not all(isinstance(each, str) for each in given) or len(given) > _MOST_SEATS:
        return None
    roles = _roles(str(keys["game"]), keys)
    n = max(len(roles), len(given))
    each = (given + given * n)[:n] if len(given) == 1 else given
    labels = [_label(at, roles) for at in range(n)]
    is_each = len(given) > 1
    return Ways(
        _EACH if is_each else _ALIKE,
        {_ALIKE: "The same for all seats", _EACH: "Each seat for itself"},
        {_ALIKE: given[:1], _EACH: each},
        title="Who sits on them",
        items=labels if is_each else ["All seats"],
    )


def _roles(game: str, keys: Keys) -> list[str]:
    """The names of the seats of the first configuration."""
    config = _config(game, keys) or GAMES[game].Config()
    return [role.name for role in GAMES[game].seats(config)]


def _label(at: int, roles: Sequence[str]) -> str:
    """`Seat 1`, with its part in the game where parts differ."""
    if at >= len(roles):
        return f"Seat {at + 1}, which this game has not"
    return f"Seat {at + 1}, {roles[at]}" if len({*roles}) > 1 else f"Seat {at + 1}"


def shape_of(keys: Keys, study: Keys) -> Shape:
    """The form of a block; empty where its game is not known."""
    game = str(keys.get("game"))
    if game not in GAMES:
        return Shape()
    currency = _at(keys, "bonus", "currency")
    known = currency if isinstance(currency, str) and _CURRENCY.fullmatch(currency) else "GBP"
    models = all_agents_for(game)
    agents = {name: _sentence(agent.about) for name, agent in models.items()}
    return Shape(
        known,
        frozenset(_idle(game, keys)),
        {
            "agent": Named({"": _OWN, **agents}, models),
            "leaving.agent": Named({"": _OWN, **_inside(game, agents)}, models),
            **{f"seats.{at}": Named({**_PEOPLE, **agents}, models) for at in range(_MOST_SEATS)},
        },
        dict(_ruled_out(keys)),
        {at: tuple(said) for at, said in _sums(game, keys, study, known).items()},
        {"models.settings": settings_of(game)},
    )


def _at(keys: Keys, part: str, key: str) -> Any:
    held = keys.get(part)
    return held.get(key) if isinstance(held, Mapping) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _seats(keys: Keys) -> list[Any]:
    seats = keys.get("seats", _ANY)
    return list(seats) if isinstance(seats, (list, tuple)) else [seats]


# What applies


def _idle(game: str, keys: Keys) -> Iterator[str]:
    own, config = KITS[game].phases, GAMES[game].Config
    each = dict(_configs(keys))
    # A sample varies the main configuration.
    timed = [{}] if "configs.main" in each else [*each.values()]
    for phase in phases():
        if phase not in own or all(phase in config.untimed(one) for one in timed):
            yield f"deadlines.{phase}_s"
    for at, one in each.items():
        yield from (f"{at}.{name}" for name in config.idle(one))
    if not values_of(config):
        yield "configs.only"
    if _ANY not in _seats(keys):
        yield "agent"
    if _at(keys, "leaving", "then") in ("default", "end"):
        yield "leaving.agent"
    if not any(isinstance(seat, str) and is_outside(seat) for seat in (*_seats(keys), keys.get("agent"))):
        yield "models"


def _configs(keys: Keys) -> Iterator[tuple[str, Keys]]:
    """The configurations that are written out, each by its place in the block; else the game's own."""
    given = keys.get("configs", {})
    if isinstance(given, (list, tuple)) and given:
        for at, one in enumerate(given):
            yield f"configs.{at}", one if isinstance(one, Mapping) else {}
    elif isinstance(given, Mapping) and SAMPLE in given:
        main = given.get("main")
        yield "configs.main", main if isinstance(main, Mapping) else {}
    else:
        yield "configs", given if isinstance(given, Mapping) else {}


def _inside(game: str, agents: Mapping[str, str]) -> Mapping[str, str]:
    """The players that the service runs itself."""
    return {name: words for name, words in agents.items() if name in agents_for(game)}


def _sentence(words: str) -> str:
    return (words[:1].upper() + words[1:]).replace("`", "")


# What other choices rule out


def _ruled_out(keys: Keys) -> Iterator[tuple[str, Mapping[str, RuledOut]]]:
    seats, disclosed = _seats(keys), keys.get("disclosure")
    fills = _ANY in seats and _at(keys, "matching", "at_bound") in (None, "agents")
    takes_over = _at(keys, "leaving", "then") in (None, "agent")
    reasons = (
        (any(seat not in (_HUMAN, _ANY) for seat in seats), "Not while agents have seats.", "seats"),
        (fills, "Not while agents may take free seats.", "matching.at_bound"),
        (takes_over, "Not while an agent takes the seat of who has left.", "leaving.then"),
    )
    why = next((RuledOut(words, at) for rules, words, at in reasons if rules), None)
    if why is not None and disclosed != "all-people":
        yield "disclosure", {"all-people": why}
    if disclosed == "all-people":
        people = RuledOut("Not while people are told that all others are people.", "disclosure")
        if not fills:
            yield "matching.at_bound", {"agents": people}
        if not takes_over:
            yield "leaving.then", {"agent": people}


# What it comes to


def _sums(game: str, keys: Keys, study: Keys, currency: str) -> Mapping[str, list[str]]:
    said: dict[str, list[str]] = {"matching.wait_max_s": [], "matching": [], "deadlines": [], "bonus": []}
    wait = _whole(_at(keys, "matching", "wait_max_s")) or Matching().wait_max_s
    if wait >= 60:
        said["matching.wait_max_s"].append(f"{_minutes(wait)}.")
    per_minute = _whole(_at(keys, "matching", "wait_pay_minor_per_min")) or 0
    twice = 2 if _at(keys, "matching", "at_bound") == "wait-once-more" else 1
    for_waiting = per_minute * (wait * twice // 60)
    if for_waiting:
        said["matching.wait_pay_minor_per_min"] = [f"At most {money(for_waiting, currency)} a person."]
    config = _config(game, keys)
    longest = _longest(game, keys)
    if config is not None and longest is not None:
        said["deadlines"].append(f"{_rounds(game, config)} take at most {_minutes(longest)}.")
    pay = _pay(keys)
    if pay is not None:
        said["bonus"] += _paid(game, config, keys, pay)
        said["bonus"] += _in_all(keys, study, pay, for_waiting)
    return said


def _config(game: str, keys: Keys) -> GameConfig | None:
    """The first configuration, as far as it is valid."""
    given = keys.get("configs", {})
    if isinstance(given, str):
        return next(iter(presets_of(game).get(given, ())), None)
    if isinstance(given, (list, tuple)):
        given = given[0] if given else {}
    if isinstance(given, Mapping) and SAMPLE in given:
        given = given.get("main", {})
    try:
        found: GameConfig = GAMES[game].Config.model_validate(given)
    except ValidationError:
        return None
    return found


def _length(config: GameConfig) -> int:
    return int(getattr(config, type(config).length, 1))


def _rounds(game: str, config: GameConfig) -> str:
    return counted(_length(config), KITS[game].round_name.lower())


def _longest(game: str, keys: Keys) -> int | None:
    """The seconds of a match in which every move takes all of its time; None where a key is not valid yet."""
    config, limits = _config(game, keys), keys.get("deadlines") or {}
    if config is None or not isinstance(limits, Mapping):
        return None
    left_out = config.untimed(config.model_dump(mode="json"))
    usual = _whole(limits.get("default_s")) or _ANY_MOVE
    seconds = [
        _whole(limits.get(f"{phase}_s")) or usual for phase in KITS[game].phases if phase not in left_out
    ]
    return _length(config) * sum(seconds or [usual])


def _minutes(seconds: int) -> str:
    minutes = -(-seconds // 60)
    return (
        f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min".replace(" 0 min", "")
    )


def _pay(keys: Keys) -> BonusPay | None:
    if keys.get("bonus") is None:
        return None
    try:
        return BonusPay.model_validate(keys["bonus"])
    except ValidationError:
        return None


def _paid(game: str, config: GameConfig | None, keys: Keys, pay: BonusPay) -> Iterator[str]:
    if pay.cap_minor is not None:
        points = -(-Fraction(pay.cap_minor) // Fraction(str(pay.minor_per_unit)))
        yield f"The most is reached at {number_text(int(points))} points."
    if config is None or _length(config) > _MOST_ROUNDS:
        return
    named = keys.get("agent")
    mean = _mean(game, config.model_dump_json(), named if isinstance(named, str) else "")
    if mean is not None:
        earned = money(pay.minor(mean), pay.currency)
        yield f"Agents in all seats earn about {number_text(round(mean))} points, {earned}."


@lru_cache(maxsize=256)
def _mean(game: str, config: str, named: str) -> Fraction | None:
    """The mean payoff of a seat in one match of the agents that fill seats."""
    rules, kit = GAMES[game], KITS[game]
    read = rules.Config.model_validate_json(config)
    n = len(rules.seats(read))
    texts = [named or kit.fills[at % len(kit.fills)] for at in range(n)]
    try:
        players = [agent_named(game, text).player() for text in texts]
        match = play(rules, read, players, seed=1)
    except (StudyError, ValueError):
        return None
    return sum(rules.payoffs(match.state), Fraction(0)) / n


def _in_all(keys: Keys, study: Keys, pay: BonusPay, for_waiting: int) -> Iterator[str]:
    people = _people(study)
    if pay.cap_minor is None:
        yield "Without the most that a match pays there is no bound on what the study pays."
    elif people:
        matches = _whole(keys.get("rounds_per_person")) or 1
        most = people * matches * (pay.cap_minor + for_waiting)
        waiting = ", waiting included" if for_waiting else ""
        yield f"{counted(people, 'person', 'people')}, at most{waiting}: {money(most, pay.currency)}."


def _people(study: Keys) -> int:
    """The participants that the study plans for; 0 if it does not say."""
    arms = study.get("arms")
    held = (
        [_whole(arm.get("target")) or 0 for arm in arms if isinstance(arm, Mapping)]
        if isinstance(arms, list)
        else []
    )
    return _whole(study.get("target")) or sum(held)
