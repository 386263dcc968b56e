"""Users and the user's own account."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import RedirectResponse

from app.accounts import adding, logins, tokens, users
from app.accounts.account import PasswordChange, change_password
from app.accounts.adding import NewUser
from app.accounts.dependencies import WhoDep
from app.accounts.profile import News, set_profile
from app.accounts.users import checked_role
from app.admin.access import ShellDep, anyone, owners_only
from app.admin.login.cookies import set_login
from app.admin.people.views import FreshPassword, UsersPage, account_page, user_page, users_page
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.core.errors import Conflict, StudyError, page_words
from app.core.refusing import refused
from app.core.settings import Settings
from app.core.templating import render
from app.jobs.mails import Mail, ask_password_mail

owners = APIRouter(dependencies=[owners_only])
own = APIRouter(dependencies=[anyone])

Id = Annotated[int, Path(ge=1, lt=2**31)]


def _users_page(settings: Settings) -> Callable[..., UsersPage]:
    lacks_address = settings.mail is not None and not settings.can_mail
    return partial(users_page, is_mailed=settings.can_mail, lacks_address=lacks_address)


@owners.get("/users")
async def show_users(database: DatabaseDep, settings: SettingsDep, shell: ShellDep, now: Now) -> Response:
    return render(await database.read(_users_page(settings), shell, now))


@owners.post("/users")
async def add_user(
    database: DatabaseDep, settings: SettingsDep, shell: ShellDep, who: WhoDep, form: Form, now: Now
) -> Response:
    """Add a user; where mails can be sent they get a link, and nobody knows the password that was drawn."""
    page_of = _users_page(settings)
    try:
        new = NewUser(form.get("email", ""), checked_role(form.get("role", "")))
        made = await adding.add_user(database, new, who.actor, now)
    except StudyError as error:
        page = await database.read(page_of, shell, now, typed=form, error=page_words(error))
        return refused(page, error, "email")
    if settings.can_mail:
        await database.write(ask_password_mail, Mail.INVITATION, made.id, who.actor, now)
        return RedirectResponse("/admin/users?said=invited", 303)
    fresh = FreshPassword(made.email, made.generated or "")
    return render(await database.read(page_of, shell, now, fresh=fresh))


@owners.get("/users/{user_id}")
async def show_user(database: DatabaseDep, settings: SettingsDep, shell: ShellDep, user_id: Id) -> Response:
    return render(await database.read(user_page, shell, user_id, is_mailed=settings.can_mail))


@owners.post("/users/{user_id}/role")
async def give_role(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, user_id: Id, form: Form, now: Now
) -> Response:
    try:
        role = checked_role(form.get("role", ""))
        await database.write(users.set_role, user_id, role, by=who.actor, now=now)
    except StudyError as error:
        return render(
            await database.read(user_page, shell, user_id, error=page_words(error)), error.status_code
        )
    return RedirectResponse(f"/admin/users/{user_id}?said=saved", 303)


@owners.post("/users/{user_id}/disable")
async def switch_off(database: DatabaseDep, shell: ShellDep, who: WhoDep, user_id: Id, now: Now) -> Response:
    try:
        await database.write(users.set_disabled, user_id, True, by=who.actor, now=now)
    except StudyError as error:
        return render(
            await database.read(user_page, shell, user_id, error=page_words(error)), error.status_code
        )
    return RedirectResponse(f"/admin/users/{user_id}?said=disabled", 303)


@owners.post("/users/{user_id}/enable")
async def switch_on(database: DatabaseDep, who: WhoDep, user_id: Id, now: Now) -> Response:
    await database.write(users.set_disabled, user_id, False, by=who.actor, now=now)
    return RedirectResponse(f"/admin/users/{user_id}?said=enabled", 303)


@owners.post("/users/{user_id}/password")
async def reset_password(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, user_id: Id, now: Now
) -> Response:
    """The generated password stands on this reply alone: never in an address, never stored."""
    made = await adding.reset_password(database, user_id, None, who.actor, now)
    fresh = FreshPassword(made.email, made.generated or "")
    return render(await database.read(user_page, shell, user_id, fresh=fresh))


@owners.post("/users/{user_id}/mail")
async def mail_password(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, user_id: Id, now: Now
) -> Response:
    """Send a link; the password stays as it is until another is chosen by it."""
    if not settings.can_mail:
        raise Conflict("The service sends no mail; generate a password and hand it over.")
    user = await database.read(users.user_with, user_id)
    await database.write(ask_password_mail, Mail.RESET, user.id, who.actor, now)
    return RedirectResponse(f"/admin/users/{user_id}?said=mailed", 303)


@own.get("/account")
async def show_account(
    database: DatabaseDep, settings: SettingsDep, shell: ShellDep, who: WhoDep, now: Now
) -> Response:
    is_mailed = settings.can_mail
    return render(await database.read(account_page, shell, who, now, is_mailed=is_mailed))


@own.post("/account/profile")
async def take_profile(
    database: DatabaseDep, settings: SettingsDep, shell: ShellDep, who: WhoDep, form: Form, now: Now
) -> Response:
    mails = [news for news in News if f"mail-{news}" in form]
    try:
        await database.write(set_profile, who, form.get("name", ""), mails, now)
    except StudyError as error:
        page = await database.read(
            account_page, shell, who, now, error=page_words(error), error_in="profile", typed=form,
            is_mailed=settings.can_mail,
        )  # fmt: skip
        return refused(page, error, "profile-name")
    return RedirectResponse("/admin/account?said=saved", 303)


@own.post("/account/password")
async def take_password(
    request: Request, database: DatabaseDep, shell: ShellDep, who: WhoDep, form: Form, now: Now
) -> Response:
    browser = request.headers.get("user-agent", "")
    change = PasswordChange(form.get("old", ""), form.get("new", ""), form.get("again", ""), browser)
    try:
        token = await change_password(database, who, change, now)
    except StudyError as error:
        page = await database.read(
            account_page, shell, who, now, error=page_words(error), error_in="password"
        )
        return refused(page, error, "old")
    response = RedirectResponse("/admin/account?said=password", 303)
    set_login(request, response, token)
    return response


@own.post("/account/logins/revoke")
async def end_other_logins(database: DatabaseDep, who: WhoDep, now: Now) -> Response:
    await database.write(logins.log_out_elsewhere, who, now)
    return RedirectResponse("/admin/account?said=elsewhere#logins", 303)


@own.post("/account/logins/{login_id}/revoke")
async def end_login(database: DatabaseDep, who: WhoDep, login_id: Id, now: Now) -> Response:
    await database.write(logins.log_out, who, login_id, now)
    return RedirectResponse("/admin/account?said=revoked#logins", 303)


@own.post("/account/tokens")
async def make_token(database: DatabaseDep, shell: ShellDep, who: WhoDep, form: Form, now: Now) -> Response:
    try:
        days = tokens.checked_days(form.get("days", str(tokens.USUAL_DAYS)))
        token = await database.write(tokens.make_token, who, form.get("name", ""), now, days=days)
    except StudyError as error:
        page = await database.read(
            account_page, shell, who, now, error=page_words(error), error_in="token", typed=form
        )
        return refused(page, error, "name")
    return render(await database.read(account_page, shell, who, now, token=token))


@own.post("/account/tokens/{token_id}/revoke")
async def revoke_token(database: DatabaseDep, who: WhoDep, token_id: Id, now: Now) -> Response:
    await database.write(tokens.revoke_token, who, token_id, now)
    return RedirectResponse("/admin/account?said=revoked#tokens", 303)


router = APIRouter()
for part in (owners, own):
    router.include_router(part)
