"""`/r/{token}`: the results that a link shows, and the pictures on that page."""

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import FileResponse

from app.accounts.wrong_links import check_links_open, count_wrong_link
from app.admin.shared.views import shared_page
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.core.errors import NotFound
from app.core.templating import render
from app.library.media import poster_path
from app.outputs import results
from app.outputs.shared_results import mark_opened, shared_by

router = APIRouter(prefix="/r/{token}")
Token = Annotated[str, Path(max_length=100)]
Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]
NO_STORE = {"Cache-Control": "no-store"}


@router.get("")
async def show_shared(
    request: Request, database: DatabaseDep, settings: SettingsDep, token: Token, now: Now
) -> Response:
    """Show the results as they were last computed, and have them computed anew where that is due."""
    address = request.client.host if request.client else ""
    await check_links_open(database, address, now)
    try:
        page = await database.read(shared_page, token, settings.data_dir, now)
    except NotFound:
        await count_wrong_link(database, address, now)
        raise
    database.write_soon(mark_opened, page.shared.link_id, now)
    if page.is_wanted:
        await database.write(results.ask_results, None, page.shared.study, page.shared.asked, now)
    response = render(page)
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


@router.get("/results/clips/{clip}.jpg")
async def show_picture(
    request: Request, database: DatabaseDep, settings: SettingsDep, token: Token, clip: Sha256, now: Now
) -> FileResponse:
    """A picture that the page shows."""
    address = request.client.host if request.client else ""
    await check_links_open(database, address, now)
    shared = await database.read(shared_by, token, now)
    if shared.is_closed:
        raise NotFound("There is no such picture.")
    path = poster_path(settings.data_dir, await database.read(results.check_clip, shared.study, clip))
    if not path.is_file():
        raise NotFound("There is no such picture.")
    return FileResponse(path, media_type="image/jpeg", headers=NO_STORE)
