"""Before a request's body is read: may whoever sent it change anything at all?

FastAPI reads and parses a body before it runs the guards. A stranger's megabytes would be parsed in vain, and
keep participants waiting; so what changes something is stopped here first. The guards decide everything else.
"""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.accounts import logins
from app.core.database import Database
from app.core.headers import SAFE

OPEN = frozenset({"/admin/login"})


class Gate:
    def __init__(self, app: ASGIApp, database: Database, cookie: str) -> None:
        self.app, self._database, self._cookie = app, database, cookie

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
                return JSONResponse({"message": str(ended)}, ended.status_code)
            if found is not None and scheme.lower() == "bearer":
                return None
            return JSONResponse({"message": "Send `Authorization: Bearer TOKEN`, with a valid token."}, 401)
        if path == "/admin" or path.startswith("/admin/"):
            token = request.cookies.get(self._cookie, "")
            who = await self._database.peek(logins.who_logged_in, token, datetime.now(UTC))
            if who is not None:
                return None
            if "application/json" in request.headers.get("accept", ""):
                return JSONResponse({"message": "Please log in."}, 401)
            return RedirectResponse("/admin/login", 303, headers={"Cache-Control": "no-store"})
        return None
