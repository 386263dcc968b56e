"""Simulated people of a study, from the browser: sent through its pages, and removed."""

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.running.views import launch_page
from app.admin.running.wishes import wish_in
from app.core.dependencies import DatabaseDep, Form, Now, Site
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.library.dependencies import StoreDep
from app.sessions.simulated import ask_simulation, remove_simulated

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])


@router.post("/simulated")
async def send_simulated(
    site: Site,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    store: StoreDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        await database.write(ask_simulation, who, study, wish_in(form), now)
    except StudyError as error:
        said = page_words(error)
        page = await database.read(launch_page, shell, study, store, site, now, form=form, error=said)
        return refused(page, error, "people")
    return RedirectResponse(f"/admin/studies/{study.slug}/launch?said=simulating#simulated", 303)


@router.post("/simulated/remove")
async def take_simulated_away(
    site: Site,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    store: StoreDep,
    now: Now,
) -> Response:
    try:
        await database.write(remove_simulated, who.actor, study, now)
    except StudyError as error:
        page = await database.read(launch_page, shell, study, store, site, now, error=page_words(error))
        return render(page, error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}/launch?said=simulated-removed#simulated", 303)
