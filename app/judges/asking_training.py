"""Requests for training from the browser, validated before they are queued."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import anyio.to_thread
from sqlmodel import Session

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Conflict, StudyError, at_field
from app.jobs import queue
from app.jobs.tables import Kind
from app.judges.models import NAME, VOTES, is_model, training_folders
from app.judges.needs import lacking
from app.judges.trainable import Trainable
from app.library.places import models_folder
from app.outputs.outputs import answers_by_mode, ask_run
from app.studies.access import StudyHere
from app.studies.blinding import require_open
from app.trials.tables import Mode

LONGEST_LICENCE = 200
MOST_EPOCHS = 10_000
MOST_SEED = 2**32 - 1


class NotTrainable(StudyError):
    """An invalid training request, with what to change."""

    status_code = 422


@dataclass(frozen=True, slots=True)
class TrainingWish:
    """A training request: `folder` is one of `training_folders`, empty for the study's clips. `network` may be `VOTES`,
    which learns from the study's answers.

    `epochs` None trains as long as published; `human` is the source of people in a folder.
    """

    name: str
    network: str
    folder: str = ""
    human: str = "human"
    seed: int = 1
    epochs: int | None = None
    search: bool = False
    allowed: Sequence[str] = ()
    licence: str = ""


async def ask_training(
    database: Database,
    data_dir: Path,
    who: Who,
    study: StudyHere,
    wish: TrainingWish,
    here: Trainable,
    now: datetime,
) -> int:
    """Put a training into the queue; returns its id. Raises StudyError in words."""
    await anyio.to_thread.run_sync(_check, wish, here, data_dir)
    return await database.write(_ask, who, study, wish, now)


def _ask(session: Session, who: Who, study: StudyHere, wish: TrainingWish, now: datetime) -> int:
    standing = queue.jobs_of(session, Kind.TRAINING, None, limit=1_000, standing=True)
    if any(job.params["name"] == wish.name for job in standing):
        raise Conflict(f"A judge called {wish.name} is being trained already. Choose another name, or wait.")
    # Its card says how people voted, of live answers where there are any.
    if wish.network == VOTES and dict(answers_by_mode(session, study)).get(Mode.LIVE):
        require_open(session, who, study, Mode.LIVE)
    is_of_votes = wish.network == VOTES
    if (is_of_votes or not wish.folder) and (
        says := lacking(session, study.slug, study.id, of_votes=is_of_votes)
    ):
        raise NotTrainable(says)
    params = {**asdict(wish), "slug": study.slug, "allowed": list(wish.allowed)}
    return ask_run(session, who, study, Kind.TRAINING, params, now)


def _check(wish: TrainingWish, here: Trainable, data_dir: Path) -> None:
    if here.missing and wish.network != VOTES:
        raise Conflict(f"{here.missing[:1].upper()}{here.missing[1:]}.")
    if not NAME.fullmatch(wish.name):
        raise NotTrainable(
            "Name: up to 60 letters, digits, points, dashes and underscores, the first a letter or digit."
        )
    if is_model(models_folder(data_dir) / wish.name):
        raise Conflict(
            f"There is a trained judge called {wish.name} already. Choose another name, or delete it."
        )
    if wish.network == VOTES and (wish.folder or wish.search or wish.epochs or wish.allowed):
        raise NotTrainable(
            "A judge of votes learns from this study's answers: choose its clips, and neither epochs, a search nor "
            "leaks to allow."
        )
    if wish.network not in {VOTES, *(network.name for network in here.networks)}:
        raise NotTrainable(f"There is no network {wish.network[:80]!r} to train. Choose one of the list.")
    if wish.folder and wish.folder not in training_folders(data_dir):
        raise NotTrainable(f"There is no folder {wish.folder[:80]!r} to train on. Choose one of the list.")
    if unknown := sorted(set(wish.allowed) - here.leaks.keys()):
        raise NotTrainable(f"There is no leak {unknown[0][:80]!r} to allow.")
    with at_field("seed"):
        if not 0 <= wish.seed <= MOST_SEED:
            raise NotTrainable(f"Seed: a whole number from 0 to {MOST_SEED}.")
    with at_field("epochs"):
        if wish.epochs is not None and not 1 <= wish.epochs <= MOST_EPOCHS:
            raise NotTrainable(f"Epochs: a whole number from 1 to {MOST_EPOCHS:,}, or nothing.")
    with at_field("licence"):
        if len(wish.licence) > LONGEST_LICENCE:
            raise NotTrainable(f"Licence: at most {LONGEST_LICENCE} characters.")
    if not wish.human:
        raise NotTrainable("Name the source whose clips people made.")
