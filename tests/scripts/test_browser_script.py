"""`tools/browser.sh`: a machine on which no browser can be had still runs the other tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent.parent / "tools" / "browser.sh"


def command(folder: Path, name: str, status: int, says: str = '"$0 $*"') -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho {says}\nexit {status}\n")
    (folder / name).chmod(0o755)


def run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """With the commands of `bin` alone, and the folder's own `.venv`."""
    command(folder / "bin", "id", 0, says="0")
    environment = {"PATH": str(folder / "bin"), **environment}
    return subprocess.run(
        ["/bin/sh", str(SCRIPT)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_without_a_browser_to_be_had_it_says_what_is_skipped_and_the_tests_go_on(tmp_path: Path) -> None:
    command(tmp_path / "bin", "apt-get", 100)
    command(tmp_path / ".venv" / "bin", "playwright", 1)
    done = run(tmp_path)
    assert done.returncode == 0
    assert "apt-get update" in done.stdout
    assert "playwright install --only-shell chromium" in done.stdout
    assert "No Chromium: the tests with a browser are skipped." in done.stderr


def test_a_browser_that_is_there_or_named_is_taken(tmp_path: Path) -> None:
    assert run(tmp_path, LIKELY_HUMAN_CHROMIUM="/opt/chrome").stdout == ""
    command(tmp_path / "bin", "google-chrome", 0)
    assert run(tmp_path).stdout == ""


@pytest.mark.exhaustive
def test_where_there_is_none_tests_with_a_browser_are_skipped_and_say_so(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "LIKELY_HUMAN_CHROMIUM"}
    environment |= {"PATH": str(Path(sys.executable).parent), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "tests/browser/test_layout.py",
        "tests/browser/test_check.py",
    ]
    done = subprocess.run(
        command, cwd=SCRIPT.parent.parent, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "no Chromium: install one, or name it in LIKELY_HUMAN_CHROMIUM" in done.stdout
