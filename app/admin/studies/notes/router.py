"""Notes on a study: written, changed and deleted on its overview."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.studies.views import overview_page
from app.core.dependencies import DatabaseDep, Form, Now, Site
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.studies.notes import add_note, delete_note, edit_note

router = APIRouter(prefix="/studies/{slug}/notes", dependencies=[editors])
NoteId = Annotated[int, Path(ge=1, lt=2**31)]


@router.post("")
async def take_note(
    site: Site, database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    text = form.get("text", "")
    try:
        await database.write(add_note, who, study, text, now)
    except StudyError as error:
        page = await database.read(overview_page, shell, study, site, error=page_words(error), note=text)
        return refused(page, error, "note-text")
    return _back(study.slug, "note")


@router.post("/{note_id}")
async def take_edit(
    site: Site,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    note_id: NoteId,
    form: Form,
    now: Now,
) -> Response:
    text = form.get("text", "")
    try:
        await database.write(edit_note, who, study, note_id, text, now)
    except StudyError as error:
        page = await database.read(overview_page, shell, study, site, error=page_words(error), note=text)
        return refused(page, error, f"note-{note_id}")
    return _back(study.slug, "note")


@router.post("/{note_id}/delete")
async def take_delete(
    database: DatabaseDep, who: WhoDep, study: StudyDep, note_id: NoteId, now: Now
) -> Response:
    await database.write(delete_note, who, study, note_id, now)
    return _back(study.slug, "note-deleted")


def _back(slug: str, said: str) -> Response:
    return RedirectResponse(f"/admin/studies/{slug}?said={said}#notes", 303)
