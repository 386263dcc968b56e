"""Limits on concurrent requests per session and per network, so that nobody can slow down everybody.

Counted in memory, per process. The client address reported by a proxy in front is trusted here, as the proxy's own
connections are not limited otherwise.
"""

from collections.abc import Sequence

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.core.language import gettext as _
from app.core.language import noop
from app.core.networks import network_of

OF_SESSION = 16
"""Requests of one session: a browser has six connections, and a second tab as many again."""
TOO_MANY_OF_SESSION = noop(
    "Too many requests in this session are under way. Please try again in a moment; nothing is lost."
)
TOO_MANY_OF_NETWORK = noop(
    "Too many requests from your network are under way. Please try again in a moment; nothing is lost."
)
_SESSION = "/p/"
_HEADERS = {"Retry-After": "2", "Cache-Control": "no-store", "Connection": "close"}


class AtOnce:
    """At most `of_network` requests of one network (0: unlimited) and `OF_SESSION` of one session are answered at once;
    others get 429, which is cheap, and may be sent again on a new connection.
    """

    def __init__(self, app: ASGIApp, of_network: int) -> None:
        self.app, self._of_network = app, of_network
        self._under_way: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        under_way, bounds = self._under_way, self._bounds(scope)
        for key, most, words in bounds:
            if under_way.get(key, 0) >= most:
                await PlainTextResponse(_(words), 429, _HEADERS)(scope, receive, send)
                return
        for key, _most, _words in bounds:
            under_way[key] = under_way.get(key, 0) + 1
        try:
            await self.app(scope, receive, send)
        finally:
            for key, _most, _words in bounds:
                under_way[key] -= 1
                # Counts of sessions that are over would otherwise stay for as long as the process.
                if not under_way[key]:
                    del under_way[key]

    def _bounds(self, scope: Scope) -> Sequence[tuple[str, int, str]]:
        """Each limit on a request: what it counts, its maximum, and what is said beyond it."""
        path: str = scope["path"]
        bounds = []
        if path.startswith(_SESSION):
            session = path.removeprefix(_SESSION).partition("/")[0]
            bounds.append((f"session {session}", OF_SESSION, TOO_MANY_OF_SESSION))
        if self._of_network and scope["client"]:
            network = network_of(scope["client"][0])
            bounds.append((f"network {network}", self._of_network, TOO_MANY_OF_NETWORK))
        return bounds
