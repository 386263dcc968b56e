"""The languages that a participant's browser and link ask for, heard before anything else is done."""

from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from app.core.headers import header_of
from app.core.language import accepted, forget, hear

PARAMETER = "lang"
"""The parameter of an address that names a language."""
# Experimenters' pages are in English; participants may come to the start page by a link cut short.
_OF_PARTICIPANTS = ("/p/", "/s/")


class AskedLanguage:
    """Hears `?lang=` and Accept-Language, the link first. What is said in one request is forgotten at its end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        path = scope["path"]
        heard = hear(_wanted(scope) if path == "/" or path.startswith(_OF_PARTICIPANTS) else ())
        try:
            await self.app(scope, receive, send)
        finally:
            forget(heard)


def _wanted(scope: Scope) -> tuple[str, ...]:
    wanted, query = accepted(header_of(scope, b"accept-language")), scope.get("query_string", b"")
    is_named = query and PARAMETER.encode() in query
    return (*_by_link(query.decode("latin-1")), *wanted) if is_named else wanted


def _by_link(query: str) -> list[str]:
    try:
        return parse_qs(query, max_num_fields=300).get(PARAMETER, [])[:1]
    except ValueError:
        return []
