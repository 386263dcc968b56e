"""Study packages on their way in: streamed to a file, in pieces, until a study is made from them.

Name, size and sender are in a small JSON file with the same name, and in no row: a package is gone once its study is
made, or when it is left for two days, as everything in `incoming` is.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.library import uploads
from app.library.media import TOKEN
from app.library.names import label_of
from app.library.places import sent_package
from app.library.receiving import WrongOffset, append_body, length_of, make_room
from app.library.uploads import LARGEST_FILE_BYTES, UploadRefused, new_token

MOST_OF_ONE_USER = 3


class NewPackage(BaseModel):
    """A study package about to be sent."""

    model_config = ConfigDict(extra="forbid", strict=True)

    file_name: str = Field(max_length=20_000)
    # JavaScript's numbers are whole up to 2**53 only.
    bytes: int = Field(ge=0, lt=2**53, description="how long the file is")


@dataclass(frozen=True, slots=True)
class SentPackage:
    """A package of which `offset` of `bytes` have come, by the user `user_id`."""

    token: str
    file_name: str
    bytes: int
    user_id: int
    offset: int = 0

    @property
    def is_whole(self) -> bool:
        return self.offset == self.bytes

    def to_dict(self) -> dict[str, Any]:
        """The package for our script, which sends clips in the same way: `waiting` is one that has come whole."""
        return {**asdict(self), "status": "waiting" if self.is_whole else "receiving"}


async def begin(database: Database, data_dir: Path, who: Who, new: NewPackage) -> SentPackage:
    """Make ready for a package. The user's oldest goes where there are too many. Raises UploadRefused, StorageFull."""
    label = label_of(new.file_name)
    if new.bytes == 0:
        raise UploadRefused(f"{label} is empty.")
    if new.bytes > LARGEST_FILE_BYTES:
        most = f"{LARGEST_FILE_BYTES / 10**9:g} GB"
        raise UploadRefused(f"{label} has {new.bytes / 10**9:.1f} GB; a study package has at most {most}.")
    expected = await database.read(uploads.unfinished_bytes)
    package = SentPackage(new_token(), label, new.bytes, who.user_id)
    await anyio.to_thread.run_sync(_make, data_dir, package, expected)
    return package


def _make(data_dir: Path, package: SentPackage, expected: int) -> None:
    mine = [each for each in _sent(data_dir) if each.user_id == package.user_id]
    for old in mine[: len(mine) + 1 - MOST_OF_ONE_USER]:
        forget(data_dir, old.token)
    path = sent_package(data_dir, package.token)
    make_room(path, expected + package.bytes)
    _about(path).write_text(json.dumps(asdict(package)), encoding="utf-8")


def _sent(data_dir: Path) -> Iterator[SentPackage]:
    """All packages on their way, the oldest first."""
    found = list[tuple[float, SentPackage]]()
    for path in sent_package(data_dir, "x").parent.glob("package-*.json"):
        try:
            about = SentPackage(**json.loads(path.read_text(encoding="utf-8")))
            found.append((path.stat().st_mtime, about))
        except (OSError, ValueError):  # gone, or being written, at this moment
            continue
    yield from (each for _, each in sorted(found, key=lambda one: one[0]))


def state(data_dir: Path, who: Who, token: str) -> SentPackage:
    """One of the user's own packages. Raises NotFound."""
    path = sent_package(data_dir, token)
    try:
        if not TOKEN.fullmatch(token):
            raise FileNotFoundError
        about = json.loads(_about(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFound("There is no such package; send it again.") from None
    if about["user_id"] != who.user_id:
        raise NotFound("There is no such package; send it again.")
    return SentPackage(**{**about, "offset": length_of(path)})


async def receive(data_dir: Path, who: Who, token: str, offset: int, request: Request) -> SentPackage:
    """Append a request's bytes, from `offset` on. Raises what `append_body` does."""
    package = await anyio.to_thread.run_sync(state, data_dir, who, token)
    if package.is_whole and offset != package.bytes:
        raise WrongOffset(package.bytes)
    path = sent_package(data_dir, token)
    await append_body(path, offset, package.file_name, package.bytes, request)
    return await anyio.to_thread.run_sync(state, data_dir, who, token)


def whole(data_dir: Path, who: Who, token: str) -> tuple[SentPackage, Path]:
    """A package that has come whole, and its file. Raises NotFound, Conflict."""
    package = state(data_dir, who, token)
    if not package.is_whole:
        said = f"{package.offset} of {package.bytes} bytes"
        raise Conflict(f"{package.file_name} has not come whole: {said} have. Choose it again to go on.")
    return package, sent_package(data_dir, token)


def cancel(data_dir: Path, who: Who, token: str) -> None:
    """Delete one of the user's own packages. Raises NotFound."""
    state(data_dir, who, token)
    forget(data_dir, token)


def forget(data_dir: Path, token: str) -> None:
    """Delete a package that was sent."""
    path = sent_package(data_dir, token)
    for each in (path, _about(path)):
        each.unlink(missing_ok=True)


def _about(path: Path) -> Path:
    return path.with_suffix(".json")
