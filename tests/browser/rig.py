"""A stand-in for the service: it renders the page dataclasses, serves real clips and keeps what is posted."""

import socket
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import anyio
import av
import numpy as np
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.templating import STATIC, Static, render
from app.library.clips.padded import ByteRange, parse_range
from app.tasks.pair.views import TrialPage
from app.tasks.rating.views import RatingPage
from app.trials.pages import MessagePage, Page, StopPage

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
LEFT_S, RIGHT_S = 4.0, 4.5

Shown = Page | MessagePage | StopPage
Fault = Literal["lose the reply", "unavailable", "conflict", "log-in page"] | dict[str, str]


@dataclass
class Walk:
    """One session: its pages in order, and what came in. `faults` befall the next POSTs, one each.

    `cut_after` gives the bytes of a clip after which its next sending stops until the browser goes away,
    `break_after` those after which the connection breaks off as soon as the test sets `break_off`: a browser may throw
    away what came right before a break.
    """

    action: str
    pages: list[Shown]
    clip_files: dict[str, Path]
    position: int = 0
    posts: list[dict[str, str]] = field(default_factory=list)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    faults: deque[Fault] = field(default_factory=deque)
    broken: dict[str, Literal["missing", "garbage", "busy once"]] = field(default_factory=dict)
    clip_requests: Counter[str] = field(default_factory=Counter)
    clip_ranges: dict[str, list[str]] = field(default_factory=dict)
    cut_after: dict[str, int] = field(default_factory=dict)
    break_after: dict[str, int] = field(default_factory=dict)
    break_off: threading.Event = field(default_factory=threading.Event)

    def clip(self, name: str) -> str:
        return f"{self.action}/clips/{name}"

    def store(self, form: dict[str, str]) -> None:
        if form["submit_id"] not in self.answers:
            self.answers[form["submit_id"]] = form
            self.position += 1

    def receive(self, form: dict[str, str], wants_json: bool) -> Response:
        self.posts.append(form)
        fault = self.faults.popleft() if self.faults else None
        match fault:
            case dict():
                return JSONResponse({"errors": fault}, 422)
            case "unavailable":
                return Response(status_code=503)
            case "log-in page":
                return Response("<title>Hotel</title>", media_type="text/html")
            case "conflict":
                self.position += 1
                return JSONResponse(
                    {"message": "This was answered in another tab.", "next": self.action}, 409
                )
        self.store(form)
        if fault == "lose the reply":  # uvicorn breaks off a body that is shorter than announced
            return Response(b"", headers={"Content-Length": "50"})
        if wants_json:
            return JSONResponse({"next": self.action})
        return RedirectResponse(self.action, 303)

    def serve_clip(self, name: str, asked: str = "") -> Response:
        """As the service does: ranges, and nothing by which a browser could tell one version from another."""
        self.clip_requests[name] += 1
        self.clip_ranges.setdefault(name, []).append(asked)
        match self.broken.get(name):
            case "missing":
                return Response(status_code=404)
            case "busy once":
                del self.broken[name]
                return Response(status_code=503)
            case "garbage":
                return Response(b"\x00" * 5000, media_type="video/mp4")
        data = self.clip_files[name].read_bytes()
        wanted = parse_range(asked, len(data))
        start, length = part = wanted or ByteRange(0, len(data))
        headers = {"Cache-Control": "private, max-age=3600", "Content-Length": str(length)}
        if wanted:
            headers["Content-Range"] = part.content_range(len(data))
        data = data[start : start + length]
        until = self.break_off if name in self.break_after else None
        body = _sent(data, self.break_after.pop(name, self.cut_after.pop(name, None)), until)
        return StreamingResponse(body, 206 if wanted else 200, headers, "video/mp4")


async def _sent(data: bytes, cut_after: int | None, until: threading.Event | None) -> AsyncIterator[bytes]:
    """uvicorn breaks off a body that ends before its announced length."""
    yield data[:cut_after]
    while cut_after is not None and not (until and until.is_set()):
        await anyio.sleep(0.02)


class Served(Protocol):
    base_url: str

    @property
    def app(self) -> ASGIApp: ...


R = TypeVar("R", bound=Served)


class Rig:
    def __init__(self, clip_files: dict[str, Path]) -> None:
        self.base_url = ""
        self._clip_files = clip_files
        self._walks: dict[str, Walk] = {}
        self.app = _WithPolicy(self._routes())

    def walk(self, *pages: Shown) -> Walk:
        """A new session that is shown `pages`, one after each accepted POST; clips are given by name."""
        token = f"t{len(self._walks)}"
        walk = Walk(f"/p/{token}", [], self._clip_files)
        walk.pages = [_addressed(page, walk, number) for number, page in enumerate(pages)]
        self._walks[token] = walk
        return walk

    def _routes(self) -> FastAPI:
        api = FastAPI(openapi_url=None)
        api.mount("/static", Static(*STATIC))

        @api.get("/p/{token}")
        def page(token: str) -> Response:
            walk = self._walks[token]
            return render(walk.pages[walk.position])

        @api.post("/p/{token}")
        async def answer(token: str, request: Request) -> Response:
            form = {name: str(value) for name, value in (await request.form()).items()}
            return self._walks[token].receive(form, request.headers.get("Accept") == "application/json")

        @api.get("/p/{token}/clips/{name}")
        def clip(token: str, name: str, request: Request) -> Response:
            return self._walks[token].serve_clip(name, request.headers.get("Range", ""))

        return api


def _addressed(page: Shown, walk: Walk, number: int) -> Shown:
    match page:
        case MessagePage() | StopPage():
            return page
        case TrialPage():
            page = replace(
                page,
                left_clip=walk.clip(page.left_clip),
                right_clip=walk.clip(page.right_clip),
                next_clips=tuple(walk.clip(name) for name in page.next_clips),
            )
        case RatingPage():
            page = replace(
                page,
                clip=page.clip and walk.clip(page.clip),
                next_clips=tuple(walk.clip(name) for name in page.next_clips),
            )
    return replace(page, action=walk.action, submit_id=f"submit-{number}")


class _WithPolicy:
    """The headers that the real service sends with every response."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"content-security-policy", POLICY.encode())]
            await send(message)

        await self._inner(scope, receive, with_policy)


@contextmanager
def serving(rig: R) -> Iterator[R]:
    """Serve `rig` from a thread, on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    rig.base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(rig.app, log_level="critical", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield rig
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        listener.close()


def make_clip(path: Path, duration_s: float, colour: tuple[int, int, int]) -> Path:
    """A bar that crosses a ground of one colour, as a processed clip is: H.264, yuv420p, fast start."""
    rate, width, height = 30, 320, 200
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=rate, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(round(duration_s * rate)):
            image = np.full((height, width, 3), colour, dtype=np.uint8)
            at = number * 3 % (width - 20)
            image[:, at : at + 20] = 235
            image[20:60, width - 20 - at : width - at] = 20
            container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
        container.mux(stream.encode())
    return path
