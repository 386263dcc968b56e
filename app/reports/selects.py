"""The one SELECT behind each export: names its columns, derives the choice's member, and orders its rows."""

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

from analysis.data.columns import SELF
from app.library.tables import Stimulus
from app.monitor.counting import ONE_SIDED
from app.sessions.design import PageKey, Slot
from app.sessions.flags import UNWATCHED, Flag
from app.sessions.tables import BEGUN, Evidence, Exclusion, Mode, ParticipantSession, Response, Trial
from app.studies.tables import Study, StudyVersion, Unit, UnitMember
from app.tasks.pair.design import TIE, Member
from app.tasks.pair.queries import planned_left

_s, _stimulus_a, _stimulus_b = ParticipantSession, aliased(Stimulus), aliased(Stimulus)
_member_a, _member_b = aliased(UnitMember), aliased(UnitMember)
_item, _shown = aliased(UnitMember), aliased(Stimulus)
_evidence_a, _evidence_b, _evidence_item = aliased(Evidence), aliased(Evidence), aliased(Evidence)


def _other(member: Any) -> ColumnElement[str]:
    return case((member == "a", "b"), else_="a")


_left = planned_left()
# Imported answers may not say where the clips were; member a then stands for the left in the tables.
_sides_unknown = col(StudyVersion.sides_known).is_(false())
_choice: ColumnElement[Any] = case(
    (col(Response.side).is_(None), null()),
    (col(Response.side) == TIE, literal(TIE)),
    (col(Response.side) == "left", _left),
    else_=_other(_left),
)
_excluded_by_hand = case((col(Exclusion.id).is_not(None), literal("by-hand")))
# The first rule that leaves an answer out.
excluded = func.coalesce(
    _excluded_by_hand,
    case(
        (col(Response.unplayable), literal("unplayable")),
        (col(Response.unwatched).is_(true()), literal(UNWATCHED)),
    ),
)
_one_sided = ONE_SIDED.subquery()
_flags = case(
    (_one_sided.c.session_id.is_(None), col(Response.raised)),
    (_sides_unknown, col(Response.raised)),
    (col(_s.mode) == Mode.SIMULATED, col(Response.raised)),
    (col(Response.raised).is_(None), literal(str(Flag.ONE_SIDED))),
    else_=col(Response.raised) + literal(f";{Flag.ONE_SIDED}"),
)
# `PageKey` of a block's page about oneself, up to the block.
_SELF_PAGE = f"{PageKey('self')}-"
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
    """Of every session but the previews, which count nowhere."""
    return (
        statement.join(StudyVersion, col(StudyVersion.id) == col(_s.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(_s.mode) != Mode.PREVIEW)
    )


def with_exclusion(statement: Select[Any]) -> Select[Any]:
    """With the standing exclusion of the session, of which there is one at most."""
    standing = and_(col(Exclusion.session_id) == col(_s.id), col(Exclusion.lifted_at).is_(None))
    return statement.outerjoin(Exclusion, standing)


def _answered_trials(columns: Sequence[Label[Any]], slug: str) -> Select[Any]:
    """From the responses to a study's trials, with the pair and both clips; in the order of sessions and trials."""
    trials = (
        select(*columns)
        .select_from(Response)
        .join(Trial, col(Trial.id) == col(Response.trial_id))
        .join(_s, col(_s.id) == col(Trial.session_id))
    )
    return (
        _with_clips(session_tables(trials).join(Unit, col(Unit.id) == col(Trial.unit_id)))
        .where(col(Study.slug) == slug)
        .order_by(col(_s.id), col(Trial.position))
    )


def _with_clips(pairs: Select[Any]) -> Select[Any]:
    """With both clips of each unit that is a pair."""
    return (
        pairs.join(_member_a, and_(col(_member_a.unit_id) == col(Unit.id), col(_member_a.slot) == Member.A))
        .join(_member_b, and_(col(_member_b.unit_id) == col(Unit.id), col(_member_b.slot) == Member.B))
        .join(_stimulus_a, col(_stimulus_a.id) == col(_member_a.stimulus_id))
        .join(_stimulus_b, col(_stimulus_b.id) == col(_member_b.stimulus_id))
    )


_RESPONSES: Sequence[Label[Any]] = [
    *who(),
    col(Trial.position).label("position"),
    cast(col(Trial.id), String).label("trial"),
    col(Unit.name).label("pair"),
    col(Unit.condition).label("condition"),
    col(Unit.kind).label("kind"),
    col(_stimulus_a.name).label("stimulus_a"),
    col(_stimulus_b.name).label("stimulus_b"),
    col(_stimulus_a.source).label("source_a"),
    col(_stimulus_b.source).label("source_b"),
    col(Unit.truth).label("truth"),
    case((_sides_unknown, null()), else_=_left).label("left"),
    _choice.label("choice"),
    case((_choice == "a", col(_stimulus_a.source)), (_choice == "b", col(_stimulus_b.source))).label(
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
_OF_PAIRS = {inspect(table).selectable for table in (Unit, _stimulus_a, _stimulus_b)}


@dataclass(frozen=True, slots=True)
class InParts:
    """`responses` in three: `answers` begins with the keys `session_key` and `pair_key`, by which the first columns
    of `sessions` and of `pairs` are found. What is the same in a thousand rows is then read once."""

    answers: Select[Any]
    sessions: Select[Any]
    pairs: Select[Any]


def responses(slug: str, wanted: Collection[str] | None = None) -> Select[Any]:
    """One row per trial answered; those columns of `analysis.data.schema.RESPONSE_COLUMNS` that are wanted.

    A table that no wanted column needs is not read."""
    return _responses([column for column in _RESPONSES if wanted is None or column.name in wanted], slug)


def responses_in_parts(slug: str, wanted: Collection[str]) -> InParts:
    """The same rows and columns; those of whole sessions and of pairs once for each of them."""
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
    statement = with_exclusion(_answered_trials(columns, slug))
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


def participants(slug: str) -> Select[Any]:
    """One row per session that began: those who refused or were under age are counted, never listed."""
    answered = (
        select(col(Response.session_id), func.count(col(Response.trial_id)).label("n"))
        .group_by(col(Response.session_id))
        .subquery()
    )
    planned = (
        select(col(Trial.session_id), func.count(col(Trial.id)).label("n"))
        .group_by(col(Trial.session_id))
        .subquery()
    )
    background = aliased(Response)
    columns = [
        *who(),
        col(_s.status).label("status"),
        col(_s.ordinal).label("ordinal"),
        col(_s.seed).label("seed"),
        col(_s.arrived_at).label("arrived_at"),
        col(_s.consented_at).label("consented_at"),
        col(_s.ended_at).label("ended_at"),
        planned.c.n.label("trials_planned"),
        answered.c.n.label("trials_answered"),
        col(background.answers).label("background"),
        col(_s.recruiter).label("recruiter"),
        _excluded_by_hand.label("excluded"),
        col(Exclusion.reason).label("exclusion_reason"),
    ]
    return (
        with_exclusion(session_tables(select(*columns).select_from(_s)))
        .outerjoin(planned, planned.c.session_id == col(_s.id))
        .outerjoin(answered, answered.c.session_id == col(_s.id))
        .outerjoin(
            background, and_(col(background.session_id) == col(_s.id), col(background.page) == "background")
        )
        .where(col(Study.slug) == slug, col(_s.status).in_(BEGUN))
        .order_by(col(_s.id))
    )


def playback(slug: str) -> Select[Any]:
    """One row per clip of each trial answered, as far as the browser reported."""
    columns = [
        *who(),
        cast(col(Trial.id), String).label("trial"),
        col(Unit.name).label("pair"),
        col(Evidence.slot).label("member"),
        case((col(Evidence.slot) == _left, "left"), else_="right").label("side"),
        case((col(Evidence.slot) == "a", col(_stimulus_a.name)), else_=col(_stimulus_b.name)).label("stimulus"),
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
        _answered_trials(columns, slug)
        .outerjoin(Evidence, col(Evidence.response_id) == col(Response.id))
        .order_by(col(Evidence.slot))
    )


def ratings(slug: str) -> Select[Any]:
    """One row per item rated; `app.reports.export` makes one row per question of it. Pairs have no part in it."""
    columns = [
        *who(),
        col(Unit.block).label("block"),
        col(Trial.position).label("position"),
        cast(col(Trial.id), String).label("trial"),
        col(Unit.name).label("item"),
        col(Unit.condition).label("condition"),
        col(Unit.kind).label("kind"),
        col(_shown.name).label("stimulus"),
        col(_shown.source).label("source"),
        col(Response.rt_ms).label("rt_ms"),
        col(Response.shown_at).label("shown_at"),
        col(Response.answered_at).label("answered_at"),
        col(Response.raised).label("flags"),
        excluded.label("excluded"),
        col(Unit.item_group).label("group"),
        col(_evidence_item.watched).label("watched"),
        col(_evidence_item.hidden_ms).label("hidden_ms"),
        col(_evidence_item.reading).label("reading"),
        col(Response.answers).label("answers"),
    ]
    trials = (
        select(*columns)
        .select_from(Response)
        .join(Trial, col(Trial.id) == col(Response.trial_id))
        .join(_s, col(_s.id) == col(Trial.session_id))
    )
    return (
        with_exclusion(session_tables(trials))
        .join(Unit, col(Unit.id) == col(Trial.unit_id))
        .outerjoin(_member_a, and_(col(_member_a.unit_id) == col(Unit.id), col(_member_a.slot) == Member.A))
        .outerjoin(_item, and_(col(_item.unit_id) == col(Unit.id), col(_item.slot) == Slot.ITEM))
        .outerjoin(_shown, col(_shown.id) == col(_item.stimulus_id))
        .outerjoin(
            _evidence_item,
            and_(col(_evidence_item.response_id) == col(Response.id), col(_evidence_item.slot) == Slot.ITEM),
        )
        .where(col(Study.slug) == slug, col(_member_a.unit_id).is_(None))
        .order_by(col(_s.id), col(Trial.position))
    )


def self_assessments(slug: str) -> Select[Any]:
    """As `ratings`, one row per page on which participants were asked about themselves; it has no item."""
    block = func.substr(col(Response.page), len(_SELF_PAGE) + 1)
    nothing = (
        "position",
        "item",
        "condition",
        "stimulus",
        "source",
        "group",
        "watched",
        "hidden_ms",
        "reading",
    )
    columns = [
        *who(),
        block.label("block"),
        (literal(_SELF_PAGE) + cast(col(_s.id), String) + literal("-") + block).label("trial"),
        literal(SELF).label("kind"),
        *(null().label(name) for name in nothing),
        col(Response.rt_ms).label("rt_ms"),
        col(Response.shown_at).label("shown_at"),
        col(Response.answered_at).label("answered_at"),
        col(Response.raised).label("flags"),
        excluded.label("excluded"),
        col(Response.answers).label("answers"),
    ]
    pages = select(*columns).select_from(Response).join(_s, col(_s.id) == col(Response.session_id))
    return (
        with_exclusion(session_tables(pages))
        .where(col(Study.slug) == slug, col(Response.page).startswith(_SELF_PAGE, autoescape=True))
        .order_by(col(_s.id), col(Response.id))
    )


def answers(slug: str) -> Select[Any]:
    """One row per page answered; `app.reports.export` makes one row per question of it."""
    columns = [
        *who(),
        col(Response.page).label("page"),
        cast(col(Response.trial_id), String).label("trial"),
        case((_sides_unknown & (col(Response.side) != TIE), null()), else_=col(Response.side)).label("side"),
        col(Response.uncertainty).label("uncertainty"),
        col(Response.certainty).label("certainty"),
        col(Response.rationale).label("rationale"),
        col(Response.answers).label("answers"),
    ]
    return (
        session_tables(
            select(*columns).select_from(Response).join(_s, col(_s.id) == col(Response.session_id))
        )
        .where(col(Study.slug) == slug, col(_s.status).in_(BEGUN))
        .order_by(col(_s.id), col(Response.id))
    )
