"""The design form, saving by script while editing, and the preview of the participant's page."""

from dataclasses import asdict
from functools import partial
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.design.actions import BadAction
from app.admin.design.design_page import design_page, first_due, reply
from app.admin.design.places import ALL, section_of
from app.admin.design.preview import POLICY, framed_block, framed_page
from app.admin.design.saving import (
    save_form,
    sent_by_form,
    sent_by_script,
    step_back,
    wide_form,
)
from app.admin.design.trying import trial_match
from app.admin.design.views import DesignPage, PageName
from app.admin.forms import AnyForm
from app.core.dependencies import DatabaseDep, Now
from app.core.errors import Conflict, page_words
from app.core.headers import FRAMED_POLICY, FRAMING_POLICY
from app.core.templating import html_response, render
from app.studies.undoing import REDO, UNDO

router = APIRouter(prefix="/studies/{slug}", dependencies=[Depends(wide_form), editors])


_SAID = {UNDO: "undone", REDO: "redone"}


def framing(page: DesignPage, status_code: int = 200) -> Response:
    response = render(page, status_code)
    response.headers["Content-Security-Policy"] = FRAMING_POLICY
    return response


@router.get("/design")
async def find_section(request: Request, database: DatabaseDep, study: StudyDep, at: str = "") -> Response:
    """Lead to the section with the field `at`, or the first with something missing."""
    slug = section_of(at) if at else await database.read(first_due, study)
    said = urlencode([each for each in request.query_params.multi_items() if each[0] != "at"])
    there = f"/admin/studies/{study.slug}/design/{slug}{f'?{said}' if said else ''}{f'#{quote(at)}' if at else ''}"
    return RedirectResponse(there, 303, headers={"Cache-Control": "no-store"})


@router.get("/design/{section}")
async def show_design(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, section: str, new: str = ""
) -> Response:
    return framing(await database.read(design_page, shell, study, section, new=new))


@router.post("/design")
@router.post("/design/{section}")
async def take_design(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: AnyForm,
    now: Now,
    section: str = ALL,
) -> Response:
    """Save a section; without one, a form that holds all of them."""
    page = partial(design_page, section=section)
    try:
        saved = await save_form(database, who, study, sent_by_form(form, section), now)
    except (Conflict, BadAction) as error:
        lost = isinstance(error, Conflict)
        found = await database.read(page, shell, study, error=page_words(error), typed=form, is_conflict=lost)
        return framing(found, error.status_code)
    if saved.refused:
        return framing(await database.read(page, shell, study, refused=saved.refused), 422)
    if saved.clashes:
        return framing(await database.read(page, shell, study, saved=saved), 409)
    there = section if section == ALL or not saved.focus else section_of(saved.focus)
    new = f"&new={quote(saved.new)}" if saved.new else ""
    said = "merged" if saved.merged_with else "saved"
    here = f"/admin/studies/{study.slug}/design/{there}?said={said}{new}#{saved.focus}"
    return RedirectResponse(here.removesuffix("#"), 303, headers={"Cache-Control": "no-store"})


@router.post("/draft/undo")
async def undo_change(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: AnyForm, now: Now
) -> Response:
    return await _step(database, shell, who, study, form, now, UNDO)


@router.post("/draft/redo")
async def redo_change(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: AnyForm, now: Now
) -> Response:
    return await _step(database, shell, who, study, form, now, REDO)


async def _step(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: AnyForm, now: Now, kind: str
) -> Response:
    """Go a step back or forth, and to the place that changed."""
    revision = sent_by_form(form, ALL).revision
    try:
        place = await step_back(database, who, study, kind, revision, now)
    except Conflict as error:
        section = form.get("section", ALL)
        return framing(await database.read(design_page, shell, study, section, error=page_words(error)), 409)
    section = ALL if form.get("section") == ALL else section_of(place)
    there = f"/admin/studies/{study.slug}/design/{section}?said={_SAID[kind]}#{quote(place)}"
    return RedirectResponse(there, 303, headers={"Cache-Control": "no-store"})


@router.post("/draft")
async def take_draft(
    request: Request,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    now: Now,
    section: str = ALL,
    new: str = "",
) -> Response:
    """Save the typed values and reply in JSON; if a button changed the form's structure, with the form as HTML."""
    sent = await sent_by_script(request, section, new)
    saved = await save_form(database, who, study, sent, now)
    is_whole = bool(sent.action) or sent.over
    answer = await database.read(reply, shell, study, saved, section, is_whole)
    return JSONResponse(asdict(answer), headers={"Cache-Control": "no-store"})


@router.get("/draft/page/block-{number:int}")
async def show_block(database: DatabaseDep, study: StudyDep, number: int, now: Now) -> Response:
    """The page of a block of the draft, as `show_page`."""
    response = html_response(await database.read(framed_block, study, number, now))
    response.headers["Content-Security-Policy"] = POLICY
    return response


@router.get("/draft/match/{number:int}")
async def show_match(
    request: Request, database: DatabaseDep, study: StudyDep, number: int, now: Now
) -> Response:
    """A match of the draft to try against agents; nothing is stored."""
    form = dict(request.query_params)
    response = html_response(await database.read(trial_match, study, number, form, now))
    response.headers["Content-Security-Policy"] = FRAMED_POLICY
    return response


@router.get("/draft/page/{kind}")
async def show_page(database: DatabaseDep, study: StudyDep, kind: PageName) -> Response:
    """A participant's page of the draft; nothing can be sent from it."""
    response = html_response(await database.read(framed_page, study, kind))
    response.headers["Content-Security-Policy"] = POLICY
    return response
