"""The rows of exports: answered trials with who, where, when, and whether they are left out."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Label,
    Select,
    String,
    Subquery,
    and_,
    case,
    cast,
    false,
    func,
    literal,
    select,
    true,
)
from sqlmodel import col

from app.trials.flags import UNWATCHED
from app.trials.responses import Response
from app.trials.tables import (
    BEGUN,
    Exclusion,
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    SessionVerdict,
    Study,
    StudyVersion,
    Trial,
    Unit,
)

_s = ParticipantSession
_SESSION_ID = col(_s.id)

# Imported answers may not say where the clips were; member a then stands for the left in the tables.
sides_unknown = col(StudyVersion.sides_known).is_(false())
excluded_by_hand = case((col(Exclusion.id).is_not(None), literal("by-hand")))
# The first rule that leaves this one answer out.
excluded_by_evidence = case(
    (col(Response.unplayable), literal("unplayable")),
    (col(Response.unwatched).is_(true()), literal(UNWATCHED)),
    else_=col(Response.study_rule),
)
# The first reason that leaves an answer out.
excluded = func.coalesce(excluded_by_hand, excluded_by_evidence)


# A session that no rule met, or of a study without rules, is used and paid.
VERDICTS: Sequence[Label[Any]] = [
    and_(col(Exclusion.id).is_(None), func.coalesce(SessionVerdict.use, true())).label("use"),
    func.coalesce(SessionVerdict.pay, true()).label("pay"),
    func.nullif(SessionVerdict.names, "").label("rules"),
]


def who() -> list[Label[Any]]:
    return [
        col(Study.slug).label("study"),
        col(StudyVersion.number).label("version"),
        col(_s.arm).label("arm"),
        col(_s.mode).label("mode"),
        col(_s.participant).label("participant"),
        cast(col(_s.id), String).label("session"),
    ]


def visits(slug: str) -> Subquery:
    """Sessions with their number among those of the same person, study and mode, in the order of arrival, from 1: by
    the recruiter's id where there is one, else by the participant's name in the data."""
    identity = ParticipantIdentity
    person = func.coalesce(
        literal("id ") + col(identity.external_id),
        literal("hash ") + col(identity.hashed_id),
        literal("name ") + col(_s.participant),
    )
    visit = func.row_number().over(partition_by=[col(_s.mode), person], order_by=col(_s.id))
    return (
        select(col(_s.id).label("session_id"), visit.label("visit"))
        .join(StudyVersion, col(StudyVersion.id) == col(_s.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .outerjoin(identity, col(identity.session_id) == col(_s.id))
        .where(col(Study.slug) == slug, col(_s.status).in_(BEGUN), person.is_not(None))
        .subquery()
    )


def lasted_s(consented_at: datetime | None, ended_at: datetime | None) -> float | None:
    """Seconds from consent to the last answer; None of a session under way, or imported without times."""
    if consented_at is None or ended_at is None:
        return None
    return round((ended_at - consented_at).total_seconds(), 3)


def session_tables(statement: Select[Any]) -> Select[Any]:
    """Join every session except previews, which never count."""
    return (
        statement.join(StudyVersion, col(StudyVersion.id) == col(_s.version_id))
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(col(_s.mode) != Mode.PREVIEW)
    )


def with_exclusion(statement: Select[Any], session_id: Any = _SESSION_ID) -> Select[Any]:
    """Join the current exclusion of a row's session, of which there is at most one, and the verdicts of the study's
    rules on it: `excluded`, `excluded_by_hand` and `VERDICTS` are read from these, in every table."""
    standing = and_(col(Exclusion.session_id) == session_id, col(Exclusion.lifted_at).is_(None))
    found = statement.outerjoin(Exclusion, standing)
    return found.outerjoin(SessionVerdict, col(SessionVerdict.session_id) == session_id)


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
        *VERDICTS,
        *own,
    ]
    found = with_exclusion(of_trials(columns))
    return found.where(col(Study.slug) == slug).order_by(col(_s.id), col(Trial.position))
