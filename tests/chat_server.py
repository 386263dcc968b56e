"""A real server of the chat-completions protocol on a real socket, which answers as a test says."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Said:
    """An answer: its body as it goes over the wire, of which `first` bytes come at once and the rest never."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    first: int | None = None


Answer = Callable[[Mapping[str, Any]], Said]


def reply(text: str, **more: Any) -> Said:
    """A reply of the model, with 10 tokens used."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    return Said(json.dumps({"choices": [choice], "usage": {"total_tokens": 10}}).encode())


def move(kind: str, message: str = "", **fields: Any) -> Said:
    """A reply with a move, in a fence and after a thought, as models write it."""
    answer = {"move": {"kind": kind, **fields}, "message": message, "reason": "because"}
    return reply(f"<think>maybe {{5}}?</think>\n```json\n{json.dumps(answer)}\n```")


class ChatServer:
    """The requests received, in order, and the headers of each. `answers` are taken one by one, the last again and
    again; a callable makes its own of each request."""

    def __init__(self) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.answers: list[Said | Answer] = []
        self.closing = threading.Event()
        self.address = ""

    def next_of(self, request: Mapping[str, Any], headers: Mapping[str, str]) -> Said:
        self.requests.append(request)
        self.headers.append(headers)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer if isinstance(answer, Said) else answer(request)


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    chat = ChatServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            said = chat.next_of(json.loads(body), dict(self.headers))
            try:
                self.send_response(said.status)
                for name, value in {"Content-Length": str(len(said.body)), **said.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(said.body[: said.first])
                if said.first is not None:
                    self._drip()
            except OSError:
                self.close_connection = True

        def _drip(self) -> None:
            while not chat.closing.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    chat.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield chat
    finally:
        chat.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
