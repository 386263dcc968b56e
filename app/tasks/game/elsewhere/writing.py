"""Play of others as the tables of ours, and what of it breaks the rules."""

import csv
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from app.core.errors import StudyError
from app.core.spreadsheet import defused
from app.tasks.game.base import state_hash
from app.tasks.game.elsewhere.mapping import GameMapping
from app.tasks.game.elsewhere.playing import Breaks, PlayedElsewhere, Replaying
from app.tasks.game.elsewhere.reading import GivenRow, matches_in
from app.tasks.game.files import MOVES, Holder, rows_of_moves, rows_of_seats, seat_columns

MODE: Final = "outside"
"""The mode of matches that were played elsewhere."""
TABLES: Final = ("moves.csv", "seats_played.csv", "matches.csv", "left_out.csv")
_MATCHES: Final = ("match", "theirs", "place")
_LEFT_OUT: Final = ("theirs", "place", "why")


@dataclass(slots=True)
class Imported:
    """The outcome of an import: how many matches were kept, people in them by name, and seats of people without one.

    `broken` has of each match that was left out its name, and where and how it breaks the rules.
    """

    matches: int = 0
    people: int = 0
    without_name: int = 0
    broken: list[tuple[str, str, str]] = field(default_factory=list)


def import_play(path: Path, mapping: GameMapping, folder: Path) -> Imported:
    """Replay the matches of a file, or folder, and write those that follow the rules. Raises StudyError.

    A match with a row that breaks them is left out entirely: what followed from it cannot be known.
    """
    if there := [name for name in TABLES if (folder / name).exists()]:
        raise StudyError(f"{folder} has {' and '.join(there)} already; name another folder with --out")
    done = Imported()
    # All before the first is written: a fault of the mapping in a late file leaves nothing half done.
    played = list(_played(path, mapping, done))
    if not played:
        shown = "; ".join(f"{place}: {why}" for _, place, why in done.broken[:3])
        raise StudyError(f"{path}: no match of it keeps the rules of {mapping.game}{shown and f': {shown}'}")
    done.matches = len(played)
    named = [sat.person for one in played for sat in one.sat.values() if sat.occupant == "human"]
    done.people, done.without_name = len(set(filter(None, named))), named.count("")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in zip(TABLES, _tables(played, done, path, mapping), strict=True):
            with (folder / name).open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(
                    [defused(cell) for cell in row] for row in rows
                )
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror or error}") from None
    return done


def _tables(
    played: Sequence[PlayedElsewhere], done: Imported, path: Path, mapping: GameMapping
) -> tuple[Iterable[Sequence[str]], ...]:
    study = mapping.study or path.stem
    numbered = [
        (one, _holders(one, may_show=mapping.may_show), {"mode": MODE, "study": study, "match": str(number)})
        for number, one in enumerate(played, 1)
    ]
    moves = (
        row
        for one, holders, shared in numbered
        for row in rows_of_moves(
            one.match, holders, shared, {seq: {"rt_ms": str(ms)} for seq, ms in one.took.items()}
        )
    )
    seats = (row for one, holders, shared in numbered for row in rows_of_seats(one.match, holders, shared))
    theirs = ((shared["match"], one.name, one.place) for one, _, shared in numbered)
    return (
        chain([MOVES], moves),
        chain([seat_columns(played[0].match)], seats),
        chain([_MATCHES], theirs),
        chain([_LEFT_OUT], done.broken),
    )


def _played(path: Path, mapping: GameMapping, done: Imported) -> Iterator[PlayedElsewhere]:
    replaying = Replaying(mapping)
    given = matches_in(path, mapping)
    if mapping.deal is not None:
        yield from _dealt([one.rows[0] for one in given], mapping, replaying, done)
        return
    for one in given:
        try:
            yield replaying.played(one)
        except Breaks as fault:
            done.broken.append((one.name, fault.place, fault.why))


def _dealt(
    rows: Sequence[GivenRow], mapping: GameMapping, replaying: Replaying, done: Imported
) -> Iterator[PlayedElsewhere]:
    """Each person's offer against another's answer: people in an order of chance, each meets one further on."""
    assert mapping.deal is not None
    people: dict[str, list[GivenRow]] = {}
    for row in rows:
        try:
            # Against itself first: a row that cannot be played so cannot be played against another either.
            person = replaying.dealt(row.place, row, row).sat[1].person or row.place
            people.setdefault(person, []).append(row)
        except Breaks as fault:
            done.broken.append((row.place, fault.place, fault.why))
    order = list(people)
    random.Random(mapping.deal.seed).shuffle(order)
    usable = [row for person in order for row in people[person]]
    # As far on as anybody has rows, so that nobody meets themselves.
    step = max(map(len, people.values()), default=0)
    if usable and step * 2 > len(usable):
        raise StudyError(
            f"one person has {step} of {len(usable)} rows; there are too few others to be dealt to them"
        )
    for number, row in enumerate(usable):
        other = usable[(number + step) % len(usable)]
        yield replaying.dealt(f"{row.place} with {other.place}", row, other)


def _holders(one: PlayedElsewhere, *, may_show: bool) -> Mapping[int, Holder]:
    agreed = "yes" if may_show else ""
    return {
        seat: Holder(sat.occupant, sat.person, may_show=agreed)
        if sat.occupant == "human"
        else Holder(sat.occupant, agent=f"{sat.name}-{state_hash(sat.name)[:8]}")
        for seat, sat in one.sat.items()
    }
