"""People's yes-or-no decisions in GLEE's games, with what was known before each; and predictions of them as a file."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from app.core.errors import StudyError
from app.core.spreadsheet import CsvTable, csv_text
from app.core.whole_files import written_whole
from app.reports.matches import MatchFile, SeatPlayed, one_game
from app.tasks.game.base import Seat
from app.tasks.game.games import FAMILIES
from app.tasks.game.match import config_hash
from app.tasks.game.sampling import levels_of

Features = Mapping[str, float | None]
KEYS = ("match", "seq", "person", "config", "chose")
PREDICTIONS = ("match", "seq", "probability")


@dataclass(frozen=True, slots=True)
class Decisions:
    """One row per decision: match, seq, person, config, chose, and the features, whose names come second.

    `occupant` is `human`, or `simulated` where the file has no people.
    """

    table: pd.DataFrame
    features: Sequence[str]
    occupant: str


def decisions_of(file: MatchFile) -> Decisions:
    """Every answer of a person to an offer (accept or not) or a seller (buy or not), default moves left out.

    Raises StudyError for another game, for several, and where nobody decided anything.
    """
    game = one_game([file])
    if game.name not in FAMILIES["glee"]:
        raise StudyError(f"decisions are predicted for {', '.join(FAMILIES['glee'])}, not for {game.name}")
    seats = file.people
    rows = [row for one in seats for row in _decisions(one)]
    if not rows:
        raise StudyError(f"{file.path}: no person answered anything in {game.name}")
    table = pd.DataFrame(rows)
    features = [str(name) for name in table if name not in KEYS]
    table[features] = table[features].astype(float)
    varied = [name for name in features if table[name].nunique(dropna=False) > 1]
    return Decisions(table, varied, seats[0].occupant)


def write_decisions(decisions: Decisions, folds: Mapping[str, Sequence[int]], path: Path) -> None:
    """The decisions with features and the fold of each, for predictors elsewhere. Raises StudyError."""
    table = decisions.table[[*KEYS, *decisions.features]].assign(**folds)
    rows = [["" if value != value else str(value) for value in row] for row in table.itertuples(index=False)]
    with written_whole(path) as file:
        file.write(csv_text([str(name) for name in table], rows).encode())


def read_predictions(path: Path, decisions: Decisions) -> list[float]:
    """The probability of yes for each decision, from a CSV of `match`, `seq` and `probability`.

    Raises StudyError for a decision that is missing, twice there or unknown, and for what is no probability.
    """
    found: dict[tuple[str, str], float] = {}
    keys = [
        (str(match), str(seq))
        for match, seq in zip(decisions.table["match"], decisions.table["seq"], strict=True)
    ]
    known = set(keys)
    for each in CsvTable(path, str(path), PREDICTIONS):
        row = each.cells
        key = (row["match"], row["seq"])
        at = f"{path}: row {each.row}: match {key[0]}, seq {key[1]}"
        if key not in known:
            raise StudyError(f"{at} is no decision of a person in these moves")
        if key in found:
            raise StudyError(f"{at} is there twice")
        found[key] = _probability(row["probability"], at)
    if missing := [key for key in keys if key not in found]:
        first = f"match {missing[0][0]}, seq {missing[0][1]}"
        raise StudyError(f"{path}: {len(missing)} decisions have no prediction, the first being {first}")
    return [found[key] for key in keys]


def _probability(cell: str, at: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise StudyError(f"{at}: {cell!r} is no probability from 0 to 1")
    return value


def _decisions(one: SeatPlayed) -> Iterator[dict[str, Any]]:
    match = one.match.match
    game, state = match.game, match.game.initial(match.config)
    shared = {"match": one.match.id, "person": one.person, "config": config_hash(match.config)}
    config = _config(match.config, one.seat)
    for line in match.log:
        event = line.event
        if event.kind == "move" and event.seat == one.seat and line.phase == "answer" and not event.auto:
            chose = event.move.get("answer") == "accept" or event.move.get("buy") is True
            yield {
                **shared,
                "seq": line.seq,
                "chose": chose,
                **config,
                **_HISTORY[game.name](state, one.seat),
            }
        state = game.apply(state, event)


def _config(config: Any, seat: Seat) -> Features:
    """The parameters that have several published levels as numbers, texts as indicators; and the seat."""
    found: dict[str, float | None] = {"seat": float(seat)}
    dumped = config.model_dump(mode="json")
    for name, levels in levels_of(type(config)).items():
        value = dumped[name]
        if name == "money":
            found[name] = math.log10(value)
        elif isinstance(value, bool) or not _is_number(str(value)):
            found |= {f"{name}_{level}": float(str(value) == level) for level in levels[1:]}
        else:
            found[name] = float(Fraction(str(value)))
    return found


def _is_number(text: str) -> bool:
    try:
        Fraction(text)
    except ValueError:
        return False
    return True


def _offers(state: Any, seat: Seat, gain: Callable[[int], float]) -> Features:
    """What the standing offer brings, with what both have offered before."""
    earlier = state.answered
    offered = [gain(offer.amount) for offer in earlier if offer.proposer != seat]
    asked = [gain(offer.amount) for offer in earlier if offer.proposer == seat]
    now = gain(state.standing.amount)
    shown = state.config.shown_rounds
    return {
        "round": float(len(earlier) + 1),
        "rounds_left": None if shown is None else float(shown - len(earlier) - 1),
        "gain": now,
        "best_before": max(offered) if offered else None,
        "change": now - offered[-1] if offered else None,
        "own_last": asked[-1] if asked else None,
        "message_length": float(len(state.standing.message)),
    }


def _bargaining(state: Any, seat: Seat) -> Features:
    money = state.config.money
    return _offers(state, seat, lambda amount: (amount if seat == 1 else money - amount) / money)


def _negotiation(state: Any, seat: Seat) -> Features:
    value = state.config.values[seat - 1]
    return _offers(
        state, seat, lambda price: (price - value if seat == 1 else value - price) / state.config.money
    )


def _persuasion(state: Any, seat: Seat) -> Features:
    past, current = state.past, state.current
    advised = [product for product in past if _advises(product)]
    bought = [product for product in past if product.bought]
    return {
        "round": float(len(past) + 1),
        "recommended": None if current.recommended is None else float(current.recommended),
        "message_length": float(len(current.message)),
        "honest": sum(product.good for product in advised) / len(advised) if advised else None,
        "bought": len(bought) / len(past) if past else None,
        "good_bought": sum(product.good for product in bought) / len(bought) if bought else None,
        "last_good": float(past[-1].good) if past else None,
        "last_bought": float(past[-1].bought) if past else None,
        "worth": float(state.config.chance_high * state.config.value),
    }


def _advises(product: Any) -> bool:
    return bool(product.message) if product.recommended is None else product.recommended


_HISTORY: Mapping[str, Callable[[Any, Seat], Features]] = {
    "glee-bargaining": _bargaining,
    "glee-negotiation": _negotiation,
    "glee-persuasion": _persuasion,
}
