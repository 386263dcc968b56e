"""Tallies of the decisions of external players."""

import threading
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """A seat's decisions: their number, those by the default move, and refused calls."""

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
        """The tally in a line."""
        return f"{self.decisions} decisions, {self.defaults} by the default move, {self.refusals} refusals"
