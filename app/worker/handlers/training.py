"""Trains a judge on clips or votes and adds it to the trained judges of the data folder; retrains judges of votes when
a participant deleted their answers.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.data.columns import RESPONSE_COLUMNS
from analysis.errors import AnalysisError
from app.core.errors import Conflict, StudyError, page_words
from app.jobs import queue
from app.jobs.tables import Kind
from app.judges.models import VOTES, TrainedHere, is_model
from app.judges.renewing import card_in, learnt_before, mark_deleted, mark_kept, move_over
from app.judges.spans import as_shown
from app.judges.study import pairs_to_judge
from app.judges.training import Wish, check_wish, train_model
from app.judges.training_data import TrainingSet, compared, of_folder, of_study
from app.judges.voted import train_on_votes, voted_study
from app.library.clips.errors import ClipError
from app.library.places import models_folder, training_folder
from app.reports.targets import frame_of
from app.worker.context import Work


def train_judge(work: Work) -> dict[str, Any]:
    """`params`: those of `app.judges.asking_training`, or `renew`. A job that is cancelled or fails leaves nothing
    behind.
    """
    params = work.params
    if "renew" in params:
        return _renewed(work)
    target = models_folder(work.settings.data_dir) / params["name"]
    half_done = target.with_name(f".training-{work.job.id}")
    shutil.rmtree(half_done, ignore_errors=True)
    try:
        if params["network"] == VOTES:
            reached = _by_votes(work, half_done, None, params["seed"], params["licence"])
        else:
            reached = _by_clips(work, half_done)
        if is_model(target):
            raise Conflict(
                f"A trained judge called {params['name']} was trained meanwhile; choose another name."
            )
        # Renamed as a whole, so that no page finds a folder without its card.
        os.replace(half_done, target)
    except (AnalysisError, ClipError) as error:
        said = page_words(error)
        raise StudyError(f"{said[:1].upper()}{said[1:]}") from None
    finally:
        shutil.rmtree(half_done, ignore_errors=True)
    return {"name": params["name"], "pairs": reached.pairs, "n_pairs": reached.n_pairs}


@dataclass(frozen=True, slots=True)
class _Reached:
    """The share of held-out pairs on which the person, or the majority's choice, is named."""

    pairs: float | None
    n_pairs: int


def _renewed(work: Work) -> dict[str, Any]:
    """`params`: `slug`, and in `renew` the mode and number of the answers that were deleted.

    Of several such jobs in a row each marks the judges, and the last trains them.
    """
    data, slug, deleted = work.settings.data_dir, work.params["slug"], work.params["renew"]
    judges = learnt_before(data, slug, deleted["mode"], work.job.asked_at)
    for judge in judges:
        mark_deleted(data, judge.name, work.job.id, deleted["answers"])
    if _is_another_waiting(work):
        return {"renewed": []}
    return {"renewed": [judge.name for judge in judges if _is_renewed(work, judge)]}


def _is_another_waiting(work: Work) -> bool:
    with work.database.reading() as session:
        standing = queue.jobs_of(session, Kind.TRAINING, work.job.study_id, standing=True)
    mode = work.params["renew"]["mode"]
    return any(job.id > work.job.id and job.params.get("renew", {}).get("mode") == mode for job in standing)


def _is_renewed(work: Work, judge: TrainedHere) -> bool:
    """False where it cannot be trained anew; its card says why."""
    data = work.settings.data_dir
    folder, card = models_folder(data) / judge.name, card_in(data, judge.name)
    half_done = folder.with_name(f".training-{work.job.id}")
    shutil.rmtree(half_done, ignore_errors=True)
    try:
        if card["features"] is not None:
            raise StudyError(
                f"it reads features by {card['features']['file']}, which is not kept with it: another is trained on "
                "the machine of the service, where that file is named"
            )
        _by_votes(work, half_done, judge.mode, card["seed"], card["data"]["licence"])
        move_over(half_done, folder)
    except (AnalysisError, ClipError, StudyError) as error:
        mark_kept(data, judge.name, str(error).rstrip("."))
        return False
    finally:
        shutil.rmtree(half_done, ignore_errors=True)
    return True


def _by_votes(work: Work, out: Path, mode: str | None, seed: int, licence: str) -> _Reached:
    slug = work.params["slug"]
    work.progress(0, 0, "Reading clips")
    with work.database.reading() as session:
        study = pairs_to_judge(session, slug, work.store)
        known = compared(session, slug)
        rows = frame_of(session, slug, None, RESPONSE_COLUMNS)
    with as_shown(study.pairs) as shown:
        found = voted_study(slug, known, study.pairs, shown, rows, mode)
        numbers = train_on_votes(
            found,
            out,
            seed=seed,
            licence=licence,
            on_progress=lambda done, total, what: work.progress(done, total, f"Training, {what}"),
            now=work.now(),
        ).numbers
    return _Reached(numbers.reached.label_accuracy, numbers.n_pairs)


def _by_clips(work: Work, out: Path) -> _Reached:
    params = work.params
    wish = Wish(
        params["network"],
        params["seed"],
        tuple(params["allowed"]),
        params["search"],
        params["licence"],
        params["epochs"],
    )
    check_wish(wish)
    work.progress(0, 0, "Reading clips")
    found = _read(work, wish)

    def tell(done: int, total: int, what: str) -> None:
        work.progress(done, total, f"Training {what}")

    pooled = train_model(found, wish, out, tell, work.now()).evaluation.pooled
    return _Reached(pooled.pairs, pooled.n_pairs)


def _read(work: Work, wish: Wish) -> TrainingSet:
    def tell(done: int, total: int, name: str) -> None:
        work.progress(done, total, f"Reading {name}")

    params, network = work.params, wish.wanted
    if params["folder"]:
        folder = training_folder(work.settings.data_dir) / params["folder"]
        return of_folder(folder, params["human"], network, tell)
    slug = params["slug"]
    with work.database.reading() as session:
        study = pairs_to_judge(session, slug, work.store)
        known = compared(session, slug)
    with as_shown(study.pairs) as shown:
        return of_study(slug, known, study.pairs, shown, network, tell)
