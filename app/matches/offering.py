"""Finished matches offered for rating: each seat's record goes into the library, and into the next version of a study
that rates records. Existing versions never change.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlalchemy import select as select_columns
from sqlmodel import Session, SQLModel, col, func, select

from app.accounts.audit import Actor, record
from app.accounts.logins import Who
from app.core.errors import Conflict
from app.library.contents import add_documents
from app.library.documents import Document, ImportedDocument
from app.library.kinds import StimulusKind
from app.library.records import canonical_json
from app.library.tables import LIBRARY, Stimulus
from app.matches.watching import match_row, who_of
from app.studies.access import StudyHere, study_for, visible_slugs
from app.studies.collections import have_own_collection
from app.studies.file.design import StudyDesign
from app.studies.leaks import refuse_leaks
from app.studies.queries import newest_version
from app.studies.tables import Draft
from app.studies.versions import load_version
from app.tasks.game.base import Seat
from app.tasks.game.fold import event_table, folded_from_rows, seat_table
from app.tasks.game.record_options import Options, Sources
from app.tasks.game.records import TIMES, Agents, records_of
from app.tasks.game.replay import Replayed, Took
from app.tasks.game.tables import MatchStatus
from app.tasks.rating.items import DesignItem
from app.tasks.rating.settings import RatingDesign
from app.trials.design import Kind
from app.trials.tables import Exclusion, SessionVerdict, Study, StudyVersion

_exclusion, _verdict = (
    SQLModel.metadata.tables[str(table.__tablename__)].c for table in (Exclusion, SessionVerdict)
)
_event = event_table.c
# As canonical JSON writes it: found by SQL, before any design is parsed.
_RATES = '"task":"rating"'


def documents_of(one: Replayed, agents: Agents, prefix: str) -> list[ImportedDocument]:
    """A record of each seat, without messages; its name ends with the seat's number. All show as many rounds as the
    shortest, so that their length does not reveal automatic moves or early exits.

    Raises Conflict if a seat has no round without an automatic move.
    """
    # Without messages: names in them are not found (docs/games.md).
    options = Options(sources=Sources.AGENT)
    found = list(records_of(one, agents, options, Counter()))
    if len(found) < len(one.match.game.seats(one.match.config)):
        raise Conflict("All moves of a seat were made automatically, so there is nothing to show of it.")
    # The shortest is known only once all are made.
    options = replace(options, rounds=min(len(each.record.rounds) for each in found))
    found = list(records_of(one, agents, options, Counter()))
    documents = []
    for each in found:
        document = Document(StimulusKind.RECORD, canonical_json(each.record))
        name = f"{prefix}-{each.seat}"
        about = {"game": each.game, "config": each.config, "match": each.match, "agent": each.agent}
        about |= dict(zip(TIMES, each.times, strict=True))
        kept = {key: value for key, value in about.items() if value} | {"seat": str(each.seat)}
        documents.append(ImportedDocument(name, each.source, kept, document, f"{name}.json", document.bytes))
    return documents


def with_items(
    design: StudyDesign, block: RatingDesign, documents: Sequence[ImportedDocument]
) -> StudyDesign:
    """The design with a main item more for each record, in this block of it."""
    condition = next((item.condition for item in block.items if item.kind is Kind.MAIN), "")
    at = len(block.items) + 1
    more = tuple(
        DesignItem(
            id=each.name,
            stimulus=each.name,
            source=each.source,
            condition=condition,
            kind=Kind.MAIN,
            position=at + i,
            sha256=each.document.sha256,
        )
        for i, each in enumerate(documents)
    )
    grown = block.model_copy(update={"items": (*block.items, *more)})
    blocks = tuple(grown if each is block else each for each in design.blocks)
    return design.model_copy(update={"blocks": blocks})


def rating_studies(session: Session, who: Who) -> Sequence[str]:
    """The studies that a user sees whose newest version has a block of ratings of records."""
    latest = (
        select(StudyVersion.study_id, func.max(StudyVersion.number).label("number"))
        .group_by(col(StudyVersion.study_id))
        .subquery()
    )
    newest = (
        select(Study.slug, StudyVersion.design)
        .join(StudyVersion, col(StudyVersion.study_id) == Study.id)
        .join(latest, (latest.c.study_id == StudyVersion.study_id) & (latest.c.number == StudyVersion.number))
        .where(col(Study.slug).in_(visible_slugs(session, who)), col(StudyVersion.design).contains(_RATES))
        .order_by(Study.slug)
    )
    return [
        slug
        for slug, text in session.exec(newest)
        if _block_of_records(session, StudyDesign.model_validate_json(text))
    ]


def read_match(session: Session, study: StudyHere, match_id: int) -> list[ImportedDocument]:
    """The records of a match. Raises NotFound; Conflict if it is not over or a player's moves may not be shown."""
    row = match_row(session, study, match_id)
    if row.status != MatchStatus.FINISHED:
        raise Conflict("Only a match that was played to its end can be offered to be rated.")
    seats = (
        session.connection()
        .execute(select_columns(seat_table).where(seat_table.c.match_id == row.id).order_by(seat_table.c.id))
        .all()
    )
    _refuse_unagreed(session, row, seats)
    times: dict[Seat, int] = {}
    for seat in seats:
        times[seat.seat] = times.get(seat.seat, 0) + 1
    one = Replayed(
        folded_from_rows(session, row, ()).match,
        {seat.seat: seat.occupant for seat in reversed(seats)},
        id=str(row.id),
        handed_over=frozenset(seat for seat, n in times.items() if n > 1),
        took=_took(session, row.id),
    )
    agents: Mapping[tuple[str, Seat], str] = {
        (one.id, seat.seat): who_of(seat) for seat in seats if seat.agent is not None
    }
    return documents_of(one, agents, records_prefix(study.slug, row.id))


def records_prefix(slug: str, match_id: int | str) -> str:
    """The prefix of the names of a match's records."""
    return f"{slug}-{match_id}"


def _took(session: Session, match_id: int) -> Mapping[Seat, list[Took]]:
    """The response times of people's and agents' own moves."""
    rows = session.execute(
        select_columns(_event.seat, _event.round, _event.rt_ms, _event.delay_ms)
        .where(_event.match_id == match_id, _event.kind == "move", _event.auto == "")
        .order_by(_event.seq)
    )
    found: dict[Seat, list[Took]] = {}
    for row in rows:
        ms = row.delay_ms if row.rt_ms is None else row.rt_ms
        if ms is not None:
            took = Took(row.round, ms, "delay" if row.rt_ms is None else "person")
            found.setdefault(row.seat, []).append(took)
    return found


def offer_match(
    session: Session, who: Who, study: StudyHere, match_id: int, slug: str, now: datetime
) -> None:
    """Put the records of a match into the library and into a next version of the study `slug`, whose state stays.

    Raises NotFound; Conflict as `read_match` does, where the study rates no records, has unsaved changes, or has these
    already; StudyError where a clue would tell who played.
    """
    offer_match_by(session, who.actor, study, match_id, study_for(session, who, slug), now)


def offer_match_by(
    session: Session, actor: Actor, study: StudyHere, match_id: int, to: StudyHere, now: datetime
) -> None:
    """Offer a match on behalf of an authorized actor, such as the command that serves the demo."""
    documents = read_match(session, study, match_id)
    newest = _newest(session, to.slug)
    design = StudyDesign.model_validate_json(newest.design) if newest else None
    block = _block_of_records(session, design) if design else None
    if design is None or block is None:
        raise Conflict(f"The study {to.slug} has no block that rates records.")
    # The draft, saved later, would make a version without these records.
    if session.exec(select(Draft.id).where(Draft.study_id == to.id)).first() is not None:
        raise Conflict(f"The design of {to.slug} has unsaved changes; save them as a version first.")
    if {each.name for each in documents} & {item.stimulus for item in block.items}:
        raise Conflict(f"The study {to.slug} has the records of match {match_id} already.")
    own = have_own_collection(session, to.id, to.slug, now, actor.user_id)
    keep_records(session, documents, now, actor.user_id, own.id or 0)
    grown = with_items(design, block, documents)
    refuse_leaks(session, grown)
    reason = f"records of match {match_id} of {study.slug}"
    load_version(session, grown, now, by=actor, reason=reason)
    record(
        session,
        actor,
        "match.offer",
        now=now,
        study=study.slug,
        subject=f"match {match_id}",
        after={"study": to.slug, "records": len(documents)},
    )


def keep_records(
    session: Session,
    documents: Sequence[ImportedDocument],
    now: datetime,
    by: int | None = None,
    collection: int = LIBRARY,
) -> None:
    """Add records to a collection, except existing ones.

    Raises Conflict if a name is used by another stimulus.
    """
    names = [each.name for each in documents]
    there = {
        each.name: each.content_sha256
        for each in session.exec(select(Stimulus).where(col(Stimulus.name).in_(names)))
    }
    if taken := [
        each.name for each in documents if there.get(each.name, each.document.sha256) != each.document.sha256
    ]:
        raise Conflict(f"The library has another stimulus named {taken[0]}; rename it first.")
    new = [each for each in documents if each.name not in there]
    add_documents(session, new, now, uploaded_by=by, collection=collection)
    session.flush()


def _refuse_unagreed(session: Session, row: Row[Any], seats: Sequence[Any]) -> None:
    """Raise Conflict unless all people in the match agreed to be shown, and none was excluded."""
    people = [seat.session_id for seat in seats if seat.session_id is not None]
    if not people:
        return
    version = session.get(StudyVersion, row.version_id)
    if version is None or not StudyDesign.model_validate_json(version.design).consent.play_shown:
        raise Conflict(
            "People in this match did not agree that others read how they played: the consent of its version does not "
            "say so. Put it into the text and set consent.play_shown; it counts for matches from then on."
        )
    left_out = select_columns(_exclusion.session_id).where(
        _exclusion.session_id.in_(people), _exclusion.lifted_at.is_(None)
    )
    if session.connection().execute(left_out).first() is not None:
        raise Conflict("A person in this match was excluded from the study; their play is not shown.")
    unused = select_columns(_verdict.session_id).where(
        _verdict.session_id.in_(people), _verdict.use.is_(False)
    )
    if session.connection().execute(unused).first() is not None:
        raise Conflict(
            "A person in this match is left out by an exclusion rule of the study; their play is not shown."
        )


def _newest(session: Session, slug: str) -> StudyVersion | None:
    study = session.exec(select(Study).where(Study.slug == slug)).one()
    return newest_version(session, study)


def _block_of_records(session: Session, design: StudyDesign) -> RatingDesign | None:
    """The first block of ratings, if it shows records."""
    block = next(iter(design.blocks_of(RatingDesign)), None)
    shown = {item.stimulus for item in block.items} if block else set()
    kinds = set(session.exec(select(Stimulus.kind).where(col(Stimulus.name).in_(shown))))
    return block if kinds == {StimulusKind.RECORD} else None
