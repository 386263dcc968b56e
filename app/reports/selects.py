"""The one SELECT behind each other export: names its columns and orders its rows."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    Select,
    String,
    Subquery,
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
    excluded_by_hand,
    session_tables,
    sides_unknown,
    who,
    with_exclusion,
)
from app.exports.tables import SESSION, ExportTable, Reference, of_select
from app.library.tables import Stimulus
from app.questions.sides import TIE
from app.studies.file.checks import MOST_TRIES
from app.trials.design import PageKey
from app.trials.flags import Flag
from app.trials.responses import Evidence, Response
from app.trials.tables import BEGUN, Exclusion, ParticipantSession, Study, Trial, UnitMember

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
    background, tries = aliased(Response), _comprehension()
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
        tries.c.n.label("comprehension_tries"),
        tries.c.failed.label("comprehension_failed"),
    ]
    return (
        with_exclusion(session_tables(select(*columns).select_from(_s)))
        .outerjoin(planned, planned.c.session_id == col(_s.id))
        .outerjoin(answered, answered.c.session_id == col(_s.id))
        .outerjoin(tries, tries.c.session_id == col(_s.id))
        .outerjoin(
            background, and_(col(background.session_id) == col(_s.id), col(background.page) == "background")
        )
        .where(col(Study.slug) == slug, col(_s.status).in_(BEGUN))
        .order_by(col(_s.id))
    )


def _comprehension() -> Subquery:
    """By session, how often the questions on the instructions were answered, and how often not all were right."""
    pages = [str(PageKey("comprehension", each)) for each in range(1, MOST_TRIES + 1)]
    # Text, as the two databases have no common way to look into a list.
    is_failed = cast(col(Response.flags), String).contains(Flag.COMPREHENSION)
    return (
        select(
            col(Response.session_id),
            func.count().label("n"),
            func.sum(case((is_failed, 1), else_=0)).label("failed"),
        )
        .where(col(Response.page).in_(pages))
        .group_by(col(Response.session_id))
        .subquery()
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
