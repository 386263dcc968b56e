"""Trains a judge from a study's or a folder's clips, and puts it among the trained judges of the data folder."""

import os
import shutil
from pathlib import Path
from typing import Any

from analysis.errors import AnalysisError
from analysis.learning.training import Trained
from app.core.errors import Conflict, StudyError
from app.jobs.context import Work
from app.judges.models import is_model
from app.judges.shown import as_shown
from app.judges.study import pairs_to_judge
from app.judges.training import Wish, check_wish, train_model
from app.judges.training_data import TrainingSet, compared, of_folder, of_study
from app.library.clips.errors import ClipError
from app.library.places import models_folder, training_folder


def train_judge(work: Work) -> dict[str, Any]:
    """`params`: those of `app.judges.asking_training`. A job that is called off, or fails, leaves nothing behind."""
    params = work.params
    target = models_folder(work.settings.data_dir) / params["name"]
    half_done = target.with_name(f".training-{work.job.id}")
    shutil.rmtree(half_done, ignore_errors=True)
    try:
        trained = _trained(work, half_done)
        if is_model(target):
            raise Conflict(
                f"A trained judge called {params['name']} has come meanwhile; choose another name."
            )
        os.replace(half_done, target)
    except (AnalysisError, ClipError) as error:
        raise StudyError(f"{str(error)[:1].upper()}{str(error)[1:]}") from None
    finally:
        shutil.rmtree(half_done, ignore_errors=True)
    pooled = trained.evaluation.pooled
    return {"name": params["name"], "pairs": pooled.pairs, "n_pairs": pooled.n_pairs}


def _trained(work: Work, out: Path) -> Trained:
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

    return train_model(found, wish, out, tell, work.now())


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
