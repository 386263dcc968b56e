"""Installs oTree in an environment of its own, serves ten pages of the same shape, and answers them."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlencode

from bench.client import Address, Broken, Reply
from bench.likely_human import ANSWERS
from bench.servers import HERE, WORK, environment, free_address, run, serving
from bench.walks import Form

VERSION = "6.0.15"
_VENV = WORK / "otree-venv"
_INSTALLED = _VENV / f"otree-{VERSION}"
_BODY = urlencode(ANSWERS).encode()
_PARTICIPANTS_PER_S = 20  # several times as many as it was ever seen to see through


class NotInstalled(Exception):
    """oTree could not be had; its message is the reason in one line."""


@dataclass(frozen=True, slots=True)
class OTree:
    name: ClassVar[str] = f"oTree {VERSION}"
    address: Address
    pid: int
    database: Path
    _waiting: list[str] = field(default_factory=list)

    def prepare(self, at_once: int, seconds: float) -> None:
        """Make a session with room for all: oTree makes a session's rows beforehand."""
        n_participants = at_once + round(seconds * _PARTICIPANTS_PER_S)
        body = json.dumps({"session_config_name": "survey", "num_participants": n_participants}).encode()
        url = f"http://{self.address.host}:{self.address.port}/api/sessions"
        with urllib.request.urlopen(urllib.request.Request(url, body), timeout=300) as reply:
            code = json.loads(reply.read())["code"]
        self._waiting[:] = self.codes(code)

    def codes(self, session: str) -> list[str]:
        """The participants of a session, in order."""
        statement = "SELECT code FROM otree_participant WHERE _session_code = ? ORDER BY id_in_session"
        return [participant for (participant,) in self._rows(statement, session)]

    def entry(self) -> str:
        if not self._waiting:
            raise Broken("oTree's session has no participant left; it was faster than expected")
        return f"/InitializeParticipant/{self._waiting.pop()}"

    def form_on(self, page: Reply) -> Form | None:
        if b'name="choice"' not in page.body:
            return None
        _, _, participant, *_, number = page.path.split("/")
        return Form(_BODY, f"{participant}/{number}")

    def stored(self) -> set[str]:
        rows = self._rows(
            "SELECT p.code, a.round_number FROM survey_player a JOIN otree_participant p ON p.id = a.participant_id "
            "WHERE a.choice IS NOT NULL"
        )
        return {f"{participant}/{number}" for participant, number in rows}

    def _rows(self, statement: str, *values: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(statement, values).fetchall()


def install() -> None:
    """Put oTree into its environment unless it is there. Raises NotInstalled."""
    if _INSTALLED.exists():
        return
    print(f"Installing oTree {VERSION} (once, about a minute) ...", file=sys.stderr)
    shutil.rmtree(_VENV, ignore_errors=True)
    try:
        run([sys.executable, "-m", "venv", _VENV], environment())
        run([_VENV / "bin" / "pip", "install", "--quiet", f"otree=={VERSION}"], environment())
    except (Broken, OSError, subprocess.SubprocessError) as error:
        raise NotInstalled(str(error)) from None
    _INSTALLED.touch()


@contextmanager
def served(project: Path) -> Iterator[OTree]:
    """Serve a fresh copy of the study with oTree's production server, over SQLite as by default."""
    shutil.rmtree(project, ignore_errors=True)
    shutil.copytree(HERE / "otree_study", project, ignore=shutil.ignore_patterns("__pycache__"))
    (project / "_static").mkdir()
    address = free_address()
    # The server looks for a second `otree`, its worker, on the path.
    env = environment(OTREE_PRODUCTION="1")
    env["PATH"] = f"{_VENV / 'bin'}{os.pathsep}{env.get('PATH', '')}"
    otree = _VENV / "bin" / "otree"
    run([otree, "resetdb", "--noinput"], env, cwd=project)
    with serving([otree, "prodserver", f"{address.host}:{address.port}"], address, env, cwd=project) as pid:
        yield OTree(address, pid, project / "db.sqlite3")
