"""The writes that wait for a writer thread: in the order of arrival, those that nobody waits for behind all others."""

import threading
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

J = TypeVar("J")

MOST, MOST_AFTER = 64, 8
"""The writes of a group, and of those that wait for others.

Two hundred people who wait for a match tell every five seconds that they are there. Committed as they came, 64 of them
took 0.1 to 0.9 s, for which a move behind them waited (bench/README.md).
"""


class WriteQueue(Generic[J]):
    """A queue from one event loop to one thread."""

    def __init__(self) -> None:
        self._first: deque[J] = deque()
        self._after: deque[J] = deque()
        self._is_ended = False
        self._changed = threading.Condition()

    def put(self, job: J, *, waits: bool = False) -> None:
        """Add a job; one that `waits` goes behind all that do not."""
        with self._changed:
            (self._after if waits else self._first).append(job)
            self._changed.notify()

    def end(self) -> None:
        """Let `group` return nothing once all is taken."""
        with self._changed:
            self._is_ended = True
            self._changed.notify()

    def group(self) -> list[J]:
        """The next jobs, as soon as there are any; none at the end.

        A few that wait are in each group: however much others write, who waits for a match is not taken for gone.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._first or self._after or self._is_ended)
            return [*_taken(self._first, MOST), *_taken(self._after, MOST_AFTER)]


def _taken(jobs: deque[J], most: int) -> Iterator[J]:
    return (jobs.popleft() for _ in range(min(most, len(jobs))))
