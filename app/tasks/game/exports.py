"""Exports of a study of matches: their events and seats; and their pay, in the rows of participants."""

from collections.abc import Callable, Iterator, Sequence

from sqlmodel import Session

from app.exports.columns import (
    MOVE_COLUMNS,
    PAY_COLUMNS,
    SEAT_COLUMNS,
    SEAT_COLUMNS_LAST,
    Column,
    measure_column,
)
from app.exports.tables import SESSION, Designs, Exports, ExportTable, OfSessions, OfStudy, Row
from app.tasks.game import played
from app.tasks.game.settings import GameDesign


def games_of(designs: Designs) -> tuple[str, ...]:
    """The games of any version, in the order of its blocks."""
    blocks = (block for design in designs.values() for block in design.blocks)
    return tuple(dict.fromkeys(block.game for block in blocks if isinstance(block, GameDesign)))


def _moves(
    session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
) -> Iterator[Row]:
    return played.moves(session, study.slug, modes, by_arrival=by_arrival)


def _seats(
    session: Session, study: OfStudy, modes: Sequence[str] | None, *, by_arrival: bool
) -> Iterator[Row]:
    return played.seats_played(session, study, modes, games_of(study.designs), by_arrival=by_arrival)


def _columns_of_seats(designs: Designs) -> tuple[Column, ...]:
    """The columns of seats, with one for each measure of the games before bonus, exclusion and verdicts."""
    measures = dict.fromkeys(name for game in games_of(designs) for name in played.metric_names(game))
    first, last = SEAT_COLUMNS[:-SEAT_COLUMNS_LAST], SEAT_COLUMNS[-SEAT_COLUMNS_LAST:]
    return (*first, *(measure_column(name) for name in measures), *last)


def _pay(session: Session, study: OfStudy) -> Callable[[Row], Row]:
    paid, nothing = played.pay_of(session, study), {"bonus_minor": 0, "wait_pay_minor": 0}

    def of(row: Row) -> Row:
        currency = played.currency_of(study.designs[row["version"]])
        return {**paid.get(int(row["session"]), nothing), "currency": currency}

    return of


EXPORTS = Exports(
    (
        ExportTable(
            "moves",
            MOVE_COLUMNS,
            "One row per event of each match that is over, by match and `seq`.",
            rows=_moves,
            key=("match", "seq"),
            references=(SESSION,),
        ),
        ExportTable(
            "seats_played",
            SEAT_COLUMNS,
            "One row per occupancy of a seat of each match that is over, with the game's measures.",
            rows=_seats,
            key=("match", "seat", "from_seq"),
            references=(SESSION,),
            columns_of=_columns_of_seats,
        ),
    ),
    OfSessions(PAY_COLUMNS, _pay),
)
