"""An early check, before a request's body is read, that its sender may change anything at all.

FastAPI reads and parses a body before it runs the guards. An anonymous client's megabytes would be parsed in vain and
slow down participants, so requests that change something are stopped here first. So are users whose role is not enough:
errors in a body are not shown to someone who may not send it. The guards decide everything else.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.accounts import logins
from app.accounts.logins import NotAllowed, Who
from app.core.database import Database
from app.core.first_routes import Tell
from app.core.headers import SAFE

OPEN = frozenset({"/admin/login"})


@dataclass(frozen=True, slots=True)
class Guarded:
    """An address by which something is changed, and who may."""

    method: str
    path: re.Pattern[str]
    everybody: bool = False
    owners: bool = False

    def require(self, who: Who) -> None:
        """Raises NotAllowed for a user whose role is not enough."""
        if self.owners and not who.is_owner:
            raise NotAllowed(logins.FOR_OWNERS)
        if not (self.everybody or who.may_edit):
            raise NotAllowed(logins.CHANGES_NOTHING)


class Gate:
    """`guarded` gives the addresses in the order in which they are tried, `tell` makes the reply of a refusal.

    The addresses are asked for when somebody first changes something: a start need not wait for them.
    """

    def __init__(
        self,
        app: ASGIApp,
        database: Database,
        cookie: str,
        guarded: Callable[[], Iterable[Guarded]],
        tell: Tell,
    ) -> None:
        self.app, self._database, self._cookie = app, database, cookie
        self._guarded, self._tell = guarded, tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = None
        if scope["type"] == "http" and scope["method"] not in SAFE and scope["path"] not in OPEN:
            refusal = await self._refusal(Request(scope))
        await (refusal or self.app)(scope, receive, send)

    async def _refusal(self, request: Request) -> Response | None:
        path = request.url.path
        if path.startswith("/api/v1/"):
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            try:
                found = await self._database.peek(logins.who_holds, token.strip(), datetime.now(UTC))
            except logins.TokenEnded as ended:
                return _refused(ended)
            if found is not None and scheme.lower() == "bearer":
                return await self._unless_allowed(request, found.who)
            return _refused(logins.NoToken("Send `Authorization: Bearer TOKEN`, with a valid token."))
        if path == "/admin" or path.startswith("/admin/"):
            token = request.cookies.get(self._cookie, "")
            who = await self._database.peek(logins.who_logged_in, token, datetime.now(UTC))
            if who is not None:
                return await self._unless_allowed(request, who)
            if "application/json" in request.headers.get("accept", ""):
                return JSONResponse({"message": "Please log in."}, 401)
            return RedirectResponse("/admin/login", 303, headers={"Cache-Control": "no-store"})
        return None

    async def _unless_allowed(self, request: Request, who: Who) -> Response | None:
        method, path = request.method, request.url.path
        found = (each for each in self._guarded() if each.method == method and each.path.match(path))
        if (here := next(found, None)) is not None:
            try:
                here.require(who)
            except NotAllowed as error:
                return await self._tell(request, error)
        return None


def _refused(error: logins.NoToken) -> Response:
    return JSONResponse({"message": str(error)}, error.status_code, error.headers)
