"""The results page of a study: the computation that it shows, and opening it while the study runs."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Subquery, bindparam, true
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, func, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.core.errors import Conflict, NotFound, StudyError
from app.core.statements import Hot
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import Job, JobStatus, Kind
from app.outputs.outputs import answers_by_mode
from app.studies.access import StudyHere, studies_seen, study_for
from app.studies.blinding import OPEN, is_blinded, may_look, open_to, require_open
from app.trials.responses import Response
from app.trials.tables import (
    Exclusion,
    Mode,
    ParticipantSession,
    Registration,
    SessionVerdict,
    Study,
    StudyVersion,
    Unit,
    UnitMember,
)

MODES = (Mode.LIVE, Mode.PILOT, Mode.SIMULATED)
FRESH_FOR = timedelta(minutes=1)  # so long a computation is shown before newer answers begin another


class BadView(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class ResultsRequest:
    """The request in an address: a mode, and another study to compare with."""

    mode: Mode
    against: StudyHere | None


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a results page: `shown` is stored, `under_way` computes newer answers, `failed` failed for these."""

    shown: JobView | None
    under_way: JobView | None
    failed: JobView | None
    key: str
    is_current: bool


def modes_of(session: Session, study: StudyHere) -> Sequence[tuple[Mode, int]]:
    """Every mode that results can be of, with its answered trials."""
    counts = dict(answers_by_mode(session, study))
    return [(mode, counts.get(mode, 0)) for mode in MODES]


def asked_for(session: Session, who: Who, study: StudyHere, mode: str, against: str) -> ResultsRequest:
    """Raises BadView for a mode that is none, NotFound for a study that the user does not see."""
    if mode and mode not in MODES:
        raise BadView(f"{mode[:40]!r} is not a mode; use {', '.join(MODES)}.")
    chosen = Mode(mode) if mode else usual_mode(modes_of(session, study))
    other = study_for(session, who, against) if against and against != study.slug else None
    return ResultsRequest(chosen, other)


def usual_mode(answers: Sequence[tuple[Mode, int]]) -> Mode:
    """The mode that is shown if none is asked for: the first one with answers, of `modes_of`."""
    return next((mode for mode, n in answers if n), Mode.LIVE)


def open_results(session: Session, who: Who, study: StudyHere, now: datetime) -> None:
    """Note that a user looks at live results while the study runs; a second time notes nothing. Raises Conflict."""
    if not is_blinded(study, Mode.LIVE):
        raise Conflict("The study is closed: its results are open to everybody who sees it.")
    if may_look(session, who, study, Mode.LIVE):
        return
    counts = _counts(session, study)
    record(session, who.actor, OPEN, now=now, study=study.slug, after={"state": study.state, **counts})


def require_all_open(session: Session, who: Who, study: StudyHere, asked: ResultsRequest) -> None:
    """Raises Conflict if the study, or the one compared with it, is closed to this user."""
    for one in (study, asked.against):
        if one is not None:
            require_open(session, who, one, asked.mode)


def comparable(session: Session, who: Who, study: StudyHere, mode: Mode) -> Sequence[str]:
    """The other studies that the user sees, that have answers of the mode, and whose results are open to them."""
    answered = (
        select(Response.id)
        .join(ParticipantSession, col(ParticipantSession.id) == Response.session_id)
        .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
        .where(
            StudyVersion.study_id == Study.id,
            col(Response.trial_id).is_not(None),
            ParticipantSession.mode == mode,
        )
    )
    others = studies_seen(session, who, col(Study.id) != study.id, answered.exists())
    return [one.slug for one in open_to(session, who, others, mode)]


def standing(session: Session, study: StudyHere, asked: ResultsRequest) -> Standing:
    """The computed results of a page, and whether they cover the current answers."""
    key = _key(session, study, asked)
    about = _request_fields(study, asked)
    jobs = [
        job
        for job in queue.jobs_of(session, Kind.RESULTS, study.id)
        if {name: job.params[name] for name in about} == about
    ]
    shown = next((job for job in jobs if job.status is JobStatus.DONE), None)
    under_way = next((job for job in jobs if not job.is_over), None)
    newest = jobs[0] if jobs else None
    is_failed = newest is not None and newest.status is JobStatus.FAILED and newest.params["key"] == key
    return Standing(
        shown=shown,
        under_way=under_way,
        failed=newest if is_failed else None,
        key=key,
        is_current=shown is not None and shown.params["key"] == key,
    )


def is_wanted(now_standing: Standing, now: datetime, *, is_kept: bool) -> bool:
    """True if results must be computed: none are stored, or they are outdated and older than a minute."""
    there = now_standing
    # What failed is not begun again for the same answers, or every look at the page would begin it.
    if there.under_way or there.failed:
        return False
    if there.shown is None or not is_kept:
        return True
    return not there.is_current and now - (there.shown.ended_at or there.shown.asked_at) > FRESH_FOR


def ask_results(
    session: Session, who: Who | None, study: StudyHere, asked: ResultsRequest, now: datetime
) -> int:
    """Start the computation, unless it is under way. No entry in the audit log, as nothing changes.

    `who` is None for a visitor with a link to results.
    """
    there = standing(session, study, asked)
    if there.under_way:
        return there.under_way.id
    params = {**_request_fields(study, asked), "key": there.key}
    return queue.ask(
        session, Kind.RESULTS, params, now=now, asked_by=who.user_id if who else None, study_id=study.id
    )


def shown_job(session: Session, study: StudyHere, asked: ResultsRequest) -> JobView:
    """The computation that the page shows. Raises NotFound."""
    shown = standing(session, study, asked).shown
    if shown is None:
        raise NotFound("These results are not computed yet; open the page of results first.")
    return shown


def check_clip(session: Session, study: StudyHere, sha256: str) -> str:
    """A clip that a pair of the study shows. Raises NotFound."""
    of_unit = (
        select(Unit.id)
        .join(UnitMember, col(UnitMember.unit_id) == Unit.id)
        .join(StudyVersion, col(StudyVersion.id) == Unit.version_id)
        .where(StudyVersion.study_id == study.id, UnitMember.sha256 == sha256)
    )
    if session.exec(of_unit.limit(1)).first() is None:
        raise NotFound("No pair of this study shows this clip.")
    return sha256


def _request_fields(study: StudyHere, asked: ResultsRequest) -> dict[str, str]:
    return {
        "slug": study.slug,
        "against": asked.against.slug if asked.against else "",
        "mode": str(asked.mode),
    }


def _key(session: Session, study: StudyHere, asked: ResultsRequest) -> str:
    """A hash that changes when an answer, an exclusion, a verdict, a version or a run of judges is added or removed."""
    studies = [one for one in (study, asked.against) if one is not None]
    parts = [_counts(session, one) | _judged(session, one) for one in studies]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _counts(session: Session, study: StudyHere) -> dict[str, int]:
    found = _COUNTS.first(session, {"study_id": study.id})
    counted = {
        "answers": found.answers,
        "last": found.last or 0,
        "excluded": found.excluded,
        "lifted": found.lifted,
        "sessions": found.sessions,
        "ended": found.ended,
        "version": found.version or 0,
        "judges": found.judges or 0,
    }
    return counted | ({"registration": found.registration} if found.registration else {})


def _judged(session: Session, study: StudyHere) -> dict[str, int]:
    """Verdicts, and when the newest was stored: one changes without an answer, as others end and it is judged again."""
    found = _JUDGED.first(session, {"study_id": study.id})
    if found.newest is None:
        return {}
    return {"verdicts": found.n, "judged_ms": round(1000 * found.newest.timestamp())}


# Every page of a closed study asks these two, as its next step may be to read its results.
_of_study = col(StudyVersion.study_id) == bindparam("study_id")


def _in_sessions(*what: ColumnElement[Any], of: type[Response] | type[Exclusion] | None = None) -> Subquery:
    """One row about the sessions that count, or about what each of them has."""
    found = select_columns(*what).select_from(ParticipantSession)
    found = found.join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
    found = found.where(_of_study, col(ParticipantSession.mode) != Mode.PREVIEW)
    return (found.join(of, col(of.session_id) == ParticipantSession.id) if of else found).subquery()


# The newest id as well: an answer deleted and another one given leave the count as it was.
_answers = _in_sessions(func.count().label("answers"), func.max(Response.id).label("last"), of=Response)
# Lifting an exclusion adds no row, so those lifted are counted, too.
_lifted = func.count(col(Exclusion.lifted_at)).label("lifted")
_excluded = _in_sessions(func.count().label("excluded"), _lifted, of=Exclusion)
_came = _in_sessions(
    func.count().label("sessions"), func.count(col(ParticipantSession.ended_at)).label("ended")
)
_COUNTS = Hot(
    select_columns(
        *_answers.c,
        *_excluded.c,
        *_came.c,
        select_columns(func.max(StudyVersion.id)).where(_of_study).scalar_subquery().label("version"),
        select_columns(func.max(Job.id))
        .where(
            col(Job.study_id) == bindparam("study_id"),
            col(Job.kind) == Kind.JUDGES,
            col(Job.status) == JobStatus.DONE,
        )
        .scalar_subquery()
        .label("judges"),
        select_columns(func.max(Registration.id))
        .join(StudyVersion, col(StudyVersion.id) == Registration.version_id)
        .where(_of_study)
        .scalar_subquery()
        .label("registration"),
    ).select_from(_answers.join(_excluded, true()).join(_came, true()))
)
_JUDGED = Hot(
    select_columns(func.count().label("n"), func.max(SessionVerdict.judged_at).label("newest"))
    .join(ParticipantSession, col(ParticipantSession.id) == SessionVerdict.session_id)
    .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
    .where(_of_study)
)
