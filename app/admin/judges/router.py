"""Judges of a study: choose them or upload verdicts, and compare them with people."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse, RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.judges.judges_page import CHOSEN, judges_page
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.core.errors import StudyError
from app.core.templating import render
from app.jobs.queue import mark_job_seen
from app.judges.asking import JudgesWish, ask_judges
from app.judges.described import described
from app.outputs import outputs

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
RunId = Annotated[int | None, Query(ge=1, lt=2**31)]
JobId = Annotated[int, Path(ge=1, lt=2**31)]


@router.get("/judges")
async def show_judges(
    database: DatabaseDep,
    settings: SettingsDep,
    shell: ShellDep,
    study: StudyDep,
    now: Now,
    run: RunId = None,
) -> Response:
    judges = await anyio.to_thread.run_sync(described)
    page = await database.read(judges_page, shell, study, settings.data_dir, judges, run)
    # A viewer's look leaves the mark of what is new for those who asked.
    if shell.may_edit and page.shown is not None and page.shown.job.seen_at is None:
        database.write_soon(mark_job_seen, page.shown.job.id, now)
    return render(page)


@router.post("/judges")
async def ask_for_judges(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    shell: ShellDep,
    study: StudyDep,
    form: AnyForm,
    files: FilesDep,
    now: Now,
) -> Response:
    chosen = [name.removeprefix(CHOSEN) for name in form if name.startswith(CHOSEN)]
    sent = next(iter(files.get("verdicts", ())), None)
    name, data = (sent.name, sent.data) if sent else ("", b"")
    try:
        wish = JudgesWish(chosen, name, data, form.get("mode", ""))
        await ask_judges(database, settings.data_dir, who, study, wish, now)
    except StudyError as error:
        judges = await anyio.to_thread.run_sync(described)
        page = database.read(judges_page, shell, study, settings.data_dir, judges, None, form, str(error))
        return render(await page, error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}/judges?said=started", 303)


@router.get("/judges/{job_id}/{name}")
async def open_file(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: JobId, name: str
) -> Response:
    file = await database.read(outputs.judging_file, who, study, job_id, name, settings.data_dir)
    return FileResponse(file.path, media_type=file.content_type, headers={"Cache-Control": "no-store"})
