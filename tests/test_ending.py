"""What is waited for when the service ends, in the order of events that a busy event loop makes of it."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from app.core import ending
from app.core.ending import Bodies, WholeOrNot


async def _reads_all(scope: Scope, receive: Receive, send: Send) -> None:
    await Request(scope, receive).body()
    await PlainTextResponse("whole")(scope, receive, send)


@pytest.mark.parametrize("cuts", [1, 2])
def test_a_body_that_is_read_between_the_signal_and_its_cut_is_answered_with_503(
    monkeypatch: pytest.MonkeyPatch, cuts: int
) -> None:
    """The signal is heard, the next piece is waited for, and only then are the waiting requests cut."""
    bodies, sent = Bodies(), list[Message]()
    monkeypatch.setattr(ending, "LAST_S", 0.05)

    async def end() -> None:
        over = asyncio.Event()

        async def receive() -> Message:
            await over.wait()
            raise AssertionError("nothing more comes")

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
        ending._over.set()
        task = asyncio.create_task(WholeOrNot(_reads_all, bodies)(scope, receive, send))
        for _ in range(cuts):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            bodies.cut()
        await task

    try:
        asyncio.run(end())
    finally:
        ending._over.clear()
    assert sent[0]["status"] == 503
