"""A study while it runs: launch, preview, monitor, sessions."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path as FilePath
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Header, Path, Request, Response
from fastapi.responses import FileResponse, RedirectResponse, StreamingResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.running.events import watch
from app.admin.running.places import wanted_places
from app.admin.running.sessions_page import FIELDS, search_of, sessions_page
from app.admin.running.views import (
    SAID,
    LinksPage,
    accepted,
    around,
    closing,
    launch_page,
    monitor_page,
    session_page,
)
from app.core import clock
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep, Site
from app.core.errors import NotFound, StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.library.dependencies import StoreDep
from app.library.media import poster_path
from app.monitor.progress import PAGE_BUDGET_S, choice_of
from app.monitor.sessions_list import checked_search, found_ids
from app.reports.documents.page import page_of
from app.reports.documents.person import person_document
from app.sessions.about_person import as_json, export_person
from app.sessions.clips import check_shown
from app.sessions.exclusions import add_note, exclude, exclude_many, include, include_many
from app.sessions.links import names_in, participant_links, session_link
from app.sessions.previews import start_preview
from app.sessions.retargeting import change_places
from app.studies.blinding import may_look
from app.studies.launch import put_state, state_of
from app.trials.tables import Mode, State

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
SessionId = Annotated[int, Path(ge=1, lt=2**31)]
Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]
After = Annotated[int, Path(ge=0, lt=2**31)]
NO_STORE = {"Cache-Control": "no-store"}


@router.get("/launch")
async def show_launch(
    site: Site, database: DatabaseDep, shell: ShellDep, study: StudyDep, store: StoreDep, now: Now
) -> Response:
    return render(await database.read(launch_page, shell, study, store, site, now))


@router.post("/launch")
async def take_launch(
    site: Site,
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
        wanted = (to, accepted(form), around(store), now, closing(form) if to is State.CLOSED else None)
        await put_state(database, who.actor, study, *wanted)
    except StudyError as error:
        said = page_words(error)
        page = await database.read(launch_page, shell, study, store, site, now, form=form, error=said)
        return refused(page, error)
    # 303 makes the browser follow by GET (RFC 9110, 15.4.4), so that a reload sends no form again.
    return RedirectResponse(f"/admin/studies/{study.slug}/launch?said={SAID[to]}", 303, headers=NO_STORE)


@router.post("/places")
async def take_places(
    site: Site,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    store: StoreDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        await database.write(change_places, who.actor, study, wanted_places(form), now, form.get("mark", ""))
    except StudyError as error:
        said = page_words(error)
        page = await database.read(launch_page, shell, study, store, site, now, form=form, error=said)
        return refused(page, error)
    return RedirectResponse(f"/admin/studies/{study.slug}/launch?said=places#places", 303, headers=NO_STORE)


@router.post("/preview")
async def begin_preview(database: DatabaseDep, study: StudyDep, form: Form, now: Now) -> Response:
    token = await database.write(start_preview, study, now, form.get("block", ""))
    return RedirectResponse(f"/p/{token}", 303, headers=NO_STORE)


@router.get("/monitor")
async def show_monitor(
    database: DatabaseDep, shell: ShellDep, study: StudyDep, now: Now, version: str = "", mode: str = ""
) -> Response:
    return render(await database.read(monitor_page, shell, study, version, mode, now, PAGE_BUDGET_S))


@router.get("/monitor/events")
async def watch_monitor(
    database: DatabaseDep,
    who: WhoDep,
    study: StudyDep,
    version: str = "",
    mode: str = "",
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    choice_of(version, mode)  # refused before the stream begins
    sees_live = await database.read(may_look, who, study, Mode.LIVE)
    events = watch(
        database,
        study,
        version,
        mode,
        lambda: datetime.now(UTC) + clock.behind(),
        last_event_id,
        sees_live=sees_live,
    )
    return StreamingResponse(events, media_type="text/event-stream", headers=NO_STORE)


@router.get("/sessions")
async def show_sessions(
    request: Request, database: DatabaseDep, shell: ShellDep, study: StudyDep
) -> Response:
    search, show = search_of(request.query_params)
    return render(await database.read(sessions_page, shell, study, search, show))


@router.post("/sessions")
async def change_sessions(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    """Exclude, or count again, the sessions that are ticked, or all that a search finds."""
    search, _ = search_of(form)
    try:
        if form.get("which") == "found":
            ids = await database.read(found_ids, study, checked_search(search))
        else:
            ids = [int(name[1:]) for name in form if re.fullmatch(r"s[1-9][0-9]{0,8}", name)]
        if form.get("do") == "include":
            done = await database.write(include_many, who.actor, study, ids, now)
        else:
            done = await database.write(exclude_many, who.actor, study, ids, form.get("reason", ""), now)
    except StudyError as error:
        page = await database.read(sessions_page, shell, study, search, form=form, error=page_words(error))
        return refused(page, error, "which" if form.get("reason", "").strip() else "reason")
    said = "included" if form.get("do") == "include" else "excluded"
    query = urlencode(
        {
            **{name: form[name] for name in FIELDS if form.get(name)},
            "said": f"{said}-many",
            "n": str(len(done.changed)),
        }
    )
    return RedirectResponse(f"/admin/studies/{study.slug}/sessions?{query}", 303, headers=NO_STORE)


@router.get("/sessions/{session_id}")
async def show_session(
    database: DatabaseDep, settings: SettingsDep, shell: ShellDep, study: StudyDep, session_id: SessionId
) -> Response:
    return render(await database.read(session_page, shell, study, session_id, settings.data_dir))


@router.get("/sessions/{session_id}/clips/{clip}.mp4")
async def play_shown_clip(
    database: DatabaseDep, store: StoreDep, study: StudyDep, session_id: SessionId, clip: Sha256
) -> FileResponse:
    path = store.clip_path(await database.read(check_shown, study, session_id, clip))
    return _file(path, "video/mp4")


@router.get("/sessions/{session_id}/clips/{clip}.jpg")
async def show_shown_clip(
    database: DatabaseDep, settings: SettingsDep, study: StudyDep, session_id: SessionId, clip: Sha256
) -> FileResponse:
    path = poster_path(settings.data_dir, await database.read(check_shown, study, session_id, clip))
    return _file(path, "image/jpeg")


def _file(path: FilePath, content_type: str) -> FileResponse:
    if not path.is_file():
        raise NotFound("This file is no longer in the data folder.")
    return FileResponse(path, media_type=content_type, headers={"Cache-Control": "private, no-cache"})


@router.post("/sessions/{session_id}/exclude")
async def take_exclusion(
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    session_id: SessionId,
    settings: SettingsDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        await database.write(exclude, who, study, session_id, form.get("reason", ""), now)
    except StudyError as error:
        page = await database.read(
            session_page, shell, study, session_id, settings.data_dir, form=form, error=page_words(error)
        )
        return refused(page, error, "reason")
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
    settings: SettingsDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        await database.write(add_note, who, study, session_id, form.get("note", ""), now)
    except StudyError as error:
        page = await database.read(
            session_page, shell, study, session_id, settings.data_dir, form=form, error=page_words(error)
        )
        return refused(page, error, "note")
    return _back(study.slug, session_id, "noted")


@router.post("/sessions/{session_id}/link")
async def make_session_link(
    database: DatabaseDep,
    settings: SettingsDep,
    site: Site,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    session_id: SessionId,
    now: Now,
) -> Response:
    """Shown this once, and not by an address, which browsers keep."""
    link = site + await database.write(session_link, who.actor, study, session_id, settings.secret, now)
    return render(await database.read(session_page, shell, study, session_id, settings.data_dir, link=link))


@router.post("/sessions/{session_id}/person.{format_}")
async def download_person(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    study: StudyDep,
    session_id: SessionId,
    format_: Annotated[str, Path(pattern="^(html|json)$")],
    now: Now,
) -> Response:
    """All about the person of a session, in all studies where an owner asks; noted in the audit log."""
    found = await database.write(
        export_person, who.actor, study, session_id, settings.secret, now, everywhere=who.is_owner
    )
    is_page = format_ == "html"
    text = page_of(person_document(found, now)) if is_page else as_json(found, now)
    name = f"{study.slug}-session-{session_id}-person.{format_}"
    return Response(
        text,
        media_type="text/html; charset=utf-8" if is_page else "application/json",
        headers={**NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.get("/links")
async def show_links(site: Site, shell: ShellDep, study: StudyDep) -> Response:
    return render(LinksPage(shell=shell, slug=study.slug, site=site))


@router.post("/links")
async def make_links(
    database: DatabaseDep,
    settings: SettingsDep,
    site: Site,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: Form,
    now: Now,
) -> Response:
    typed = form.get("names", "")
    page = LinksPage(shell=shell, slug=study.slug, site=site, names=typed)
    try:
        names = names_in(typed)
        made = await database.write(participant_links, who.actor, study, names, settings.secret, now)
    except StudyError as error:
        return refused(replace(page, error=page_words(error)), error, "names")
    return render(replace(page, links=made))


def _back(slug: str, session_id: int, said: str) -> Response:
    return RedirectResponse(f"/admin/studies/{slug}/sessions/{session_id}?said={said}", 303, headers=NO_STORE)
