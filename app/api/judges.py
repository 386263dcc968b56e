"""Validation of judges, for programs: start a run, list runs, fetch their files."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, StrictBool, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.api.data import JobOut, RunOut, run_out
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.jobs import queue
from app.jobs.tables import Kind
from app.judges.asking import JudgesWish, ask_judges, check_sent
from app.judges.checking import Check
from app.judges.verdict_files import MOST_BYTES
from app.outputs import outputs

router = APIRouter(prefix="/studies/{slug}/judges", dependencies=[editors], tags=["judges"])
JobId = Annotated[int, Path(ge=1, lt=2**31)]


class JudgesIn(BaseModel):
    """`judges` that come with the program, `verdicts` of others as the text of a CSV file, or both.

    `mode` empty takes live answers, where there are any. Verdicts of judges that are not named here stay; those of a
    judge in the file replace the ones that it has, unless `replace` is false. `again` compares the verdicts that there
    are with the answers that there are now, `without` some judges.
    """

    judges: Annotated[list[StrictStr], Field(max_length=100)] = []
    verdicts: Annotated[StrictStr, Field(max_length=MOST_BYTES)] = ""
    file_name: Annotated[StrictStr, Field(max_length=100)] = "verdicts.csv"
    mode: StrictStr = ""
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 1
    replace: StrictBool = True
    again: Literal["", "pairs", "items"] = ""
    without: Annotated[list[StrictStr], Field(max_length=100)] = []


class VerdictsIn(BaseModel):
    """A file of verdicts as the text of a CSV file."""

    verdicts: Annotated[StrictStr, Field(max_length=MOST_BYTES)]
    file_name: Annotated[StrictStr, Field(max_length=100)] = "verdicts.csv"


@router.post("/check")
async def check_verdicts(database: DatabaseDep, study: StudyDep, given: VerdictsIn) -> Check:
    """Check a file of verdicts: every fault with its row and its remedy. Nothing is added."""
    text = given.verdicts.encode("utf-8", "replace")
    return (await check_sent(database, study, given.file_name, text)).check


@router.post("", status_code=202)
async def ask_for_judges(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, wanted: JudgesIn, now: Now
) -> JobOut:
    """Hold judges against people, in the background."""
    text = wanted.verdicts.encode("utf-8", "replace")
    wish = JudgesWish(
        wanted.judges,
        wanted.file_name,
        text,
        wanted.mode,
        wanted.seed,
        again=wanted.again,
        without=wanted.without,
        replaces=wanted.replace,
    )
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
