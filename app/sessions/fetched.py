"""Resources fetched by a session's page: the clips it shows, and updates for pages that change by themselves."""

import logging

from fastapi import APIRouter, Request, Response

from app.core.dependencies import DatabaseDep, Now
from app.core.errors import NotFound
from app.core.language import gettext as _
from app.core.language import noop, speak
from app.library.dependencies import StoreDep
from app.sessions.clips import clip_for
from app.sessions.media import ClipMissing, clip_response, is_there, note_missing, note_sent
from app.sessions.polling import events_of, news_of
from app.sessions.speed import speed_response
from app.sessions.where import locate
from app.trials.tables import Status

_log = logging.getLogger("likely-human.clips")
NOTHING = noop("There is nothing to measure here.")
router = APIRouter(include_in_schema=False)


@router.get("/p/{token}/state")
async def wait_for_news(
    request: Request, token: str, database: DatabaseDep, now: Now, after: str = ""
) -> Response:
    """A long poll of a page that changes by itself: its new parts, or 204 when nothing has changed for a while."""
    return await news_of(database, token, now, after, request.is_disconnected)


@router.get("/p/{token}/state/events")
async def stream_news(
    request: Request, token: str, database: DatabaseDep, now: Now, after: str = ""
) -> Response:
    """The same as server-sent events; a browser that opens the next stream names the last version that it has seen."""
    seen = request.headers.get("last-event-id", after)
    return await events_of(database, token, now, seen, request.is_disconnected)


@router.get("/p/{token}/speed")
async def measure_speed(token: str, database: DatabaseDep) -> Response:
    """A file of known size, for somebody who is asked for consent. Nothing of it is noted."""
    where = await database.peek(locate, token)
    speak(where.design.language)
    if where.status != Status.ARRIVED or not where.design.devices.asks_speed:
        raise NotFound(_(NOTHING))
    return speed_response()


@router.api_route("/p/{token}/clips/{position}-{place}.mp4", methods=["GET", "HEAD"])
async def show_clip(
    request: Request,
    token: str,
    position: int,
    place: str,
    database: DatabaseDep,
    store: StoreDep,
    now: Now,
) -> Response:
    served = await database.peek(clip_for, token, position, place, now)
    path = store.clip_path(served.sha256)
    # The missing file is the service's fault: answers to it were once called odd telemetry.
    if not await is_there(path, served.clip_bytes):
        database.write_soon(note_missing, served.trial_id, served.place)
        _log.error("the clip %s is missing or cut short: people in sessions cannot be shown it", path)
        raise ClipMissing

    def note(start: int, stop: int) -> None:
        # Not waited for: bytes sent are evidence, and committing them must not delay the clip (decision 0011).
        database.write_soon(note_sent, served.trial_id, served.place, start, stop)

    return clip_response(path, served, request.headers.get("range"), note)
