"""What handlers are given, as annotated aliases; all `async`, as FastAPI would send each plain function to a thread."""

import random
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends, Request

from app.clips.store import ClipStore
from app.database import Database
from app.errors import StudyError
from app.settings import Settings

MAX_FORM_BYTES = 512_000
MAX_FORM_FIELDS = 300


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
    """A form's fields; of a repeated one the last. Bounded, and never half read."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/x-www-form-urlencoded":
        raise NotAForm("This address takes a web form (application/x-www-form-urlencoded).")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise FormTooLarge(f"The form is too large; {MAX_FORM_BYTES // 1000} kB are allowed.")
    try:
        text = without_nul(body.decode("ascii", "replace"))
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise BadForm(f"The form has too many fields; {MAX_FORM_FIELDS} are allowed.") from None
    return {without_nul(name): without_nul(value) for name, value in fields}


async def get_database(request: Request) -> Database:
    return request.app.state.database  # type: ignore[no-any-return]


async def get_store(request: Request) -> ClipStore:
    return request.app.state.store  # type: ignore[no-any-return]


async def get_settings(request: Request) -> Settings:
    return request.app.state.settings  # type: ignore[no-any-return]


async def now() -> datetime:
    return datetime.now(UTC)


async def get_rng() -> random.Random:
    return _RNG


_RNG = random.SystemRandom()

DatabaseDep = Annotated[Database, Depends(get_database)]
StoreDep = Annotated[ClipStore, Depends(get_store)]
SettingsDep = Annotated[Settings, Depends(get_settings)]
Form = Annotated[dict[str, str], Depends(read_form)]
Now = Annotated[datetime, Depends(now)]
Rng = Annotated[random.Random, Depends(get_rng)]
