"""Who stands at the door: recruiters' parameters, the browser's memory, and signed passes for other modes."""

from fastapi import Request, Response
from itsdangerous import BadSignature, URLSafeTimedSerializer

from app.dependencies import without_nul
from app.errors import StudyError
from app.study.sessions import TOKEN, Visit
from app.study.tables import Mode

# The name under which recruiters send a participant's id: our own, Prolific, MTurk, CloudResearch, SONA.
PARTICIPANT_KEYS = ("participant", "PROLIFIC_PID", "workerId", "participantId", "survey_code")
MAX_PARAMETERS = 20
MAX_LENGTH = 200
REMEMBERED_S = 30 * 24 * 3600
PASS_LASTS_S = 24 * 3600


class BadPass(StudyError):
    status_code = 403


def pass_for(slug: str, mode: Mode, secret: str) -> str:
    """A pass into a study in another mode than live, for `?as=`: good for a day, and made with the secret alone."""
    return str(_signer(secret).dumps([slug, mode]))


def visit_of(request: Request, slug: str, secret: str) -> Visit:
    parameters = {
        without_nul(name)[:MAX_LENGTH]: without_nul(value)[:MAX_LENGTH]
        for name, value in list(request.query_params.items())[:MAX_PARAMETERS]
    }
    signed = parameters.pop("as", None)
    participant = next(
        (parameters[key] for key in PARTICIPANT_KEYS if _is_an_id(parameters.get(key, ""))), None
    )
    resume = request.cookies.get(_cookie(slug), "")
    return Visit(
        slug=without_nul(slug),
        mode=Mode.LIVE if signed is None else _mode(signed, slug, secret),
        participant=participant,
        recruiter=parameters,
        resume=resume if TOKEN.fullmatch(resume) else None,
    )


def remember(response: Response, slug: str, token: str, *, secure: bool) -> None:
    """So that somebody who comes back to the study's address goes on where they were."""
    response.set_cookie(
        _cookie(slug),
        token,
        max_age=REMEMBERED_S,
        path=f"/s/{slug}",
        httponly=True,
        samesite="lax",
        secure=secure,
    )


def _is_an_id(text: str) -> bool:
    """Not empty, not cut off, and not a recruiter's placeholder that was never filled in: those are everybody's."""
    return 0 < len(text) < MAX_LENGTH and not any(
        mark in text for mark in ("{{", "}}", "${", "%PROLIFIC", "[[")
    )


def _mode(signed: str, slug: str, secret: str) -> Mode:
    try:
        for_slug, mode = _signer(secret).loads(signed, max_age=PASS_LASTS_S)
        if for_slug == slug:
            return Mode(mode)
    except (BadSignature, ValueError, TypeError):
        pass
    raise BadPass("This link's pass does not fit this study. Please use the link that you were given.")


def _signer(secret: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret, salt="mode")


def _cookie(slug: str) -> str:
    return f"lh-{slug}"
