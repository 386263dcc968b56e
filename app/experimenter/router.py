"""The experimenter's overview at `/admin`: which studies there are and how they stand."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.dependencies import DatabaseDep, Form, SettingsDep
from app.experimenter.auth import COOKIE, IsExperimenter, fits
from app.experimenter.overview import studies_page
from app.experimenter.pages import KeyPage
from app.templating import render

router = APIRouter(include_in_schema=False)


@router.get("/admin")
async def overview(
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    is_experimenter: IsExperimenter,
    key: str = "",
) -> Response:
    if key and fits(key, settings.secret):
        return _let_in(request, key)
    if not is_experimenter:
        return render(KeyPage("That key does not fit." if key else ""), 401)
    return render(await database.read(studies_page, str(request.base_url)))


@router.post("/admin")
async def enter_key(request: Request, settings: SettingsDep, form: Form) -> Response:
    key = form.get("key", "").strip()
    return (
        _let_in(request, key)
        if fits(key, settings.secret)
        else render(KeyPage("That key does not fit."), 401)
    )


def _let_in(request: Request, key: str) -> Response:
    response = RedirectResponse("/admin", 303, headers={"Cache-Control": "no-store"})
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, key, path="/admin", httponly=True, samesite="strict", secure=secure)
    return response
