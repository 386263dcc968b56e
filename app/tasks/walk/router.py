"""`/p/{token}/walk`: the page of a walk sends key presses, and gets the server's progress."""

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from app.core.dependencies import DatabaseDep, Now, bounded_body
from app.core.errors import NotFound, StudyError
from app.tasks.walk.batches import (
    MOST_BYTES,
    Gap,
    Moved,
    TooSoon,
    most_ticks_of,
    new_steps,
    read_batch,
    walked,
)
from app.tasks.walk.storing import stood, store
from app.trials.sessions import SessionsDep

router = APIRouter(include_in_schema=False)
NO_STORE = {"Cache-Control": "no-store"}


@router.post("/p/{token}/walk")
async def take_steps(
    request: Request, token: str, database: DatabaseDep, sessions: SessionsDep, now: Now
) -> Response:
    """Take a batch of steps. It is replayed and committed before the reply leaves."""
    try:
        batch = read_batch(await bounded_body(request, MOST_BYTES))
        while True:
            found = await database.peek(stood, sessions, token, batch, now)
            try:
                new = new_steps(found, batch, now)
            except (Gap, TooSoon) as error:
                return _answer(found.here.state | {"message": str(error)}, error.status_code)
            if not new:
                return _answer(found.here.state)
            # Not in the event loop: along a wall 600 steps take a tenth of a second.
            there, n = await asyncio.to_thread(walked, found.here, new, batch, most_ticks_of(found.where))
            if await database.write(store, sessions, token, found, there, new[:n], batch, now):
                return _answer(there.state)
    except (Moved, NotFound) as error:
        return _answer({"moved": True, "message": str(error)}, error.status_code)
    except StudyError as error:
        return _answer({"message": str(error)}, error.status_code)


def _answer(content: dict[str, object], status_code: int = 200) -> Response:
    return JSONResponse(content, status_code, headers=NO_STORE)
