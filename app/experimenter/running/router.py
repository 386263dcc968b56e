"""A study while it runs: launch, preview, monitor, sessions."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Header, Path, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from app.dependencies import DatabaseDep, Form, Now, StoreDep
from app.errors import StudyError
from app.experimenter.access import ShellDep, StudyDep, WhoDep, editors
from app.experimenter.running.build import (
    SAID,
    accepted,
    around,
    launch_page,
    monitor_page,
    session_page,
    sessions_page,
)
from app.experimenter.running.events import watch
from app.study.exclusions import add_note, exclude, include
from app.study.launch import change_state, start_preview, state_of
from app.study.monitoring import PAGE_BUDGET_S, choice_of
from app.study.sessions_list import Search
from app.templating import render

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
SessionId = Annotated[int, Path(ge=1, lt=2**31)]
After = Annotated[int, Path(ge=0, lt=2**31)]
NO_STORE = {"Cache-Control": "no-store"}


@router.get("/launch")
async def show_launch(
    request: Request, database: DatabaseDep, shell: ShellDep, study: StudyDep, store: StoreDep
) -> Response:
    return render(await database.read(launch_page, shell, study, store, str(request.base_url)))


@router.post("/launch")
async def take_launch(
    request: Request,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    store: StoreDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        to = state_of(form.get("to", ""))
        await database.write(change_state, who.actor, study, to, accepted(form), around(store), now)
    except StudyError as error:
        site, said = str(request.base_url), str(error)
        page = await database.read(launch_page, shell, study, store, site, form=form, error=said)
        return render(page, error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}/launch?said={SAID[to]}", 303, headers=NO_STORE)


@router.post("/preview")
async def begin_preview(database: DatabaseDep, study: StudyDep, now: Now) -> Response:
    token = await database.write(start_preview, study, now)
    return RedirectResponse(f"/p/{token}", 303, headers=NO_STORE)


@router.get("/monitor")
async def show_monitor(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, now: Now, version: str = "", mode: str = ""
) -> Response:
    return render(await database.read(monitor_page, shell, study, version, mode, now, PAGE_BUDGET_S))


@router.get("/monitor/events")
async def watch_monitor(
    database: DatabaseDep,
    study: StudyDep,
    version: str = "",
    mode: str = "",
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    choice_of(version, mode)  # refused before the stream begins
    events = watch(database, study, version, mode, lambda: datetime.now(UTC), last_event_id)
    return StreamingResponse(events, media_type="text/event-stream", headers=NO_STORE)


@router.get("/sessions")
async def show_sessions(
    database: DatabaseDep,
    shell: ShellDep,
    study: StudyDep,
    q: str = "",
    status: str = "",
    mode: str = "",
    flag: str = "",
    excluded: str = "",
    after: str = "",
) -> Response:
    search = Search(
        q, status, mode, flag, excluded, int(after) if after.isdecimal() and len(after) < 10 else 0
    )
    return render(await database.read(sessions_page, shell, study, search))


@router.get("/sessions/{session_id}")
async def show_session(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, session_id: SessionId
) -> Response:
    return render(await database.read(session_page, shell, study, session_id))


@router.post("/sessions/{session_id}/exclude")
async def take_exclusion(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    session_id: SessionId,
    form: Form,
    now: Now,
) -> Response:
    try:
        await database.write(exclude, who, study, session_id, form.get("reason", ""), now)
    except StudyError as error:
        page = await database.read(session_page, shell, study, session_id, form=form, error=str(error))
        return render(page, error.status_code)
    return _back(study.slug, session_id, "excluded")


@router.post("/sessions/{session_id}/include")
async def take_inclusion(
    database: DatabaseDep, who: WhoDep, study: StudyDep, session_id: SessionId, now: Now
) -> Response:
    await database.write(include, who, study, session_id, now)
    return _back(study.slug, session_id, "included")


@router.post("/sessions/{session_id}/notes")
async def take_note(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    session_id: SessionId,
    form: Form,
    now: Now,
) -> Response:
    try:
        await database.write(add_note, who, study, session_id, form.get("note", ""), now)
    except StudyError as error:
        page = await database.read(session_page, shell, study, session_id, form=form, error=str(error))
        return render(page, error.status_code)
    return _back(study.slug, session_id, "noted")


def _back(slug: str, session_id: int, said: str) -> Response:
    return RedirectResponse(f"/admin/studies/{slug}/sessions/{session_id}?said={said}", 303, headers=NO_STORE)
