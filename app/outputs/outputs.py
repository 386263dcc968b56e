"""Reports, packages and judgings of a study: asked for, listed, found again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, func

from app.accounts.audit import Actor, record
from app.accounts.logins import Who
from app.core.errors import NotFound, StudyError, at_field
from app.core.statements import Hot
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import Job, JobStatus, Kind
from app.library.places import judging_folder, package_folder, report_folder
from app.studies.access import StudyHere
from app.studies.blinding import require_open
from app.studies.collections import own_collection
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, StudyVersion

MOST_AUTHORS, LONGEST = 50, 200
VERDICTS = "verdicts.csv"
BY_MODE = ("labels", "preferences")  # tables of one mode's votes; the others have the rows of all modes
_CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}

_OF_STUDY = col(StudyVersion.study_id) == bindparam("study_id")
_BY_MODE = Hot(
    select_columns(col(ParticipantSession.mode), func.count())
    .select_from(Response)
    .join(ParticipantSession, col(ParticipantSession.id) == Response.session_id)
    .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
    .where(_OF_STUDY, col(Response.trial_id).is_not(None), col(ParticipantSession.mode) != Mode.PREVIEW)
    .group_by(col(ParticipantSession.mode))
    .order_by(col(ParticipantSession.mode))
)
_newest = (
    select_columns(func.max(Response.answered_at).label("newest"))
    .join(ParticipantSession, col(ParticipantSession.id) == Response.session_id)
    .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
    .where(_OF_STUDY)
)
_LAST = Hot(_newest.where(col(ParticipantSession.mode) != Mode.PREVIEW))
_LAST_OF = Hot(_newest.where(col(ParticipantSession.mode) == bindparam("mode")))


@dataclass(frozen=True, slots=True)
class PackageWish:
    """Options of a package: `pseudonyms` replaces recruiters' ids; `keeps_links` then keeps session numbers, seeds and
    exact times.

    Authors and licence go into the package's description.
    """

    pseudonyms: bool = True
    authors: Sequence[str] = ()
    license: str = ""
    keeps_links: bool = False


@dataclass(frozen=True, slots=True)
class OutputFile:
    path: Path
    content_type: str


def ask_report(session: Session, who: Who, study: StudyHere, mode: str, seed: int, now: datetime) -> int:
    """Put a report into the queue; `mode` empty takes live answers where there are any."""
    params = {"slug": study.slug, "mode": counted_mode(mode), "seed": seed}
    return ask_run(session, who, study, Kind.REPORT, params, now)


def ask_package(session: Session, who: Who, study: StudyHere, wish: PackageWish, now: datetime) -> int:
    """Put a study package into the queue."""
    with at_field("authors"):
        if len(wish.authors) > MOST_AUTHORS or any(len(text) > LONGEST for text in wish.authors):
            raise StudyError(f"Give at most {MOST_AUTHORS} authors and at most {LONGEST} characters each.")
    with at_field("license"):
        if len(wish.license) > LONGEST:
            raise StudyError(f"The licence has at most {LONGEST} characters.")
    params = {"slug": study.slug, **asdict(wish), "authors": list(wish.authors)}
    return ask_run(session, who, study, Kind.PACKAGE, params, now)


def ask_walks(session: Session, who: Who, study: StudyHere, mode: str, now: datetime) -> int:
    """Start drawing a study's walks into the library. Raises StudyError for an unknown mode."""
    own = own_collection(session, study.id)
    params = {
        "slug": study.slug,
        "mode": counted_mode(mode) or Mode.LIVE.value,
        "collection": own.id if own else 0,
    }
    return ask_run(session, who, study, Kind.WALKS, params, now)


def ask_run(
    session: Session, who: Who, study: StudyHere, kind: Kind, params: Mapping[str, Any], now: datetime
) -> int:
    """Put a run of a study into the queue, unless the same is waiting there already."""
    standing = queue.jobs_of(session, kind, study.id, limit=1, standing=True)
    if standing and standing[0].params == params:
        return standing[0].id
    record(session, who.actor, f"{kind}.ask", now=now, study=study.slug, after=dict(params))
    return queue.ask(session, kind, params, now=now, asked_by=who.user_id, study_id=study.id)


def counted_mode(text: str) -> str | None:
    """The mode that a form names, None for the usual one. Raises StudyError."""
    if not text:
        return None
    try:
        return Mode(text).value
    except ValueError:
        raise StudyError(f"There is no mode {text[:40]!r}; use {', '.join(Mode)}.") from None


def answers_by_mode(session: Session, study: StudyHere) -> list[tuple[str, int]]:
    """Trials answered, practice included, by mode; previews are left out: they do not count."""
    return [(mode, n) for mode, n in _BY_MODE.all(session, {"study_id": study.id})]


def last_response(session: Session, study: StudyHere, mode: Mode | None = None) -> datetime | None:
    """The time of the newest answer (of one mode, or of any that counts): an earlier report does not cover it."""
    of = {"study_id": study.id}
    found = _LAST_OF.first(session, of | {"mode": mode}) if mode else _LAST.first(session, of)
    return found.newest  # type: ignore[no-any-return]


def report_file(
    session: Session, who: Who, study: StudyHere, job_id: int, name: str, data_dir: Path
) -> OutputFile:
    """A file of a finished report. Raises NotFound, and Conflict where it is blinded."""
    job = _done(session, study, Kind.REPORT, job_id)
    require_open(session, who, study, job.result["mode"])
    return _file_of(job, report_folder(data_dir, job_id), name)


def judging_file(
    session: Session, who: Who, study: StudyHere, job_id: int, name: str, data_dir: Path
) -> OutputFile:
    """A file of a validation of judges. Raises NotFound, and Conflict if it is blinded.

    Verdicts reveal nothing about people.
    """
    job = _done(session, study, Kind.JUDGES, job_id)
    if name != VERDICTS:
        require_open(session, who, study, job.result["mode"])
    return _file_of(job, judging_folder(data_dir, job_id), name)


def _file_of(job: JobView, folder: Path, name: str) -> OutputFile:
    # Only what the run itself has listed: a path from an address could lead out of the folder.
    if name not in job.result["files"]:
        raise NotFound("There is no such file in this run.")
    path = folder / name
    return OutputFile(path, _CONTENT_TYPES.get(path.suffix, "application/octet-stream"))


def package_file(session: Session, study: StudyHere, job_id: int, data_dir: Path) -> OutputFile:
    """A finished package. Raises NotFound."""
    job = _done(session, study, Kind.PACKAGE, job_id)
    return OutputFile(package_folder(data_dir, job_id) / job.result["file"], "application/zip")


def note_export(
    session: Session, by: Actor, slug: str, what: str, format_: str, now: datetime, mode: str = ""
) -> None:
    """Record in the audit log that a table was exported; `mode` chose whose votes make it."""
    after = {"mode": mode} if mode and what in BY_MODE else None
    record(session, by, "data.export", now=now, study=slug, subject=f"{what}.{format_}", after=after)


def note_package(session: Session, who: Who, study: StudyHere, job_id: int, now: datetime) -> None:
    """Record in the audit log that a package was downloaded, and how much it reveals about participants."""
    job = session.get_one(Job, job_id)
    says = {name: job.params.get(name, False) for name in ("pseudonyms", "keeps_links")}
    subject = package_subject(job_id)
    record(session, who.actor, "package.download", now=now, study=study.slug, subject=subject, after=says)


def package_subject(job_id: int) -> str:
    """A package in the audit log."""
    return f"package {job_id}"


def _done(session: Session, study: StudyHere, kind: Kind, job_id: int) -> JobView:
    job = session.get(Job, job_id) if 0 < job_id < 2**31 else None
    if job and (job.kind, job.study_id, job.status) == (kind, study.id, JobStatus.DONE):
        return queue.view(job)
    raise NotFound("There is no such run; it may have failed or still be under way.")
