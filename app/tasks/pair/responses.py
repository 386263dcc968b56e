"""The SELECT of `responses`, which derives the chosen member from the side pressed; and parts shared with other
exports' SELECTs.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sqlalchemy import (
    ColumnClause,
    ColumnElement,
    FromClause,
    Label,
    Select,
    String,
    and_,
    case,
    cast,
    false,
    func,
    inspect,
    literal,
    null,
    select,
    true,
)
from sqlalchemy.orm import aliased
from sqlalchemy.sql.visitors import iterate
from sqlmodel import col

from app.exports.rows import VERDICTS, excluded, of_trials, sides_unknown, who, with_exclusion
from app.library.tables import Stimulus
from app.questions.sides import TIE
from app.tasks.pair.design import Member
from app.tasks.pair.queries import planned_left
from app.tasks.pair.settings import PairDesign
from app.trials.design import Kind
from app.trials.flags import ONE_SIDED_FROM, Flag
from app.trials.responses import Evidence, Response
from app.trials.tables import (
    Mode,
    ParticipantSession,
    Study,
    Trial,
    Unit,
    UnitMember,
)

_s, stimulus_a, stimulus_b = ParticipantSession, aliased(Stimulus), aliased(Stimulus)
member_a, _member_b = aliased(UnitMember), aliased(UnitMember)
_evidence_a, _evidence_b = aliased(Evidence), aliased(Evidence)


def _other(member: Any) -> ColumnElement[str]:
    return case((member == "a", "b"), else_="a")


left_member = planned_left()
_choice: ColumnElement[Any] = case(
    (col(Response.side).is_(None), null()),
    (col(Response.side) == TIE, literal(TIE)),
    (col(Response.side) == "left", left_member),
    else_=_other(left_member),
)
# Sessions that always pressed the same side, as `app.trials.flags.is_one_sided` says it of counts.
ONE_SIDED = (
    select(col(Response.session_id))
    .select_from(Response)
    .join(Trial, col(Response.trial_id) == col(Trial.id))
    .join(Unit, col(Unit.id) == col(Trial.unit_id))
    .where(
        col(Response.side).in_(sorted(PairDesign.sides)),
        ~col(Response.unplayable),
        col(Unit.kind) != Kind.PRACTICE,
    )
    .group_by(col(Response.session_id))
    .having(func.count() >= ONE_SIDED_FROM, func.min(Response.side) == func.max(Response.side))
)
_one_sided = ONE_SIDED.subquery()


def flags_given(one_sided: FromClause) -> Label[Any]:
    """`flags` of an answer, by the joined sessions that are one-sided."""
    flags = case(
        (one_sided.c.session_id.is_(None), col(Response.raised)),
        (sides_unknown, col(Response.raised)),
        (col(_s.mode) == Mode.SIMULATED, col(Response.raised)),
        (col(Response.raised).is_(None), literal(str(Flag.ONE_SIDED))),
        else_=col(Response.raised) + literal(f";{Flag.ONE_SIDED}"),
    )
    return flags.label("flags")


_either_played = and_(col(_evidence_a.id).is_not(None), col(_evidence_b.id).is_not(None))


def answered_trials(columns: Sequence[Label[Any]], slug: str) -> Select[Any]:
    """A SELECT from the responses to a study's trials, with the pair and both clips; ordered by session and trial."""
    return (
        with_clips(of_trials(columns))
        .where(col(Study.slug) == slug)
        .order_by(col(_s.id), col(Trial.position))
    )


def with_clips(pairs: Select[Any]) -> Select[Any]:
    """Join both clips of each unit that is a pair."""
    return (
        pairs.join(member_a, and_(col(member_a.unit_id) == col(Unit.id), col(member_a.slot) == Member.A))
        .join(_member_b, and_(col(_member_b.unit_id) == col(Unit.id), col(_member_b.slot) == Member.B))
        .join(stimulus_a, col(stimulus_a.id) == col(member_a.stimulus_id))
        .join(stimulus_b, col(stimulus_b.id) == col(_member_b.stimulus_id))
    )


RESPONSES: Sequence[Label[Any]] = [
    *who(),
    col(Trial.position).label("position"),
    cast(col(Trial.id), String).label("trial"),
    col(Unit.name).label("pair"),
    col(Unit.condition).label("condition"),
    col(Unit.kind).label("kind"),
    col(stimulus_a.name).label("stimulus_a"),
    col(stimulus_b.name).label("stimulus_b"),
    col(stimulus_a.source).label("source_a"),
    col(stimulus_b.source).label("source_b"),
    col(Unit.truth).label("truth"),
    case((sides_unknown, null()), else_=left_member).label("left"),
    _choice.label("choice"),
    case((_choice == "a", col(stimulus_a.source)), (_choice == "b", col(stimulus_b.source))).label(
        "chosen_source"
    ),
    case(
        (_choice.is_(None) | (_choice == TIE) | col(Unit.truth).is_(None), null()),
        (_choice == col(Unit.truth), true()),
        else_=false(),
    ).label("correct"),
    col(Response.uncertainty).label("uncertainty"),
    col(Response.rationale).label("rationale"),
    col(Response.rt_ms).label("rt_ms"),
    col(Response.shown_at).label("shown_at"),
    col(Response.answered_at).label("answered_at"),
    col(_evidence_a.watched).label("watched_a"),
    col(_evidence_b.watched).label("watched_b"),
    col(_evidence_a.plays).label("plays_a"),
    col(_evidence_b.plays).label("plays_b"),
    case((_either_played, col(_evidence_a.stalls) + col(_evidence_b.stalls))).label("stalls"),
    col(_evidence_a.hidden_ms).label("hidden_ms"),
    excluded.label("excluded"),
    flags_given(_one_sided),
    col(Response.layout).label("layout"),
    col(Response.opened_ms).label("opened_ms"),
    col(Response.interval_ms).label("interval_ms"),
    col(Unit.block).label("block"),
    col(Response.certainty).label("certainty"),
    *VERDICTS,
]


def responses(slug: str, wanted: Collection[str] | None = None) -> Select[Any]:
    """One row per trial answered; those columns of `analysis.data.schema.RESPONSE_COLUMNS` that are wanted.

    A table that no wanted column needs is not read."""
    columns = [column for column in RESPONSES if wanted is None or column.name in wanted]
    return responses_with(columns, slug)


def responses_with(
    columns: Sequence[Label[Any]], slug: str, one_sided: FromClause = _one_sided
) -> Select[Any]:
    """The rows of `responses` with other columns."""
    statement = with_exclusion(answered_trials(columns, slug))
    if one_sided in {table for column in columns for table in tables_of(column)}:
        statement = statement.outerjoin(one_sided, one_sided.c.session_id == col(_s.id))
    return with_evidence(statement, columns)


def with_evidence(statement: Select[Any], columns: Sequence[Label[Any]]) -> Select[Any]:
    """Join what the browser reported of each clip, as far as a column is made of it."""
    needed = {table for column in columns for table in tables_of(column)}
    for evidence, slot in ((_evidence_a, "a"), (_evidence_b, "b")):
        if inspect(evidence).selectable in needed:
            of_slot = and_(col(evidence.response_id) == col(Response.id), col(evidence.slot) == slot)
            statement = statement.outerjoin(evidence, of_slot)
    return statement


def tables_of(expression: ColumnElement[Any]) -> Iterator[Any]:
    """The tables that an expression is made of."""
    return (element.table for element in iterate(expression) if isinstance(element, ColumnClause))


def playback(slug: str) -> Select[Any]:
    """One row per clip of each trial answered, as far as the browser reported."""
    columns = [
        *who(),
        cast(col(Trial.id), String).label("trial"),
        col(Unit.name).label("pair"),
        col(Evidence.slot).label("member"),
        case((col(Evidence.slot) == left_member, "left"), else_="right").label("side"),
        case((col(Evidence.slot) == "a", col(stimulus_a.name)), else_=col(stimulus_b.name)).label("stimulus"),
        *(
            col(getattr(Evidence, name)).label(name)
            for name in (
                "watched", "plays", "played", "duration_s", "stalls", "stall_ms", "dropped_frames", "frames",
                "drift_ms_max", "hidden_ms", "page_loads", "max_rate", "failed", "errors",
            )
        ),
        col(Response.flags).label("flags"),
        col(Response.odd_playback).label("odd_playback"),
        case(
            (col(Evidence.slot) == "a", col(Response.fetched_a)),
            (col(Evidence.slot) == "b", col(Response.fetched_b)),
        ).label("fetched"),
    ]  # fmt: skip
    return (
        answered_trials(columns, slug)
        .outerjoin(Evidence, col(Evidence.response_id) == col(Response.id))
        .order_by(col(Evidence.slot))
    )
