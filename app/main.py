"""The service: puts the parts together. No logic of its own."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, RedirectResponse
from sqlalchemy import text
from sqlmodel import Session
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from app.accounts.logins import NotLoggedIn
from app.admin.access import COOKIE, login_address
from app.admin.router import router as experimenter
from app.api.app import make_api
from app.core.database import Database
from app.core.dependencies import DatabaseDep
from app.core.errors import StudyError
from app.core.gate import Gate
from app.core.headers import SafetyHeaders
from app.core.settings import Settings
from app.core.templating import STATIC, Static, render
from app.library.clips.store import ClipStore
from app.sessions.fetched import router as fetched
from app.sessions.news import hearing
from app.sessions.pages import MessagePage
from app.sessions.router import router as participant
from app.sessions.starts import Starts
from app.sessions.stopping import router as stopping
from app.sessions.sweeping import sweeping
from app.tasks.game.outside.router import router as seats
from app.tasks.walk.router import router as walks

_HERE = Path(__file__).parent
_log = logging.getLogger("likely-human")


def create_app(settings: Settings, database: Database) -> ASGIApp:
    """The service over one data folder and one migrated database; its headers are on errors too."""
    return SafetyHeaders(_make(settings, database), https=settings.secure_cookies)


def _make(settings: Settings, database: Database) -> FastAPI:

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        with hearing(database):
            async with sweeping(database, settings):
                yield
        database.close()

    app = FastAPI(
        title="Likely Human",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    store = ClipStore(settings.data_dir)
    api = make_api()
    app.state.starts = Starts(settings.max_starts)
    for each in (app, api):
        each.state.settings, each.state.database, each.state.store = settings, database, store
        for error in (StudyError, HTTPException, RequestValidationError):
            each.add_exception_handler(error, _tell)
        each.add_exception_handler(Exception, _tell_unexpected)
    app.add_middleware(Gate, database=database, cookie=COOKIE)
    of_participants, of_experimenters = _pages()
    app.router.routes.extend(of_participants)  # first, as they are tried in their order
    app.mount("/api/v1", api)
    app.mount("/static/admin", Static(_HERE / "admin" / "static"), name="admin-static")
    app.mount("/static", Static(*STATIC), name="static")
    app.router.routes.extend(of_experimenters)
    app.add_api_route("/", start_page, methods=["GET", "HEAD"], include_in_schema=False)
    app.add_api_route("/healthz", healthz, methods=["GET", "HEAD"], include_in_schema=False)
    return app


@cache
def _pages() -> tuple[Sequence[BaseRoute], Sequence[BaseRoute]]:
    """Those of participants and of experimenters, made once in a process.

    FastAPI works out each route's parameters anew for each app that includes it.
    """
    ours, theirs = FastAPI(openapi_url=None), FastAPI(openapi_url=None)
    ours.include_router(participant)
    ours.include_router(fetched)
    ours.include_router(stopping)
    ours.include_router(seats)
    ours.include_router(walks)
    theirs.include_router(experimenter)
    return ours.routes, theirs.routes


async def start_page() -> Response:
    text = "Participants come in by the link that they were given. Experimenters go on to their own page."
    return render(MessagePage("Likely Human", text, link="/admin", link_label="For experimenters"))


async def healthz(database: DatabaseDep) -> Response:
    """200 once the database answers, 503 while answers cannot be stored."""
    await database.read(_ping)
    if database.failure:
        return PlainTextResponse(f"answers cannot be stored: {database.failure}", 503)
    return PlainTextResponse("ok")


def _ping(session: Session) -> None:
    session.execute(text("SELECT 1"))


async def _tell(request: Request, error: Exception) -> Response:
    if isinstance(error, NotLoggedIn) and not _wants_json(request):
        return RedirectResponse(login_address(request), 303, headers={"Cache-Control": "no-store"})
    headers: Mapping[str, str] = {}
    if isinstance(error, StudyError):
        status, title, message, headers = error.status_code, error.title, str(error), error.headers
    elif isinstance(error, HTTPException) and error.status_code != 404:
        status, title, message = error.status_code, "That did not work", str(error.detail)
    elif isinstance(error, RequestValidationError) and _wants_json(request):
        status, title, message = 422, "That did not work", _explained(error)
    else:
        status, title, message = 404, "Page not found", "There is nothing at this address."
    if (
        status == 404
        and request.method in ("GET", "HEAD")
        and request.url.path.rstrip("/") != request.url.path
    ):
        return RedirectResponse(_without_slash(request), 307)
    return _reply(request, status, title, message, headers)


def _without_slash(request: Request) -> str:
    """A path alone, never a host: the request may name any host it likes."""
    query = f"?{request.url.query}" if request.url.query else ""
    return f"/{quote(request.url.path.strip('/'))}{query}"


async def _tell_unexpected(request: Request, error: Exception) -> Response:
    _log.error("unexpected error at %s", request.url.path.partition("/p/")[0] or "/p/...", exc_info=error)
    message = (
        "Something went wrong on our side. What you sent may not be stored: please go back and try again."
    )
    return _reply(request, 500, "That did not work", message)


def _reply(
    request: Request, status: int, title: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    if _wants_json(request):
        return JSONResponse({"message": message}, status, headers=headers)
    response = render(MessagePage(title, message), status)
    response.headers.update(headers or {})
    return response


def _wants_json(request: Request) -> bool:
    is_api = request.url.path.startswith("/api/")
    return is_api or "application/json" in request.headers.get("accept", "")


def _explained(error: RequestValidationError) -> str:
    """Where each value does not hold, and why; never the value itself, which may be anything."""
    parts = (
        f"{' › '.join(map(str, fault['loc'][1:] or fault['loc']))}: {fault['msg']}"
        for fault in error.errors()[:20]
    )
    return "; ".join(parts)
