"""People's yes-or-no decisions, with the information before each; and predictions of them as a file."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from app.core.errors import StudyError
from app.core.spreadsheet import CsvTable, csv_text
from app.core.whole_files import written_whole
from app.tasks.game.base import Seat
from app.tasks.game.games import GAMES
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match import config_hash
from app.tasks.game.match_files import MatchFile, SeatPlayed, one_game
from app.tasks.game.reporting import Features
from app.tasks.game.sampling import levels_of

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
    """Every answer of a person to an offer (accept or not) or a seller (buy or not), without default moves.

    Raises StudyError for another game, for several games, and if there are no decisions.
    """
    game = one_game([file])
    if reports_of(game.name).features is None:
        those = ", ".join(name for name in GAMES if reports_of(name).features)
        raise StudyError(f"decisions are predicted for {those}, not for {game.name}")
    seats = file.people
    rows = [row for one in seats for row in _decisions(one)]
    if not rows:
        raise StudyError(f"{file.path}: no person answered anything in {game.name}")
    table = pd.DataFrame(rows)
    features = [str(name) for name in table if name not in KEYS]
    table[features] = table[features].astype(float)
    # A feature of one value cannot be told from the intercept.
    varied = [name for name in features if table[name].nunique(dropna=False) > 1]
    return Decisions(table, varied, seats[0].occupant)


def write_decisions(decisions: Decisions, folds: Mapping[str, Sequence[int]], path: Path) -> None:
    """The decisions with features and the fold of each, for predictors elsewhere. Raises StudyError."""
    table = decisions.table[[*KEYS, *decisions.features]].assign(**folds)
    # NaN alone differs from itself (IEEE 754); its cell is empty.
    rows = [["" if value != value else str(value) for value in row] for row in table.itertuples(index=False)]
    with written_whole(path) as file:
        file.write(csv_text([str(name) for name in table], rows).encode())


def read_predictions(path: Path, decisions: Decisions) -> list[float]:
    """The probability of yes for each decision, from a CSV of `match`, `seq` and `probability`.

    Raises StudyError for a missing, repeated or unknown decision, and an invalid probability.
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
    features = reports_of(game.name).features
    assert features is not None
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
                **features(state, one.seat),
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
