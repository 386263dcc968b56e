"""The SELECT of `responses`, which derives the chosen member from the side pressed; and parts shared with other
exports' SELECTs.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnClause,
    ColumnElement,
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

from app.library.tables import Stimulus
from app.monitor.counting import ONE_SIDED
from app.questions.sides import TIE
from app.studies.tables import Study, StudyVersion
from app.tasks.pair.design import Member
from app.tasks.pair.queries import planned_left
from app.trials.flags import UNWATCHED, Flag
from app.trials.responses import Evidence, Response
from app.trials.tables import Exclusion, Mode, ParticipantSession, Trial, Unit, UnitMember

_s, stimulus_a, stimulus_b = ParticipantSession, aliased(Stimulus), aliased(Stimulus)
_SESSION_ID = col(_s.id)
member_a, _member_b = aliased(UnitMember), aliased(UnitMember)
_evidence_a, _evidence_b = aliased(Evidence), aliased(Evidence)


def _other(member: Any) -> ColumnElement[str]:
    return case((member == "a", "b"), else_="a")


left_member = planned_left()
# Imported answers may not say where the clips were; member a then stands for the left in the tables.
sides_unknown = col(StudyVersion.sides_known).is_(false())
_choice: ColumnElement[Any] = case(
    (col(Response.side).is_(None), null()),
    (col(Response.side) == TIE, literal(TIE)),
    (col(Response.side) == "left", left_member),
    else_=_other(left_member),
)
excluded_by_hand = case((col(Exclusion.id).is_not(None), literal("by-hand")))
# The first rule that leaves an answer out.
excluded = func.coalesce(
    excluded_by_hand,
    case(
        (col(Response.unplayable), literal("unplayable")),
        (col(Response.unwatched).is_(true()), literal(UNWATCHED)),
        else_=col(Response.study_rule),
    ),
)
_one_sided = ONE_SIDED.subquery()
_flags = case(
    (_one_sided.c.session_id.is_(None), col(Response.raised)),
    (sides_unknown, col(Response.raised)),
    (col(_s.mode) == Mode.SIMULATED, col(Response.raised)),
    (col(Response.raised).is_(None), literal(str(Flag.ONE_SIDED))),
    else_=col(Response.raised) + literal(f";{Flag.ONE_SIDED}"),
)
_either_played = and_(col(_evidence_a.id).is_not(None), col(_evidence_b.id).is_not(None))


def who() -> list[Label[Any]]:
    return [
        col(Study.slug).label("study"),
        col(StudyVersion.number).label("version"),
        col(_s.arm).label("arm"),
        col(_s.mode).label("mode"),
        col(_s.participant).label("participant"),
        cast(col(_s.id), String).label("session"),
    ]


def session_tables(statement: Select[Any]) -> Select[Any]:
    """Join every session except previews, which never count."""
    return (
        statement.join(StudyVersion, col(StudyVersion.id) == col(_s.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(_s.mode) != Mode.PREVIEW)
    )


def with_exclusion(statement: Select[Any], session_id: Any = _SESSION_ID) -> Select[Any]:
    """Join the current exclusion of a row's session, of which there is at most one: `excluded` and `excluded_by_hand`
    are read from it, in every table."""
    standing = and_(col(Exclusion.session_id) == session_id, col(Exclusion.lifted_at).is_(None))
    return statement.outerjoin(Exclusion, standing)


def of_trials(columns: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """A SELECT from the responses to trials, with their units."""
    responses = select(*columns).select_from(Response).join(Trial, col(Trial.id) == col(Response.trial_id))
    sessions = session_tables(responses.join(_s, col(_s.id) == col(Trial.session_id)))
    return sessions.join(Unit, col(Unit.id) == col(Trial.unit_id))


def answered_rows(slug: str, own: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """One row per trial answered, by session and position: participant, place, time and whether it is left out, and the
    columns that a task adds (`own`).
    """
    columns = [
        *who(),
        col(Unit.block).label("block"),
        col(Trial.position).label("position"),
        cast(col(Trial.id), String).label("trial"),
        col(Unit.kind).label("kind"),
        col(Response.rt_ms).label("rt_ms"),
        col(Response.shown_at).label("shown_at"),
        col(Response.answered_at).label("answered_at"),
        col(Response.raised).label("flags"),
        excluded.label("excluded"),
        *own,
    ]
    found = with_exclusion(of_trials(columns))
    return found.where(col(Study.slug) == slug).order_by(col(_s.id), col(Trial.position))


def answered_trials(columns: Sequence[Label[Any]], slug: str) -> Select[Any]:
    """A SELECT from the responses to a study's trials, with the pair and both clips; ordered by session and trial."""
    return (
        _with_clips(of_trials(columns))
        .where(col(Study.slug) == slug)
        .order_by(col(_s.id), col(Trial.position))
    )


def _with_clips(pairs: Select[Any]) -> Select[Any]:
    """Join both clips of each unit that is a pair."""
    return (
        pairs.join(member_a, and_(col(member_a.unit_id) == col(Unit.id), col(member_a.slot) == Member.A))
        .join(_member_b, and_(col(_member_b.unit_id) == col(Unit.id), col(_member_b.slot) == Member.B))
        .join(stimulus_a, col(stimulus_a.id) == col(member_a.stimulus_id))
        .join(stimulus_b, col(stimulus_b.id) == col(_member_b.stimulus_id))
    )


_RESPONSES: Sequence[Label[Any]] = [
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
    _flags.label("flags"),
    col(Response.layout).label("layout"),
    col(Response.opened_ms).label("opened_ms"),
    col(Response.interval_ms).label("interval_ms"),
    col(Unit.block).label("block"),
    col(Response.certainty).label("certainty"),
]


_OF_SESSIONS = {inspect(table).selectable for table in (Study, StudyVersion, _s)}
_OF_PAIRS = {inspect(table).selectable for table in (Unit, stimulus_a, stimulus_b)}


@dataclass(frozen=True, slots=True)
class InParts:
    """`responses` in three parts: `answers` begins with the keys `session_key` and `pair_key`, by which the first
    columns of `sessions` and of `pairs` are joined. Values repeated in a thousand rows are then read once.
    """

    answers: Select[Any]
    sessions: Select[Any]
    pairs: Select[Any]


def responses(slug: str, wanted: Collection[str] | None = None) -> Select[Any]:
    """One row per trial answered; those columns of `analysis.data.schema.RESPONSE_COLUMNS` that are wanted.

    A table that no wanted column needs is not read."""
    return _responses([column for column in _RESPONSES if wanted is None or column.name in wanted], slug)


def responses_in_parts(slug: str, wanted: Collection[str]) -> InParts:
    """The same rows and columns; those of whole sessions and of pairs once for each."""
    columns = [column for column in _RESPONSES if column.name in wanted]
    of_sessions = [column for column in columns if _OF_SESSIONS.issuperset(_tables_of(column))]
    of_pairs = [column for column in columns if _OF_PAIRS.issuperset(_tables_of(column))]
    rest = [column for column in columns if column not in of_sessions and column not in of_pairs]
    session_key: Label[Any] = col(_s.id).label("session_key")
    pair_key: Label[Any] = col(Unit.id).label("pair_key")
    sessions = session_tables(select(session_key, *of_sessions).select_from(_s))
    pairs = (
        _with_clips(select(pair_key, *of_pairs).select_from(Unit))
        .join(StudyVersion, col(StudyVersion.id) == col(Unit.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
    )
    return InParts(
        _responses([session_key, pair_key, *rest], slug),
        sessions.where(col(Study.slug) == slug),
        pairs.where(col(Study.slug) == slug),
    )


def _responses(columns: Sequence[Label[Any]], slug: str) -> Select[Any]:
    statement = with_exclusion(answered_trials(columns, slug))
    needed = {table for column in columns for table in _tables_of(column)}
    if _one_sided in needed:
        statement = statement.outerjoin(_one_sided, _one_sided.c.session_id == col(_s.id))
    for evidence, slot in ((_evidence_a, "a"), (_evidence_b, "b")):
        if inspect(evidence).selectable in needed:
            of_slot = and_(col(evidence.response_id) == col(Response.id), col(evidence.slot) == slot)
            statement = statement.outerjoin(evidence, of_slot)
    return statement


def _tables_of(expression: ColumnElement[Any]) -> Iterator[Any]:
    return (element.table for element in iterate(expression) if isinstance(element, ColumnClause))
