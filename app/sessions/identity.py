"""Identities of participants: an id from a recruiter's link, kept with the answers, apart from them, or as a hash.

One id is one person however a version keeps it, so that each is looked for in every way of keeping.
"""

import hashlib
import hmac
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, insert, or_, select
from sqlmodel import Session, SQLModel, col
from sqlmodel import select as model_select

from app.sessions.links import id_in
from app.studies.file.recruitment import DesignRecruitment
from app.trials.tables import (
    BEGUN,
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    Status,
    Study,
    StudyVersion,
)

_session, _identity = (
    SQLModel.metadata.tables[str(table.__tablename__)] for table in (ParticipantSession, ParticipantIdentity)
)

PSEUDONYM = re.compile(r"p-[0-9a-f]{12}")
"""Names that `keep` draws at random."""


@dataclass(frozen=True, slots=True)
class Person:
    """An id, with its keyed hash; that is empty where no way of keeping it is asked for."""

    id: str
    hashed: str


def person(id_: str | None, secret: str) -> Person | None:
    return Person(id_, hashed(id_, secret)) if id_ else None


def hashed(id_: str, secret: str) -> str:
    """The hash of an id with the service's secret: without that, an id could be found by trying all there are."""
    return hmac.digest(secret.encode(), b"identity\n" + id_.encode("utf-8", "replace"), hashlib.sha256).hex()


@dataclass(frozen=True, slots=True)
class Kept:
    """The stored parts of a participant: the name on the answers, link parameters kept with it, and the identity."""

    participant: str
    recruiter: Mapping[str, str] = field(default_factory=dict)
    identity: Mapping[str, Any] | None = None


def keep(
    recruitment: DesignRecruitment | None,
    who: Person | None,
    parameters: Mapping[str, str],
    rng: random.Random,
) -> Kept:
    """Divide what a link said into what goes with the answers and what is kept apart."""
    # 48 bits: among 10,000 sessions two names are alike with a chance of about 2 in 10 million.
    pseudonym = f"p-{rng.getrandbits(48):012x}"
    if recruitment is None or not recruitment.is_apart:
        return Kept(who.id if who else pseudonym, dict(parameters))
    if recruitment.ids == "hashed":
        # A placeholder that was not filled in is nobody's, and its owner is told of it.
        unfilled = {name: value for name, value in parameters.items() if value and not id_in(value)}
        if who is None and not unfilled:
            return Kept(pseudonym)
        return Kept(pseudonym, identity={"hashed_id": who.hashed if who else None, "parameters": unfilled})
    if who is None and not parameters:
        return Kept(pseudonym)
    return Kept(pseudonym, identity={"external_id": who.id if who else None, "parameters": dict(parameters)})


def store_identity(session: Session, session_id: int, kept: Kept) -> None:
    if kept.identity is not None:
        session.connection().execute(insert(_identity), {"session_id": session_id, **kept.identity})


def forget_identity(session: Session, session_id: int) -> None:
    session.execute(delete(ParticipantIdentity).where(col(ParticipantIdentity.session_id) == session_id))


def sessions_of(session: Session, who: Person, *where: ColumnElement[bool]) -> Mapping[int, bool]:
    """The sessions in which a person has consented, and whether a link of ours vouched for each.

    A pseudonym is nobody's id, even where a link names it. Two statements: joined by OR, no index serves them.
    """
    of_study = (
        select(_session.c.id, _session.c.is_signed)
        .join(StudyVersion, col(StudyVersion.id) == _session.c.version_id)
        .join(Study, col(Study.id) == col(StudyVersion.study_id))
        .where(_session.c.status.in_(BEGUN), *where)
    )
    has_identity = exists(select(_identity.c.session_id).where(_identity.c.session_id == _session.c.id))
    apart = or_(_identity.c.external_id == who.id, _identity.c.hashed_id == who.hashed)
    connection = session.connection()
    plain = connection.execute(of_study.where(_session.c.participant == who.id, ~has_identity))
    found = {row.id: row.is_signed for row in plain}
    kept_apart = of_study.join(_identity, _identity.c.session_id == _session.c.id).where(apart)
    return found | {row.id: row.is_signed for row in connection.execute(kept_apart)}


def is_same(who: Person, participant: str | None, identity: ParticipantIdentity | None) -> bool:
    """True if a session with this name and identity is the person's."""
    if identity is None:
        return participant == who.id
    return identity.external_id == who.id or identity.hashed_id == who.hashed


def with_external_id(id_: str) -> Select[Any]:
    """SQL for the sessions with an id that is kept apart."""
    return select(_identity.c.session_id).where(_identity.c.external_id == id_)


def person_of(session: Session, session_id: int, secret: str) -> Person | None:
    """The person of a session, as far as their id is kept: `id` is empty where its hash alone is."""
    found = session.connection().execute(
        select(_session.c.participant, _identity.c.session_id, _identity.c.external_id, _identity.c.hashed_id)
        .outerjoin(_identity, _identity.c.session_id == _session.c.id)
        .where(_session.c.id == session_id)
    )
    name, has_identity, id_, own = found.one()
    if has_identity is None:
        id_ = name if name and not PSEUDONYM.fullmatch(name) else None
    return Person(id_ or "", own or hashed(id_, secret)) if id_ or own else None


def remember_screened_out(session: Session, session_id: int, who: Person) -> None:
    """Keep the hash of the id of who was screened out with the count that is left of their session."""
    store_identity(session, session_id, Kept("", identity={"hashed_id": who.hashed, "parameters": {}}))


def was_screened_out(session: Session, study_id: int, who: Person) -> bool:
    """True if a study has screened the person out, live or as a pilot."""
    found = (
        select(_session.c.id)
        .join(_identity, _identity.c.session_id == _session.c.id)
        .join(StudyVersion, col(StudyVersion.id) == _session.c.version_id)
        .where(
            _identity.c.hashed_id == who.hashed,
            _session.c.status == Status.SCREENED_OUT,
            col(StudyVersion.study_id) == study_id,
        )
    )
    return session.connection().execute(found.limit(1)).first() is not None


def identities_of(session: Session, slug: str) -> Mapping[int, ParticipantIdentity]:
    """The identities that a study keeps apart, by their sessions."""
    found = (
        model_select(ParticipantIdentity)
        .join(ParticipantSession, col(ParticipantSession.id) == ParticipantIdentity.session_id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .join(Study, col(Study.id) == StudyVersion.study_id)
        .where(Study.slug == slug)
    )
    return {identity.session_id: identity for identity in session.exec(found)}


def external_id(session: Session, session_id: int) -> str | None:
    """The id that is kept apart from a session's answers."""
    id_ = select(_identity.c.external_id).where(_identity.c.session_id == session_id)
    found: str | None = session.connection().execute(id_).scalar()
    return found


def took_part_in(session: Session, who: Person, slugs: Sequence[str]) -> bool:
    """True if the person has consented to one of these studies, live or as a pilot."""
    counted = _session.c.mode.in_([Mode.LIVE, Mode.PILOT])
    return bool(slugs) and bool(sessions_of(session, who, col(Study.slug).in_(slugs), counted))
