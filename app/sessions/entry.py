"""What an address of a study says of its visitor: ids, links and passes of ours, and what the browser keeps."""

from collections.abc import Sequence

from fastapi import Request, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.core.dependencies import without_nul
from app.sessions.entering import Visit
from app.sessions.links import BadLink, is_an_id, is_signed, session_of
from app.sessions.tables import Mode
from app.sessions.where import TOKEN

# The name under which recruiters send a participant's id: our own, Prolific, MTurk, CloudResearch, SONA.
PARTICIPANT_KEYS = ("participant", "PROLIFIC_PID", "workerId", "participantId", "survey_code")
MAX_PARAMETERS = 20
MAX_LENGTH = 200
REMEMBERED_S = 30 * 24 * 3600
REMEMBERED = 20  # sessions: a laboratory's computer has several participants a day
PASS_LASTS_S = 24 * 3600


def pass_for(slug: str, mode: Mode, secret: str) -> str:
    """A pass into a study in another mode than live, for `?as=`: good for a day, and made with the secret alone."""
    return str(_signer(secret).dumps([slug, mode]))


def visit_of(request: Request, slug: str, secret: str) -> Visit:
    """Raises BadLink for a signature that does not fit. What opens a session is never among what is stored."""
    parameters = {
        without_nul(name)[:MAX_LENGTH]: without_nul(value)[:MAX_LENGTH]
        for name, value in list(request.query_params.items())[:MAX_PARAMETERS]
    }
    slug = without_nul(slug)
    pass_, signature, link = (parameters.pop(name, None) for name in ("as", "signed", "go-on"))
    participant = next(
        (parameters[key] for key in PARTICIPANT_KEYS if is_an_id(parameters.get(key, ""))), None
    )
    if signature is not None and not is_signed(slug, participant or "", signature, secret):
        raise BadLink(
            "This link is not complete. Please use it just as you were given it, or ask for a new one."
        )
    return Visit(
        slug=slug,
        mode=Mode.LIVE if pass_ is None else _mode(pass_, slug, secret),
        participant=participant,
        recruiter=parameters,
        is_signed=signature is not None,
        session_id=None if link is None else session_of(slug, link, secret),
        kept=_kept(request, slug),
    )


def remember(response: Response, visit: Visit, token: str, *, secure: bool) -> None:
    """So that somebody who comes back to the study's address goes on where they were."""
    tokens = [token, *(kept for kept in visit.kept if kept != token)]
    response.set_cookie(
        _cookie(visit.slug),
        ".".join(tokens[:REMEMBERED]),
        max_age=REMEMBERED_S,
        path=f"/s/{visit.slug}",
        httponly=True,
        samesite="lax",
        secure=secure,
    )


def _kept(request: Request, slug: str) -> Sequence[str]:
    tokens = request.cookies.get(_cookie(slug), "").split(".")[:REMEMBERED]
    return tuple(token for token in tokens if TOKEN.fullmatch(token))


def _mode(pass_: str, slug: str, secret: str) -> Mode:
    try:
        for_slug, mode = _signer(secret).loads(pass_, max_age=PASS_LASTS_S)
        if for_slug == slug:
            return Mode(mode)
    except (BadSignature, ValueError, TypeError):
        pass
    raise BadLink("This link's pass does not fit this study. Please use the link that you were given.")


def _signer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="mode")


def _cookie(slug: str) -> str:
    return f"lh-{slug}"
