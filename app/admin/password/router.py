"""`/password`: choose a password by the link of a mail, or ask for such a mail."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from fastapi import APIRouter, Path, Request, Response

from app.accounts import throttle
from app.accounts.password_links import ChosenPassword, choose_password, email_of_link
from app.accounts.passwords import WeakPassword
from app.accounts.wrong_links import check_links_open, count_wrong_link
from app.admin.access import OURS
from app.admin.login.cookies import let_in
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.core.errors import NotFound, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.jobs.mails import ask_reset, counts_for_resets

router = APIRouter(prefix="/password")
Token = Annotated[str, Path(max_length=100)]
ONCE_MORE = "Please send the form once more."


@dataclass(frozen=True, slots=True)
class ChoosePasswordPage:
    template: ClassVar[str] = "password-choose.html"
    email: str
    action: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class AskPasswordPage:
    """`is_mailed` is False where the service cannot send mails; `is_sent` after the form was taken."""

    template: ClassVar[str] = "password-ask.html"
    is_mailed: bool
    is_sent: bool = False
    error: str = ""


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _is_foreign(request: Request) -> bool:
    return request.headers.get("sec-fetch-site", "same-origin") not in OURS


@router.get("")
async def ask_password(settings: SettingsDep) -> Response:
    return render(AskPasswordPage(settings.can_mail))


@router.post("")
async def take_ask(
    request: Request, database: DatabaseDep, settings: SettingsDep, form: Form, now: Now
) -> Response:
    """The same reply whether there is such a user or not."""
    if _is_foreign(request):
        return render(AskPasswordPage(settings.can_mail, error=ONCE_MORE), 403)
    if not settings.can_mail:
        return render(AskPasswordPage(False), 409)
    email = form.get("email", "").strip().lower()[:254]
    try:
        counts = counts_for_resets(email, _address(request))
        await database.peek(throttle.check_open, counts, now)
        await database.write(ask_reset, email, counts, now)
    except throttle.TooManyAttempts as error:
        return render(AskPasswordPage(True, error=page_words(error)), error.status_code)
    return render(AskPasswordPage(True, is_sent=True))


@router.get("/{token}")
async def show_choice(request: Request, database: DatabaseDep, token: Token, now: Now) -> Response:
    await check_links_open(database, _address(request), now)
    try:
        email = await database.read(email_of_link, token, now)
    except NotFound:
        await count_wrong_link(database, _address(request), now)
        raise
    return render(ChoosePasswordPage(email, f"/password/{token}"))


@router.post("/{token}")
async def take_choice(
    request: Request, database: DatabaseDep, settings: SettingsDep, token: Token, form: Form, now: Now
) -> Response:
    await check_links_open(database, _address(request), now)
    chosen = ChosenPassword(form.get("new", ""), form.get("again", ""), request.headers.get("user-agent", ""))
    try:
        if _is_foreign(request):
            email = await database.read(email_of_link, token, now)
            return render(ChoosePasswordPage(email, f"/password/{token}", ONCE_MORE), 403)
        email, login = await choose_password(database, token, chosen, now)
    except WeakPassword as error:
        email = await database.read(email_of_link, token, now)
        page = ChoosePasswordPage(email, f"/password/{token}", page_words(error))
        return refused(page, error, "new")
    except NotFound:
        await count_wrong_link(database, _address(request), now)
        raise
    return let_in(request, settings, email, login, "/admin")
