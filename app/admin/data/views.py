"""The data of the page *Data*, from SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.core.problems import counted
from app.jobs import queue
from app.jobs.queue import JobView
from app.jobs.tables import JobStatus, Kind
from app.outputs.outputs import answers_by_mode, last_response
from app.reports.facts import designs_of, tables_of
from app.studies.access import StudyHere
from app.studies.blinding import may_look
from app.trials.tables import Mode
from app.verdicts.judging import unused_by_rule


@dataclass(frozen=True, slots=True)
class TableRow:
    """One downloadable table and the meaning of its rows."""

    what: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A report or package that was asked for; `link` opens it, empty until it is there, or while it `is_blinded`."""

    job: JobView
    asked_at: datetime
    says: str
    link: str
    is_current: bool
    is_blinded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DataPage(AdminPage):
    """The page *Data*. `answers` counts answered main trials by mode; `modes` are the choices for labels and reports.

    `walks` are the runs that made clips of walks; None in a study without walks. `unused` counts by rule the sessions
    that exclusion rules leave out of the tables, unless `everything` is wanted.
    """

    template: ClassVar[str] = "data.html"
    tab: ClassVar[str] = "data"
    slug: str
    tables: Sequence[TableRow]
    answers: Sequence[tuple[str, int]]
    modes: Sequence[tuple[str, str]]
    reports: Sequence[RunRow]
    packages: Sequence[RunRow]
    walks: Sequence[RunRow] | None = None
    form: dict[str, str]
    unused: Sequence[tuple[str, int]] = ()
    everything: bool = False

    @property
    def n_unused(self) -> int:
        return sum(n for _, n in self.unused)


TABLES = (
    TableRow("responses", "Responses", "one row for each trial answered"),
    TableRow("labels", "Labels", "one row for each pair: the majority vote"),
    TableRow("participants", "Participants", "one row for each session that began"),
    TableRow("playback", "Playback", "one row for each clip of each trial: what was watched"),
    TableRow("answers", "Answers", "one row for each question answered, background and own ones too"),
    TableRow("preferences", "Preferences", "chosen and rejected clip of each pair, to train reward models"),
    TableRow("moves", "Moves", "one row for each event of each match that is over"),
    TableRow("seats_played", "Seats", "one row for each person or agent on a seat: pay and measures"),
    TableRow("walks", "Walks", "one row for each walk on the map"),
    TableRow("positions", "Positions", "where each walker was, thirty times a second"),
    TableRow("ratings", "Ratings", "one row for each question answered about an item"),
)
_KNOWN = {table.what: table for table in TABLES}
MODES = {"": "live, where there is any", "live": "live", "pilot": "pilot", "simulated": "simulated"}


def data_page(
    session: Session,
    shell: Shell,
    study: StudyHere,
    form: Mapping[str, str],
    error: str = "",
    *,
    everything: bool = False,
) -> DataPage:
    newest = last_response(session, study)
    offered = tables_of(designs_of(session, study.slug).values())
    return DataPage(
        shell=shell,
        error=error,
        slug=study.slug,
        tables=(
            *(table for table in TABLES if table.what in offered),
            *(
                TableRow(name, name.replace("_", " ").capitalize(), "")
                for name in offered
                if name not in _KNOWN
            ),
        ),
        answers=answers_by_mode(session, study),
        modes=tuple(MODES.items()),
        reports=_runs(session, shell.who, study, Kind.REPORT, newest),
        walks=_runs(session, shell.who, study, Kind.WALKS, None) if "walks" in offered else None,
        packages=_runs(session, shell.who, study, Kind.PACKAGE, newest),
        form={"authors": "", "license": "", "mode": "", **form},
        unused=tuple(unused_by_rule(session, study.slug).items()),
        everything=everything,
    )


def _runs(
    session: Session, who: Who, study: StudyHere, kind: Kind, newest: datetime | None
) -> Sequence[RunRow]:
    sees_live = may_look(session, who, study, Mode.LIVE)
    here = f"/admin/studies/{study.slug}"
    links = {Kind.REPORT: f"{here}/reports/{{}}/report.html", Kind.PACKAGE: f"{here}/packages/{{}}.zip"}
    links[Kind.WALKS] = "/admin/stimuli?source=human"

    def row(job: JobView) -> RunRow:
        is_done = job.status is JobStatus.DONE
        is_blinded = is_done and kind is Kind.REPORT and job.result["mode"] == Mode.LIVE and not sees_live
        return RunRow(
            job=job,
            asked_at=job.asked_at,
            says=_says(job),
            link=links[kind].format(job.id) if is_done and not is_blinded else "",
            is_current=newest is None or job.asked_at >= newest,
            is_blinded=is_blinded,
        )

    return [row(job) for job in queue.jobs_of(session, kind, study.id)]


def _says(job: JobView) -> str:
    if job.status is not JobStatus.DONE:
        return ""
    if job.kind is Kind.REPORT:
        done = job.result
        return f"{done['mode']}: {done['answers']} answers of {done['participants']} participants"
    if job.kind is Kind.WALKS:
        done = job.result
        there = f", {done['there']} were there already" if done["there"] else ""
        out = f"; left out: {done['left_out']}" if done["left_out"] else ""
        return f"{done['mode']}: {counted(done['clips'], 'new clip')}{there}{out}"
    names = "participants' ids replaced" if job.params["pseudonyms"] else "participants' ids as recruited"
    names += ", exact times kept" if job.params.get("keeps_links") or not job.params["pseudonyms"] else ""
    return f"{job.result['files']} files, {job.result['bytes'] / 1e6:.1f} MB, {names}"
