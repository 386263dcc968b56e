"""From SQL to the data page."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlmodel import Session

from app.experimenter.access import Shell
from app.experimenter.data.pages import DataPage, RunRow, TableRow
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.library.outputs import answers_by_mode, last_response
from app.reporting.kinds import What
from app.study.access import StudyHere

TABLES = (
    TableRow(What.RESPONSES, "Responses", "one row for each trial answered"),
    TableRow(What.LABELS, "Labels", "one row for each pair: the majority vote"),
    TableRow(What.PARTICIPANTS, "Participants", "one row for each session that began"),
    TableRow(What.PLAYBACK, "Playback", "one row for each clip of each trial: what was watched"),
    TableRow(What.ANSWERS, "Answers", "one row for each question answered, background and own ones too"),
    TableRow(
        What.PREFERENCES, "Preferences", "chosen and rejected clip of each pair, to train reward models"
    ),
)
MODES = {"": "live, where there is any", "live": "live", "pilot": "pilot", "simulated": "simulated"}


def data_page(
    session: Session, shell: Shell, study: StudyHere, form: Mapping[str, str], error: str = ""
) -> DataPage:
    newest = last_response(session, study)
    return DataPage(
        shell=shell,
        error=error,
        slug=study.slug,
        tables=TABLES,
        answers=answers_by_mode(session, study),
        modes=tuple(MODES.items()),
        reports=_runs(session, study, Kind.REPORT, newest),
        packages=_runs(session, study, Kind.PACKAGE, newest),
        form={"authors": "", "license": "", "mode": "", **form},
    )


def _runs(session: Session, study: StudyHere, kind: Kind, newest: datetime | None) -> Sequence[RunRow]:
    here = f"/admin/studies/{study.slug}"
    links = {Kind.REPORT: f"{here}/reports/{{}}/report.html", Kind.PACKAGE: f"{here}/packages/{{}}.zip"}
    return [
        RunRow(
            job=job,
            asked_at=job.asked_at,
            says=_says(job),
            link=links[kind].format(job.id) if job.status is JobStatus.DONE else "",
            is_current=newest is None or job.asked_at >= newest,
        )
        for job in queue.jobs_of(session, kind, study.id)
    ]


def _says(job: JobView) -> str:
    if job.status is not JobStatus.DONE:
        return ""
    if job.kind is Kind.REPORT:
        done = job.result
        return f"{done['mode']}: {done['answers']} answers of {done['participants']} participants"
    names = "participants' ids replaced" if job.params["pseudonyms"] else "participants' ids as recruited"
    names += ", exact times kept" if job.params.get("keeps_links") or not job.params["pseudonyms"] else ""
    return f"{job.result['files']} files, {job.result['bytes'] / 1e6:.1f} MB, {names}"
