"""`/api/seat/{token}`: where programs fetch decisions and post moves, in live matches as in `game play`."""

import secrets
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from starlette.responses import JSONResponse

from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.core.errors import InvalidAnswer, NotFound, StudyError
from app.core.problems import message_of
from app.core.settings import Settings
from app.tasks.game.outside import programs
from app.tasks.game.outside.pull import Posted
from app.trials.sessions import SessionsDep

LONGEST_POST = 64_000
LONGEST_WAIT_S = 25
Wait = Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)]
NO_SEAT = "There is no such seat."

router = APIRouter(prefix="/api/seat", include_in_schema=False)


class TooLong(StudyError):
    status_code = 413


@router.get("/{token}")
async def fetch(
    request: Request,
    token: str,
    database: DatabaseDep,
    settings: SettingsDep,
    sessions: SessionsDep,
    after: int = -1,
    wait: Wait = 0,
) -> Response:
    """The state of a program's seats, as soon as it is another one than `after`."""
    try:
        program = program_with(settings, token)
    except NotFound as error:
        return refusal(error)
    state = await programs.fetch(database, sessions, program, after, wait, request.is_disconnected)
    return Response(status_code=204) if state is None else JSONResponse(asdict(state))


@router.post("/{token}/moves")
async def post(
    request: Request,
    token: str,
    database: DatabaseDep,
    settings: SettingsDep,
    sessions: SessionsDep,
    now: Now,
) -> Response:
    """Take a move. It is committed before the reply leaves."""
    try:
        program, posted = program_with(settings, token), await posted_in(request)
        if why := await database.write(programs.take_move, sessions, program, posted, now):
            raise InvalidAnswer({"move": why})
    except StudyError as error:
        return refusal(error)
    return JSONResponse(asdict(await database.peek(programs.state_for, sessions, program, now)))


def program_with(settings: Settings, token: str) -> str:
    """The program that a token is of. Raises NotFound."""
    for name, own in settings.program_tokens.items():
        # As bytes: compare_digest raises TypeError for a text that is not ASCII.
        if secrets.compare_digest(own.encode(), token.encode("utf-8", "replace")):
            return name
    raise NotFound(NO_SEAT)


def refusal(error: StudyError) -> JSONResponse:
    """An error as sent to a program."""
    why = "; ".join(error.errors.values()) if isinstance(error, InvalidAnswer) else str(error)
    return JSONResponse({"detail": why}, error.status_code)


async def posted_in(request: Request) -> Posted:
    """The move of a request. Raises TooLong, and InvalidAnswer for a body that is none."""
    body = b""
    async for part in request.stream():
        body += part
        # Counted while it comes, as Content-Length may be missing.
        if len(body) > LONGEST_POST:
            raise TooLong(f"A post has at most {LONGEST_POST} bytes.")
    try:
        return Posted.model_validate_json(body)
    except ValidationError as error:
        found: Any = error.errors()[0]
        name = ".".join(str(part) for part in found["loc"]) or "the post"
        raise InvalidAnswer({name: f"{name}: {message_of(found)}"}) from None
