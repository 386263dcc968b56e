"""Data out, for programs: tables, reports, study packages."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, StrictBool, StrictStr
from starlette.background import BackgroundTask

from app.api.access import StudyDep, WhoDep, editors
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.jobs import queue
from app.jobs.tables import Kind
from app.outputs import outputs
from app.reports.download import exported
from app.reports.kinds import Format, What

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors], tags=["data"])
JobId = Annotated[int, Path(ge=1, lt=2**31)]


class ReportIn(BaseModel):
    """`mode` empty takes live answers, where there are any."""

    mode: StrictStr = ""
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1


class PackageIn(BaseModel):
    """`keeps_links`: with pseudonyms, keep session and trial numbers, seeds, the order of arrival and exact times.

    Anyone with another export of the study or a recruiter's records can identify participants by them.
    """

    pseudonyms: StrictBool = True
    keeps_links: StrictBool = False
    authors: Annotated[list[StrictStr], Field(max_length=outputs.MOST_AUTHORS)] = []
    license: Annotated[StrictStr, Field(max_length=outputs.LONGEST)] = ""


class WalkClipsIn(BaseModel):
    """The mode of the walks: `live`, `pilot` or `simulated`."""

    mode: StrictStr = "live"


class JobOut(BaseModel):
    id: int


class RunOut(BaseModel):
    id: int
    status: str
    done: int
    total: int
    message: str
    result: Any


@router.get("/data/{what}.{format_}", response_class=FileResponse)
async def download_table(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    study: StudyDep,
    what: What,
    format_: Format,
    now: Now,
    mode: str = "",
    everything: Annotated[bool, Query(alias="all")] = False,
) -> FileResponse:
    """Download one table of the study's data; with `all` also of sessions that exclusion rules leave out."""
    path = await exported(settings, study.slug, what, format_, mode, everything)
    await database.write(outputs.note_export, who.actor, study.slug, what, format_, now, mode)
    return FileResponse(
        path, filename=f"{study.slug}-{what}.{format_}", background=BackgroundTask(path.unlink)
    )


@router.post("/reports", status_code=202)
async def ask_report(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: ReportIn, now: Now
) -> JobOut:
    """Build a report in the background."""
    return JobOut(id=await database.write(outputs.ask_report, who, study, wanted.mode, wanted.seed, now))


@router.get("/reports")
async def list_reports(database: DatabaseDep, study: StudyDep) -> list[RunOut]:
    """List the reports that were asked for, the newest first."""
    return [run_out(job) for job in await database.read(queue.jobs_of, Kind.REPORT, study.id)]


@router.get("/reports/{job_id}/{name:path}", response_class=FileResponse)
async def get_report_file(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: JobId, name: str
) -> FileResponse:
    """Download one file of a finished report."""
    file = await database.read(outputs.report_file, who, study, job_id, name, settings.data_dir)
    return FileResponse(file.path, media_type=file.content_type)


@router.post("/packages", status_code=202)
async def ask_package(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: PackageIn, now: Now
) -> JobOut:
    """Build a study package in the background."""
    wish = outputs.PackageWish(
        wanted.pseudonyms, wanted.authors, wanted.license, keeps_links=wanted.keeps_links
    )
    return JobOut(id=await database.write(outputs.ask_package, who, study, wish, now))


@router.post("/walk-clips", status_code=202)
async def ask_walk_clips(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: WalkClipsIn, now: Now
) -> JobOut:
    """Draw the walks of the study into the library, in the background."""
    return JobOut(id=await database.write(outputs.ask_walks, who, study, wanted.mode, now))


@router.get("/walk-clips")
async def list_walk_clips(database: DatabaseDep, study: StudyDep) -> list[RunOut]:
    """List the runs that drew walks into the library, the newest first."""
    return [run_out(job) for job in await database.read(queue.jobs_of, Kind.WALKS, study.id)]


@router.get("/packages")
async def list_packages(database: DatabaseDep, study: StudyDep) -> list[RunOut]:
    """List the study packages that were asked for, the newest first."""
    return [run_out(job) for job in await database.read(queue.jobs_of, Kind.PACKAGE, study.id)]


@router.get("/packages/{job_id}.zip", response_class=FileResponse)
async def get_package(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: JobId, now: Now
) -> FileResponse:
    """Download a finished study package."""
    file = await database.read(outputs.package_file, study, job_id, settings.data_dir)
    await database.write(outputs.note_package, who, study, job_id, now)
    return FileResponse(file.path, media_type=file.content_type, filename=f"{study.slug}-package.zip")


def run_out(job: queue.JobView) -> RunOut:
    return RunOut(
        id=job.id, status=job.status, done=job.done, total=job.total, message=job.message, result=job.result
    )
