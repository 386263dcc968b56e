"""Atomic files: they appear when complete, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.core.errors import StudyError


@contextmanager
def written_whole(out: Path) -> Iterator[IO[bytes]]:
    """A file that appears at `out` at the end of the block, or not at all. Raises StudyError on failure."""
    if not out.name:
        raise StudyError(f"--out {str(out)!r} names no file")
    # In the same folder, since a rename is atomic only within one file system.
    part = out.with_name(f".{out.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            # Without it a power cut may keep the new name and lose the contents.
            os.fsync(file.fileno())
        part.replace(out)
    except OSError as error:
        raise StudyError(f"cannot write {out}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
