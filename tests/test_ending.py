"""What is waited for when the service ends, in the order of events that a busy event loop makes of it."""

import asyncio
import subprocess
import sys

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


# A second signal at each point of what follows the first, or of a wait, in the main thread of a process of its own.
AT_EACH_POINT = """
import asyncio, signal, sys
from app.core.ending import hearing_of_end, stopped_by

POINTS = 60

def raising(at, n=0):
    def seen(frame, event, arg):
        nonlocal n
        n += 1
        if n == at:
            signal.raise_signal(signal.SIGTERM)
    return seen

async def serve(at, heard):
    with hearing_of_end(lambda: heard.append(at)):
        sys.setprofile(raising(at))
        signal.raise_signal(signal.SIGTERM)
        sys.setprofile(None)
        await asyncio.sleep(0)

def told_twice():
    signal.signal(signal.SIGTERM, lambda *_: None)
    for at in range(1, POINTS):
        heard = []
        asyncio.run(serve(at, heard))
        assert heard

def told_while_it_waits():
    for at in range(1, POINTS):
        stop = stopped_by(signal.SIGTERM)
        sys.setprofile(raising(at))
        stop.wait(0.001)
        sys.setprofile(None)
        signal.raise_signal(signal.SIGTERM)
        assert stop.wait(60)

"""


@pytest.mark.parametrize("which", ["told_twice", "told_while_it_waits"])
def test_a_signal_at_any_point_of_the_first_or_of_waiting_for_it_locks_nothing(which: str) -> None:
    """`make run` tells the service twice that it is to end: by its group and by `make`."""
    command = [sys.executable, "-c", f"{AT_EACH_POINT}{which}()"]
    done = subprocess.run(command, timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
