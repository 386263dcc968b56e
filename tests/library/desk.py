"""An experimenter's actions on the library in a test, with a worker that performs the jobs."""

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
from sqlmodel import select
from starlette.requests import Request

from app.accounts.logins import Who
from app.catalog.filling import begin
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.store import ClipStore
from app.library.receiving import Received, receive
from app.library.tables import Stimulus
from app.library.uploads import NewUpload, UploadView, upload_for
from app.worker.worker import drain

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Desk:
    """Uploads files as the service does, and has the worker take them up."""

    def __init__(self, settings: Settings, database: Database, who: Who) -> None:
        self.settings, self.database, self.who = settings, database, who
        self.data_dir = settings.data_dir
        self.store = ClipStore(self.data_dir)

    def begin(self, file_name: str, n_bytes: int, source: str = "human", **more: Any) -> Received:
        new = NewUpload(file_name=file_name, bytes=n_bytes, source=source, **more)
        received: Received = run(begin(self.database, self.data_dir, self.who, new, NOW))
        return received

    def send(self, token: str, data: bytes, offset: int = 0, *, lost: bool = False) -> Received:
        """One request's worth of bytes; `lost` breaks the connection at their end."""
        request = request_of(data, lost=lost)
        received: Received = run(receive(self.database, self.data_dir, self.who, token, offset, request, NOW))
        return received

    def upload(self, path: Path, source: str = "human", **more: Any) -> str:
        """All of a file; returns the upload's token."""
        data = path.read_bytes()
        token = self.begin(more.pop("file_name", path.name), len(data), source, **more).upload.token
        self.send(token, data)
        return token

    def add(self, path: Path, source: str = "human", **more: Any) -> UploadView:
        """All of a file, taken up or refused by the worker."""
        token = self.upload(path, source, **more)
        self.drain()
        return self.view(token)

    def drain(self) -> None:
        drain(self.settings, self.database)

    def view(self, token: str) -> UploadView:
        with self.database.reading() as session:
            return upload_for(session, self.who, token)

    def read(self, job: Callable[..., Any], *args: Any, **more: Any) -> Any:
        with self.database.reading() as session:
            return job(session, *args, **more)

    def write(self, job: Callable[..., Any], *args: Any, **more: Any) -> Any:
        with self.database.transaction() as session:
            return job(session, *args, **more)

    def stimulus(self, name: str) -> Stimulus:
        with self.database.reading() as session:
            return session.exec(select(Stimulus).where(Stimulus.name == name)).one()

    def files(self) -> list[str]:
        """All files in the data folder except the database and the worker's marks."""
        return sorted(
            str(path.relative_to(self.data_dir))
            for path in self.data_dir.rglob("*")
            if path.is_file() and path.name not in (".tidied", "secret")
        )


def run(work: Coroutine[Any, Any, Any]) -> Any:
    async def main() -> Any:
        return await work

    return anyio.run(main)


def request_of(data: bytes, *, piece: int = 50_000, lost: bool = False) -> Request:
    """A request with a body that comes in pieces; a `lost` one breaks off at its end."""
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": each, "more_body": True} for each in pieces
    ]
    messages.append({"type": "http.disconnect"} if lost else {"type": "http.request", "body": b""})

    async def receive_() -> dict[str, Any]:
        return messages.pop(0)

    return Request({"type": "http", "method": "PATCH", "headers": []}, receive_)
