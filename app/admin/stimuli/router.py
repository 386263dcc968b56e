"""The library: `/admin/stimuli`, each clip, and the table of all."""

from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, RedirectResponse

from app.accounts.dependencies import WhoDep
from app.admin.access import ShellDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.stimuli import clueing, collecting, ruling, uploading
from app.admin.stimuli.acting import AT, acted
from app.admin.stimuli.chooser import asked_in, shown_at
from app.admin.stimuli.library_pages import library_page
from app.admin.stimuli.stimuli_pages import (
    attributes_in,
    clip_page,
    library_address,
    sheet_page,
)
from app.catalog import editing, many, served
from app.catalog.pictures import ask_pictures
from app.catalog.sheet import note_sheet, sheet, take_table, text_of
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep, without_nul
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.library.dependencies import StoreDep

library = APIRouter(dependencies=[editors])
clips = APIRouter(prefix="/stimuli", dependencies=[editors])


@library.get("/stimuli")
async def show_library(
    request: Request, database: DatabaseDep, settings: SettingsDep, shell: ShellDep, now: Now
) -> Response:
    shown = asked_in(request.query_params)
    moved = without_nul(request.query_params.get("moved", ""))
    page, lacks_pictures = await database.read(library_page, shell, settings.data_dir, shown, moved=moved)
    if lacks_pictures:
        database.write_soon(ask_pictures, now)
    return render(page)


@library.post("/stimuli/chosen")
async def act_on_chosen(
    database: DatabaseDep,
    settings: SettingsDep,
    store: StoreDep,
    who: WhoDep,
    shell: ShellDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        return RedirectResponse(await acted(database, store, who, form, now), 303)
    except StudyError as error:
        shown = shown_at(library_address(form.get("back", "")))
        page, _ = await database.read(library_page, shell, settings.data_dir, shown, page_words(error))
        return refused(page, error, AT.get(form.get("do", ""), ""))


@library.get("/stimuli.csv")
async def download_sheet(request: Request, database: DatabaseDep, who: WhoDep, now: Now) -> Response:
    """All clips as a table, or those that a filter in the address finds."""
    text = await database.read(sheet, who, asked_in(request.query_params).wanted)
    await database.write(note_sheet, who, now)
    headers = {"Content-Disposition": 'attachment; filename="stimuli.csv"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@library.post("/stimuli.csv")
async def take_sheet(
    database: DatabaseDep, who: WhoDep, shell: ShellDep, form: AnyForm, files: FilesDep, now: Now
) -> Response:
    """First shows what would change; with `digest`, the changes that were shown are made."""
    try:
        text = form.get("text") or text_of([file.data for file in files.get("file", ())])
        if not form.get("digest"):
            return render(await database.read(sheet_page, who, shell, text))
        await take_table(database, who, text, form["digest"], now)
    except StudyError as error:
        text = form.get("text", "")
        return refused(await database.read(sheet_page, who, shell, text, page_words(error)), error, "file")
    return RedirectResponse("/admin/stimuli?said=saved", 303)


@clips.get("/{name}/edit")
async def show_clip(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, shell: ShellDep, name: str, back: str = ""
) -> Response:
    return render(await database.read(clip_page, who, shell, settings.data_dir, name, back=back))


@clips.post("/{name}/edit")
async def edit_clip(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    shell: ShellDep,
    form: AnyForm,
    name: str,
    now: Now,
) -> Response:
    back = library_address(form.get("back", ""))
    try:
        wish = editing.Edit(form.get("name"), form.get("source"), attributes_in(form))
        renamed = await editing.change_stimulus(database, who, name, wish, now)
    except StudyError as error:
        build = database.read(
            clip_page, who, shell, settings.data_dir, name, back=back, error=page_words(error), typed=form
        )
        return refused(await build, error, "key.0")
    return RedirectResponse(f"{back}{'&' if '?' in back else '?'}said=saved#clip-{quote(renamed)}", 303)


@clips.post("/{name}/delete")
async def delete_clip(
    database: DatabaseDep,
    settings: SettingsDep,
    store: StoreDep,
    who: WhoDep,
    shell: ShellDep,
    name: str,
    now: Now,
) -> Response:
    try:
        await many.delete(database, store, who, many.Chosen((name,)), now)
    except editing.InUse as error:
        build = database.read(clip_page, who, shell, settings.data_dir, name, error=page_words(error))
        return render(await build, error.status_code)
    return RedirectResponse("/admin/stimuli?said=deleted", 303)


@clips.get("/{name}/clip.mp4")
async def play_clip(database: DatabaseDep, settings: SettingsDep, who: WhoDep, name: str) -> FileResponse:
    return _sent(await served.clip(database, settings.data_dir, who, name))


@clips.get("/{name}/original")
async def play_original(database: DatabaseDep, settings: SettingsDep, who: WhoDep, name: str) -> FileResponse:
    return _sent(await served.original(database, settings.data_dir, who, name))


@clips.get("/{name}/poster.jpg")
async def show_poster(database: DatabaseDep, settings: SettingsDep, who: WhoDep, name: str) -> FileResponse:
    return _sent(await served.poster(database, settings.data_dir, who, name))


@clips.get("/{name}/frame.jpg")
async def show_frame(database: DatabaseDep, settings: SettingsDep, who: WhoDep, name: str) -> FileResponse:
    return _sent(await served.frame(database, settings.data_dir, who, name))


def _sent(file: served.Served) -> FileResponse:
    """A file's reply, with support for ranges, as videos need."""
    return FileResponse(
        file.path, media_type=file.content_type, headers={"Cache-Control": "private, no-cache"}
    )


router = APIRouter()
# Clips first: one that is called `uploads` is still to be found.
for part in (library, clips, collecting.router, uploading.router, ruling.router, clueing.router):
    router.include_router(part)
