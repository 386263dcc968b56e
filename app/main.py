"""The service: assembles the parts. No logic of its own."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import quote

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse
from fastapi.routing import iter_route_contexts
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, compile_path
from starlette.types import ASGIApp

import app.admin.access as by_cookie
import app.api.access as by_token
from app.accounts.gate import Gate, Guarded
from app.accounts.logins import NotLoggedIn
from app.admin.access import COOKIE, login_address
from app.admin.password.router import router as password
from app.admin.router import router as experimenter
from app.admin.shared.router import router as shared
from app.api.app import make_api
from app.core.asked_language import AskedLanguage
from app.core.at_once import AtOnce
from app.core.database import Database
from app.core.dependencies import DatabaseDep, SettingsDep
from app.core.ending import ENDS, Bodies, WholeOrNot, hearing_of_end, is_ending
from app.core.errors import StudyError, page_words
from app.core.first_routes import FirstRoutes, Tell
from app.core.headers import SAFE, SafetyHeaders
from app.core.language import gettext as _
from app.core.language import read_catalogues
from app.core.problems import message_of
from app.core.settings import Settings
from app.core.storage import error_text, lacks_room, passes, why_not_stored
from app.core.templating import STATIC, Static, render
from app.library.clips.store import ClipStore
from app.sessions.fetched import router as fetched
from app.sessions.router import PAGE_ROUTES
from app.sessions.router import router as participant
from app.sessions.starts import Starts
from app.sessions.stopping import router as stopping
from app.sessions.sweeping import sweeping
from app.sessions.where import SESSIONS
from app.tasks.game.outside.router import router as seats
from app.tasks.walk.router import router as walks
from app.trials.news import hearing, wake_all
from app.trials.pages import MessagePage

_HERE = Path(__file__).parent
NO_STORE = {"Cache-Control": "no-store"}
_log = logging.getLogger("likely-human")


def create_app(settings: Settings, database: Database) -> ASGIApp:
    """The service over one data folder and one migrated database; its headers are on errors too."""
    bodies = Bodies()
    first = FirstRoutes(_make(settings, database, bodies), PAGE_ROUTES, _replies(), _tell_unexpected)
    # Requests beyond the limits are refused before any other work.
    bounded = AtOnce(WholeOrNot(first, bodies), of_network=settings.max_connections)
    # Outside of what tells errors, which speak the visitor's language too.
    return SafetyHeaders(AskedLanguage(bounded), https=settings.secure_cookies)


def _replies() -> Mapping[type[Exception], Tell]:
    return {
        **dict.fromkeys((StudyError, HTTPException, RequestValidationError), _tell),
        **dict.fromkeys((OperationalError, NoConnection, OSError), _tell_unstored),
    }


def _make(settings: Settings, database: Database, bodies: Bodies) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        read_catalogues()
        with hearing(database), hearing_of_end(bodies.cut, wake_all):
            async with sweeping(database, settings):
                yield
        database.close()

    app = FastAPI(
        title="Likely Human",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
        # Starlette redirects to the host that the request names; `_tell` names a path alone.
        redirect_slashes=False,
    )
    store = ClipStore(settings.data_dir)
    api = make_api()
    app.state.starts = Starts(settings.max_starts)
    for each in (app, api):
        each.state.settings, each.state.database, each.state.store = settings, database, store
        each.state.sessions = SESSIONS
        for error, tell in _replies().items():
            each.add_exception_handler(error, tell)
        each.add_exception_handler(Exception, _tell_unexpected)
    app.add_middleware(Gate, database=database, cookie=COOKIE, guarded=_guarded, tell=_tell)
    of_participants, of_experimenters = _pages()
    app.router.routes.extend(of_participants)  # first, as they are tried in their order
    app.mount("/api/v1", api)
    app.mount(
        "/static/admin", Static(_HERE / "admin" / "static", _HERE / "reports" / "static"), name="admin-static"
    )
    app.mount("/static", Static(*STATIC), name="static")
    app.router.routes.extend(of_experimenters)
    app.add_api_route("/", start_page, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/healthz", healthz, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/readyz", readyz, methods=["GET", "HEAD"], include_in_schema=False)
    return app


@cache
def _pages() -> tuple[Sequence[BaseRoute], Sequence[BaseRoute]]:
    """Routes of participants and experimenters, made once per process.

    FastAPI computes each route's parameters anew for each app that includes it.
    """
    ours, theirs = FastAPI(openapi_url=None), FastAPI(openapi_url=None)
    ours.include_router(participant)
    ours.include_router(fetched)
    ours.include_router(stopping)
    ours.include_router(seats)
    ours.include_router(walks)
    theirs.include_router(experimenter)
    theirs.include_router(password)
    theirs.include_router(shared)
    return [*PAGE_ROUTES, *ours.routes], theirs.routes


@cache
def _guarded() -> Sequence[Guarded]:
    """Every address of experimenters and of the API by which something is changed, as the routes say who may."""
    found = [(make_api().routes, "/api/v1", by_token), (_pages()[1], "", by_cookie)]
    return [
        Guarded(
            method,
            compile_path(f"{prefix}{context.path_format}")[0],
            everybody=access.anyone in context.dependencies,
            owners=access.owners_only in context.dependencies,
        )
        for routes, prefix, access in found
        for context in iter_route_contexts(routes)
        for method in sorted((context.methods or set()) - SAFE)
    ]


async def start_page() -> Response:
    text = _("Participants come in by the link that they were given. Experimenters go on to their own page.")
    return render(MessagePage("Likely Human", text, link="/admin", link_label=_("For experimenters")))


async def healthz(database: DatabaseDep) -> Response:
    """200 where answers can be stored, 503 with the reason where they cannot."""
    if why := await why_not_stored(database):
        return PlainTextResponse(f"answers cannot be stored: {why}", 503, NO_STORE)
    return PlainTextResponse("ok", headers=NO_STORE)


async def readyz(database: DatabaseDep, settings: SettingsDep) -> Response:
    """200 where people may be sent here; 503 with every reason why not: no answer can be stored, files have no
    room, or the service is about to end."""
    why = await why_not_stored(database)
    reasons = [
        f"answers cannot be stored: {why}" if why else None,
        await anyio.to_thread.run_sync(lacks_room, settings.data),
        ENDS if is_ending() else None,
    ]
    found = [reason for reason in reasons if reason]
    return PlainTextResponse("\n".join(found) or "ok", 503 if found else 200, NO_STORE)


async def _tell(request: Request, error: Exception) -> Response:
    if isinstance(error, NotLoggedIn) and not _wants_json(request):
        return RedirectResponse(login_address(request), 303, headers={"Cache-Control": "no-store"})
    headers: Mapping[str, str] = {}
    details: Mapping[str, object] = {}
    if isinstance(error, StudyError):
        status, title, message, headers = error.status_code, _(error.title), page_words(error), error.headers
        details = error.details
    elif isinstance(error, HTTPException) and error.status_code != 404:
        status, title, message = error.status_code, _("That did not work"), str(error.detail)
        headers = {**(error.headers or {}), **_allowed(request, error)}
    elif isinstance(error, RequestValidationError) and _wants_json(request):
        status, title, message = 422, _("That did not work"), _explained(error)
    else:
        status, title, message = 404, _("Page not found"), _("There is nothing at this address.")
    if (
        status == 404
        and request.method in ("GET", "HEAD")
        and request.url.path.rstrip("/") != request.url.path
    ):
        return RedirectResponse(_without_slash(request), 307)
    return _reply(request, status, title, message, headers, details)


def _allowed(request: Request, error: HTTPException) -> Mapping[str, str]:
    """`Allow` of a 405: the router names the methods of one route alone, while an address may have one for each."""
    contexts = iter_route_contexts(request.app.routes) if error.status_code == 405 else ()
    found = {
        method
        for context in contexts
        if context.methods and context.matches(request.scope)[0] is not Match.NONE
        for method in context.methods
    }
    return {"Allow": ", ".join(sorted(found))} if found else {}


def _without_slash(request: Request) -> str:
    """A path alone, never a host: the request may name any host it likes."""
    query = f"?{request.url.query}" if request.url.query else ""
    return f"/{quote(request.url.path.strip('/'))}{query}"


async def _tell_unstored(request: Request, error: Exception) -> Response:
    """Reply 503 to a temporary storage failure; raise anything else."""
    if not passes(error):
        raise error
    _log.error("what was sent could not be stored, or read: %s", error_text(error))
    message = _(
        "The service cannot store anything at the moment. "
        "Please go back and send it again in a few minutes; nothing is counted twice."
    )
    return _reply(request, 503, _("Please wait a little"), message, {"Retry-After": "10", **NO_STORE})


def _without_token(path: str) -> str:
    """The path for the log: behind /p/, /r/ and /password/ stands what opens something (decision 0010)."""
    opens = next((prefix for prefix in ("/p/", "/r/", "/password/") if path.startswith(prefix)), "")
    return f"{opens}..." if opens else path


async def _tell_unexpected(request: Request, error: Exception) -> Response:
    if passes(error):  # what middleware meets comes here
        return await _tell_unstored(request, error)
    _log.error("unexpected error at %s", _without_token(request.url.path), exc_info=error)
    message = _(
        "Something went wrong on our side. What you sent may not be stored: please go back and try again."
    )
    return _reply(request, 500, _("That did not work"), message)


def _reply(
    request: Request,
    status: int,
    title: str,
    message: str,
    headers: Mapping[str, str] | None = None,
    details: Mapping[str, object] | None = None,
) -> Response:
    if _wants_json(request):
        return JSONResponse({"message": message, **(details or {})}, status, headers=headers)
    page = MessagePage(title, message)
    if request.url.path.startswith("/admin"):  # participants have no other page to go to
        page = replace(page, study_title="Likely Human", link="/admin", link_label="All studies")
    response = render(page, status)
    response.headers.update(headers or {})
    return response


def _wants_json(request: Request) -> bool:
    is_api = request.url.path.startswith("/api/")
    return is_api or "application/json" in request.headers.get("accept", "")


def _explained(error: RequestValidationError) -> str:
    """Each invalid field and the reason; never the value itself, which may be anything."""
    parts = (
        f"{' › '.join(map(str, fault['loc'][1:] or fault['loc']))}: {message_of(fault)}"
        for fault in error.errors()[:20]
    )
    return "; ".join(parts)
