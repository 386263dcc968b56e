"""Commands that the service starts to write a table or a document, forked in place of a Python that begins anew.

What takes three seconds of a processor each time, mostly for imports, then takes a tenth. That the service starts a
process of its own is seen by tests that go without: in tests/admin/test_data.py and tests/admin/test_api.py.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.program import Done, Program


class _Ended:
    """A process of asyncio that is over."""

    def __init__(self, done: Done) -> None:
        self.returncode, self._said = done.returncode, done.stderr.encode()

    async def communicate(self) -> tuple[None, bytes]:
        return None, self._said


def fork_commands(patch: pytest.MonkeyPatch, program: Program, folder: Path) -> None:
    """From now on `app.reports.download` has its commands run by `program`, in `folder`."""

    async def begin(_python: str, _m: str, app: str, *words: str, env: Mapping[str, str], **_: Any) -> _Ended:
        assert app == "app"
        return _Ended(await asyncio.to_thread(partial(program.run, *words, cwd=folder, environment=env)))

    patch.setattr(asyncio, "create_subprocess_exec", begin)
