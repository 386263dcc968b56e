"""People of every task at work while everything fails: what was acknowledged is there once."""

import os
import shutil
from pathlib import Path

import pytest

from bench.faults import gone_through, small_disk, table_text

pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("mkfs.ext4"), reason="only root mounts a disk")
def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        passed = gone_through(disk / "data", people=4, rounds=1, postgres=None)
    assert not passed.wrong
    assert "| lost, doubled or not done | 0 |" in table_text([passed])
