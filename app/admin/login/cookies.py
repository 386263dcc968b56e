"""The cookies that a browser brings to the login, and is given there."""

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from app.accounts.logins import LASTS
from app.accounts.throttle import known_as, known_browser
from app.admin.access import COOKIE, KNOWN, LOGIN_FORM, set_cookie
from app.admin.login.enter import Attempt
from app.core.settings import Settings

KNOWN_LASTS_S = 365 * 86_400


def attempt_of(request: Request, settings: Settings, form: dict[str, str]) -> Attempt:
    """The address is the proxy's where there is one that uvicorn was not told to trust (FORWARDED_ALLOW_IPS)."""
    email = form.get("email", "").strip().lower()[:254]
    return Attempt(
        email=email,
        password=form.get("password", ""),
        address=request.client.host if request.client else "",
        browser=request.headers.get("user-agent", ""),
        ends=request.cookies.get(COOKIE, ""),
        known=known_as(settings.secret, email, request.cookies.get(KNOWN, "")),
    )


def let_in(request: Request, settings: Settings, email: str, token: str, goes_to: str) -> Response:
    """On to where they wanted to go, with a fresh login; the browser is known from now on."""
    response = RedirectResponse(goes_to, 303)
    set_login(request, response, token)
    known = request.cookies.get(KNOWN, "")
    if not known_as(settings.secret, email, known):
        known = known_browser(settings.secret, email)
    set_cookie(response, KNOWN, known, secure=is_secure(request), lasts_s=KNOWN_LASTS_S)
    response.delete_cookie(LOGIN_FORM, path="/admin")
    return response


def set_login(request: Request, response: Response, token: str) -> None:
    set_cookie(response, COOKIE, token, secure=is_secure(request), lasts_s=round(LASTS.total_seconds()))


def is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
