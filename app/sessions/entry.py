"""Parsing of a study address: ids, our links and passes, and what the browser stores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Literal, TypedDict

from fastapi import Request, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.core.asked_language import PARAMETER
from app.core.dependencies import without_nul
from app.core.language import gettext as _
from app.sessions.coming import Came, came_by, carried, mark_of
from app.sessions.entering import TOKEN_LENGTH, Visit
from app.sessions.identity import hashed
from app.sessions.links import PARTICIPANT_KEYS, BadLink, id_in, is_signed, session_of
from app.sessions.where import TOKEN
from app.studies.file.recruiters import RECRUITERS
from app.studies.file.recruitment import DesignRecruitment
from app.trials.tables import Mode

CAME = "came"
"""The parameter of our own in which who has come goes along to the consent page."""
OUT = "out"
"""Ends the name of the cookie of a browser in which a visitor without an id was screened out."""
MAX_PARAMETERS = 20
MAX_LENGTH = 200
REMEMBERED_S = 30 * 24 * 3600
REMEMBERED = 20  # sessions: a laboratory's computer has several participants a day
PASS_LASTS_S = 24 * 3600
LATELY_S = 24 * 3600
# Browsers need keep no more than 4,096 bytes of a cookie, with its name and attributes (RFC 6265, 6.1).
MOST_IN_COOKIE = 3_000


class _Where(TypedDict):
    path: str
    httponly: bool
    samesite: Literal["lax"]
    secure: bool


def pass_for(slug: str, mode: Mode, secret: str) -> str:
    """A pass into a study in another mode than live, for `?as=`: good for a day, and made with the secret alone."""
    return str(_signer(secret).dumps([slug, mode]))


def visit_of(request: Request, slug: str, secret: str, recruitment: DesignRecruitment | None = None) -> Visit:
    """Parse a visit from a request. Parameter names ignore case; ids are stripped of blanks.

    The study's recruitment says under which name the id comes; without one, it is any that recruiters use.
    Raises BadLink for an invalid signature. Nothing that opens a session is ever stored.
    """
    parameters = {
        without_nul(name)[:MAX_LENGTH]: without_nul(value)[:MAX_LENGTH]
        for name, value in list(request.query_params.items())[:MAX_PARAMETERS]
    }
    # PostgreSQL refuses NUL in a text.
    slug = without_nul(slug)
    pass_, signature, link = (_taken(parameters, name) for name in ("as", "signed", "go-on"))
    language = _taken(parameters, PARAMETER) or ""
    parameters.pop(CAME, None)
    came = came_by(request.query_params.get(CAME, ""), secret)
    if came is None and not parameters and pass_ is None and link is None:
        came = _lately(request, slug, secret)
    # A link of ours names its participant the same way, whoever recruits.
    names = PARTICIPANT_KEYS if recruitment is None else (recruitment.names["participant"],)
    participant = _participant(parameters, PARTICIPANT_KEYS[:1] if signature is not None else names)
    if signature is not None and not is_signed(slug, participant or "", signature, secret):
        raise BadLink(
            _("This link is not complete. Please use it just as you were given it, or ask for a new one.")
        )
    marks = _browser_tokens(request, slug)
    visit = Visit(
        slug=slug,
        mode=Mode.LIVE if pass_ is None else _mode(pass_, slug, secret),
        participant=participant,
        recruiter=parameters,
        is_signed=signature is not None,
        session_id=None if link is None else session_of(slug, link, secret),
        language=language,
        kept=tuple(marks),
        marks=marks,
        mark=mark_of(participant, secret),
        hashed=hashed(participant, secret) if participant else "",
        is_screened_out=bool(request.cookies.get(f"{_cookie(slug)}-{OUT}")),
    )
    if came is None or came.slug != slug:
        return visit
    return replace(
        visit,
        participant=came.participant,
        is_signed=came.is_signed,
        recruiter=came.recruiter,
        mark=mark_of(came.participant, secret),
        language=language or came.language,
        hashed=came.hashed,
    )


def is_looked_at(visit: Visit, recruitment: DesignRecruitment | None) -> bool:
    """True if a recruiter previews the task to a person who has not accepted it yet."""
    known = RECRUITERS.get(recruitment.recruiter) if recruitment else None
    if recruitment is None or known is None:
        return False
    own = {known.parameters[part]: name.casefold() for part, name in recruitment.names.items()}
    wanted = {own.get(name, name.casefold()): value for name, value in known.preview.items()}
    return any(wanted.get(name.strip().casefold()) == value for name, value in visit.recruiter.items())


def carried_by(visit: Visit, now: datetime, secret: str) -> str:
    """The signed text that carries a visitor to the consent page."""
    came = Came(
        visit.slug, now, visit.participant, visit.is_signed, visit.recruiter, visit.language, visit.hashed
    )
    return carried(came, secret)


def remember(response: Response, visit: Visit, token: str, carried: str, *, secure: bool) -> None:
    """Set the cookies by which a visitor returning to the study's bare address continues, under the same id.

    `carried` is empty once the participant has consented, as the session itself then has the id.
    """
    marks = {token: visit.mark, **{kept: mark for kept, mark in visit.marks.items() if kept != token}}
    kept = [f"{token}{mark}" for token, mark in marks.items()]
    # Not "strict": people come by a link on a recruiter's site, and such cookies are not sent with that request.
    where: _Where = {"path": f"/s/{visit.slug}", "httponly": True, "samesite": "lax", "secure": secure}
    response.set_cookie(_cookie(visit.slug), ".".join(kept[:REMEMBERED]), max_age=REMEMBERED_S, **where)
    if carried and len(carried) <= MOST_IN_COOKIE:
        response.set_cookie(f"{_cookie(visit.slug)}-{CAME}", carried, max_age=LATELY_S, **where)
    else:
        response.delete_cookie(f"{_cookie(visit.slug)}-{CAME}", **where)


def remember_sent_away(response: Response, slug: str, *, secure: bool) -> None:
    """Set the cookie by which a visitor without an id who was screened out finds that page again."""
    where: _Where = {"path": f"/s/{slug}", "httponly": True, "samesite": "lax", "secure": secure}
    response.set_cookie(f"{_cookie(slug)}-{OUT}", "1", max_age=REMEMBERED_S, **where)


def _lately(request: Request, slug: str, secret: str) -> Came | None:
    """The last visitor in this browser who has not decided yet."""
    try:
        return came_by(request.cookies.get(f"{_cookie(slug)}-{CAME}", ""), secret)
    # A cookie from before the secret was changed is no reason to refuse a visit.
    except BadLink:
        return None


def _taken(parameters: dict[str, str], name: str) -> str | None:
    """Remove and return a parameter, ignoring the case of its name."""
    found = [key for key in parameters if key.strip().casefold() == name]
    return [parameters.pop(key) for key in found][-1] if found else None


def _participant(parameters: Mapping[str, str], names: Sequence[str]) -> str | None:
    for name in names:
        for key, value in parameters.items():
            if key.strip().casefold() == name.casefold() and (participant := id_in(value)):
                return participant
    return None


def _browser_tokens(request: Request, slug: str) -> Mapping[str, str]:
    """The tokens of a browser's sessions, the newest first, each with the mark of whose visit it was."""
    kept = request.cookies.get(_cookie(slug), "").split(".")[:REMEMBERED]
    parts = [(each[:TOKEN_LENGTH], each[TOKEN_LENGTH:]) for each in kept]
    return {token: mark for token, mark in parts if TOKEN.fullmatch(token)}


def _mode(pass_: str, slug: str, secret: str) -> Mode:
    try:
        for_slug, mode = _signer(secret).loads(pass_, max_age=PASS_LASTS_S)
        if for_slug == slug:
            return Mode(mode)
    except (BadSignature, ValueError, TypeError):
        pass
    raise BadLink(_("This link's pass does not fit this study. Please use the link that you were given."))


def _signer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="mode")


def _cookie(slug: str) -> str:
    return f"lh-{slug}"
