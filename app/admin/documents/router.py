"""Documents about a study: written by commands in a process of their own, registered, and read again."""

from pathlib import Path as FilePath
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import FileResponse, PlainTextResponse, RedirectResponse
from starlette.background import BackgroundTask

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.running.views import launch_page
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep, Site
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.library.dependencies import StoreDep
from app.reports.download import by_command
from app.studies.registering import TEMPLATES, checked_address, register, registered_text, version_to_register

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
NO_STORE = {"Cache-Control": "no-store"}
DocumentFormat = Annotated[str, Path(pattern=r"^(md|pdf)$")]
_TYPES = {"md": "text/markdown; charset=utf-8", "pdf": "application/pdf"}


@router.get("/prereg.{format_}")
async def download_prereg(
    settings: SettingsDep, study: StudyDep, format_: DocumentFormat, template: str = ""
) -> Response:
    options = ["--template", _named(template), "--format", format_]
    path = await by_command(settings, study.slug, "prereg", options, format_)
    return _file(path, f"{study.slug}-prereg.{format_}", format_)


@router.get("/ethics.md")
async def download_ethics(settings: SettingsDep, study: StudyDep) -> Response:
    path = await by_command(settings, study.slug, "ethics", [], "md")
    return _file(path, f"{study.slug}-ethics.md", "md")


@router.post("/register")
async def register_study(
    site: Site,
    database: DatabaseDep,
    settings: SettingsDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    store: StoreDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        address = form.get("address", "")
        checked_address(address)
        version = await database.read(version_to_register, study)
        template = _named(form.get("template", ""))
        path = await by_command(settings, study.slug, "prereg", ["--template", template], "md")
        text = path.read_text(encoding="utf-8")
        path.unlink()
        await database.write(register, who.actor, study, version, text, address, now)
    except StudyError as error:
        page = await database.read(
            launch_page, shell, study, store, site, now, form=form, error=page_words(error)
        )
        return refused(page, error, "address")
    return RedirectResponse(
        f"/admin/studies/{study.slug}/launch?said=registered#registration", 303, headers=NO_STORE
    )


@router.get("/registrations/{registration}.md")
async def read_registration(database: DatabaseDep, study: StudyDep, registration: int) -> Response:
    text = await database.read(registered_text, study, registration)
    return PlainTextResponse(text, media_type="text/markdown", headers=NO_STORE)


def _named(template: str) -> str:
    """Raises StudyError for a template that is none."""
    chosen = template or next(iter(TEMPLATES))
    if chosen not in TEMPLATES:
        raise StudyError(f"There is no template {chosen[:40]!r}; use {' or '.join(TEMPLATES)}.")
    return chosen


def _file(path: FilePath, name: str, format_: str) -> Response:
    return FileResponse(
        path,
        filename=name,
        media_type=_TYPES[format_],
        headers=NO_STORE,
        background=BackgroundTask(path.unlink),
    )
