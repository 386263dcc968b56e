"""Ways out: declining, no place left, and withdrawing with one's answers deleted, from the session or later by code."""

from typing import Literal
from urllib.parse import quote

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from app.core.database import Database
from app.core.dependencies import DatabaseDep, Now, SettingsDep, SingleForm, without_nul
from app.core.errors import NotFound
from app.core.language import gettext as _
from app.core.language import noop, speak
from app.core.refusing import refused
from app.core.templating import render
from app.sessions.beginning import Declined
from app.sessions.clips import is_study, shown_design
from app.sessions.coming import came_by
from app.sessions.ends import farewell, full, took_part
from app.sessions.entering import NO_STUDY
from app.sessions.here import StudyWhere
from app.sessions.receipts import session_of_receipt
from app.sessions.sent import in_language, with_came
from app.sessions.views import preview_of
from app.sessions.where import locate
from app.sessions.withdrawing import require_of, withdraw
from app.studies.file.load import StudyDesign
from app.trials.pages import MessagePage, StopPage
from app.trials.tables import BEGUN, Status

router = APIRouter(include_in_schema=False)
NO_STORE = {"Cache-Control": "no-store"}
NOT_CONFIRMED = noop("Press the button again to delete your answers.")


@router.get("/p/{token}/stop")
async def ask_to_stop(token: str, database: DatabaseDep) -> Response:
    where = await database.peek(locate, token)
    if where.status not in BEGUN:
        return RedirectResponse(f"/p/{token}", 303, headers=NO_STORE)
    # GET only asks: programs that scan mails open links, too, and deleting cannot be undone.
    return render(stopping(where))


@router.post("/p/{token}/stop")
async def stop(token: str, database: DatabaseDep, form: SingleForm, now: Now) -> Response:
    """Delete the answers, once that is confirmed."""
    if form.get("confirm") != "delete":
        return RedirectResponse(f"/p/{token}/stop", 303, headers=NO_STORE)
    where = await database.peek(locate, token)
    language = where.design.language if len(where.run.languages) > 1 else None
    return _gone(await database.write(withdraw, where.session_id, now), language)


@router.get("/s/{slug}/withdraw")
async def ask_for_code(slug: str, database: DatabaseDep) -> Response:
    return render(await _code_page(database, slug))


@router.post("/s/{slug}/withdraw")
async def withdraw_by_code(
    slug: str, database: DatabaseDep, settings: SettingsDep, form: SingleForm, now: Now
) -> Response:
    await _spoken(database, slug)  # errors are told in its language too
    try:
        session_id = session_of_receipt(form.get("receipt", ""), settings.secret)
        await database.peek(require_of, session_id, without_nul(slug))
        if form.get("confirm") != "delete":
            return render(await _code_page(database, slug, _(NOT_CONFIRMED)), 422)
        return _gone(await database.write(withdraw, session_id, now))
    except NotFound as error:
        return refused(await _code_page(database, slug, str(error)), error, "receipt")


@router.get("/s/{slug}/withdrawn")
async def show_withdrawn(slug: str, database: DatabaseDep) -> Response:
    """Show that answers were deleted. The page is the same for everyone."""
    return render(withdrawn(await _of_study(database, slug)))


@router.get("/s/{slug}/declined/{status}")
async def show_farewell(
    slug: str,
    status: Literal["refused", "under-age", "screened-out", "unsuited"],
    database: DatabaseDep,
    settings: SettingsDep,
    came: str = "",
    known: bool = False,
) -> Response:
    """The same for everybody, but for the id in the way back. `known`: of who was screened out a hash is kept."""
    design, id_ = await _of_study(database, slug), _id_in(came, settings.secret)
    declined = Declined(without_nul(slug), Status(status), is_known=known)
    return render(farewell(declined, design, participant=id_))


@router.get("/s/{slug}/full")
async def show_full(
    slug: str, database: DatabaseDep, settings: SettingsDep, came: str = "", paused: bool = False
) -> Response:
    """Show that all places were taken, or those left are `paused`. Nothing about the visitor was stored."""
    design = await _spoken(database, slug)
    if design is None:  # who is told that a study is full would come again
        raise NotFound(_(NO_STUDY))
    again = with_came(f"/s/{quote(without_nul(slug))}", came)
    return render(full(again, design, _id_in(came, settings.secret), is_paused=paused))


@router.get("/s/{slug}/took-part")
async def show_took_part(slug: str, database: DatabaseDep, settings: SettingsDep, came: str = "") -> Response:
    """Show that the study takes nobody who took part in an earlier one. Nothing about the visitor was stored."""
    return render(took_part(await _of_study(database, slug), _id_in(came, settings.secret)))


def _id_in(carried: str, secret: str) -> str:
    """The id of a visitor, as an address carries it. Raises BadLink."""
    came = came_by(carried, secret)
    return came.participant or "" if came else ""


async def _spoken(database: Database, slug: str) -> StudyDesign | None:
    """A study's design in the visitor's language, in which the page is made."""
    design = await database.peek(shown_design, without_nul(slug))
    if design is not None:
        speak(design.language)
    return design


async def _of_study(database: Database, slug: str) -> StudyDesign | None:
    """The same, None for a draft alone, which simulated people walk. Raises NotFound where there is no study."""
    design = await _spoken(database, slug)
    if design is None and not await database.peek(is_study, without_nul(slug)):
        raise NotFound(_(NO_STUDY))
    return design


async def _code_page(database: Database, slug: str, error: str = "") -> StopPage:
    design = await _spoken(database, slug)
    if design is None:
        raise NotFound(_(NO_STUDY))
    has_partners = design.has_partners
    action = f"/s/{design.study}/withdraw"
    return StopPage(
        design.title, action, error=error, asks_code=True, has_partners=has_partners, is_over=True
    )


def _gone(slug: str, language: str | None = None) -> Response:
    here = with_came(f"/s/{slug}/withdrawn", "", **in_language(language))
    return RedirectResponse(here, 303, headers=NO_STORE)


def stopping(where: StudyWhere) -> StopPage:
    """Asks whether the answers are to be deleted."""
    speak(where.design.language)
    action = f"/p/{where.token}"
    return StopPage(
        where.design.title,
        f"{action}/stop",
        action,
        has_partners=where.design.has_partners,
        is_over=where.status != Status.ACTIVE,
        preview=preview_of(where),
    )


def withdrawn(design: StudyDesign | None) -> MessagePage:
    text = _("We keep a record that answers were deleted today, and nothing else. You may close this page.")
    return MessagePage(_("Your answers are deleted"), text, design.title if design else "")
