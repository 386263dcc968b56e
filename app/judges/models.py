"""Trained judges by their cards alone: the service lists them, and loads no number crunching for it."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.errors import NotFound
from app.library.places import models_folder, training_folder

CARD = "card.json"
CARD_TEXT = "card.md"
CURVE = "learning.png"
CURVES = ("learning.svg", CURVE)
MANIFEST = "manifest.csv"
VOTES = "votes"
"""The judge that learns what people chose: no network, and trained by NumPy alone."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_LARGEST = 20_000_000


@dataclass(frozen=True, slots=True)
class TrainedHere:
    """A trained judge of the data folder, with its accuracy on held-out data.

    `allowed` are the leaks that were found and allowed. Numbers are None if missing in the card. `mode` is that of the
    votes, empty for a judge not trained on votes: users who may not see those votes may not read the card. `n_deleted`
    counts answers of its study deleted since, from which it may have learnt.
    """

    name: str
    network: str
    title: str
    version: str
    made_at: str
    on: str
    n_clips: int
    pairs: float | None
    n_pairs: int
    low: float | None
    high: float | None
    null: float | None
    allowed: Sequence[str]
    mode: str
    has_curve: bool
    n_deleted: int

    @property
    def is_of_votes(self) -> bool:
        return bool(self.mode)

    def is_shown_in(self, slug: str) -> bool:
        """True if the card may be shown in a study: one of votes quotes what that study's people wrote."""
        return not self.is_of_votes or self.on == slug


def is_model(path: Path) -> bool:
    return (path / CARD).is_file()


def models_here(data_dir: Path) -> Sequence[TrainedHere]:
    """The trained judges, newest first; invalid cards are left out."""
    found = [
        model
        for path in models_folder(data_dir).glob(f"*/{CARD}")
        if not path.parent.name.startswith(".") and (model := _of_card(path)) is not None
    ]
    return sorted(found, key=lambda model: model.made_at, reverse=True)


def model_folder(data_dir: Path, name: str) -> Path:
    """Raises NotFound."""
    folder = models_folder(data_dir) / name
    if not NAME.fullmatch(name) or not is_model(folder):
        raise NotFound(f"There is no trained judge {name[:80]!r} here.")
    return folder


def model_shown_in(data_dir: Path, slug: str, name: str) -> tuple[TrainedHere, Path]:
    """A trained judge that may be read and deleted on the pages of a study, and its folder. Raises NotFound."""
    folder = model_folder(data_dir, name)
    model = _of_card(folder / CARD)
    if model is None or not model.is_shown_in(slug):
        raise NotFound(f"There is no trained judge {name[:80]!r} here.")
    return model, folder


def model_file(folder: Path, file: str) -> Path:
    """The card for people or for programs, or a learning curve. Raises NotFound."""
    if file not in (CARD, CARD_TEXT, CURVE) or not (folder / file).is_file():
        raise NotFound(f"{folder.name} has no file {file[:80]!r}.")
    return folder / file


def delete_model(folder: Path) -> None:
    """Verdicts that it gave stay."""
    shutil.rmtree(folder)


def training_folders(data_dir: Path) -> Sequence[str]:
    """Names of the folders with a manifest that may be trained on."""
    return sorted(path.parent.name for path in training_folder(data_dir).glob(f"*/{MANIFEST}"))


def _of_card(path: Path) -> TrainedHere | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        card = json.loads(path.read_text(encoding="utf-8"))
        return _read(path.parent, card)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _read(folder: Path, card: Mapping[str, Any]) -> TrainedHere:
    found, mode = card["evaluation"], str(card["data"]["mode"]) if card["name"] == VOTES else ""
    shared: dict[str, Any] = {
        "name": folder.name,
        "network": str(card["name"]),
        "title": str(card["title"]),
        "version": str(card["version"]),
        "made_at": str(card["made_at"]),
        "on": str(card["data"]["on"]),
        "n_clips": len(card["data"]["contents"]),
        "mode": mode,
        "has_curve": (folder / CURVE).is_file(),
        "n_deleted": sum(card["data"].get("deleted", {"answers": {}})["answers"].values()),
    }
    if mode:
        reached = found["reached"]
        return TrainedHere(
            **shared,
            pairs=reached["label_accuracy"],
            n_pairs=int(found["n_pairs"]),
            low=None,
            high=None,
            null=None,
            allowed=(),
        )
    interval = found["interval"]
    return TrainedHere(
        **shared,
        pairs=found["pooled"]["pairs"],
        n_pairs=int(found["pooled"]["n_pairs"]),
        low=interval["low"],
        high=interval["high"],
        null=found["null"]["clips"],
        allowed=tuple(map(str, card["allowed"])),
    )
