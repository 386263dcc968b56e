"""The participant's addresses: `/s/{slug}` to come in, `/p/{token}` for every page of a session."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from app.dependencies import DatabaseDep, Form, Now, Rng, SettingsDep, StoreDep
from app.errors import InvalidAnswer
from app.participant.build import current_page, page_for
from app.participant.entry import remember, visit_of
from app.participant.media import clip_response
from app.study.design import Side
from app.study.sessions import NotCurrent, enter, locate, mark_shown, submit
from app.study.shown import clip_for
from app.study.tables import Mode
from app.templating import render

router = APIRouter(include_in_schema=False)


@router.get("/s/{slug}")
async def enter_study(
    request: Request, slug: str, database: DatabaseDep, settings: SettingsDep, now: Now
) -> Response:
    """Begin a session, or go on with an unfinished one."""
    visit = visit_of(request, slug, settings.secret)
    token = await database.write(enter, visit, now)
    response = RedirectResponse(f"/p/{token}", 303, headers={"Cache-Control": "no-store"})
    if visit.mode is not Mode.PREVIEW:  # whose browser may hold a session of its own
        remember(response, slug, token, secure=request.url.scheme == "https")
    return response


@router.api_route("/p/{token}", methods=["GET", "HEAD"])
async def show_page(token: str, database: DatabaseDep, now: Now, at: str = "") -> Response:
    where = await database.peek(locate, token)
    if where.shown_at is None:
        database.write_soon(mark_shown, where.session_id, where.step, now)
    return current_page(where, at)


@router.post("/p/{token}")
async def answer_page(
    request: Request, token: str, database: DatabaseDep, form: Form, now: Now, rng: Rng
) -> Response:
    """Take one answer. It is committed before the reply leaves."""
    scripted = "application/json" in request.headers.get("accept", "")
    here = f"/p/{token}"
    try:
        await database.write(submit, token, form, now, rng)
    except InvalidAnswer as error:
        if scripted:
            return JSONResponse({"errors": error.errors}, error.status_code)
        where = await database.peek(locate, token)
        return render(page_for(where, form=form, errors=error.errors), error.status_code)
    except NotCurrent as error:
        if scripted:
            return JSONResponse({"message": str(error), "next": here}, error.status_code)
        here += "?at=moved"
    if scripted:
        return JSONResponse({"next": here})
    return RedirectResponse(here, 303, headers={"Cache-Control": "no-store"})


@router.api_route("/p/{token}/clips/{position}-{side}.mp4", methods=["GET", "HEAD"])
async def show_clip(
    request: Request,
    token: str,
    position: int,
    side: Side,
    database: DatabaseDep,
    store: StoreDep,
) -> Response:
    served = await database.peek(clip_for, token, position, side)
    return clip_response(store.clip_path(served.sha256), served, request.headers.get("range"))
