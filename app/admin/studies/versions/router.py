"""A study's versions: saved, compared, downloaded, restored, replaced by a file."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.studies.versions.forms import draft_in, revision_in
from app.admin.studies.versions.views import compare_page, versions_page
from app.core.dependencies import DatabaseDep, Form, Now
from app.core.errors import StudyError
from app.core.refusing import refused
from app.core.templating import render
from app.studies.changes import give_up_draft, make_version, put_file, restore_version
from app.studies.history import Which, which_of, yaml_of

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
Number = Annotated[int, Path(ge=1, lt=2**31)]


@router.get("/versions")
async def show_versions(database: DatabaseDep, shell: ShellDep, study: StudyDep) -> Response:
    return render(await database.read(versions_page, shell, study))


@router.post("/versions")
async def take_version(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    reason = form.get("reason", "")
    try:
        seen = revision_in(form) if "revision" in form else None
        saved = await make_version(database, who, study, reason, now, seen)
    except StudyError as error:
        return render(await database.read(versions_page, shell, study, error, reason), error.status_code)
    said = "unchanged" if saved.change == "unchanged" else "saved"
    return RedirectResponse(f"/admin/studies/{study.slug}/versions?said={said}", 303)


@router.get("/versions/compare")
async def show_difference(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, before: str = "draft", after: str = "draft"
) -> Response:
    return render(await database.read(compare_page, shell, study, which_of(before), which_of(after)))


@router.get("/versions/{number}.yaml")
async def download_version(database: DatabaseDep, study: StudyDep, number: Number) -> Response:
    return _file(await yaml_of(database, study, number), study.slug, number)


@router.get("/draft.yaml")
async def download_draft(database: DatabaseDep, study: StudyDep) -> Response:
    return _file(await yaml_of(database, study, "draft"), study.slug, "draft")


def _file(text: str, slug: str, which: Which) -> Response:
    """A study file to keep. A slug holds nothing that a header could not."""
    name = f"{slug}-{which if which == 'draft' else f'version-{which}'}.yaml"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type="application/yaml; charset=utf-8", headers=headers)


@router.post("/versions/{number}/restore")
async def take_restore(
    database: DatabaseDep, who: WhoDep, study: StudyDep, number: Number, now: Now
) -> Response:
    await restore_version(database, who, study, number, now)
    return RedirectResponse(f"/admin/studies/{study.slug}/versions?said=restored", 303)


@router.post("/draft/drop")
async def take_drop(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    try:
        await give_up_draft(database, who, study, now, revision_in(form))
    except StudyError as error:
        return render(await database.read(versions_page, shell, study, error), error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}/versions?said=dropped", 303)


@router.post("/draft/file")
async def take_file(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: AnyForm,
    files: FilesDep,
    now: Now,
) -> Response:
    try:
        written, source = await draft_in(files)
        await put_file(database, who, study, written, source, now)
    except StudyError as error:
        return refused(await database.read(versions_page, shell, study, error), error, "file")
    return RedirectResponse(f"/admin/studies/{study.slug}/versions?said=replaced", 303)
