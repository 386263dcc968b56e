"""Judges asked for in the browser or by a program: a job, and the file of verdicts that goes with it."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import anyio.to_thread
from sqlmodel import Session

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Conflict, StudyError
from app.core.problems import listed
from app.jobs.tables import Kind
from app.judges.checking import Check, Checked, check_file
from app.judges.known import known_of
from app.judges.models import models_here
from app.judges.registry import registry
from app.judges.standing import About
from app.judges.verdict_files import MOST_BYTES
from app.library.places import sent_verdicts
from app.outputs.outputs import ask_run, counted_mode
from app.studies.access import StudyHere

_LONGEST_NAME = 100


class TooManyVerdicts(StudyError):
    status_code = 413


class NothingAsked(StudyError):
    status_code = 422


class HereAlready(Conflict):
    """The file has judges with verdicts here, and did not say that these are to be replaced."""

    def __init__(self, check: Check) -> None:
        self.check = check
        names = listed(check.replaced, "and")
        has = "has" if len(check.replaced) == 1 else "have"
        super().__init__(
            f"{names} {has} verdicts here already. Tick that they are replaced, and choose the file again; "
            "the verdicts of all other judges stay."
        )


@dataclass(frozen=True, slots=True)
class JudgesWish:
    """The judges to run, and an uploaded file of verdicts; an empty `mode` means the usual answers.

    Verdicts that other judges gave before stay. `again` compares these with the answers that there are now, and
    `without` takes judges out; `replaces` allows a file to replace the verdicts of a judge that is here.
    """

    judges: Sequence[str] = ()
    file_name: str = ""
    file: bytes = b""
    mode: str = ""
    seed: int = 1
    again: About | Literal[""] = ""
    without: Sequence[str] = ()
    replaces: bool = True


async def check_sent(database: Database, study: StudyHere, name: str, data: bytes) -> Checked:
    """Check a file of verdicts against a study; nothing is added. Raises TooManyVerdicts."""
    _refuse_large(name, data)
    known = await database.read(known_of, study.slug)
    return await anyio.to_thread.run_sync(check_file, data, Path(name).name[:_LONGEST_NAME], known)


async def ask_judges(
    database: Database, data_dir: Path, who: Who, study: StudyHere, wish: JudgesWish, now: datetime
) -> int:
    """Check and keep the file, and put a job into the queue; returns its id. Raises StudyError in words."""
    trained = await anyio.to_thread.run_sync(_trained, data_dir)
    _check(wish, trained)
    counted_mode(wish.mode)
    text, about = "", wish.again or "pairs"
    if wish.file:
        checked = await check_sent(database, study, wish.file_name, wish.file)
        checked.require_fine()
        if checked.check.replaced and not wish.replaces:
            raise HereAlready(checked.check)
        text, about = checked.text, checked.check.about
    token = secrets.token_hex(12) if text else ""
    path = sent_verdicts(data_dir, token)
    if token:
        await anyio.to_thread.run_sync(_keep, path, text)
    try:
        return await database.write(_ask, who, study, wish, trained, token, about, now)
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
    _refuse_large(wish.file_name, wish.file)
    if wish.again and (wish.file or wish.judges):
        raise NothingAsked(
            "Verdicts that are here are compared again without a file and without judges to run: ask for one at a time."
        )
    if not wish.judges and not wish.file and not wish.again:
        raise NothingAsked("Choose at least one judge, or a file of verdicts that is not empty.")


def _refuse_large(name: str, data: bytes) -> None:
    if len(data) > MOST_BYTES:
        raise TooManyVerdicts(
            f"{name[:_LONGEST_NAME] or 'The file'} is {len(data) / 1e6:.1f} MB large; "
            f"{MOST_BYTES / 1e6:.0f} MB are allowed here. Send fewer verdicts at once, or compare them with people "
            "at the command line, which has no limit."
        )


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def _ask(
    session: Session,
    who: Who,
    study: StudyHere,
    wish: JudgesWish,
    trained: Sequence[str],
    token: str,
    about: About,
    now: datetime,
) -> int:
    params = {
        "slug": study.slug,
        "judges": [name for name in (*registry().judges, *trained) if name in wish.judges],
        "file": token,
        "file_name": Path(wish.file_name).name[:_LONGEST_NAME] if token else "",
        "mode": counted_mode(wish.mode),
        "seed": wish.seed,
        "about": about,
    }
    if wish.again:
        params |= {"compare": wish.again, "without": sorted(wish.without)}
    return ask_run(session, who, study, Kind.JUDGES, params, now)
