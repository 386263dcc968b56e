"""The browser's scripts by themselves, in node; whole pages are tested in tests/browser."""

import re
import shutil
import subprocess
from pathlib import Path

import playwright
import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
TESTS = sorted(HERE.glob("*.test.mjs"))
OPTIONS = ("--test", "--test-timeout=30000")


def find_node() -> str:
    """Playwright brings one, of a version that requirements/dev.txt fixes; else the system's, from version 22.15 on."""
    brought = Path(playwright.__file__).parent / "driver" / "node"
    found = shutil.which(brought) or shutil.which("node")
    return found or pytest.skip("no node: Playwright's is missing, and there is none in the PATH")


def test_scripts_do_what_their_tests_say() -> None:
    done = subprocess.run(
        [find_node(), *OPTIONS, *map(str, TESTS)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"pass (\d+)", done.stdout)
    assert passed
    assert int(passed[1]) >= len(TESTS) > 0
