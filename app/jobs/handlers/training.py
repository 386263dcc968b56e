"""Trains a judge on clips or on votes, and puts it among the trained judges of the data folder."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.data.columns import RESPONSE_COLUMNS
from analysis.errors import AnalysisError
from app.core.errors import Conflict, StudyError
from app.jobs.context import Work
from app.judges.models import VOTES, is_model
from app.judges.spans import as_shown
from app.judges.study import pairs_to_judge
from app.judges.training import Wish, check_wish, train_model
from app.judges.training_data import TrainingSet, compared, of_folder, of_study
from app.judges.voted import train_on_votes, voted_study
from app.library.clips.errors import ClipError
from app.library.places import models_folder, training_folder
from app.reports.targets import frame_of


def train_judge(work: Work) -> dict[str, Any]:
    """`params`: those of `app.judges.asking_training`. A job that is called off, or fails, leaves nothing behind."""
    params = work.params
    target = models_folder(work.settings.data_dir) / params["name"]
    half_done = target.with_name(f".training-{work.job.id}")
    shutil.rmtree(half_done, ignore_errors=True)
    try:
        reached = (_by_votes if params["network"] == VOTES else _by_clips)(work, half_done)
        if is_model(target):
            raise Conflict(
                f"A trained judge called {params['name']} has come meanwhile; choose another name."
            )
        os.replace(half_done, target)
    except (AnalysisError, ClipError) as error:
        raise StudyError(f"{str(error)[:1].upper()}{str(error)[1:]}") from None
    finally:
        shutil.rmtree(half_done, ignore_errors=True)
    return {"name": params["name"], "pairs": reached.pairs, "n_pairs": reached.n_pairs}


@dataclass(frozen=True, slots=True)
class _Reached:
    """How often the person, or the majority, is named on held-out pairs."""

    pairs: float | None
    n_pairs: int


def _by_votes(work: Work, out: Path) -> _Reached:
    slug = work.params["slug"]
    work.progress(0, 0, "Reading clips")
    with work.database.reading() as session:
        study = pairs_to_judge(session, slug, work.store)
        known = compared(session, slug)
        rows = frame_of(session, slug, None, RESPONSE_COLUMNS)
    with as_shown(study.pairs) as shown:
        found = voted_study(slug, known, study.pairs, shown, rows, None)
        numbers = train_on_votes(
            found,
            out,
            seed=work.params["seed"],
            licence=work.params["licence"],
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
