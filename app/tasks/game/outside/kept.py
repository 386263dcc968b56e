"""What is kept of players outside: every exchange as a line of JSON, and what came of their decisions."""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from app.core.errors import StudyError

Keep = Callable[[Mapping[str, Any]], None]
"""Takes one exchange with a player outside (docs/games.md); called from several threads."""

EXCHANGES = "exchanges.jsonl"


@dataclass(slots=True)
class Tally:
    """What came of one seat's decisions: how many, how many by the default move, and calls that were refused."""

    decisions: int = 0
    defaults: int = 0
    refusals: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, decisions: int = 0, defaults: int = 0, refusals: int = 0) -> None:
        """Count some more; seats of one agent do so in several threads."""
        with self._lock:
            self.decisions += decisions
            self.defaults += defaults
            self.refusals += refusals

    def words(self) -> str:
        """In a line."""
        return f"{self.decisions} decisions, {self.defaults} by the default move, {self.refusals} refusals"


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
                    self._file = self._stack.enter_context(self._path.open("a", encoding="utf-8"))
                self._file.write(text + "\n")
                self._file.flush()
            except OSError as error:
                raise StudyError(f"cannot write {self._path}: {error.strerror}") from None

    def close(self) -> None:
        """Close it."""
        self._stack.close()


def _text(line: Mapping[str, Any]) -> str:
    """As JSON that any reader takes, which has no NaN."""
    try:
        return json.dumps(line, allow_nan=False)
    except ValueError:
        return json.dumps(json.loads(json.dumps(line), parse_constant=str))
