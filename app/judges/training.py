"""Trains a judge and writes it: weights named by their hash, and a card for programs and for people."""

import hashlib
import json
import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from analysis.figures.figure import AnyFigure, Figure
from analysis.learning.baselines import Baseline, baseline, best_number_baseline, logistic_baseline
from analysis.learning.card import Origin, card_of, markdown, together
from analysis.learning.catalogue import NETWORKS, Network, network_named, on_features_alone
from analysis.learning.epochs import epochs_figure
from analysis.learning.leaks import LEAKS
from analysis.learning.training import Trained, train
from analysis.learning.weights import digest, packed
from app.core.errors import StudyError
from app.core.whole_files import written_whole
from app.judges.base import JudgeFailed, StimulusFiles
from app.judges.fidget import correcting
from app.judges.frozen import FrozenFeatures
from app.judges.models import CARD, CARD_TEXT, CURVES
from app.judges.motion import moving
from app.judges.runner import OnProgress
from app.judges.straightness import roundaboutness
from app.judges.training_data import TrainingSet

_PACKAGES = ("likely-human", "numpy", "jax", "optax", "safetensors")
UNTRAINED: dict[str, Callable[[StimulusFiles], float | None]] = {
    "straightness": roundaboutness,
    "fidget": correcting,
    "motion": moving,
}
_WEIGHTS = re.compile(r"[0-9a-f]{64}\.safetensors")


@dataclass(frozen=True, slots=True)
class Wish:
    """Training options; `allowed` names leaks that must not stop it.

    `frozen` is the pretrained network for one that needs it.
    """

    network: str
    seed: int = 1
    allowed: Sequence[str] = ()
    search: bool = False
    licence: str = ""
    epochs: int | None = None
    frozen: FrozenFeatures | None = None

    @property
    def wanted(self) -> Network:
        """The network as it is to be trained. Raises AnalysisError for one that there is not."""
        network = network_named(self.network)
        settings = network.settings if self.frozen is None else self.frozen.settings(network.settings)
        return replace(network, settings=replace(settings, epochs=self.epochs or settings.epochs))


def check_wish(wish: Wish) -> None:
    """Raises before any file is read: StudyError for a leak of no such name, AnalysisError for an unknown network."""
    network = network_named(wish.network)
    if wish.frozen is not None and not network.on_features:
        those = ", ".join(each.name for each in NETWORKS.values() if each.on_features)
        raise StudyError(f"{network.name} looks through no other network; those that do are {those}, votes")
    if wish.frozen is None and network.on_features:
        raise StudyError(on_features_alone(network))
    for name in wish.allowed:
        if name not in LEAKS:
            raise StudyError(
                f"--allow {name[:80]}: there is no such leak; there is {', '.join(LEAKS)}",
                on_page=f"There is no leak {name[:80]!r}; there is {', '.join(LEAKS)}.",
            )


def check_target(out: Path) -> None:
    """Check that a model can be written to a folder: a new one, an empty one, or one that holds a model."""
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / CARD).is_file()):
        raise StudyError(f"{out} is there already and holds no trained judge; name a new folder")


def train_model(found: TrainingSet, wish: Wish, out: Path, on_progress: OnProgress, now: datetime) -> Trained:
    """Train, and write card and weights into the folder `out`; a model that was there is replaced."""
    check_wish(wish)
    check_target(out)
    trained = train(
        wish.wanted,
        found.examples,
        pairs=found.pairs,
        seed=wish.seed,
        allowed=wish.allowed,
        search=wish.search,
        on_progress=on_progress,
    )
    parameters = together([copy.parameters for copy in trained.copies])
    data = packed(parameters)
    file = f"{hashlib.sha256(data).hexdigest()}.safetensors"
    origin = Origin(
        on=found.on,
        is_simulated=found.is_simulated,
        licence=wish.licence,
        made_at=now,
        versions={"Python": platform.python_version()}
        | {name: version(name) for name in _PACKAGES + (("onnxruntime",) if wish.frozen else ())}
        | {"processors": str(len(os.sched_getaffinity(0)))},
    )
    features = wish.frozen.described() if wish.frozen else None
    card = card_of(trained, found.examples, _data_hash(found), origin, file, digest(parameters), features)
    card["baselines"] = [each.to_dict() for each in baselines_of(found, trained)]
    written_model(out, file, data, card, markdown(card))
    write_curves(epochs_figure([copy.by_epoch for copy in trained.copies]), out)
    return trained


def written_model(out: Path, file: str, data: bytes, card: Mapping[str, Any], text: str) -> None:
    """The weights under their name, the card for people and, last, the card for programs; older weights go."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        old = [path for path in out.iterdir() if _WEIGHTS.fullmatch(path.name) and path.name != file]
    except OSError as error:
        raise StudyError(f"cannot write {out}: {error.strerror}") from None
    values = json.dumps(card, indent=2, ensure_ascii=False, allow_nan=False)
    # A folder holds a model once it has the card for programs, which is therefore written last.
    for name, content in ((file, data), (CARD_TEXT, text.encode()), (CARD, f"{values}\n".encode())):
        with written_whole(out / name) as target:
            target.write(content)
    for path in old:
        path.unlink(missing_ok=True)


def write_curves(figure: AnyFigure, out: Path) -> None:
    """Write the learning curves next to the card; an outdated drawing is removed."""
    for name in CURVES:
        (out / name).unlink(missing_ok=True)
    if isinstance(figure, Figure):
        for name, content in zip(CURVES, (figure.svg.encode(), figure.png), strict=True):
            with written_whole(out / name) as target:
                target.write(content)


def _data_hash(found: TrainingSet) -> str:
    """A hash over all paths with their labels, sorted: names and order do not matter."""
    lines = sorted(f"{example.content} {int(example.is_human)}" for example in found.examples)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def baselines_of(found: TrainingSet, trained: Trained) -> Sequence[Baseline]:
    """Judges that were not trained, the best single number and a logistic regression, on the pairs of the test."""
    reached = trained.evaluation.pooled.pairs
    untrained = [
        baseline(name, [value_or_none(of, files) for files in found.files], trained.tested, reached)
        for name, of in UNTRAINED.items()
    ]
    return [
        *untrained,
        *(
            of(found.examples, trained.splits, trained.tested, reached)
            for of in (best_number_baseline, logistic_baseline)
        ),
    ]


def value_or_none(of: Callable[[StimulusFiles], float | None], files: StimulusFiles) -> float | None:
    """An untrained judge's measure of a clip; None if it cannot judge it."""
    try:
        return of(files)
    except JudgeFailed:
        return None
