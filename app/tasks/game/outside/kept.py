"""What came of the decisions of players outside."""

import threading
from dataclasses import dataclass, field


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
