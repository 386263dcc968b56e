"""Exports of a study of matches: their events and seats; and their pay, in the rows of participants."""

from collections.abc import Callable, Iterator, Sequence

from sqlmodel import Session

from app.reports import played
from app.reports.columns import MOVE_COLUMNS, PAY_COLUMNS, SEAT_COLUMNS, Column, measure_column
from app.reports.exported import SESSION, Designs, Exports, ExportTable, OfSessions, Row
from app.reports.facts import designs_of


def games_of(designs: Designs) -> tuple[str, ...]:
    """The games of any version, in the order of its blocks."""
    return tuple(dict.fromkeys(block.game for design in designs.values() for block in design.game_blocks))


def _moves(session: Session, slug: str, modes: Sequence[str] | None, *, by_arrival: bool) -> Iterator[Row]:
    return played.moves(session, slug, modes, by_arrival=by_arrival)


def _seats(session: Session, slug: str, modes: Sequence[str] | None, *, by_arrival: bool) -> Iterator[Row]:
    games = games_of(designs_of(session, slug))
    return played.seats_played(session, slug, modes, games, by_arrival=by_arrival)


def _columns_of_seats(designs: Designs) -> tuple[Column, ...]:
    """The columns of seats, with one for each measure of the games before the last two."""
    measures = dict.fromkeys(name for game in games_of(designs) for name in played.metric_names(game))
    return (*SEAT_COLUMNS[:-2], *(measure_column(name) for name in measures), *SEAT_COLUMNS[-2:])


def _pay(session: Session, slug: str, designs: Designs) -> Callable[[Row], Row]:
    paid, nothing = played.pay_of(session, slug, designs), {"bonus_minor": 0, "wait_pay_minor": 0}

    def of(row: Row) -> Row:
        currency = played.currency_of(designs[row["version"]])
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
