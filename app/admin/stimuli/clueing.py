"""The clue report of a study: `/admin/studies/{slug}/clues`."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import RedirectResponse

from app.accounts.dependencies import WhoDep
from app.admin.access import ShellDep, editors
from app.admin.stimuli.clues_page import clues_page
from app.core.dependencies import DatabaseDep, Now
from app.core.errors import StudyError, page_words
from app.core.templating import render
from app.jobs.queue import mark_job_seen
from app.outputs.clues import have_report
from app.studies.dependencies import StudyDep

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
RunId = Annotated[int | None, Query(ge=1, lt=2**31)]


@router.get("/clues")
async def show_clues(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, now: Now, run: RunId = None
) -> Response:
    page = await database.read(clues_page, shell, study, run)
    if shell.may_edit and page.shown is not None and page.shown.seen_at is None:
        await database.write(mark_job_seen, page.shown.id, now)
    return render(page)


@router.post("/clues")
async def look_for_clues(
    database: DatabaseDep, who: WhoDep, shell: ShellDep, study: StudyDep, now: Now
) -> Response:
    try:
        await have_report(database, who, study, now)
    except StudyError as error:
        page = database.read(clues_page, shell, study, None, page_words(error))
        return render(await page, error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}/clues", 303)
