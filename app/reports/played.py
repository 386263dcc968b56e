"""Matches as the two tables of games, from their rows: as `game play` writes them, so that the same programs read them.

Only matches that are over are in them, of every mode but previews.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import Row, select
from sqlmodel import Session, SQLModel, col

from app.core.errors import StudyError
from app.sessions.tables import Exclusion, Mode
from app.studies.tables import Study, StudyVersion
from app.tasks.game.base import Event, canonical_json
from app.tasks.game.files import MOVES, SEATS_PLAYED, amount_value
from app.tasks.game.fold import event_table, folded_from_rows, match_table, seat_table
from app.tasks.game.games import GAMES
from app.tasks.game.match import Match
from app.tasks.game.tables import MatchStatus

BATCH_ROWS = 5_000
BY_HAND = "by-hand"
_m, _s, _e = match_table.c, seat_table.c, event_table.c
_exclusion = SQLModel.metadata.tables[str(Exclusion.__tablename__)]


def moves(session: Session, slug: str, modes: Sequence[str] | None = None) -> Iterator[Mapping[str, Any]]:
    """A row for each event, by match and `seq`; sessions left out are marked."""
    excluded = _excluded(session)
    statement = (
        select(match_table, event_table, *_WHERE)
        .join(event_table, _e.match_id == _m.id)
        .order_by(_m.id, _e.seq)
    )
    found = session.execute(_ended(statement, slug, modes).execution_options(yield_per=BATCH_ROWS))
    for id_, rows in groupby(found, key=lambda row: row[0]):
        roles = _roles(session, id_)
        for row in rows:
            yield _move_row(row._mapping, roles, excluded)


def seats_played(
    session: Session, slug: str, modes: Sequence[str] | None = None, games: Sequence[str] = ()
) -> Iterator[Mapping[str, Any]]:
    """A row for each occupancy of a seat, with the measures of the match where it was played to its end."""
    excluded = _excluded(session)
    nothing = dict.fromkeys(name for game in games for name in metric_names(game))
    statement = select(match_table, *_WHERE).order_by(_m.id)
    for match in session.execute(_ended(statement, slug, modes)).all():
        seats = session.execute(select(seat_table).where(_s.match_id == match.id).order_by(_s.seat, _s.id))
        measures = _measures(session, match)
        for seat in seats:
            row = {
                **dict.fromkeys(SEATS_PLAYED),
                **nothing,
                **_shared(match._mapping),
                "seat": seat.seat,
                "role": seat.role,
                "occupant": seat.occupant,
                "session": _text(seat.session_id),
                "agent": seat.agent,
                "from_seq": seat.from_seq,
                "to_seq": seat.to_seq,
                "left_reason": seat.left_reason,
                "end_reason": match.end_reason,
                "payoff_units": amount_value(Fraction(seat.payoff or 0)),
                **measures.get(seat.seat, {}),
                "bonus_minor": seat.bonus_minor,
                "excluded": BY_HAND if seat.session_id in excluded else None,
            }
            yield row


@cache
def metric_names(game: str) -> tuple[str, ...]:
    """The names of a game's measures, from a match of default moves."""
    rules = GAMES[game]
    match = Match(rules, rules.Config(), 0)
    while match.outcome is None:
        chance, phase = rules.nature(match.state), match.phase
        seat = phase.seats[0] if phase.seats else None
        move = chance.draw(random.Random(0)) if chance else rules.default_move(match.state, seat or 0)
        kind: Any = "nature" if chance else "move"
        match.append(Event(kind, phase.phase_id, None if chance else seat, move))
    return tuple(sorted(rules.metrics(match.config, match.events)[1]))


_WHERE: tuple[Any, ...] = (col(Study.slug).label("study"), col(StudyVersion.number).label("version"))


def _ended(statement: Any, slug: str, modes: Sequence[str] | None) -> Any:
    wanted = [mode.value for mode in Mode if mode is not Mode.PREVIEW] if modes is None else list(modes)
    return (
        statement.join(StudyVersion, col(StudyVersion.id) == _m.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == slug, _m.status != MatchStatus.RUNNING, _m.mode.in_(wanted))
    )


def _shared(match: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        "study": match["study"],
        "version": match["version"],
        "arm": match[_m.arm],
        "mode": match[_m.mode],
        "match": _text(match[_m.id]),
        "game": match[_m.game],
        "config_hash": match[_m.config_hash],
    }


def _move_row(row: Mapping[Any, Any], roles: Mapping[int, str], excluded: frozenset[int]) -> dict[str, Any]:
    seat = row[_e.seat]
    return {
        **dict.fromkeys(MOVES),
        **_shared(row),
        **{name: row[_e[name]] for name in ("seq", "round", "phase", "kind", "message", "auto", "rt_ms")},
        **{name: row[_e[name]] for name in ("shown_at", "received_at", "deadline_at", "state_hash")},
        "seat": seat,
        "role": roles.get(seat),
        "occupant": row[_e.occupant],
        "session": _text(row[_e.session_id]),
        "move": canonical_json(row[_e.move]) if row[_e.move] else "",
        "payoff_round": _amount(row[_e.payoff_round]),
        "payoff_total": _amount(row[_e.payoff_total]),
        "excluded": BY_HAND if row[_e.session_id] in excluded else None,
    }


def _roles(session: Session, match_id: int) -> dict[int, str]:
    found = session.execute(select(_s.seat, _s.role).where(_s.match_id == match_id))
    return {seat: role for seat, role in found}  # noqa: C416  (rows are no pairs to a type checker)


def _measures(session: Session, match: Row[Any]) -> Mapping[int, Mapping[str, Any]]:
    """By seat; none of a match that was stopped, whose measures are not defined."""
    if match.status != MatchStatus.FINISHED:
        return {}
    try:
        played = folded_from_rows(session, match, ()).match
    except ValueError as error:
        raise StudyError(f"{error}; restore the database from a copy") from None
    found = played.game.metrics(played.config, played.events)
    return {
        seat: {name: amount_value(value) for name, value in values.items()} for seat, values in found.items()
    }


def _excluded(session: Session) -> frozenset[int]:
    standing = select(_exclusion.c.session_id).where(_exclusion.c.lifted_at.is_(None))
    return frozenset(session.execute(standing).scalars())


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _amount(text: str | None) -> int | float | None:
    return None if text is None else amount_value(Fraction(text))
