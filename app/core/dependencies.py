"""Dependencies of handlers as annotated aliases; all `async`, as FastAPI would run each plain function in a thread."""

import random
import string
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request
from pydantic_core import Url

from app.core import clock
from app.core.database import Database
from app.core.errors import StudyError
from app.core.headers import header_of
from app.core.language import gettext as _
from app.core.settings import Settings

MAX_FORM_BYTES = 512_000
MAX_FORM_FIELDS = 300
# All else in a form is percent-encoded (URL Standard, application/x-www-form-urlencoded).
_AS_BROWSERS_SEND = (string.ascii_letters + string.digits + "*._+&=%-").encode()


class BadForm(StudyError):
    status_code = 400


class FormTooLarge(StudyError):
    status_code = 413


class NotAForm(StudyError):
    status_code = 415


def without_nul(text: str) -> str:
    """PostgreSQL stores no NUL."""
    return text.replace("\x00", "�")


async def read_form(request: Request) -> dict[str, str]:
    """A form's fields; of a repeated one the last. Bounded, never half read, and read once for a request."""
    if not hasattr(request.state, "form"):
        request.state.form, _repeated = await _read_form(request)
    return request.state.form  # type: ignore[no-any-return]


async def _read_form(request: Request) -> tuple[dict[str, str], str]:
    """A form's fields, and the name of one that was sent with two different values, if any."""
    content_type = header_of(request.scope, b"content-type").partition(";")[0].strip().lower()
    if content_type != "application/x-www-form-urlencoded":
        raise NotAForm("This address takes a web form (application/x-www-form-urlencoded).")
    text = (await bounded_body(request, MAX_FORM_BYTES)).decode("ascii", "replace")
    if text.count("&") >= MAX_FORM_FIELDS:
        raise BadForm(f"The form has too many fields; {MAX_FORM_FIELDS} are allowed.")
    fields = fields_of(text)
    if "\x00" in text or "%00" in text:
        fields = [(without_nul(name), without_nul(value)) for name, value in fields]
    found = dict(fields)
    if len(found) == len(fields):
        return found, ""
    return found, next((name for name, value in fields if found[name] != value), "")


def fields_of(text: str) -> list[tuple[str, str]]:
    """The fields of a form as sent, in their order; what browsers send takes a quarter of the time of `parse_qsl`."""
    # Nothing is left without them: a regular expression takes six times as long.
    if not text.encode().translate(None, delete=_AS_BROWSERS_SEND):
        return Url(f"http://form/?{text}").query_params()
    return parse_qsl(text, keep_blank_values=True)


async def read_single_form(request: Request) -> dict[str, str]:
    """Like `read_form`, but refuses a field sent with two different values. Each route reads by one of the two."""
    form, name = await _read_form(request)
    if name:
        raise BadForm(
            _("The form has two different values for {name}. Please reload the page.").format(name=name)
        )
    return form


async def bounded_body(request: Request, most: int) -> bytes:
    """The request body, refused as soon as it is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise FormTooLarge(f"The form is too large; {most // 1000} kB are allowed.")
    return bytes(body)


async def get_database(request: Request) -> Database:
    return request.app.state.database  # type: ignore[no-any-return]


async def get_settings(request: Request) -> Settings:
    return request.app.state.settings  # type: ignore[no-any-return]


async def get_site(request: Request, settings: Annotated[Settings, Depends(get_settings)]) -> str:
    """The public address of the service, without a trailing slash; taken from the request unless set."""
    return settings.public_address.rstrip("/") or str(request.base_url).rstrip("/")


async def now() -> datetime:
    """The time that everything is stored and decided by."""
    return datetime.now(UTC) + clock.behind()


async def get_rng() -> random.Random:
    return _RNG


_RNG = random.SystemRandom()

DatabaseDep = Annotated[Database, Depends(get_database)]
SettingsDep = Annotated[Settings, Depends(get_settings)]
Form = Annotated[dict[str, str], Depends(read_form)]
SingleForm = Annotated[dict[str, str], Depends(read_single_form)]
Now = Annotated[datetime, Depends(now)]
Rng = Annotated[random.Random, Depends(get_rng)]
Site = Annotated[str, Depends(get_site)]
