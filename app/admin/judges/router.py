"""Judges of a study: choose them or upload verdicts, and compare them with people."""

from dataclasses import fields
from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse, RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.forms import AnyForm, Files, FilesDep
from app.admin.judges.example import example_csv
from app.admin.judges.judges_page import CHOSEN, checked_page, judges_page, numbers_csv
from app.admin.judges.views import RunPage
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.jobs.queue import mark_job_seen
from app.judges.asking import HereAlready, JudgesWish, ask_judges, check_sent
from app.judges.checking import BadVerdicts, Check
from app.judges.described import described
from app.judges.standing import About
from app.outputs import outputs

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
RunId = Annotated[int | None, Query(ge=1, lt=2**31)]
JobId = Annotated[int, Path(ge=1, lt=2**31)]
TableName = Annotated[str, Path(pattern=r"^[a-z_]{1,40}(-[0-9]{1,2})?$")]
AboutQuery = Annotated[About | None, Query()]
NO_STORE = {"Cache-Control": "no-store"}


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
    for shown in page.shown if shell.may_edit else ():
        if shown.job.seen_at is None:
            database.write_soon(mark_job_seen, shown.job.id, now)
    return render(page)


@router.get("/judges/run")
async def show_form_to_run(
    database: DatabaseDep, settings: SettingsDep, shell: ShellDep, study: StudyDep
) -> Response:
    """The form of the dialog as a page."""
    judges = await anyio.to_thread.run_sync(described)
    page = await database.read(judges_page, shell, study, settings.data_dir, judges)
    return render(RunPage(**{each.name: getattr(page, each.name) for each in fields(page)}))


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
    name, data = _sent(files)
    check: Check | None = None
    try:
        replaces = "replace" in form or not data
        wish = JudgesWish(chosen, name, data, form.get("mode", ""), replaces=replaces)
        await ask_judges(database, settings.data_dir, who, study, wish, now)
    except StudyError as error:
        if isinstance(error, BadVerdicts | HereAlready):
            check = error.check
        said = "" if isinstance(error, BadVerdicts) else page_words(error)
        judges = await anyio.to_thread.run_sync(described)
        page = database.read(judges_page, shell, study, settings.data_dir, judges, None, form, said, check)
        found = await page
        first = next((f"{CHOSEN}{choice.name}" for choice in found.choices), "")
        return refused(found, error, "verdicts" if "uploads" in form else first)
    return RedirectResponse(f"/admin/studies/{study.slug}/judges?said=started", 303)


@router.post("/judges/check")
async def check_verdicts(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, form: AnyForm, files: FilesDep
) -> Response:
    """Check a file that was chosen, for the script of the page; nothing is added."""
    name, data = _sent(files)
    checked = await check_sent(database, study, name, data)
    return render(checked_page(shell, checked.check))


@router.post("/judges/again")
async def compare_again(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    """Compare the verdicts that there are with the answers that there are now, without a judge that is to go."""
    about: About = "items" if form.get("about") == "items" else "pairs"
    without = [name] if (name := form.get("without", "")) else []
    wish = JudgesWish(mode=form.get("mode", ""), again=about, without=without)
    await ask_judges(database, settings.data_dir, who, study, wish, now)
    return RedirectResponse(f"/admin/studies/{study.slug}/judges?said=started", 303)


@router.get("/judges/example.csv")
async def download_example(database: DatabaseDep, study: StudyDep, about: AboutQuery = None) -> Response:
    text = await database.read(example_csv, study.slug, about)
    return _csv(text, f"{study.slug}-verdicts.csv")


@router.get("/judges/{job_id}/numbers-{name}.csv")
async def download_numbers(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: JobId, name: TableName
) -> Response:
    """One table of a run."""
    text = await database.read(numbers_csv, who, study, job_id, name, settings.data_dir)
    return _csv(text, f"{study.slug}-{name}.csv")


@router.get("/judges/{job_id}/{name}")
async def open_file(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: JobId, name: str
) -> Response:
    file = await database.read(outputs.judging_file, who, study, job_id, name, settings.data_dir)
    return FileResponse(file.path, media_type=file.content_type, headers=NO_STORE)


def _sent(files: Files) -> tuple[str, bytes]:
    sent = next(iter(files.get("verdicts", ())), None)
    return (sent.name, sent.data) if sent else ("", b"")


def _csv(text: str, name: str) -> Response:
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
