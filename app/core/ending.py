"""Shutdown: requests that wait for a browser are told, so that none is cut off midway.

On shutdown a server waits ten seconds for open requests and then cancels them. Those that only wait (a stream, a poll,
the rest of a body) end at once instead.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.language import gettext, noop

AGAIN_S = "5"
ENDS = noop("The service is about to stop or restart. Please try again in a moment.")
LAST_S = 1.0
"""How long after that what is left of a body is waited for."""


class _Flag:
    """A flag that a signal's handler may raise.

    `threading.Event` has a lock: a second signal in the middle of its `set` would wait for the first, in one thread.
    """

    def __init__(self) -> None:
        self._is_set = False

    def set(self) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set


_over = _Flag()


def is_ending() -> bool:
    """True if the process has been told to end."""
    return _over.is_set()


@contextmanager
def hearing_of_end(*hearers: Callable[[], None]) -> Iterator[None]:
    """Call the hearers in this event loop when the process is told to end while the block runs.

    The server's own handlers stay in place while it serves and are called after ours; outside the main thread nothing
    is called.
    """
    # Python allows signal.signal in the main thread only.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    loop = asyncio.get_running_loop()

    def tell(number: int, frame: Any) -> None:
        _over.set()
        for hearer in hearers:
            # A signal handler runs between any two bytecodes; only call_soon_threadsafe also wakes a loop that sleeps.
            loop.call_soon_threadsafe(hearer)
        # Replacing uvicorn's handler would keep it from shutting down at all, so its own is called as well.
        theirs = before[signal.Signals(number)]
        if callable(theirs):
            theirs(number, frame)

    ours = [number for number, theirs in before.items() if callable(theirs)]
    for number in ours:
        signal.signal(number, tell)
    try:
        yield
    finally:
        for number in ours:
            if signal.getsignal(number) is tell:
                signal.signal(number, before[number])


def stopped_by(number: signal.Signals) -> threading.Event:
    """An event that is set once the signal has come; for the main thread.

    A thread sets it: a handler runs in the middle of the main thread's work, which may be waiting for the event and
    hold its lock.
    """
    stop = threading.Event()
    reads, writes = os.pipe()

    def hear() -> None:
        os.read(reads, 1)
        stop.set()

    threading.Thread(target=hear, daemon=True, name="stop").start()
    signal.signal(number, lambda *_: os.write(writes, b"."))
    return stop


class Bodies:
    """The requests whose bodies are waited for now."""

    def __init__(self) -> None:
        self.waited_for: set[asyncio.Task[Any]] = set()

    def cut(self) -> None:
        """Wait for no more of any of them."""
        for task in self.waited_for:
            task.cancel()


class WholeOrNot:
    """A request whose body has not come when the service ends is answered with 503, and nothing of it is taken but
    what an upload keeps: to what reads it, the other side has hung up."""

    def __init__(self, app: ASGIApp, bodies: Bodies) -> None:
        self.app, self._bodies = app, bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "GET":  # which has no body
            await self.app(scope, receive, send)
            return
        is_whole = is_cut = is_answered = False
        ends = float("inf")

        async def in_time() -> Message | None:
            """The next message; None if the service ends first or nothing more is awaited."""
            nonlocal ends
            if not is_ending():
                task = asyncio.current_task()
                assert task
                self._bodies.waited_for.add(task)
                try:
                    return await receive()
                except asyncio.CancelledError:
                    if not is_ending():
                        raise
                    # Or asyncio.timeout and wait_for would still take the task for cancelled (Python 3.11).
                    task.uncancel()
                finally:
                    self._bodies.waited_for.discard(task)
            # What is here already, or comes within a moment. This wait ends by itself and is not among those that are
            # cut: the signal may have been heard before it began, and its cut come after.
            now = asyncio.get_running_loop().time()
            ends = min(ends, now + LAST_S)
            try:
                return await asyncio.wait_for(receive(), max(0.0, ends - now))
            except TimeoutError:
                return None

        async def receiving() -> Message:
            nonlocal is_whole, is_cut
            if is_whole:
                return await receive()
            message = None if is_cut else await in_time()
            if message is None:
                is_cut = True
                return {"type": "http.disconnect"}
            is_whole = not message.get("more_body", False)
            return message

        async def sending(message: Message) -> None:
            """Send a message; a 503 reply (an upload, with where to continue) is sent unchanged."""
            nonlocal is_answered
            if not is_answered and is_cut and message.get("status") != 503:
                return
            is_answered = True
            await send(message)

        try:
            await self.app(scope, receiving, sending)
        except ClientDisconnect:
            if not is_cut:
                return  # they have hung up in the middle: nothing was taken, and nobody is there to be told
        if is_cut and not is_answered:
            reply = PlainTextResponse(
                gettext(ENDS), 503, {"Retry-After": AGAIN_S, "Cache-Control": "no-store"}
            )
            await reply(scope, receive, send)
