"""Matches as the two tables of games, from their rows: as `game play` writes them, so that the same programs read them.

Only matches that are over are in them, of every mode but previews.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import Row, func, select
from sqlmodel import Session, SQLModel, col

from app.core.errors import StudyError
from app.exports.rows import VERDICTS, excluded_by_hand, with_exclusion
from app.exports.tables import Design, OfStudy
from app.tasks.game.base import Event, canonical_json
from app.tasks.game.files import MOVES, SEATS_PLAYED, amount_value
from app.tasks.game.files import VERDICTS as VERDICT_NAMES
from app.tasks.game.fold import event_table, folded_from_rows, match_table, seat_table
from app.tasks.game.games import GAMES
from app.tasks.game.match import Match
from app.tasks.game.matching import waiting_table
from app.tasks.game.settings import GameDesign
from app.tasks.game.tables import Exchange, MatchStatus
from app.trials.tables import Mode, Study, StudyVersion

BATCH_ROWS = 5_000
_m, _s, _e, _w = match_table.c, seat_table.c, event_table.c, waiting_table.c
exchange_table = SQLModel.metadata.tables[str(Exchange.__tablename__)]


def moves(
    session: Session, slug: str, modes: Sequence[str] | None = None, *, by_arrival: bool = True
) -> Iterator[Mapping[str, Any]]:
    """A row for each event, by match and `seq`; sessions left out are marked. Matches come as they were formed, or
    without `by_arrival` in the order of their seeds, which were drawn at random."""
    statement = with_exclusion(
        select(match_table, event_table, *_WHERE, _LEFT_OUT, *VERDICTS)
        .join(event_table, _e.match_id == _m.id)
        .order_by(*_order(by_arrival=by_arrival), _e.seq),
        _e.session_id,
    )
    found = session.execute(_ended(statement, slug, modes).execution_options(yield_per=BATCH_ROWS))
    for id_, rows in groupby(found, key=lambda row: row[0]):
        roles = _roles(session, id_)
        for row in rows:
            yield _move_row(row._mapping, roles)


def seats_played(
    session: Session,
    study: OfStudy,
    modes: Sequence[str] | None = None,
    games: Sequence[str] = (),
    *,
    by_arrival: bool = True,
) -> Iterator[Mapping[str, Any]]:
    """A row for each occupancy of a seat, with the measures of the match where it was played to its end."""
    shown = {number: design.may_show_play for number, design in study.designs.items()}
    nothing = dict.fromkeys(name for game in games for name in metric_names(game))
    statement = select(match_table, *_WHERE).order_by(*_order(by_arrival=by_arrival))
    for match in session.execute(_ended(statement, study.slug, modes)).all():
        of_match = (
            select(seat_table, _LEFT_OUT, *VERDICTS).where(_s.match_id == match.id).order_by(_s.seat, _s.id)
        )
        seats = session.execute(with_exclusion(of_match, _s.session_id))
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
                "may_show": "yes" if seat.session_id is not None and shown[match.version] else None,
                **measures.get(seat.seat, {}),
                "bonus_minor": seat.bonus_minor,
                "excluded": seat.excluded,
                **_verdicts(seat._mapping, seat.session_id),
            }
            yield row


def exchanges(session: Session, slug: str) -> Iterator[Mapping[str, Any]]:
    """Every prompt to a language model of a study's live matches and its reply, as `game play` keeps them, in order."""
    statement = (
        select(exchange_table.c.at, exchange_table.c.line)
        .join(match_table, _m.id == exchange_table.c.match_id)
        .join(StudyVersion, col(StudyVersion.id) == _m.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == slug)
        .order_by(exchange_table.c.id)
    )
    for row in session.execute(statement.execution_options(yield_per=BATCH_ROWS)):
        yield {"at": row.at.isoformat(timespec="milliseconds"), **row.line}


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


def pay_of(session: Session, study: OfStudy) -> Mapping[int, Mapping[str, Any]]:
    """Pay by session: the bonus of its finished matches, and the pay for waiting, in minor units."""
    bonuses = session.execute(
        select(_s.session_id, func.sum(_s.bonus_minor))
        .join(match_table, _m.id == _s.match_id)
        .join(StudyVersion, col(StudyVersion.id) == _m.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == study.slug, _s.bonus_minor.is_not(None))
        .group_by(_s.session_id)
    )
    paid = {id_: {"bonus_minor": int(total), "wait_pay_minor": 0} for id_, total in bonuses}
    waits = session.execute(
        select(_w.session_id, _w.block, _w.waited_s, col(StudyVersion.number))
        .join(StudyVersion, col(StudyVersion.id) == _w.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == study.slug, _w.waited_s > 0)
    )
    blocks = study.blocks("game")
    for id_, block, waited_s, version in waits:
        own = paid.setdefault(id_, {"bonus_minor": 0, "wait_pay_minor": 0})
        design = blocks[version, block]
        assert isinstance(design, GameDesign)
        own["wait_pay_minor"] += design.matching.wait_pay_minor_per_min * waited_s // 60
    return paid


def currency_of(design: Design) -> str | None:
    """The currency in which a version pays matches and waits; None where it pays neither."""
    games = [block for block in design.blocks if isinstance(block, GameDesign)]
    paying = [block for block in games if block.bonus or block.matching.wait_pay_minor_per_min]
    return paying[0].currency if paying else None


_LEFT_OUT = excluded_by_hand.label("excluded")
_WHERE: tuple[Any, ...] = (col(Study.slug).label("study"), col(StudyVersion.number).label("version"))


def _ended(statement: Any, slug: str, modes: Sequence[str] | None) -> Any:
    wanted = [mode.value for mode in Mode if mode is not Mode.PREVIEW] if modes is None else list(modes)
    return (
        statement.join(StudyVersion, col(StudyVersion.id) == _m.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(Study.slug) == slug, _m.status != MatchStatus.RUNNING, _m.mode.in_(wanted))
    )


def _order(*, by_arrival: bool) -> tuple[Any, ...]:
    return (_m.id,) if by_arrival else (_m.seed, _m.id)


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


def _move_row(row: Mapping[Any, Any], roles: Mapping[int, str]) -> dict[str, Any]:
    seat = row[_e.seat]
    return {
        **dict.fromkeys(MOVES),
        **_shared(row),
        **{
            name: row[_e[name]]
            for name in ("seq", "round", "phase", "kind", "message", "auto", "rt_ms", "reason")
        },
        **{name: row[_e[name]] for name in ("shown_at", "received_at", "deadline_at", "state_hash")},
        "seat": seat,
        "role": roles.get(seat),
        "occupant": row[_e.occupant],
        "session": _text(row[_e.session_id]),
        "move": canonical_json(row[_e.move]) if row[_e.move] else "",
        "payoff_round": _amount(row[_e.payoff_round]),
        "payoff_total": _amount(row[_e.payoff_total]),
        "excluded": row["excluded"],
        **_verdicts(row, row[_e.session_id]),
    }


def _verdicts(row: Mapping[Any, Any], session_id: int | None) -> dict[str, Any]:
    """The verdicts on a person's session; empty of chance, notes and agents, on whom there is none."""
    return {name: None if session_id is None else row[name] for name in VERDICT_NAMES}


def _roles(session: Session, match_id: int) -> dict[int, str]:
    found = session.execute(select(_s.seat, _s.role).where(_s.match_id == match_id))
    return {seat: role for seat, role in found}  # noqa: C416  (rows are no pairs to a type checker)


def _measures(session: Session, match: Row[Any]) -> Mapping[int, Mapping[str, Any]]:
    """The measures by seat; empty for a stopped match, for which they are undefined."""
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


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _amount(text: str | None) -> int | float | None:
    return None if text is None else amount_value(Fraction(text))
