"""Matches of a study: the list as it changes, one as a replay, stopping one."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Response
from fastapi.responses import RedirectResponse

from app.accounts.logins import Who
from app.admin.access import Shell, ShellDep, StudyDep, WhoDep, editors
from app.admin.matches.views import match_page, match_part, matches_page, matches_part
from app.core.database import Database
from app.core.dependencies import DatabaseDep, Form, Now
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.matches.offering import offer_match
from app.matches.watching import stop_match
from app.studies.access import StudyHere

router = APIRouter(prefix="/studies/{slug}/matches", dependencies=[editors])
MatchId = Annotated[int, Path(ge=1, lt=2**31)]
NO_STORE = {"Cache-Control": "no-store"}


@router.get("")
async def show_matches(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, now: Now, mode: str = "", after: str = ""
) -> Response:
    return render(await database.read(matches_page, shell, study, mode, _number(after), now))


@router.get("/live")
async def show_news(
    database: DatabaseDep, study: StudyDep, now: Now, mode: str = "", after: str = ""
) -> Response:
    return render(await database.read(matches_part, study, mode, _number(after), now))


@router.get("/{match_id}")
async def show_match(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    match_id: MatchId,
    now: Now,
    at: str = "",
) -> Response:
    return render(await database.read(match_page, shell, who, study, match_id, _number(at), now))


@router.get("/{match_id}/at")
async def show_moment(
    database: DatabaseDep, study: StudyDep, match_id: MatchId, now: Now, at: str = ""
) -> Response:
    return render(await database.read(match_part, study, match_id, _number(at), now))


@router.post("/{match_id}/stop")
async def take_stop(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    match_id: MatchId,
    form: Form,
    now: Now,
) -> Response:
    reason = form.get("reason", "")
    here = f"/admin/studies/{study.slug}/matches/{match_id}?said=stopped"
    try:
        await database.write(stop_match, who, study, match_id, reason, now)
    except StudyError as error:
        return await _refused(database, shell, who, study, match_id, now, error, reason)
    return RedirectResponse(here, 303, headers=NO_STORE)


@router.post("/{match_id}/offer")
async def take_offer(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    match_id: MatchId,
    form: Form,
    now: Now,
) -> Response:
    to = form.get("study", "")
    try:
        await database.write(offer_match, who, study, match_id, to, now)
    except StudyError as error:
        return await _refused(database, shell, who, study, match_id, now, error)
    return RedirectResponse(f"/admin/studies/{to}?said=offered", 303, headers=NO_STORE)


async def _refused(
    database: Database,
    shell: Shell,
    who: Who,
    study: StudyHere,
    match_id: int,
    now: datetime,
    error: StudyError,
    reason: str = "",
) -> Response:
    """The page of the match with the error; a match that does not exist gives the page for not found."""
    if error.status_code == 404:
        raise error
    page = await database.read(
        match_page, shell, who, study, match_id, 0, now, reason=reason, error=page_words(error)
    )
    return refused(page, error, "reason")


def _number(text: str) -> int:
    """A number in an address; 0 if invalid."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
