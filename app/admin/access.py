"""The guard of every experimenter's page: login, role, CSRF token, and a visible study.

`guard` covers the whole of `/admin`, so a new page is guarded automatically: reading needs a login, changing needs an
editor and the form's token, and an address with a `{slug}` needs a study that the user sees. Pages for owners only, or
for everybody, are declared by their router (`owners_only`, `anyone`).
"""

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import Depends, Request, Response
from sqlmodel import Session

from app.accounts import logins
from app.accounts.dependencies import WhoDep as WhoDep
from app.accounts.logins import NotAllowed, NotLoggedIn, Who
from app.admin.forms import read_any_form
from app.admin.studies.steps import Step, brief_and_next
from app.core.database import Database
from app.core.dependencies import DatabaseDep, Now, SettingsDep, without_nul
from app.core.headers import SAFE
from app.studies.access import StudyHere, study_for
from app.studies.current import Current
from app.studies.dependencies import StudyDep as StudyDep
from app.studies.drafts import DraftHere, draft_here
from app.tasks.registry import DESIGNS
from app.trials.tables import State

COOKIE = "lh-login"
LOGIN_FORM = "lh-login-form"
KNOWN = "lh-known"
# `none` is an address typed in, or a bookmark (Fetch Metadata).
OURS = frozenset({"same-origin", "none"})


def csrf_for(secret: str, cookie: str) -> str:
    """A form's token: bound to the login's cookie, so that no other site can know it."""
    return hmac.new(secret.encode(), b"csrf " + cookie.encode(), hashlib.sha256).hexdigest()


async def check_csrf(request: Request, secret: str, cookie: str) -> None:
    """Raises NotAllowed unless the form (field `csrf`) or the script (header `X-CSRF-Token`) came from our page.

    A request that the browser marks as cross-site is refused even with a valid token: another host of our domain could
    have planted the cookie from which the token is derived.
    """
    # Safari before 16.4 sends no Sec-Fetch-Site; the form's token alone decides for it.
    if request.headers.get("sec-fetch-site", "same-origin") not in OURS:
        raise NotAllowed("This form came from another site. Please open the page here and send it again.")
    given = request.headers.get("x-csrf-token")
    if given is None:
        is_form = "form" in request.headers.get("content-type", "")
        given = (await read_any_form(request)).get("csrf", "") if is_form else ""
    # As bytes: compare_digest raises TypeError for text beyond ASCII, which a form may hold.
    if not hmac.compare_digest(given.encode(), csrf_for(secret, cookie).encode()):
        raise NotAllowed("This form is out of date. Please go back, reload the page and send it again.")


async def find_login(request: Request, database: Database, now: datetime) -> Who:
    """The user who sent the request. Raises NotLoggedIn."""
    token = request.cookies.get(COOKIE, "")
    who = await database.peek(logins.who_logged_in, token, now) if token else None
    if who is None:
        raise NotLoggedIn("Please log in.")
    if who.login_id and who.seen_at and now - who.seen_at > logins.SEEN_EVERY:
        # At most every five minutes, and not waited for: a page that is only read would otherwise be a write.
        database.write_soon(logins.mark_seen, who.login_id, now)
    return who


def guard(*, everybody: bool = False, owners: bool = False) -> Callable[..., Awaitable[None]]:
    """`everybody` who is logged in may also change; `owners` alone may look and change."""

    async def check(request: Request, database: DatabaseDep, settings: SettingsDep, now: Now) -> None:
        who = await find_login(request, database, now)
        request.state.who = who
        request.state.csrf = csrf_for(settings.secret, request.cookies[COOKIE])
        request.state.study = None
        if owners and not who.is_owner:
            raise NotAllowed(logins.FOR_OWNERS)
        if request.method not in SAFE:
            await check_csrf(request, settings.secret, request.cookies[COOKIE])
            if not (everybody or who.may_edit):
                raise NotAllowed(logins.CHANGES_NOTHING)
        slug = request.path_params.get("slug")
        if slug is not None:
            request.state.study = await database.peek(study_for, who, without_nul(slug))

    return check


editors = Depends(guard())
anyone = Depends(guard(everybody=True))
owners_only = Depends(guard(owners=True))


@dataclass(frozen=True, slots=True)
class StudyTab:
    """The study that a page is of. One that shows nothing yet has pairs to be made.

    `parts` are what its blocks of other tasks are of: `Items`.
    """

    slug: str
    state: State
    is_archived: bool = False
    title: str = ""
    has_pairs: bool = True
    has_matches: bool = False
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shell:
    """The frame of every experimenter's page. `said` is a code of `notices.NOTICES`.

    `next_step` belongs to the study; None outside of one, and if all is done. `row` and, before the launch, `draft` are
    the study as it was looked at for that: only where nothing is changed before the page is made.
    """

    who: Who
    email: str
    is_owner: bool
    may_edit: bool
    csrf: str
    study: StudyTab | None
    said: str
    next_step: Step | None = None
    row: Current | None = None
    draft: DraftHere | None = None

    def draft_of(self, session: Session, study: StudyHere) -> DraftHere:
        """The design of the page's study, which is not read again."""
        return self.draft or draft_here(session, study, self.row)


async def get_shell(request: Request, database: DatabaseDep) -> Shell:
    who, study = request.state.who, request.state.study
    is_page = request.headers.get("accept") != "application/json"  # scripts have no use for the rest
    tab = StudyTab(study.slug, study.state, study.is_archived) if study else None
    step: Step | None = None
    row: Current | None = None
    draft: DraftHere | None = None
    if study and tab and is_page:
        line, step, row, draft = await database.read(brief_and_next, who, study)
        if request.method not in SAFE:
            row = draft = None
        tab = replace(
            tab,
            title=line.title,
            has_pairs="pair" in line.units or not line.units,
            has_matches=line.version > 0 and "game" in line.units,
            parts=tuple(DESIGNS[task].nouns for task in line.units if task != "pair"),
        )
    return Shell(
        who=who,
        email=who.email,
        is_owner=who.is_owner,
        may_edit=who.may_edit,
        csrf=request.state.csrf,
        study=tab,
        said=request.query_params.get("said", ""),
        next_step=step,
        row=row,
        draft=draft,
    )


ShellDep = Annotated[Shell, Depends(get_shell)]


def login_address(request: Request) -> str:
    """The login page, coming back here afterwards where here can be come back to."""
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    # Only what changes nothing can be come back to: a form's fields are gone after the login.
    return f"/admin/login?next={quote(here)}" if request.method in SAFE else "/admin/login"


def safe_next(address: str) -> str:
    """The address to open after login: one of our pages, or the start."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "/admin"
    # Browsers read a backslash as a slash (WHATWG URL), so that `/\host` would lead to another site.
    ours = not parts.scheme and not parts.netloc and parts.path.startswith("/admin") and "\\" not in address
    return address if ours and address.isprintable() else "/admin"


def set_cookie(
    response: Response, name: str, value: str, *, secure: bool, lasts_s: int | None = None
) -> None:
    # Lax, as links from emails and other sites have to open pages; what changes something is a POST.
    response.set_cookie(
        name, value, path="/admin", httponly=True, samesite="lax", secure=secure, max_age=lasts_s
    )
