"""The design form, saving by script while editing, and the preview of the participant's page."""

from dataclasses import asdict

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.design.actions import BadAction
from app.admin.design.design_page import design_page, reply
from app.admin.design.preview import POLICY, framed_block, framed_page
from app.admin.design.saving import (
    save_form,
    sent_by_form,
    sent_by_script,
    wide_form,
)
from app.admin.design.views import DesignPage, PageName
from app.admin.forms import AnyForm
from app.core.dependencies import DatabaseDep, Now
from app.core.errors import Conflict
from app.core.headers import FRAMING_POLICY
from app.core.templating import html_response, render

router = APIRouter(prefix="/studies/{slug}", dependencies=[Depends(wide_form), editors])


def framing(page: DesignPage, status_code: int = 200) -> HTMLResponse:
    response = render(page, status_code)
    response.headers["Content-Security-Policy"] = FRAMING_POLICY
    return response


@router.get("/design")
async def show_design(database: DatabaseDep, shell: ShellDep, study: StudyDep) -> Response:
    return framing(await database.read(design_page, shell, study))


@router.post("/design")
async def take_design(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: AnyForm, now: Now
) -> Response:
    try:
        saved = await save_form(database, who, study, sent_by_form(form), now)
    except (Conflict, BadAction) as error:
        lost = isinstance(error, Conflict)
        page = await database.read(design_page, shell, study, error=str(error), typed=form, is_conflict=lost)
        return framing(page, error.status_code)
    if saved.refused:
        page = await database.read(design_page, shell, study, refused=saved.refused)
        return framing(page, 422)
    here = f"/admin/studies/{study.slug}/design?said=saved#{saved.focus}"
    return RedirectResponse(here.removesuffix("#"), 303, headers={"Cache-Control": "no-store"})


@router.post("/draft")
async def take_draft(
    request: Request, database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, now: Now
) -> Response:
    """Save the typed values and reply in JSON; if a button changed the form's structure, with the form as HTML."""
    sent = await sent_by_script(request)
    saved = await save_form(database, who, study, sent, now)
    answer = await database.read(reply, shell, study, saved, bool(sent.action) or sent.whole or sent.over)
    return JSONResponse(asdict(answer), headers={"Cache-Control": "no-store"})


@router.get("/draft/page/block-{number:int}")
async def show_block(database: DatabaseDep, study: StudyDep, number: int, now: Now) -> Response:
    """The page of a block of the draft, as `show_page`."""
    response = html_response(await database.read(framed_block, study, number, now))
    response.headers["Content-Security-Policy"] = POLICY
    return response


@router.get("/draft/page/{kind}")
async def show_page(database: DatabaseDep, study: StudyDep, kind: PageName) -> Response:
    """A participant's page of the draft; nothing can be sent from it."""
    response = html_response(await database.read(framed_page, study, kind))
    response.headers["Content-Security-Policy"] = POLICY
    return response
