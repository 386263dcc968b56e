"""Tables for analysing games from a file of moves: seats with their players, and the outcome of each match."""

from collections.abc import Iterable, Mapping

import pandas as pd

from app.tasks.game.base import Seat
from app.tasks.game.games.reports import reports_of
from app.tasks.game.match import config_hash
from app.tasks.game.match_files import SeatPlayed
from app.tasks.game.replay import Replayed


def seat_table(seats: Iterable[SeatPlayed]) -> tuple[pd.DataFrame, list[str]]:
    """One row per seat: match, person, seat, role, occupant, player, config, the configuration's parameters (`c.NAME`,
    as text) and the measures of the game, whose names come second; measures that differ as published appear twice.
    """
    rows, measures = [], dict[str, None]()
    measured: dict[str, Mapping[Seat, Mapping[str, float | None]]] = {}
    for one in seats:
        match = one.match.match
        if one.match.id not in measured:
            measured[one.match.id] = measures_of(one.match)
        values = measured[one.match.id][one.seat]
        measures |= dict.fromkeys(values)
        rows.append(
            {
                "match": one.match.id,
                "person": one.person,
                "seat": one.seat,
                "role": one.role,
                "occupant": one.occupant,
                "player": one.player,
                "config": config_hash(match.config),
                **{f"c.{name}": str(value) for name, value in match.config.model_dump(mode="json").items()},
                **values,
            }
        )
    table = pd.DataFrame(rows)
    for name in measures:
        table[name] = table[name].astype(float)
    return table, list(measures)


def measures_of(one: Replayed) -> Mapping[Seat, Mapping[str, float | None]]:
    """The measures of a match by seat, followed by those of the game's reports, such as the published ones."""
    return reports_of(one.match.game.name).measures(one)
