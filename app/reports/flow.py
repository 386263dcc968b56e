"""The flow of a study's participants, counted in the database."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlalchemy import case, exists, select
from sqlmodel import Session, col

from analysis.data.flow import Flow, SessionKnown, flow_of
from app.exports.rows import excluded_by_evidence, excluded_by_hand, session_tables, with_exclusion
from app.trials.design import Kind
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, SessionVerdict, Study, Trial, Unit

_s = ParticipantSession
_ANSWERED = exists().where(col(Response.session_id) == col(_s.id), col(Response.trial_id).is_not(None))
# As the exports decide for each row; a session that is excluded by hand counts in none, as `flow_of` knows.
_COUNTS = exists().where(
    col(Response.session_id) == col(_s.id),
    col(Response.trial_id) == col(Trial.id),
    col(Trial.unit_id) == col(Unit.id),
    col(Unit.kind) == Kind.MAIN,
    excluded_by_evidence.is_(None),
)


def flows_of(session: Session, slug: str) -> Mapping[str, Flow]:
    """The flow of each mode that has sessions; previews are left out."""
    columns: tuple[Any, ...] = (
        col(_s.mode),
        col(_s.status),
        col(_s.arm),
        _ANSWERED.label("answered"),
        col(_s.released_at).is_not(None).label("released"),
        excluded_by_hand.is_not(None).label("by_hand"),
        case((col(SessionVerdict.use).is_(False), col(SessionVerdict.names))).label("rules"),
        _COUNTS.label("counts"),
    )
    rows = session.execute(
        with_exclusion(session_tables(select(*columns).select_from(_s))).where(col(Study.slug) == slug)
    )
    kinds: dict[str, Counter[SessionKnown]] = {}
    for mode, status, arm, answered, released, by_hand, rules, counts in rows:
        one = SessionKnown(
            *(status, arm, int(answered)),
            released=bool(released),
            by_hand=bool(by_hand),
            # The rules by which it is not used come first.
            rules=tuple(rules.split(";")) if rules else (),
            counts=bool(counts),
        )
        kinds.setdefault(mode, Counter())[one] += 1
    return {mode: flow_of(mode, counted.items()) for mode, counted in kinds.items()}
