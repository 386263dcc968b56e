"""Simulated people sent through the pages of the running service, by the command in a process of its own."""

import subprocess
import sys
import tempfile
import threading
from typing import IO, Any

from app.core.errors import Conflict, StudyError
from app.sessions.simulated import NOT_NOW, simulated_here
from app.studies.launch import study_here
from app.worker.context import TELL_EVERY_S, Work

ENDS_WITHIN_S = 10


def simulate_people(work: Work) -> dict[str, Any]:
    """`params`: slug, n, accuracy, seed, there (simulated sessions that were there before).

    Raises Conflict if the study was launched since it was asked for.
    """
    slug, n = str(work.params["slug"]), int(work.params["n"])
    with work.database.reading() as session:
        before = simulated_here(session, study_here(session, slug))
    missing = n - (before.n - int(work.params["there"]))
    if missing > 0:
        if not before.is_open:
            raise Conflict(NOT_NOW)
        _simulate(work, slug, missing)
    with work.database.reading() as session:
        here = simulated_here(session, study_here(session, slug))
    return {"sessions": here.n - int(work.params["there"])}


class _Counting(threading.Thread):
    """Reads the command's lines to their end; `n` people are done."""

    def __init__(self, lines: IO[str]) -> None:
        super().__init__(name="simulated-people", daemon=True)
        self.n = 0
        self._lines = lines

    def run(self) -> None:
        for line in self._lines:
            done, _, _ = line.partition(" ")
            self.n = int(done) if done.isdecimal() else self.n


def _ends(process: subprocess.Popen[str], within_s: float = TELL_EVERY_S) -> bool:
    """True once the process has ended, which is waited for."""
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        return False
    return True


def _simulate(work: Work, slug: str, n: int) -> None:
    """Raises StudyError in the command's words."""
    options = ["-n", str(n), "--accuracy", str(work.params["accuracy"]), "--seed", str(work.params["seed"])]
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(  # noqa: S603  (ourselves)
            [sys.executable, "-m", "app", "simulate", *options, "--for-service", "--", slug],
            env=work.settings.environment(),
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
        )
        assert process.stdout is not None
        counting = _Counting(process.stdout)
        counting.start()
        try:
            # Looked at between people, too: a person may take minutes, and nobody may come once it is cancelled.
            while not _ends(process):
                work.progress(counting.n, n, "Simulated people take part")
        finally:
            if process.poll() is None:
                process.terminate()
                if not _ends(process, ENDS_WITHIN_S):
                    process.kill()
                    process.wait()
            counting.join()
            process.stdout.close()
        if process.returncode:
            said.seek(0)
            raise StudyError(said.read().strip() or "The simulated people could not take part.")
