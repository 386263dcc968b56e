"""Sessions as exclusion rules see them, read from the same statements as the exports."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Select, String, Subquery, case, cast, func, select
from sqlmodel import Session, col

from analysis.quality.records import ENDED, SessionRecord, session_records
from app.exports.rows import lasted_s, session_tables, visits, who
from app.exports.tables import Designs, OfStudy, Row, selected
from app.studies.file.checks import MOST_TRIES
from app.tasks.game.fold import event_table, match_table
from app.tasks.game.tables import MatchStatus
from app.tasks.pair.responses import responses
from app.tasks.rating.rated import by_rating, ratings
from app.tasks.walk.answered import duration_s, walk_times
from app.trials.design import PageKey
from app.trials.flags import Flag
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, Study

_s = ParticipantSession
# Those columns of `responses` that a rule looks at.
_OF_PAIRS = frozenset(
    {"session", "trial", "kind", "left", "choice", "uncertainty", "certainty", "rationale", "rt_ms", "stalls"}
) | {"hidden_ms", "flags", "opened_ms"}


def records_of(
    session: Session, slug: str, designs: Designs, only: Collection[int] | None = None
) -> list[SessionRecord]:
    """The ended sessions of a study but previews, or `only` some of these, by their numbers."""
    study = OfStudy(slug, designs)

    def rows(statement: Select[Any]) -> Iterator[Row]:
        wanted = statement.where(col(_s.status).in_(ENDED))
        if only is not None:
            wanted = wanted.where(col(_s.id).in_(only))
        return selected(session, wanted, None, by_arrival=True)

    return session_records(
        map(with_duration, rows(_participants(slug))),
        rows(responses(slug, _OF_PAIRS)) if study.blocks("pair") else (),
        by_rating(rows(ratings(slug)), designs) if study.blocks("rating") else (),
        _walks(rows, study) if study.blocks("walk") else (),
        _moves(session, slug, only) if study.blocks("game") else (),
    )


def with_duration(row: Row) -> dict[Any, Any]:
    """A row of `participants` with the time from consent to the last answer."""
    return {**row, "duration_s": lasted_s(row["consented_at"], row["ended_at"])}


def _participants(slug: str) -> Select[Any]:
    visit, tries, attention = visits(slug), comprehension_tries(), attention_questions()
    columns = [
        *who(),
        col(_s.status).label("status"),
        col(_s.consented_at).label("consented_at"),
        col(_s.ended_at).label("ended_at"),
        visit.c.visit.label("visit"),
        tries.c.n.label("comprehension_tries"),
        tries.c.failed.label("comprehension_failed"),
        attention.c.n.label("attention_questions"),
        attention.c.failed.label("attention_questions_failed"),
        col(_s.device).label("device"),
    ]
    return (
        session_tables(select(*columns).select_from(_s))
        .outerjoin(visit, visit.c.session_id == col(_s.id))
        .outerjoin(attention, attention.c.session_id == col(_s.id))
        .outerjoin(tries, tries.c.session_id == col(_s.id))
        .where(col(Study.slug) == slug)
        .order_by(col(_s.id))
    )


def comprehension_tries() -> Subquery:
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


def attention_questions() -> Subquery:
    """By session, how many questions that say what to answer were answered, and how many of them otherwise."""
    return (
        select(
            col(Response.session_id),
            func.count().label("n"),
            func.sum(case((col(Response.raised) == Flag.ATTENTION, 1), else_=0)).label("failed"),
        )
        .where(col(Response.page).startswith("attention-"))
        .group_by(col(Response.session_id))
        .subquery()
    )


def _walks(rows: Any, study: OfStudy) -> Iterator[Row]:
    blocks = study.blocks("walk")
    for row in rows(walk_times(study.slug)):
        if (row["version"], row["block"]) in blocks:
            yield {**row, "duration_s": duration_s(row["tick"])}


def _moves(session: Session, slug: str, only: Collection[int] | None) -> Iterator[Mapping[str, Any]]:
    """The moves of people in matches that are over."""
    events = event_table.c
    found = (
        session_tables(
            select(events.session_id, events.auto)
            .select_from(event_table)
            .join(match_table, match_table.c.id == events.match_id)
            .join(_s, col(_s.id) == events.session_id)
        )
        .where(col(Study.slug) == slug, events.kind == "move", match_table.c.status != MatchStatus.RUNNING)
        .order_by(events.id)
    )
    if only is not None:
        found = found.where(events.session_id.in_(only))
    for id_, auto in session.execute(found):
        yield {"session": str(id_), "kind": "move", "auto": auto}
