"""The one SELECT behind each other export: names its columns and orders its rows."""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    select,
)
from sqlalchemy.orm import aliased
from sqlmodel import col

from analysis.data.columns import SELF
from app.library.tables import Stimulus
from app.questions.sides import TIE
from app.reports.responses import (
    answered_rows,
    answered_trials,
    excluded,
    excluded_by_hand,
    left_member,
    member_a,
    session_tables,
    sides_unknown,
    stimulus_a,
    stimulus_b,
    who,
    with_exclusion,
)
from app.studies.tables import Study
from app.tasks.pair.design import Member
from app.trials.design import PageKey, Slot
from app.trials.responses import Evidence, Response
from app.trials.tables import BEGUN, Exclusion, ParticipantSession, Trial, Unit, UnitMember

_s = ParticipantSession
_item, _shown = aliased(UnitMember), aliased(Stimulus)
_evidence_item = aliased(Evidence)
_SELF_PAGE = f"{PageKey('self')}-"


def participants(slug: str) -> Select[Any]:
    """One row per session that began; those who declined or were under age are only counted."""
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
        excluded_by_hand.label("excluded"),
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


def ratings(slug: str) -> Select[Any]:
    """One row per item rated; `app.reports.export` makes one row per question of it. Pairs have no part in it."""
    own: list[ColumnElement[Any]] = [
        col(Unit.name).label("item"),
        col(Unit.condition).label("condition"),
        col(_shown.name).label("stimulus"),
        col(_shown.source).label("source"),
        col(Unit.item_group).label("group"),
        col(_evidence_item.watched).label("watched"),
        col(_evidence_item.hidden_ms).label("hidden_ms"),
        col(_evidence_item.reading).label("reading"),
        col(Response.answers).label("answers"),
    ]
    return (
        answered_rows(slug, own)
        .outerjoin(member_a, and_(col(member_a.unit_id) == col(Unit.id), col(member_a.slot) == Member.A))
        .outerjoin(_item, and_(col(_item.unit_id) == col(Unit.id), col(_item.slot) == Slot.ITEM))
        .outerjoin(_shown, col(_shown.id) == col(_item.stimulus_id))
        .outerjoin(
            _evidence_item,
            and_(col(_evidence_item.response_id) == col(Response.id), col(_evidence_item.slot) == Slot.ITEM),
        )
        .where(col(member_a.unit_id).is_(None))
    )


def self_assessments(slug: str) -> Select[Any]:
    """Like `ratings`, one row per page of questions about oneself; it has no item."""
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
        case((sides_unknown & (col(Response.side) != TIE), null()), else_=col(Response.side)).label("side"),
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
