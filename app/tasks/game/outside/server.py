"""The server of a run's seats: a local one, in a thread, for the programs that play them."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from app.core.errors import NotFound, StudyError
from app.tasks.game.outside.pull import PullSeat
from app.tasks.game.outside.router import NO_SEAT, Wait, posted_in, refusal


def seats_app(seats: Mapping[str, PullSeat]) -> FastAPI:
    """`GET /api/seat/{token}` and `POST /api/seat/{token}/moves` for seats by token."""
    app = FastAPI(title="Likely Human: seats of a run", docs_url=None, redoc_url=None)

    @app.exception_handler(StudyError)
    async def _tell(request: Request, error: StudyError) -> JSONResponse:
        return refusal(error)

    @app.get("/api/seat/{token}")
    async def fetch(token: str, after: int = -1, wait: Wait = 0) -> Response:
        state = await run_in_threadpool(_seat_by_token(seats, token).fetch, after, wait)
        return JSONResponse(asdict(state)) if state else Response(status_code=204)

    @app.post("/api/seat/{token}/moves")
    async def post(token: str, request: Request) -> Response:
        seat, posted = _seat_by_token(seats, token), await posted_in(request)
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


def _seat_by_token(seats: Mapping[str, PullSeat], token: str) -> PullSeat:
    if token not in seats:
        raise NotFound(NO_SEAT)
    return seats[token]
