"""The data folder is its owner's alone: in it are answers, ids, tokens and hashes."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.core.settings import Settings  # every start reads this module

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def keep_private() -> None:
    """Set umask 077 for this process and its children."""
    os.umask(OTHERS)


def tighten(settings: "Settings") -> Sequence[str]:
    """Take the data folder and the database file from all but their owner; returns what there is to say of it."""
    folder, url = settings.data_dir, settings.database_url
    paths = [folder]
    if url.get_backend_name() == "sqlite":
        file = Path(url.database or "").absolute()
        # WAL and shared memory hold the newest answers until a checkpoint, so they are as private as the database.
        paths += [file.with_name(file.name + end) for end in ("", "-wal", "-shm", ".lock")]
    return [said for path in paths if path.exists() and (said := _close(path))]


def _close(path: Path) -> str:
    mode = path.stat().st_mode
    if not mode & OTHERS:
        return ""
    # The sticky bit marks folders such as /tmp, where a chmod would lock out all other users.
    if mode & stat.S_ISVTX:
        return f"{path} is shared by all users of this machine, who can read what is in it; use a folder of its own"
    try:
        path.chmod(stat.S_IMODE(mode) & ~OTHERS)
    except OSError as error:
        return (
            f"{path} can be read by other users of this machine, and that cannot be changed: {error.strerror}"
        )
    return f"{path} could be read by other users of this machine; now by its owner alone"
