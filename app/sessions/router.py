"""The participant's addresses: `/s/{slug}` to enter, `/p/{token}` for every page of a session. Resources that a page
fetches are in `fetched.py`.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.routing import Route

from app.core import dependencies, headers
from app.core.database import Database
from app.core.dependencies import (
    DatabaseDep,
    Form,
    Now,
    Rng,
    SettingsDep,
    get_rng,
    get_site,
    read_single_form,
    without_nul,
)
from app.core.errors import Closed, InvalidAnswer, NotFound
from app.core.headers import ANYWHERE_POLICY, Ready, header_of
from app.core.language import current_language, speak
from app.core.language import gettext as _
from app.core.settings import Settings
from app.core.templating import render
from app.sessions.beginning import Declined, note_turned_away
from app.sessions.clips import recruitment_of, shown_design
from app.sessions.coming import Came
from app.sessions.coming import carried as carried_text
from app.sessions.devices import device_of, is_unsuited
from app.sessions.ends import looked_at, place_lost, turned_away
from app.sessions.entering import (
    NO_STUDY,
    BegunElsewhere,
    NotOpen,
    ScreenedOut,
    TookPart,
    enter,
    is_undecided,
    kept_token,
)
from app.sessions.entry import carried_by, is_looked_at, remember, remember_sent_away, visit_of
from app.sessions.filling import fill_in
from app.sessions.here import StudyWhere
from app.sessions.planning import Full
from app.sessions.polling import current, note_present
from app.sessions.sent import SentForm, in_language, sent_form, with_came
from app.sessions.slots import note_seen, return_to_place
from app.sessions.state_machine import mark_shown, submit
from app.sessions.views import current_page, page_for
from app.sessions.where import locate
from app.studies.file.load import StudyDesign
from app.tasks.running import live_of
from app.trials.here import NotCurrent
from app.trials.pages import MessagePage
from app.trials.tables import Mode, Status

router = APIRouter(include_in_schema=False)
SEEN_LATELY = timedelta(minutes=1)
KNOWN = {"known": "1"}
"""The parameter of the page for who is screened out that says that a hash of their id is kept."""
NO_STORE = {"Cache-Control": "no-store"}


async def answer_page(request: Request) -> Response:
    """Take one answer. It is committed before the reply leaves."""
    token, state = request.path_params["token"], request.app.state
    database: Database = state["database"]
    sent = sent_form(request, await read_single_form(request), state["settings"].secret)
    now, rng = await dependencies.now(), await get_rng()
    scripted = "application/json" in header_of(request.scope, b"accept")
    here, declined = f"/p/{token}", None
    try:
        declined = await database.write(submit, token, sent.stored, now, rng, sent.came, sent.secret)
        if declined is not None:
            here = _farewell(declined, sent, now)
    except InvalidAnswer as error:
        if scripted:
            return JSONResponse({"errors": error.errors}, error.status_code)
        where = await database.peek(locate, token)
        return render(page_for(where, now, form=sent.form, errors=error.errors), error.status_code)
    except NotCurrent as error:
        if scripted:
            return JSONResponse({"message": str(error), "next": here}, error.status_code)
        here = with_came(here, sent.carried, at=error.at, **sent.spoken)
    except (Full, ScreenedOut, TookPart) as error:
        here = await _turn_away(database, token, error, sent, now)
    except BegunElsewhere as error:
        if scripted:
            raise
        return render(turned_away(error), error.status_code)
    except Closed:
        pass  # the page itself says that the study has ended, and what happens to their pay
    # 303 is followed with GET, so that reloading the next page posts no form again (RFC 9110, 15.4.4).
    reply = JSONResponse({"next": here}) if scripted else _see_other(here)
    return _remembered(reply, request, declined)


async def show_page(request: Request) -> Response:
    token, state = request.path_params["token"], request.app.state
    database: Database = state["database"]
    now = await dependencies.now()
    if is_framed(request):
        return framed(request, None)
    where = await current(database, token, now)
    if where.has_lost_its_place and not where.is_shut_out(now):
        if not await database.write(return_to_place, token, now):
            return render(place_lost(where))
        where = await current(database, token, now)
    if _is_refused(request, where, now):
        await database.write(note_turned_away, token, now, Status.UNSUITED)
        # The way back takes the id along, as it does from every other way out.
        carried = request.query_params.get("came", "") if where.design.completion.sends_id else ""
        there = f"/s/{where.design.study}/declined/{Status.UNSUITED}"
        there = with_came(there, carried, **in_language(where.spoken))
        return _see_other(there)
    _note_shown(database, where, now)
    # Most come without a query, and to read none takes as long as to read one.
    asked: Mapping[str, str] = request.query_params if request.scope["query_string"] else {}
    is_over = where.status == Status.COMPLETED
    settings: Settings = state["settings"]
    site = await get_site(request, settings) if is_over else ""
    return current_page(where, now, asked.get("at", ""), asked.get("came", ""), settings.secret, site)


async def enter_study(request: Request) -> Response:
    """Begin or continue a session. Attempts by new visitors are counted, whatever the outcome.

    The visitor's identity travels in the address of the consent page; it is not stored before consent. HEAD, which
    Starlette adds, is of programs that check links, as those for mail and chat do: nobody has come, and nothing begins.
    """
    slug, secret = without_nul(request.path_params["slug"]), request.app.state.settings.secret
    database: Database = request.app.state.database
    if request.method == "HEAD":
        if await database.peek(shown_design, slug) is None:
            raise NotFound(_(NO_STUDY))
        return Response(headers=NO_STORE)
    now = await dependencies.now()
    recruitment = await database.peek(recruitment_of, slug)
    visit = visit_of(request, slug, secret, recruitment)
    is_preview = is_looked_at(visit, recruitment)
    if is_preview or is_framed(request):
        design = await database.peek(shown_design, slug)
        speak(design.language if design else current_language())
        return render_anywhere(looked_at(design)) if is_preview else framed(request, design)
    token = await database.peek(kept_token, visit)
    if token is None and visit.mode is Mode.LIVE:
        request.app.state.starts.count(request.client.host if request.client else "", now)
    try:
        token = await database.write(enter, visit, now) if token is None else token
        is_new = await database.peek(is_undecided, visit.slug, token, now)
    except (BegunElsewhere, NotOpen, ScreenedOut, TookPart) as error:
        return render(turned_away(error, visit.participant or ""), error.status_code)
    carried = carried_by(visit, now, secret) if is_new else ""
    here = with_came(f"/p/{token}", carried, **in_language(visit.language))
    response = _see_other(here)
    if visit.mode is not Mode.PREVIEW:  # whose browser may hold a session of its own
        remember(response, visit, token, carried, secure=request.url.scheme == "https")
    return response


# What is asked for most: plain routes of the application itself, without FastAPI's reading of parameters; and it looks
# for a route of an included router twice.
PAGE_ROUTES = (
    Route("/p/{token}", answer_page, methods=["POST"], include_in_schema=False),
    Route("/p/{token}", show_page, methods=["GET"], include_in_schema=False),
    Route("/s/{slug}", enter_study, methods=["GET"], include_in_schema=False),
)


@router.post("/p/{token}/fill")
async def fill_preview(
    token: str, database: DatabaseDep, settings: SettingsDep, form: Form, now: Now, rng: Rng
) -> Response:
    """Fill in a preview's page, or all of them: for the experimenter who looks at the study."""
    to_end = form.get("to") == "end"
    await fill_in(database, token, now, rng, settings.secret, to_end=to_end)
    return _see_other(f"/p/{token}")


def _see_other(there: str) -> Response:
    """The way to a page of ours, whose address has nothing to be escaped: tokens, slugs, and encoded parameters."""
    return Ready(b"", 303, ((b"location", there.encode("ascii")), headers.NO_STORE))


def _note_shown(database: Database, where: StudyWhere, now: datetime) -> None:
    """Record that a session's page is served, without waiting for it."""
    if live_of(where) is not None:
        database.write_after(note_present, where, now, False)
    if where.status != Status.ACTIVE:
        return
    if where.shown_at is None:
        database.write_soon(mark_shown, where.session_id, where.step, now)
    elif where.seen_at is None or now - where.seen_at > SEEN_LATELY:
        database.write_soon(note_seen, where.session_id, now)


def _is_refused(request: Request, where: StudyWhere, now: datetime) -> bool:
    """True for someone not yet asked for consent whose device, by what its browser says, the study does not take."""
    is_asked = where.status == Status.ARRIVED and where.mode != Mode.PREVIEW and not where.is_shut_out(now)
    return is_asked and is_unsuited(where.design.devices, device_of(request.headers))


def _remembered(reply: Response, request: Request, declined: Declined | None) -> Response:
    """The reply, with a cookie where a participant without an id is screened out."""
    if declined and declined.status is Status.SCREENED_OUT and not declined.is_known:
        remember_sent_away(reply, declined.slug, secure=request.url.scheme == "https")
    return reply


def _farewell(declined: Declined, sent: SentForm, now: datetime) -> str:
    """The address of the page for who does not take part; it has their id where the way back needs it."""
    there, came = f"/s/{declined.slug}/declined/{declined.status}", sent.carried
    if declined.participant:  # whose form no longer carried it
        came = carried_text(Came(declined.slug, now, declined.participant), sent.secret)
    more = {**(KNOWN if declined.is_known else {}), **sent.spoken, **in_language(declined.language)}
    return with_came(there, came if declined.sends_id else "", **more)


async def _turn_away(
    database: Database, token: str, error: Full | ScreenedOut | TookPart, sent: SentForm, now: datetime
) -> str:
    """Note that someone consented in vain; returns the address of the page that says why. Who was screened out before
    is counted already.

    The write that found it out was rolled back whole, the visitor's answer included.
    """
    if isinstance(error, ScreenedOut):
        again = Declined(
            error.design.study, Status.SCREENED_OUT, error.design.completion.sends_id, is_known=True
        )
        return _farewell(again, sent, now)
    if isinstance(error, Full):
        await database.write(note_turned_away, token, now, Status.FULL)
        paused = {"paused": "1"} if error.is_paused else {}
        return with_came(f"/s/{error.slug}/full", sent.carried, **sent.spoken, **paused)
    await database.write(note_turned_away, token, now, Status.SCREENED_OUT)
    carried = sent.carried if error.design.completion.sends_id else ""
    return with_came(f"/s/{error.design.study}/took-part", carried, **sent.spoken)


def is_framed(request: Request) -> bool:
    """True if the browser says that another site shows this address in a frame."""
    # Only the browser sets headers that begin with Sec-, so no page can forge these (Fetch standard).
    embeds = header_of(request.scope, b"sec-fetch-dest") in ("iframe", "frame", "embed", "object")
    return embeds and header_of(request.scope, b"sec-fetch-site") != "same-origin"


def framed(request: Request, design: StudyDesign | None) -> Response:
    """A page instead of the browser's refusal to frame: nothing is begun, and a link opens the address in a tab."""
    query = f"?{request.url.query}" if request.url.query else ""
    return render_anywhere(
        MessagePage(
            _("This study opens in its own tab"),
            _("It cannot run inside another page. Please open it in a new tab; this page stays as it is."),
            design.title if design else "",
            link=f"{request.url.path}{query}",
            link_label=_("Open the study"),
            in_tab=True,
        )
    )


def render_anywhere(page: MessagePage) -> Response:
    """A page that other sites may frame, as nothing is begun with it: they could lay their buttons over a consent."""
    response = render(page)
    response.headers["Content-Security-Policy"] = ANYWHERE_POLICY
    return response
