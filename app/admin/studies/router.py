"""The list of studies; a study's overview and its shares."""

from typing import Annotated

import anyio.to_thread
from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors, owners_only
from app.admin.studies.list_page import search_of, studies_page
from app.admin.studies.views import overview_page
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep, Site
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.studies.access import share, unshare, visible_slugs
from app.studies.archiving import archive, unarchive
from app.studies.deleting import delete_study, remove_files
from app.studies.tags import set_tags, tags_in

router = APIRouter(dependencies=[editors])
owners = APIRouter(dependencies=[owners_only])
UserId = Annotated[int, Path(ge=1, lt=2**31)]


async def show_studies(request: Request, database: DatabaseDep, shell: ShellDep, who: WhoDep) -> Response:
    return render(await database.read(studies_page, shell, who, search_of(request.query_params)))


@router.get("/studies")
async def go_to_studies() -> Response:
    return RedirectResponse("/admin", 303)


@router.get("/studies/{slug}")
async def show_overview(site: Site, database: DatabaseDep, shell: ShellDep, study: StudyDep) -> Response:
    return render(await database.read(overview_page, shell, study, site))


@router.post("/studies/{slug}/shares")
async def take_share(
    site: Site,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: Form,
    now: Now,
) -> Response:
    email = form.get("email", "")
    try:
        await database.write(share, who, study, email, now)
    except StudyError as error:
        said = page_words(error)
        page = await database.read(overview_page, shell, study, site, error=said, email=email)
        return refused(page, error, "email")
    return RedirectResponse(f"/admin/studies/{study.slug}?said=shared#sharing", 303)


@router.post("/studies/{slug}/shares/{user_id}/remove")
async def take_unshare(
    database: DatabaseDep, who: WhoDep, study: StudyDep, user_id: UserId, now: Now
) -> Response:
    await database.write(unshare, who, study, user_id, now)
    is_still_ours = study.slug in await database.read(visible_slugs, who)
    address = f"/admin/studies/{study.slug}" if is_still_ours else "/admin"
    return RedirectResponse(f"{address}?said=unshared", 303)


@router.post("/studies/{slug}/tags")
async def take_tags(
    site: Site, database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    typed = form.get("tags", "")
    try:
        await database.write(set_tags, who.actor, study, tags_in(typed), now)
    except StudyError as error:
        page = await database.read(overview_page, shell, study, site, error=page_words(error), tags=typed)
        return refused(page, error, "tags")
    return RedirectResponse(f"/admin/studies/{study.slug}?said=saved#tagged", 303)


@router.post("/studies/{slug}/archive")
async def take_archive(
    site: Site, database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, now: Now
) -> Response:
    try:
        await database.write(archive, who.actor, study, now)
    except StudyError as error:
        page = await database.read(overview_page, shell, study, site, error=page_words(error))
        return render(page, error.status_code)
    return RedirectResponse("/admin?said=archived", 303)


@router.post("/studies/{slug}/unarchive")
async def take_unarchive(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> Response:
    await database.write(unarchive, who.actor, study, now)
    return RedirectResponse(f"/admin/studies/{study.slug}?said=unarchived", 303)


@owners.post("/studies/{slug}/delete")
async def take_delete(
    site: Site,
    settings: SettingsDep,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: Form,
    now: Now,
) -> Response:
    name = form.get("name", "")
    try:
        deleted = await database.write(delete_study, who.actor, study, name, now)
    except StudyError as error:
        page = await database.read(overview_page, shell, study, site, error=page_words(error), name=name)
        return refused(page, error, "name")
    await anyio.to_thread.run_sync(remove_files, settings.data_dir, deleted)
    return RedirectResponse("/admin?said=study-deleted", 303)
