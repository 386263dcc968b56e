"""Simulated people sent through the pages of the running service, by the command in a process of its own."""

import subprocess
import sys
import tempfile
from typing import Any

from app.core.errors import Conflict, StudyError
from app.sessions.simulated import NOT_NOW, simulated_here
from app.studies.launch import study_here
from app.worker.context import Work

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
        try:
            work.progress(0, n, "Simulated people take part")
            for line in process.stdout:
                done, _, _ = line.partition(" ")
                if done.isdecimal():
                    work.progress(int(done), n, "Simulated people take part")
            process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(ENDS_WITHIN_S)
                except subprocess.TimeoutExpired:
                    process.kill()
            process.stdout.close()
        if process.returncode:
            said.seek(0)
            raise StudyError(said.read().strip() or "The simulated people could not take part.")
