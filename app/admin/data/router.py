"""Data out: tables, reports, study packages."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse, RedirectResponse
from starlette.background import BackgroundTask

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.data.views import data_page
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.jobs.queue import mark_job_seen
from app.outputs import outputs
from app.reports.download import exported
from app.reports.kinds import Format, What

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
NO_STORE = {"Cache-Control": "no-store"}


@router.get("/data")
async def show_data(
    database: DatabaseDep,
    shell: ShellDep,
    study: StudyDep,
    everything: Annotated[bool, Query(alias="all")] = False,
) -> Response:
    return render(await database.read(data_page, shell, study, {}, everything=everything))


@router.get("/data/{what}.{format_}")
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
) -> Response:
    path = await exported(settings, study.slug, what, format_, mode, everything)
    await database.write(outputs.note_export, who.actor, study.slug, what, format_, now, mode)
    name = f"{study.slug}-{what}.{format_}"
    return FileResponse(path, filename=name, headers=NO_STORE, background=BackgroundTask(path.unlink))


@router.post("/reports")
async def ask_report(database: DatabaseDep, who: WhoDep, study: StudyDep, form: Form, now: Now) -> Response:
    await database.write(outputs.ask_report, who, study, form.get("mode", ""), 1, now)
    return RedirectResponse(f"/admin/studies/{study.slug}/data?said=started#reports", 303)


@router.post("/walk-clips")
async def ask_walk_clips(
    database: DatabaseDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    await database.write(outputs.ask_walks, who, study, form.get("mode", ""), now)
    return RedirectResponse(f"/admin/studies/{study.slug}/data?said=started#walks", 303)


@router.get("/reports/{job_id}/{name:path}")
async def open_report(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    study: StudyDep,
    job_id: int,
    name: str,
    now: Now,
) -> Response:
    file = await database.read(outputs.report_file, who, study, job_id, name, settings.data_dir)
    # A viewer changes nothing, and so marks no report as seen.
    if who.may_edit:
        database.write_soon(mark_job_seen, job_id, now)
    return FileResponse(file.path, media_type=file.content_type, headers=NO_STORE)


@router.post("/packages")
async def ask_package(
    database: DatabaseDep,
    who: WhoDep,
    study: StudyDep,
    shell: ShellDep,
    form: Form,
    now: Now,
) -> Response:
    authors = [line.strip() for line in form.get("authors", "").splitlines() if line.strip()]
    wish = outputs.PackageWish(
        "real_ids" not in form,
        authors,
        form.get("license", "").strip(),
        keeps_links="keeps_links" in form,
    )
    try:
        await database.write(outputs.ask_package, who, study, wish, now)
    except StudyError as error:
        return refused(
            await database.read(data_page, shell, study, form, page_words(error)), error, "authors"
        )
    return RedirectResponse(f"/admin/studies/{study.slug}/data?said=started#packages", 303)


@router.get("/packages/{job_id}.zip")
async def download_package(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, job_id: int, now: Now
) -> Response:
    file = await database.read(outputs.package_file, study, job_id, settings.data_dir)
    await database.write(outputs.note_package, who, study, job_id, now)
    name = f"{study.slug}-package.zip"
    return FileResponse(file.path, media_type=file.content_type, filename=name, headers=NO_STORE)
