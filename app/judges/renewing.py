"""Judges of votes that learnt from answers since deleted: said on their cards at once, then trained anew."""

import json
import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.core.whole_files import written_whole
from app.judges.models import CARD, CARD_TEXT, TrainedHere, is_model, models_here
from app.judges.voted_card import card_lines
from app.library.places import models_folder


def learnt_before(data_dir: Path, slug: str, mode: str, at: datetime) -> Sequence[TrainedHere]:
    """Judges of the data folder that learnt from a study's votes of one mode, and read them before `at`."""
    return [
        model
        for model in models_here(data_dir)
        if model.is_of_votes
        and (model.on, model.mode) == (slug, mode)
        and datetime.fromisoformat(model.made_at) < at
    ]


def mark_deleted(data_dir: Path, name: str, job_id: int, n_answers: int) -> None:
    """Record on a judge's card that answers were deleted, once for each job, and remove the quoted reasons."""
    card = card_in(data_dir, name)
    card["reasons"] = {}
    deleted = card["data"].setdefault("deleted", {"answers": {}, "why": ""})
    deleted["answers"][str(job_id)] = n_answers
    _write(models_folder(data_dir) / name, card)


def mark_kept(data_dir: Path, name: str, why: str) -> None:
    """Write on a marked judge's card why it was not trained anew."""
    card = card_in(data_dir, name)
    card["data"]["deleted"]["why"] = why
    _write(models_folder(data_dir) / name, card)


def card_in(data_dir: Path, name: str) -> dict[str, Any]:
    """A judge's card, with the keys that cards have today."""
    card = json.loads((models_folder(data_dir) / name / CARD).read_text(encoding="utf-8"))
    return {"features": None, **card}


def move_over(new: Path, folder: Path) -> None:
    """Replace a judge's files by those of its retrained copy, the card last; if the judge was deleted meanwhile, do
    nothing.
    """
    if not is_model(folder):
        return
    names = sorted((path.name for path in new.iterdir()), key=lambda name: name == CARD)
    for name in names:
        os.replace(new / name, folder / name)
    for path in folder.iterdir():
        if path.name not in names:
            path.unlink()


def _write(folder: Path, card: dict[str, Any]) -> None:
    values = json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False)
    for name, text in ((CARD_TEXT, "\n".join(card_lines(card))), (CARD, values)):
        with written_whole(folder / name) as target:
            target.write(f"{text}\n".encode())
