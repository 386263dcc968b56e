"""The data of the training page, from SQL and the cards of the data folder."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import ClassVar

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.judges.asking_training import MOST_EPOCHS, MOST_SEED
from app.judges.models import VOTES, TrainedHere, models_here, training_folders
from app.judges.needs import Need, needs_of
from app.judges.trainable import NetworkHere, Trainable
from app.library.places import training_folder
from app.studies.access import StudyHere
from app.studies.blinding import may_look

ALLOW = "allow-"
USUAL = "turn-speed-gru"
"""The network to begin with; the others are folded."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A trained judge with its numbers in words."""

    model: TrainedHere
    made_at: datetime | None
    reached: str
    null: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPage(AdminPage):
    template: ClassVar[str] = "judges-train.html"
    tab: ClassVar[str] = "judges"
    slug: str
    networks: Sequence[NetworkHere]
    leaks: Sequence[tuple[str, str]]
    missing: str
    needs: Sequence[Need]
    folders: Sequence[tuple[str, str]]
    folder_place: str
    form: Mapping[str, str]
    most_seed: int
    most_epochs: int
    standing: Sequence[JobView]
    last: JobView | None
    models: Sequence[ModelRow]
    usual: ClassVar[Sequence[str]] = (USUAL,)

    @property
    def allowed(self) -> Sequence[str]:
        """The leaks that the form allows."""
        return [name for name, _ in self.leaks if self.form.get(ALLOW + name)]


def training_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    data_dir: Path,
    here: Trainable,
    form: Mapping[str, str] | None = None,
    error: str = "",
) -> TrainingPage:
    """Trainings of this study and all trained judges; `form` is one that was not taken."""
    jobs = queue.jobs_of(session, Kind.TRAINING, study.id)
    networks = () if here.missing else here.networks
    usual = {
        "name": "",
        "network": USUAL if networks else VOTES,
        "folder": "",
        "human": "human",
        "seed": "1",
    }
    over = [
        job for job in jobs if job.is_over and not ("renew" in job.params and job.status is JobStatus.DONE)
    ]
    models = models_here(data_dir)
    taken = {model.name for model in models} | {job.params["name"] for job in jobs if not job.is_over}
    return TrainingPage(
        shell=shell,
        error=error,
        slug=study.slug,
        networks=networks,
        leaks=list(here.leaks.items()),
        missing=here.missing,
        needs=needs_of(session, study.slug, study.id, here),
        folders=[
            ("", "The clips of this study's pairs"),
            *((name, name) for name in training_folders(data_dir)),
        ],
        folder_place=str(training_folder(data_dir)),
        form={**usual, "name": _free(study.slug, taken), **(form or {})},
        most_seed=MOST_SEED,
        most_epochs=MOST_EPOCHS,
        standing=[job for job in jobs if not job.is_over],
        last=over[0] if over and over[0].status is JobStatus.FAILED else None,
        models=[
            _row(model)
            for model in models
            if model.is_shown_in(study.slug) and may_look(session, shell.who, study, model.mode)
        ],
    )


def _free(slug: str, taken: Collection[str]) -> str:
    return next(name for number in count(1) if (name := f"{slug[:50]}-{number}") not in taken)


def _row(model: TrainedHere) -> ModelRow:
    if model.pairs is None:
        reached = "No pair was held out"
    else:
        what = "of majorities" if model.is_of_votes else "of held-out pairs"
        between = "" if model.low is None else f" [{model.low:.2f}, {model.high:.2f}]"
        reached = f"{model.pairs:.2f}{between} {what} (n = {model.n_pairs})"
    null = "" if model.null is None else f"{model.null:.2f}"
    return ModelRow(model, _time(model.made_at), reached, null)


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
