"""Limits on concurrent requests per session and per network, so that nobody can slow down everybody.

Counted in memory, per process. The client address reported by a proxy in front is trusted here, as the proxy's own
connections are not limited otherwise.
"""

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
        # By None: those that are not bounded.
        self._by_session: dict[str | None, int] = {}
        self._by_network: dict[str | None, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        session = path.removeprefix(_SESSION).partition("/")[0] if path.startswith(_SESSION) else None
        network = network_of(scope["client"][0]) if self._of_network and scope["client"] else None
        of_session, of_network = self._by_session.get(session, 0), self._by_network.get(network, 0)
        if session is not None and of_session >= OF_SESSION:
            await PlainTextResponse(_(TOO_MANY_OF_SESSION), 429, _HEADERS)(scope, receive, send)
            return
        if network is not None and of_network >= self._of_network:
            await PlainTextResponse(_(TOO_MANY_OF_NETWORK), 429, _HEADERS)(scope, receive, send)
            return
        self._by_session[session], self._by_network[network] = of_session + 1, of_network + 1
        try:
            await self.app(scope, receive, send)
        finally:
            _take_one(self._by_session, session)
            _take_one(self._by_network, network)


def _take_one(counts: dict[str | None, int], key: str | None) -> None:
    # Counts of sessions that are over would otherwise stay for as long as the process.
    if counts[key] == 1:
        del counts[key]
    else:
        counts[key] -= 1
