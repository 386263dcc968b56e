"""Headers on every reply: nothing is fetched from elsewhere, nothing is framed, no address leaks by referrer.

A reply that brings a policy of its own keeps it.
"""

from collections.abc import Awaitable, Iterable

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Methods that change nothing (RFC 9110, 9.2.1); others need a role, a token or an open data folder.
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "media-src 'self' blob:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
# For the participant's pages that the design editor shows beside its form.
FRAMED_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
# For the one page that any site may frame: it begins nothing, and has a link that opens the study in a tab.
ANYWHERE_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
# For the page that shows them.
FRAMING_POLICY = f"{POLICY}; frame-src 'self'"
SAFETY = [
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-robots-tag", b"noindex"),
]


# What somebody had to log in for is in no cache, unless the reply says otherwise.
_PRIVATE = ("/admin", "/api/")
NO_STORE = (b"cache-control", b"no-store")
_ON_PRIVATE = [*SAFETY, NO_STORE]
_NAMES, _PRIVATE_NAMES = (frozenset(name for name, _ in each) for each in (SAFETY, _ON_PRIVATE))


def header_of(scope: Scope, name: bytes) -> str:
    """A header of a request by its name in lower case, of a repeated one the last; empty without it.

    `Request.headers` looks at one after the other by functions of Python's, which takes ten times as long.
    """
    found: bytes = dict(scope["headers"]).get(name, b"")
    return found.decode("latin-1")


class Ready(Response):
    """A reply whose headers are known but for its length: Starlette takes five times as long to make them of texts."""

    def __init__(self, body: bytes, status_code: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.body, self.status_code, self.background = body, status_code, None
        self.raw_headers = [*headers, (b"content-length", b"%d" % len(body))]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body})


class SafetyHeaders:
    """`https`: people come by HTTPS alone, so every cookie is marked secure."""

    def __init__(self, app: ASGIApp, *, https: bool = False) -> None:
        self.app, self._https = app, https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._https:
            # A proxy that ends TLS may not say so, and cookies follow the scheme of the scope.
            scope = {**scope, "scheme": "https"}
        is_private = scope.get("path", "").startswith(_PRIVATE)
        headers, names = (_ON_PRIVATE, _PRIVATE_NAMES) if is_private else (SAFETY, _NAMES)

        # What awaits this awaits the server's own: a coroutine of ours around it would be one more for each message.
        def send_with_headers(message: Message) -> Awaitable[None]:
            if message["type"] == "http.response.start":
                given = dict(message["headers"])  # their names are in lower case (ASGI)
                # Most replies have none of ours.
                ours = (
                    headers if names.isdisjoint(given) else [each for each in headers if each[0] not in given]
                )
                message["headers"] = [*message["headers"], *ours]
            return send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)
