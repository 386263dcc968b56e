"""Login and logout: `/admin/login`, `/admin/logout`."""

import secrets
from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from app.accounts.logins import log_out
from app.accounts.users import is_nobody
from app.admin.access import COOKIE, LOGIN_FORM, WhoDep, anyone, check_csrf, csrf_for, safe_next, set_cookie
from app.admin.login.cookies import attempt_of, let_in
from app.admin.login.enter import enter
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render

router = APIRouter()
inside = APIRouter(dependencies=[anyone])


@dataclass(frozen=True, slots=True)
class LoginPage:
    """`next` is where to go afterwards; `is_nobody` that there is no user yet."""

    template: ClassVar[str] = "login.html"
    csrf: str
    next: str
    email: str = ""
    error: str = ""
    is_nobody: bool = False


@router.get("/login")
async def ask_login(
    request: Request, database: DatabaseDep, settings: SettingsDep, next: str = "/admin"
) -> Response:
    # Without a login there is nothing to bind the form's token to, so the form has a cookie of its own.
    browser = request.cookies.get(LOGIN_FORM) or secrets.token_urlsafe(16)
    nobody = await database.read(is_nobody)
    page = LoginPage(csrf_for(settings.secret, browser), safe_next(next), is_nobody=nobody)
    response = render(page)
    set_cookie(response, LOGIN_FORM, browser, secure=request.url.scheme == "https")
    return response


@router.post("/login")
async def take_login(
    request: Request, database: DatabaseDep, settings: SettingsDep, form: Form, now: Now
) -> Response:
    await check_csrf(request, settings.secret, request.cookies.get(LOGIN_FORM, ""))
    attempt, goes_to = attempt_of(request, settings, form), safe_next(form.get("next", ""))
    try:
        token = await enter(database, attempt, now)
    except StudyError as error:
        csrf = csrf_for(settings.secret, request.cookies.get(LOGIN_FORM, ""))
        return refused(LoginPage(csrf, goes_to, attempt.email, page_words(error)), error, "password")
    return let_in(request, settings, attempt.email, token, goes_to)


@inside.post("/logout")
async def take_leave(database: DatabaseDep, who: WhoDep, now: Now) -> Response:
    await database.write(log_out, who, who.login_id or 0, now)
    response = RedirectResponse("/admin/login", 303)
    response.delete_cookie(COOKIE, path="/admin")
    return response
