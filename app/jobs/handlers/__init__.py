"""The handler of each kind of job: the one place to add a kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from app.jobs.context import Handler, Work
from app.jobs.tables import Kind


@dataclass(frozen=True, slots=True)
class _Late:
    """A handler whose module is imported by its first job: codecs and pandas take seconds and are often not needed."""

    module: str
    name: str

    def __call__(self, work: Work) -> Any:
        return getattr(import_module(self.module), self.name)(work)


HANDLERS: Mapping[Kind, Handler] = {
    Kind.IMPORT: _Late("app.jobs.handlers.clips", "import_clip"),
    Kind.WALKS: _Late("app.jobs.handlers.walks", "import_walks"),
    Kind.PICTURES: _Late("app.jobs.handlers.pictures", "add_pictures"),
    Kind.PREVIEW: _Late("app.jobs.handlers.reprocessing", "preview"),
    Kind.REPROCESS: _Late("app.jobs.handlers.reprocessing", "reprocess"),
    Kind.CLUES: _Late("app.jobs.handlers.clues", "look_for_clues"),
    Kind.REPORT: _Late("app.jobs.handlers.reports", "make_report"),
    Kind.PACKAGE: _Late("app.jobs.handlers.reports", "make_package"),
    Kind.JUDGES: _Late("app.jobs.handlers.judging", "judge_study"),
    Kind.RESULTS: _Late("app.jobs.handlers.results", "compute_results"),
    Kind.TRAINING: _Late("app.jobs.handlers.training", "train_judge"),
}

_CLIPS = (Kind.REPROCESS, Kind.IMPORT, Kind.WALKS, Kind.PICTURES)
# A lane does one job at a time, of its first kinds first: somebody waits for a preview, no report holds up clips, and
# a training of minutes holds up neither.
LANES: tuple[tuple[Kind, ...], ...] = (
    (Kind.PREVIEW,),
    (Kind.TRAINING,),
    _CLIPS,
    (Kind.RESULTS, Kind.CLUES, Kind.REPORT, Kind.PACKAGE, Kind.JUDGES, *_CLIPS),
)
