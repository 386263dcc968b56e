"""Files in: `/admin/stimuli/upload` for people, `/admin/stimuli/uploads` for its script."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel

from app.accounts.dependencies import WhoDep
from app.admin.access import ShellDep, editors
from app.admin.forms import MAX_BYTES, AnyForm, FilesDep
from app.admin.stimuli.stimuli_pages import attributes_in, upload_page
from app.catalog import filling
from app.catalog.rules import BadRules
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.library import receiving
from app.library.clips.framing import frame_proposal, sizes_in
from app.library.uploads import LARGEST_FILE_BYTES, NewUpload

router = APIRouter(prefix="/stimuli", dependencies=[editors])
PAGE = "/admin/stimuli/upload"
Slug = Annotated[str, Query(max_length=100)]
Offset = Annotated[int, Query(ge=0, lt=2**53)]


def whole(text: str) -> int:
    """A number of pixels. Raises BadRules if invalid."""
    if text.isascii() and text.isdecimal() and len(text) < 6:
        return int(text)
    raise BadRules({"width": "Width and height are whole numbers of pixels, both even, such as 640 and 360."})


@router.get("/upload")
async def show_upload(database: DatabaseDep, who: WhoDep, shell: ShellDep, collection: Slug = "") -> Response:
    return render(await database.read(upload_page, who, shell, MAX_BYTES, slug=collection))


@router.post("/upload")
async def take_files(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    shell: ShellDep,
    form: AnyForm,
    files: FilesDep,
    now: Now,
) -> Response:
    """Upload small files in one form, for browsers without scripts."""
    sent = [(file.name, file.data) for file in files.get("files", ())]
    attributes, source, slug = attributes_in(form), form.get("source", ""), form.get("collection", "")
    try:
        faults = await filling.take_form(
            database, settings.data_dir, who, sent, source, attributes, now, slug, _frame_in(form)
        )
    except StudyError as error:
        page = database.read(
            upload_page, who, shell, MAX_BYTES, slug=slug, typed=form, error=page_words(error)
        )
        return refused(await page, error, "files")
    if faults:
        page = database.read(upload_page, who, shell, MAX_BYTES, slug=slug, typed=form, faults=faults)
        return render(await page, 422)
    return RedirectResponse(_address(slug, "started"), 303)


def _frame_in(form: AnyForm) -> tuple[int, int] | None:
    """The frame typed in the form of files; None if it is left open. Raises BadRules."""
    if not any(form.get(side, "").strip() for side in ("width", "height")):
        return None
    return whole(form.get("width", "")), whole(form.get("height", ""))


def _address(slug: str, said: str) -> str:
    """The upload page of a collection, with what is said there."""
    return f"{PAGE}?{urlencode({'collection': slug, 'said': said} if slug else {'said': said})}"


@router.post("/uploads", status_code=201)
async def begin_upload(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, new: NewUpload, now: Now
) -> Response:
    begun = await filling.begin(database, settings.data_dir, who, new, now)
    return JSONResponse(begun.to_dict(), 201)


@router.get("/uploads")
async def list_uploads(database: DatabaseDep, settings: SettingsDep, who: WhoDep) -> Response:
    found = await receiving.states(database, settings.data_dir, who)
    return JSONResponse({"uploads": [each.to_dict() for each in found]})


@router.get("/uploads/{token}")
async def show_state(database: DatabaseDep, settings: SettingsDep, who: WhoDep, token: str) -> Response:
    return JSONResponse((await receiving.state(database, settings.data_dir, who, token)).to_dict())


@router.patch("/uploads/{token}", max_body_size=LARGEST_FILE_BYTES)
async def take_bytes(
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    token: str,
    offset: Offset,
    now: Now,
) -> Response:
    got = await receiving.receive(database, settings.data_dir, who, token, offset, request, now)
    return JSONResponse(got.to_dict())


@router.delete("/uploads/{token}")
async def drop_upload(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, token: str, now: Now
) -> Response:
    await receiving.cancel(database, settings.data_dir, who, token, now)
    return JSONResponse({})


@router.post("/uploads/cancel")
async def discard_all(database: DatabaseDep, settings: SettingsDep, who: WhoDep, now: Now) -> Response:
    await receiving.cancel_all(database, settings.data_dir, who, now)
    return RedirectResponse(f"{PAGE}?said=cancelled", 303)


@router.post("/frame-size")
async def set_frame_size(
    database: DatabaseDep, who: WhoDep, shell: ShellDep, form: AnyForm, now: Now
) -> Response:
    slug = form.get("collection", "")
    try:
        width, height = (whole(form.get(side, "")) for side in ("width", "height"))
        await database.write(filling.set_frame, who, slug, width, height, now)
    except StudyError as error:
        page = database.read(
            upload_page, who, shell, MAX_BYTES, slug=slug, typed=form, error=page_words(error)
        )
        return refused(await page, error, "width")
    return RedirectResponse(_address(slug, "saved"), 303)


class ChosenFrame(BaseModel):
    """The frame accepted on the page, px, with the collection that it is of."""

    collection: str
    width: int
    height: int


@router.put("/frame-size")
async def accept_frame_size(database: DatabaseDep, who: WhoDep, chosen: ChosenFrame, now: Now) -> Response:
    """Settle the frame before the first file is sent."""
    await database.write(filling.set_frame, who, chosen.collection, chosen.width, chosen.height, now)
    return JSONResponse({})


@router.get("/frame-size")
async def propose_frame_size(sizes: Annotated[str, Query(max_length=20_000)] = "") -> Response:
    """The frame proposed for videos of `sizes`: sides as `1920x1080`, joined by commas."""
    found = frame_proposal(sizes_in(sizes))
    if found is None:
        return JSONResponse({"width": None, "height": None, "says": ""})
    return JSONResponse({"width": found.width, "height": found.height, "says": found.says})


@router.post("/uploads/{token}/cancel")
async def discard_upload(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, token: str, now: Now
) -> Response:
    """The same, as a plain form."""
    await receiving.cancel(database, settings.data_dir, who, token, now)
    return RedirectResponse(f"{PAGE}?said=cancelled", 303)
