"""The one SELECT behind each other export: names its columns and orders its rows."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    Select,
    String,
    and_,
    case,
    cast,
    func,
    null,
    select,
)
from sqlalchemy.orm import aliased
from sqlmodel import col

from app.exports import columns
from app.exports.rows import (
    VERDICTS,
    excluded_by_hand,
    session_tables,
    sides_unknown,
    visits,
    who,
    with_exclusion,
)
from app.exports.tables import SESSION, ExportTable, Reference, of_select
from app.library.tables import Stimulus
from app.questions.sides import TIE
from app.trials.design import PageKey
from app.trials.responses import Evidence, Response
from app.trials.tables import BEGUN, Exclusion, ParticipantSession, Study, Trial, UnitMember
from app.verdicts.records import attention_questions, comprehension_tries

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
    background, tries, visit = aliased(Response), comprehension_tries(), visits(slug)
    attention = attention_questions()
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
        col(_s.language).label("language"),
        col(_s.consent_sha256).label("consent_sha256"),
        tries.c.n.label("comprehension_tries"),
        tries.c.failed.label("comprehension_failed"),
        attention.c.n.label("attention_questions"),
        attention.c.failed.label("attention_questions_failed"),
        col(_s.device).label("device"),
        visit.c.visit.label("visit"),
        *VERDICTS,
    ]
    return (
        with_exclusion(session_tables(select(*columns).select_from(_s)))
        .outerjoin(planned, planned.c.session_id == col(_s.id))
        .outerjoin(answered, answered.c.session_id == col(_s.id))
        .outerjoin(attention, attention.c.session_id == col(_s.id))
        .outerjoin(tries, tries.c.session_id == col(_s.id))
        .outerjoin(visit, visit.c.session_id == col(_s.id))
        .outerjoin(
            background, and_(col(background.session_id) == col(_s.id), col(background.page) == "background")
        )
        .where(col(Study.slug) == slug, col(_s.status).in_(BEGUN))
        .order_by(col(_s.id))
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


# The tables of every study; `app.reports.export` completes their rows.
SHARED: Mapping[str, ExportTable] = {
    "participants": ExportTable(
        "participants",
        columns.PARTICIPANT_COLUMNS,
        "One row per session that began with consent.",
        rows=of_select(participants),
        key=("session",),
    ),
    "answers": ExportTable(
        "answers",
        columns.ANSWER_COLUMNS,
        "One row per question answered, of every page.",
        rows=of_select(answers),
        key=("session", "page", "question"),
        references=(SESSION, Reference("trial", "responses")),
    ),
}
