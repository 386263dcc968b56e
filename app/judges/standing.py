"""The judges that have verdicts on a study, each with the run that holds its newest ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlmodel import Session

from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind

About = Literal["pairs", "items"]
ABOUT: tuple[About, ...] = ("pairs", "items")
_MOST_RUNS = 1_000


@dataclass(frozen=True, slots=True)
class JudgeHere:
    """A judge with verdicts: the run that holds them, and when and how they came.

    `file` is the uploaded one, empty for a judge that ran here, which has a `title`; that one judged the version
    `number` of the study, and `version` is its own. Neither is known of runs of earlier releases.
    """

    name: str
    job_id: int
    about: About
    at: datetime | None = None
    file: str = ""
    title: str = ""
    number: int | None = None
    version: str = ""
    verdicts: int | None = None


def runs_with_verdicts(session: Session, study_id: int | None) -> Sequence[JobView]:
    """The study's runs of judges that have a result, the newest first: also one that waits to be compared again after a
    withdrawal.
    """
    runs = queue.jobs_of(session, Kind.JUDGES, study_id, limit=_MOST_RUNS)
    return [job for job in runs if job.result is not None]


def judges_here(runs: Sequence[JobView], otherwise: About) -> Mapping[str, JudgeHere]:
    """Every judge by name, of `runs_with_verdicts`; one of pairs goes before one of items."""
    found: dict[str, JudgeHere] = {}
    for about in ABOUT:
        for name, one in judges_about(runs, about, otherwise).items():
            found.setdefault(name, one)
    return found


def judges_about(runs: Iterable[JobView], about: About, otherwise: About) -> Mapping[str, JudgeHere]:
    """The judges of pairs or of items by name; `otherwise` is what runs of earlier releases are about."""
    found: dict[str, JudgeHere] = {}
    for job in _about(runs, about, otherwise):
        origins: Mapping[str, Mapping[str, Any]] | None = job.result.get("origins")
        named: Mapping[str, Mapping[str, Any]] = (
            {name: {} for name in job.result["judges"]} if origins is None else origins
        )
        for name, origin in named.items():
            found.setdefault(name, _here(name, job, about, origin))
        if origins is not None:
            # It holds what stood before it, too; a judge that is missing from it was taken out.
            break
    return found


def runs_about(runs: Iterable[JobView], about: About, otherwise: About) -> Iterator[JobView]:
    """Finished runs, the newest first."""
    return (job for job in _about(runs, about, otherwise) if job.status is JobStatus.DONE)


def has_successor(session: Session, job: JobView, otherwise: About) -> bool:
    """True if a newer run took these verdicts along and compares with people of the same mode.

    Runs of earlier releases, without origins, hold their own judges alone.
    """
    about: About = job.result.get("about", otherwise)
    return any(
        one.id > job.id and "origins" in one.result and one.result["mode"] == job.result["mode"]
        for one in _about(runs_with_verdicts(session, job.study_id), about, otherwise)
    )


def _about(runs: Iterable[JobView], about: About, otherwise: About) -> Iterator[JobView]:
    return (job for job in runs if job.result.get("about", otherwise) == about)


def _here(name: str, job: JobView, about: About, origin: Mapping[str, Any]) -> JudgeHere:
    at = origin.get("at")
    return JudgeHere(
        name=name,
        job_id=job.id,
        about=about,
        at=datetime.fromisoformat(at) if at else job.asked_at,
        file=str(origin.get("file", "")),
        title=str(origin.get("title", "")),
        number=origin.get("number"),
        version=str(origin.get("version", "")),
        verdicts=origin.get("verdicts"),
    )
