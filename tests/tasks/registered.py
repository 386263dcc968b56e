"""The toy among the tasks, for as long as a test runs."""

from pathlib import Path
from typing import cast

import pytest
from jinja2 import FileSystemLoader

from app.core.templating import _environment
from app.reports.tasks import EXPORTS
from app.simulation.tasks import SIMULATING
from app.tasks.listed import TASKS
from app.tasks.registry import BLOCKS, DESIGNS
from app.tasks.running import RUNNING
from tests.tasks import toy
from tests.tasks.toy import exports, simulated, task
from tests.tasks.toy.settings import DotsBlock, DotsDesign


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line here is one that a new task has in the program; of a folder there its templates are found."""
    monkeypatch.setitem(TASKS, "dots", toy.ABOUT)
    monkeypatch.setitem(BLOCKS, "dots", DotsBlock)
    monkeypatch.setitem(DESIGNS, "dots", DotsDesign)
    monkeypatch.setitem(RUNNING, "dots", task.TASK)
    monkeypatch.setitem(EXPORTS, "dots", exports.EXPORTS)
    monkeypatch.setattr("app.simulation.walk.SIMULATING", (*SIMULATING, simulated.Simulated))
    loader = cast(FileSystemLoader, _environment.loader)
    monkeypatch.setattr(
        loader, "searchpath", [*loader.searchpath, str(Path(toy.__file__).parent / "templates")]
    )
