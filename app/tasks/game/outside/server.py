"""The server of a run's seats: a local one, in a thread, for the programs that play them."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

import uvicorn
from fastapi import FastAPI, Query, Request, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from app.core.errors import InvalidAnswer, NotFound, StudyError
from app.tasks.game.outside.pull import Posted, PullSeat

LONGEST_POST = 64_000
LONGEST_WAIT_S = 25


class TooLong(StudyError):
    status_code = 413


def seats_app(seats: Mapping[str, PullSeat]) -> FastAPI:
    """`GET /api/seat/{token}` and `POST /api/seat/{token}/moves` for seats by token."""
    app = FastAPI(title="Likely Human: seats of a run", docs_url=None, redoc_url=None)

    @app.exception_handler(StudyError)
    async def _tell(request: Request, error: StudyError) -> JSONResponse:
        why = "; ".join(error.errors.values()) if isinstance(error, InvalidAnswer) else str(error)
        return JSONResponse({"detail": why}, error.status_code)

    @app.get("/api/seat/{token}")
    async def fetch(
        token: str, after: int = -1, wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)] = 0
    ) -> Response:
        state = await run_in_threadpool(_of(seats, token).fetch, after, wait)
        return JSONResponse(asdict(state)) if state else Response(status_code=204)

    @app.post("/api/seat/{token}/moves")
    async def post(token: str, request: Request) -> Response:
        seat, posted = _of(seats, token), _posted(await _body(request))
        return JSONResponse(asdict(await run_in_threadpool(seat.post, posted)))

    return app


@contextmanager
def serving(app: FastAPI, listen: str) -> Iterator[str]:
    """Serve at `HOST:PORT` (port 0: any free one) and give the address. Raises StudyError where it cannot."""
    host, _, port = listen.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise StudyError(f"cannot listen at {listen!r}: it is HOST:PORT, such as 127.0.0.1:8700")
    try:
        bound = socket.create_server((host or "127.0.0.1", int(port)))
    except OSError as error:
        raise StudyError(f"cannot listen at {listen!r}: {error.strerror}") from None
    # No access log: tokens are in the addresses.
    config = uvicorn.Config(app, log_level="critical", access_log=False, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        shown = host or "127.0.0.1"
        yield f"http://{shown}:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def _of(seats: Mapping[str, PullSeat], token: str) -> PullSeat:
    if token not in seats:
        raise NotFound("There is no such seat.")
    return seats[token]


async def _body(request: Request) -> bytes:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_POST:
            raise TooLong(f"A post has at most {LONGEST_POST} bytes.")
    return body


def _posted(body: bytes) -> Posted:
    try:
        return Posted.model_validate_json(body)
    except ValidationError as error:
        found: Any = error.errors()[0]
        name = ".".join(str(part) for part in found["loc"]) or "the post"
        raise InvalidAnswer({name: f"{name}: {found['msg']}"}) from None
