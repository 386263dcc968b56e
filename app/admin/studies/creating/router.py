"""A new study: `/admin/studies/new`, and packages for it, sent in pieces to `/admin/study-packages`."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from app.admin.access import ShellDep, WhoDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.studies.creating.views import first_page, new_study_page, package_in, start_in
from app.catalog.packed import make_study_of_package, make_study_with_collections
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.core.errors import StudyError
from app.core.templating import render
from app.library import packages
from app.library.packages import NewPackage
from app.library.uploads import LARGEST_FILE_BYTES

Offset = Annotated[int, Query(ge=0, lt=2**53)]
router = APIRouter(prefix="/studies", dependencies=[editors])
sending = APIRouter(prefix="/study-packages", dependencies=[editors])


@router.get("/new")
async def ask_study(request: Request, database: DatabaseDep, shell: ShellDep, who: WhoDep) -> Response:
    return render(await database.read(new_study_page, shell, who, dict(request.query_params)))


@router.post("/new")
async def take_study(
    database: DatabaseDep,
    settings: SettingsDep,
    shell: ShellDep,
    who: WhoDep,
    form: AnyForm,
    files: FilesDep,
    now: Now,
) -> Response:
    try:
        start, token = start_in(form, files), package_in(form, files)
        if token:
            study = await make_study_of_package(database, settings.data_dir, who, token, start, now)
        else:
            study = await make_study_with_collections(database, who, start, now)
    except StudyError as error:
        page = await database.read(new_study_page, shell, who, form, error)
        return render(page, error.status_code)
    return RedirectResponse(await database.read(first_page, study), 303)


@sending.post("", status_code=201)
async def begin_package(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, new: NewPackage
) -> Response:
    """Make ready for a study package, whose bytes then come in pieces."""
    begun = await packages.begin(database, settings.data_dir, who, new)
    return JSONResponse(begun.to_dict(), 201)


@sending.get("/{token}")
def show_package(settings: SettingsDep, who: WhoDep, token: str) -> Response:
    return JSONResponse(packages.state(settings.data_dir, who, token).to_dict())


@sending.patch("/{token}", max_body_size=LARGEST_FILE_BYTES)
async def take_package_bytes(
    request: Request, settings: SettingsDep, who: WhoDep, token: str, offset: Offset
) -> Response:
    got = await packages.receive(settings.data_dir, who, token, offset, request)
    return JSONResponse(got.to_dict())


@sending.delete("/{token}")
def drop_package(settings: SettingsDep, who: WhoDep, token: str) -> Response:
    packages.cancel(settings.data_dir, who, token)
    return JSONResponse({})
