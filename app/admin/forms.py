"""Forms that carry small files: read whole into memory, within bounds."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from app.core.dependencies import BadForm, bounded_body, read_form, without_nul

MAX_BYTES = 8_000_000
MAX_FILES, MAX_FIELDS = 100, 300


@dataclass(frozen=True, slots=True)
class SentFile:
    name: str
    data: bytes


Files = Mapping[str, Sequence[SentFile]]


async def read_any_form(request: Request) -> dict[str, str]:
    """A form's fields, however it was sent; files are kept for `sent_files`."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        return await read_form(request)
    # The body can be read once, and the guard has read it for the form's token.
    if not hasattr(request.state, "form"):
        body = await bounded_body(request, MAX_BYTES)
        request.state.form, request.state.files = await _parsed(request.headers, body)
    return request.state.form  # type: ignore[no-any-return]


async def sent_files(request: Request) -> Files:
    await read_any_form(request)
    return getattr(request.state, "files", {})


async def _parsed(headers: Headers, body: bytes) -> tuple[dict[str, str], dict[str, list[SentFile]]]:
    async def stream() -> AsyncGenerator[bytes, None]:
        yield body

    parser = MultiPartParser(
        headers, stream(), max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=MAX_BYTES
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError, UnicodeError) as error:
        raise BadForm(f"The form could not be read: {error}") from None
    fields: dict[str, str] = {}
    files: dict[str, list[SentFile]] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            # A file field that was left empty is sent as a part without a name.
            if value.filename:
                files.setdefault(name, []).append(SentFile(without_nul(value.filename), await value.read()))
        else:
            fields[without_nul(name)] = without_nul(value)
    await form.close()
    return fields, files


AnyForm = Annotated[dict[str, str], Depends(read_any_form)]
FilesDep = Annotated[Files, Depends(sent_files)]
