"""People's matches compared with those of agents in their place: selection, and the tables."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.errors import StudyError
from app.core.spreadsheet import csv_text
from app.tasks.game.imitating import Imitation, parameters_of
from app.tasks.game.match_files import PEOPLE, MatchFile, one_game
from app.tasks.game.replay import Replayed

PARAMETERS = ("agent", "of_match", "seat", "session")
"""The columns of `parameters.csv` before those of the parameters."""
TRACES = ("agent", "match", "trace", "of_match")


@dataclass(frozen=True, slots=True)
class ToImitate:
    """The matches of people of one game, how many others are left out and why, and how many moves the clock made."""

    file: MatchFile
    left_out: Mapping[str, int]
    automatic: int
    moves: int

    @property
    def kind(self) -> str:
        return next(iter(self.file.matches[0].occupants.values()))


def to_imitate(file: MatchFile, only: Mapping[str, object]) -> ToImitate:
    """The finished matches whose seats people had throughout (simulated ones where no person is in the file).

    `only`: with these parameters alone. Raises StudyError where there are several games, a parameter is not known, or
    no match is left.
    """
    game = one_game([file])
    known = game.Config.model_fields
    if unknown := [name for name in only if name not in known]:
        raise StudyError(f"--only: {game.name} has no parameter {unknown[0]}; there are {', '.join(known)}")
    kind = next((one for one in PEOPLE if any(one in match.occupants.values() for match in file.matches)), "")
    left_out = {f"excluded ({why})": n for why, n in file.left_out.items()}
    kept: list[Replayed] = []
    for one in file.matches:
        if why := _why_not(one, kind, only):
            left_out[why] = left_out.get(why, 0) + 1
        else:
            kept.append(one)
    if not kept:
        said = "; ".join(f"{n} {why}" for why, n in left_out.items())
        raise StudyError(f"{file.path} has no match to imitate: {said}")
    moves = [line.event for one in kept for line in one.match.log if line.event.kind == "move"]
    return ToImitate(
        replace(file, matches=kept), left_out, sum(bool(event.auto) for event in moves), len(moves)
    )


def _why_not(one: Replayed, kind: str, only: Mapping[str, object]) -> str:
    settings = one.match.config.model_dump(mode="json")
    if any(settings[name] != value for name, value in only.items()):
        return "of another configuration (--only)"
    if one.match.outcome is None:
        return "stopped before the end"
    if one.handed_over:
        return "with a seat that changed hands"
    seats = one.match.game.seats(one.match.config)
    if any(one.occupants.get(role.seat) != kind for role in seats):
        return "with an agent on a seat"
    return ""


def write_tables(folder: Path, imitated: Sequence[Imitation]) -> None:
    """Write `parameters.csv`, a row for each person whose parameters an agent has, and `traces.csv`, one a match."""
    fitted = [one for one in imitated if one.is_fitted]
    own = list(dict.fromkeys(name for one in fitted for name in parameters_of(one.agent)))
    rows = [row for one in fitted for row in _parameter_rows(one, own)]
    traces = [
        (one.name, each.match, str(each.trace), each.of_match)
        for one in imitated
        for each in one.trace_list()
    ]
    (folder / "parameters.csv").write_text(csv_text((*PARAMETERS, *own), rows), encoding="utf-8")
    (folder / "traces.csv").write_text(csv_text(TRACES, traces), encoding="utf-8")


def _parameter_rows(one: Imitation, own: Sequence[str]) -> Iterator[list[str]]:
    for match, seats in zip(one.people, one.seated, strict=True):
        for seat, agent in enumerate(seats, 1):
            values = parameters_of(agent)
            cells = ["" if values.get(name) is None else _cell(values[name]) for name in own]
            yield [one.name, match.id, str(seat), match.sessions.get(seat, ""), *cells]


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
