"""Sessions as they are reconciled: by the recruiter's id, with what was done, earned and judged."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session, col, func, select

from app.monitor.snapshots import STATUS_TITLES
from app.sessions.identity import hashed
from app.sessions.runs import run_at
from app.sessions.where import ended
from app.studies.access import StudyHere
from app.trials.ending import Earned, Way
from app.trials.responses import Response
from app.trials.tables import (
    BEGUN,
    Exclusion,
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    SessionVerdict,
    Status,
    StudyVersion,
    Trial,
)

_WAYS = {Status.UNPLAYABLE: Way.FAILED, Status.FAILED_CHECKS: Way.FAILED_CHECKS}


@dataclass(frozen=True, slots=True)
class Here:
    """A session of the study, live or of its pilot. `id` is the recruiter's, empty where a hash alone is kept.

    `pay` is None where no rule of the study has judged the session; `rules` are those that were met, with their values.
    """

    session: int
    participant: str
    id: str
    hashed: str
    submission: str
    mode: str
    status: str
    way: Way
    minutes: float | None
    answered: int
    planned: int
    earned: Sequence[Earned]
    pay: bool | None
    rules: Mapping[str, Any]
    excluded: str

    @property
    def status_words(self) -> str:
        return STATUS_TITLES[Status(self.status)].lower()

    @property
    def is_done(self) -> bool:
        return self.status == Status.COMPLETED

    @property
    def is_over(self) -> bool:
        """True if the session came to an end of any kind."""
        return self.status != Status.ACTIVE

    @property
    def answers(self) -> str:
        return f"{self.answered} of {self.planned} trials"


def sessions_here(session: Session, study: StudyHere) -> Sequence[Here]:
    """Everybody who consented."""
    rows = session.exec(
        select(ParticipantSession, ParticipantIdentity, SessionVerdict, Exclusion.reason)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .outerjoin(ParticipantIdentity, col(ParticipantIdentity.session_id) == ParticipantSession.id)
        .outerjoin(SessionVerdict, col(SessionVerdict.session_id) == ParticipantSession.id)
        .outerjoin(
            Exclusion,
            (col(Exclusion.session_id) == ParticipantSession.id) & col(Exclusion.lifted_at).is_(None),
        )
        .where(
            StudyVersion.study_id == study.id,
            col(ParticipantSession.mode).in_([Mode.LIVE, Mode.PILOT]),
            col(ParticipantSession.status).in_(BEGUN),
        )
        .order_by(col(ParticipantSession.id))
    ).all()
    planned = _counts(session, study, Trial, col(Trial.id))
    answered = _counts(session, study, Response, col(Response.trial_id))
    return [
        _here(session, one, identity, verdict, reason or "", planned, answered)
        for one, identity, verdict, reason in rows
    ]


def _counts(session: Session, study: StudyHere, table: Any, what: Any) -> Mapping[int, int]:
    counted = (
        select(table.session_id, func.count(what))
        .join(ParticipantSession, col(ParticipantSession.id) == table.session_id)
        .join(StudyVersion, col(StudyVersion.id) == col(ParticipantSession.version_id))
        .where(col(StudyVersion.study_id) == study.id)
        .group_by(table.session_id)
    )
    return defaultdict(int, {row[0]: row[1] for row in session.execute(counted)})


def _here(
    session: Session,
    one: ParticipantSession,
    identity: ParticipantIdentity | None,
    verdict: SessionVerdict | None,
    reason: str,
    planned: Mapping[int, int],
    answered: Mapping[int, int],
) -> Here:
    id_ = one.id or 0
    ending = ended(session, one) if one.status == Status.COMPLETED else None
    recruitment = run_at(session, one.version_id).design.recruitment
    parameters = identity.parameters if identity else one.recruiter
    name = recruitment.names.get("session", "") if recruitment else ""
    took = one.ended_at - one.consented_at if one.ended_at and one.consented_at else None
    return Here(
        session=id_,
        participant=one.participant or "",
        id=(identity.external_id or "") if identity else (one.participant or ""),
        hashed=(identity.hashed_id or "") if identity else "",
        submission=next((v for k, v in parameters.items() if name and k.casefold() == name.casefold()), ""),
        mode=one.mode,
        status=one.status,
        way=ending.way if ending else _WAYS.get(Status(one.status), Way.PARTIAL),
        minutes=took.total_seconds() / 60 if took else None,
        answered=answered[id_],
        planned=planned[id_],
        earned=ending.earned if ending else (),
        pay=verdict.pay if verdict else None,
        rules=verdict.rules if verdict else {},
        excluded=reason,
    )


class Book:
    """Sessions by the recruiter's id or, where that did not come along, by its submission."""

    def __init__(self, here: Sequence[Here], secret: str) -> None:
        self._secret = secret
        self._ids, self._hashed, self._submissions = (defaultdict[str, list[Here]](list) for _ in range(3))
        for one in here:
            if one.id:
                self._ids[one.id].append(one)
            if one.hashed:
                self._hashed[one.hashed].append(one)
            if one.submission:
                self._submissions[one.submission].append(one)

    def of(self, participant: str, submission: str) -> Here | None:
        """The session of a submission: the one that came furthest, where there are several."""
        found = [*self._ids.get(participant, ())] if participant else []
        if participant:
            found += self._hashed.get(hashed(participant, self._secret), ())
        found = found or [*self._submissions.get(submission, ())]
        return max(found, key=lambda one: (one.is_done, one.answered, one.session), default=None)
