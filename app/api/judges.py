"""Validation of judges, for programs: start a run, list runs, fetch their files."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.api.data import JobOut, RunOut, run_out
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.jobs import queue
from app.jobs.tables import Kind
from app.judges.asking import MOST_BYTES, JudgesWish, ask_judges
from app.outputs import outputs

router = APIRouter(prefix="/studies/{slug}/judges", dependencies=[editors], tags=["judges"])
JobId = Annotated[int, Path(ge=1, lt=2**31)]


class JudgesIn(BaseModel):
    """`judges` that come with the program, `verdicts` of others as the text of a CSV file, or both.

    `mode` empty takes live answers, where there are any.
    """

    judges: Annotated[list[StrictStr], Field(max_length=100)] = []
    verdicts: Annotated[StrictStr, Field(max_length=MOST_BYTES)] = ""
    file_name: Annotated[StrictStr, Field(max_length=100)] = "verdicts.csv"
    mode: StrictStr = ""
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1


@router.post("", status_code=202)
async def ask_for_judges(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, wanted: JudgesIn, now: Now
) -> JobOut:
    """Hold judges against people, in the background."""
    text = wanted.verdicts.encode("utf-8", "replace")
    wish = JudgesWish(wanted.judges, wanted.file_name, text, wanted.mode, wanted.seed)
    return JobOut(id=await ask_judges(database, settings.data_dir, who, study, wish, now))


@router.get("")
async def list_judge_runs(database: DatabaseDep, study: StudyDep) -> list[RunOut]:
    """List the runs of judges that were asked for, the newest first."""
    return [run_out(job) for job in await database.read(queue.jobs_of, Kind.JUDGES, study.id)]


@router.get("/{job_id}/{name}", response_class=FileResponse)
async def get_judges_file(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: JobId, name: str
) -> FileResponse:
    """Download one file of a finished run: verdicts.csv, validation.json or judges.svg."""
    file = await database.read(outputs.judging_file, who, study, job_id, name, settings.data_dir)
    return FileResponse(file.path, media_type=file.content_type)
