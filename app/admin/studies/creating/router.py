"""A new study: `/admin/studies/new`."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.admin.access import ShellDep, WhoDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.studies.creating.views import first_page, new_study_page, start_in
from app.catalog.packed import make_study_with_collections
from app.core.dependencies import DatabaseDep, Now
from app.core.errors import StudyError
from app.core.templating import render

router = APIRouter(prefix="/studies", dependencies=[editors])


@router.get("/new")
async def ask_study(request: Request, database: DatabaseDep, shell: ShellDep, who: WhoDep) -> Response:
    return render(await database.read(new_study_page, shell, who, dict(request.query_params)))


@router.post("/new")
async def take_study(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, form: AnyForm, files: FilesDep, now: Now
) -> Response:
    try:
        study = await make_study_with_collections(database, who, start_in(form, files), now)
    except StudyError as error:
        page = await database.read(new_study_page, shell, who, form, error)
        return render(page, error.status_code)
    return RedirectResponse(await database.read(first_page, study), 303)
