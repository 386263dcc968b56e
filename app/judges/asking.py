"""Judges asked for in the browser or by a program: a job, and the file of verdicts that goes with it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import anyio.to_thread
from sqlmodel import Session

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import StudyError
from app.jobs.tables import Kind
from app.judges.models import models_here
from app.judges.registry import registry
from app.library.places import sent_verdicts
from app.outputs.outputs import ask_run, counted_mode
from app.studies.access import StudyHere

MOST_BYTES = 4_000_000  # of a file of verdicts: tens of thousands of them
_LONGEST_NAME = 100


class TooManyVerdicts(StudyError):
    status_code = 413


class NothingAsked(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class JudgesWish:
    """The judges to run, and an uploaded file of verdicts; an empty `mode` means the usual answers."""

    judges: Sequence[str] = ()
    file_name: str = ""
    file: bytes = b""
    mode: str = ""
    seed: int = 1


async def ask_judges(
    database: Database, data_dir: Path, who: Who, study: StudyHere, wish: JudgesWish, now: datetime
) -> int:
    """Keep the file, and put a job into the queue; returns its id. Raises StudyError in words."""
    trained = await anyio.to_thread.run_sync(_trained, data_dir)
    _check(wish, trained)
    token = secrets.token_hex(12) if wish.file else ""
    path = sent_verdicts(data_dir, token)
    if token:
        await anyio.to_thread.run_sync(_keep, path, wish.file)
    try:
        return await database.write(_ask, who, study, wish, trained, token, now)
    except BaseException:
        # Also for a cancelled request: CancelledError is no Exception.
        if token:
            path.unlink(missing_ok=True)
        raise


def _trained(data_dir: Path) -> Sequence[str]:
    return [model.name for model in models_here(data_dir) if model.name not in registry().judges]


def _check(wish: JudgesWish, trained: Sequence[str]) -> None:
    judges = [*registry().judges, *trained]
    for name in wish.judges:
        if name not in judges:
            raise NothingAsked(f"There is no judge {name[:80]!r}; there is {', '.join(judges)}.")
    if len(wish.file) > MOST_BYTES:
        raise TooManyVerdicts(
            f"{wish.file_name[:_LONGEST_NAME] or 'The file'} is {len(wish.file) / 1e6:.1f} MB large; "
            f"{MOST_BYTES / 1e6:.0f} MB are allowed here. Send fewer verdicts at once."
        )
    if not wish.judges and not wish.file:
        raise NothingAsked("Choose at least one judge, or a file of verdicts that is not empty.")


def _keep(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _ask(
    session: Session,
    who: Who,
    study: StudyHere,
    wish: JudgesWish,
    trained: Sequence[str],
    token: str,
    now: datetime,
) -> int:
    params = {
        "slug": study.slug,
        "judges": [name for name in (*registry().judges, *trained) if name in wish.judges],
        "file": token,
        "file_name": Path(wish.file_name).name[:_LONGEST_NAME] if token else "",
        "mode": counted_mode(wish.mode),
        "seed": wish.seed,
    }
    return ask_run(session, who, study, Kind.JUDGES, params, now)
