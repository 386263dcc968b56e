"""A log of requests to external programs and their replies: one line of JSON per exchange."""

import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from app.core.errors import StudyError

Keep = Callable[[Mapping[str, Any]], None]
"""Takes one exchange (docs/games.md); called from several threads."""

EXCHANGES = "exchanges.jsonl"


class Exchanges:
    """The file, open from its first line on; each line is written whole before play goes on."""

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._path, self._clock = folder / EXCHANGES, clock
        self._lock, self._stack = threading.Lock(), ExitStack()
        self._file: IO[str] | None = None

    def keep(self, line: Mapping[str, Any]) -> None:
        """Write a line with the time. Raises StudyError where it cannot."""
        text = _text({"at": self._clock().isoformat(timespec="milliseconds"), **line})
        with self._lock:
            try:
                if self._file is None:
                    self._file = self._stack.enter_context(self._path.open("a+", encoding="utf-8"))
                    self._end_line(self._file)
                self._file.write(text + "\n")
                # Flushed per line: a buffer would be lost with a run that is killed.
                self._file.flush()
            except OSError as error:
                raise StudyError(f"cannot write {self._path}: {error.strerror}") from None

    @staticmethod
    def _end_line(file: IO[str]) -> None:
        """A run that was killed may have left half a line, which is not to swallow the next one."""
        size = os.fstat(file.fileno()).st_size
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            file.write("\n")

    def close(self) -> None:
        """Close it."""
        self._stack.close()


def _text(line: Mapping[str, Any]) -> str:
    """Serialize as standard JSON, which has no NaN."""
    try:
        return json.dumps(line, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(line), parse_constant=str))
