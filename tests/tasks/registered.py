"""The toy among the tasks, for as long as a test runs."""

import pytest

from app.tasks.listed import TASKS
from app.tasks.registry import BLOCKS, DESIGNS
from app.tasks.running import RUNNING
from tests.tasks.toy import ABOUT
from tests.tasks.toy.settings import DotsBlock, DotsDesign
from tests.tasks.toy.task import TASK


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line here is one that a new task has in the program."""
    monkeypatch.setitem(TASKS, "dots", ABOUT)
    monkeypatch.setitem(BLOCKS, "dots", DotsBlock)
    monkeypatch.setitem(DESIGNS, "dots", DotsDesign)
    monkeypatch.setitem(RUNNING, "dots", TASK)
