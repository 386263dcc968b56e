"""The handler of each kind of job: the one place to add a kind.

A handler's module is loaded by its first job: codecs and pandas take seconds, and often no job needs them.
"""

from collections.abc import Mapping
from typing import Any

from app.jobs.tables import Kind
from app.worker.context import Handler, Work


def _import_clip(work: Work) -> Any:
    from app.worker.handlers.clips import import_clip

    return import_clip(work)


def _import_walks(work: Work) -> Any:
    from app.worker.handlers.walks import import_walks

    return import_walks(work)


def _add_pictures(work: Work) -> Any:
    from app.worker.handlers.pictures import add_pictures

    return add_pictures(work)


def _preview(work: Work) -> Any:
    from app.worker.handlers.reprocessing import preview

    return preview(work)


def _reprocess(work: Work) -> Any:
    from app.worker.handlers.reprocessing import reprocess

    return reprocess(work)


def _look_for_clues(work: Work) -> Any:
    from app.worker.handlers.clues import look_for_clues

    return look_for_clues(work)


def _make_report(work: Work) -> Any:
    from app.worker.handlers.reports import make_report

    return make_report(work)


def _make_package(work: Work) -> Any:
    from app.worker.handlers.reports import make_package

    return make_package(work)


def _judge_study(work: Work) -> Any:
    from app.worker.handlers.judging import judge_study

    return judge_study(work)


def _compute_results(work: Work) -> Any:
    from app.worker.handlers.results import compute_results

    return compute_results(work)


def _train_judge(work: Work) -> Any:
    from app.worker.handlers.training import train_judge

    return train_judge(work)


def _judge_sessions(work: Work) -> Any:
    from app.worker.handlers.verdicts import judge_sessions

    return judge_sessions(work)


def _simulate_people(work: Work) -> Any:
    from app.worker.handlers.simulating import simulate_people

    return simulate_people(work)


def _send_mail(work: Work) -> Any:
    from app.worker.handlers.mails import send_mail

    return send_mail(work)


HANDLERS: Mapping[Kind, Handler] = {
    Kind.IMPORT: _import_clip,
    Kind.WALKS: _import_walks,
    Kind.PICTURES: _add_pictures,
    Kind.PREVIEW: _preview,
    Kind.REPROCESS: _reprocess,
    Kind.CLUES: _look_for_clues,
    Kind.REPORT: _make_report,
    Kind.PACKAGE: _make_package,
    Kind.JUDGES: _judge_study,
    Kind.RESULTS: _compute_results,
    Kind.TRAINING: _train_judge,
    Kind.VERDICTS: _judge_sessions,
    Kind.SIMULATION: _simulate_people,
    Kind.MAIL: _send_mail,
}

_CLIPS = (Kind.REPROCESS, Kind.IMPORT, Kind.WALKS, Kind.PICTURES)
# A lane does one job at a time, of its first kinds first: somebody waits for a preview, no report holds up clips, and
# a training of minutes holds up neither, nor does
# a mail server that does not answer.
LANES: tuple[tuple[Kind, ...], ...] = (
    (Kind.PREVIEW, Kind.VERDICTS),
    (Kind.SIMULATION, Kind.TRAINING),
    (Kind.MAIL,),
    _CLIPS,
    (Kind.RESULTS, Kind.CLUES, Kind.REPORT, Kind.PACKAGE, Kind.JUDGES, *_CLIPS),
)
