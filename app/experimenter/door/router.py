"""In and out: `/admin/login`, `/admin/logout`."""

import secrets

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.errors import StudyError
from app.experimenter.access import COOKIE, DOOR, WhoDep, anyone, check_csrf, csrf_for, safe_next, set_cookie
from app.experimenter.door.cookies import attempt_of, let_in
from app.experimenter.door.enter import enter
from app.experimenter.door.pages import LoginPage
from app.people.logins import log_out
from app.people.users import is_nobody
from app.templating import render

router = APIRouter()
inside = APIRouter(dependencies=[anyone])


@router.get("/login")
async def ask_login(
    request: Request, database: DatabaseDep, settings: SettingsDep, next: str = "/admin"
) -> Response:
    door = request.cookies.get(DOOR) or secrets.token_urlsafe(16)
    nobody = await database.read(is_nobody)
    page = LoginPage(csrf_for(settings.secret, door), safe_next(next), is_nobody=nobody)
    response = render(page)
    set_cookie(response, DOOR, door, secure=request.url.scheme == "https")
    return response


@router.post("/login")
async def take_login(
    request: Request, database: DatabaseDep, settings: SettingsDep, form: Form, now: Now
) -> Response:
    await check_csrf(request, settings.secret, request.cookies.get(DOOR, ""))
    attempt, goes_to = attempt_of(request, settings, form), safe_next(form.get("next", ""))
    try:
        token = await enter(database, attempt, now)
    except StudyError as error:
        csrf = csrf_for(settings.secret, request.cookies.get(DOOR, ""))
        return render(LoginPage(csrf, goes_to, attempt.email, str(error)), error.status_code)
    return let_in(request, settings, attempt.email, token, goes_to)


@inside.post("/logout")
async def take_leave(database: DatabaseDep, who: WhoDep, now: Now) -> Response:
    await database.write(log_out, who, who.login_id or 0, now)
    response = RedirectResponse("/admin/login", 303)
    response.delete_cookie(COOKIE, path="/admin")
    return response
