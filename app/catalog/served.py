"""Files of the library as they are sent to the experimenters who see them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread
from sqlmodel import Session

from app.accounts.logins import Who
from app.catalog.catalog import row_of
from app.catalog.rules import preview_run
from app.core.database import Database
from app.core.errors import NotFound
from app.library.clips.errors import ClipError
from app.library.clips.store import ClipStore
from app.library.media import PREVIEW_FILES, frame_path, poster_path, preview_folder, video_type
from app.library.tables import Stimulus


@dataclass(frozen=True, slots=True)
class Served:
    path: Path
    content_type: str


async def clip(database: Database, data_dir: Path, who: Who, name: str) -> Served:
    """A clip as participants see it, without the padding. Raises NotFound."""
    store = ClipStore(data_dir)
    return await _file(database, who, name, "video/mp4", lambda row: store.clip_path(row.clip_sha256 or ""))


async def original(database: Database, data_dir: Path, who: Who, name: str) -> Served:
    """A clip's original, under the type by which browsers play it. Raises NotFound."""
    store = ClipStore(data_dir)
    return await _file(database, who, name, "", lambda row: store.original_path(row.original_sha256 or ""))


async def poster(database: Database, data_dir: Path, who: Who, name: str) -> Served:
    """A picture of a clip. Raises NotFound, also while it is not drawn."""
    return await _file(
        database, who, name, "image/jpeg", lambda row: poster_path(data_dir, row.clip_sha256 or "")
    )


async def frame(database: Database, data_dir: Path, who: Who, name: str) -> Served:
    """A picture of a clip's original. Raises NotFound, also while it is not drawn."""
    return await _file(
        database, who, name, "image/jpeg", lambda row: frame_path(data_dir, row.original_sha256 or "")
    )


async def preview(database: Database, data_dir: Path, who: Who, job_id: int, name: str) -> Served:
    """A video of a preview: `before.mp4` or `after.mp4`. Raises NotFound."""
    await database.peek(preview_run, who, job_id)
    path = preview_folder(data_dir, job_id) / name
    if name not in PREVIEW_FILES or not path.is_file():
        raise NotFound("There is no such preview; it may have been cleared away.")
    return Served(path, "video/mp4")


async def _file(
    database: Database, who: Who, name: str, content_type: str, path_of: Callable[[Stimulus], Path]
) -> Served:
    path = await database.peek(_path, who, name, path_of)
    if not await anyio.to_thread.run_sync(lambda: path.is_file() and path.stat().st_size > 0):
        raise NotFound("There is no such file.")
    return Served(path, content_type or video_type(path))


def _path(session: Session, who: Who, name: str, path_of: Callable[[Stimulus], Path]) -> Path:
    try:
        return path_of(row_of(session, who, name))
    except (ClipError, ValueError):
        raise NotFound("There is no such file.") from None
