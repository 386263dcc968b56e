"""The list of studies; a study's overview and whom it is shared with."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse

from app.dependencies import DatabaseDep, Form, Now
from app.errors import StudyError
from app.experimenter.access import ShellDep, StudyDep, WhoDep, editors
from app.experimenter.studies.build import overview_page, studies_page
from app.study.access import share, unshare, visible_slugs
from app.templating import render

router = APIRouter(dependencies=[editors])
UserId = Annotated[int, Path(ge=1, lt=2**31)]


async def show_studies(database: DatabaseDep, shell: ShellDep, who: WhoDep) -> Response:
    return render(await database.read(studies_page, shell, who))


@router.get("/studies")
async def go_to_studies() -> Response:
    return RedirectResponse("/admin", 303)


@router.get("/studies/{slug}")
async def show_overview(
    request: Request, database: DatabaseDep, shell: ShellDep, study: StudyDep
) -> Response:
    return render(await database.read(overview_page, shell, study, str(request.base_url)))


@router.post("/studies/{slug}/shares")
async def take_share(
    request: Request,
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
        site, said = str(request.base_url), str(error)
        page = await database.read(overview_page, shell, study, site, error=said, email=email)
        return render(page, error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}?said=shared#sharing", 303)


@router.post("/studies/{slug}/shares/{user_id}/remove")
async def take_unshare(
    database: DatabaseDep, who: WhoDep, study: StudyDep, user_id: UserId, now: Now
) -> Response:
    await database.write(unshare, who, study, user_id, now)
    is_still_ours = study.slug in await database.read(visible_slugs, who)
    address = f"/admin/studies/{study.slug}" if is_still_ours else "/admin"
    return RedirectResponse(f"{address}?said=unshared", 303)
