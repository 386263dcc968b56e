"""The tutorial of the closed loop, run as it stands: its files, then its commands, in order."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "closed-loop.md"
FILES = {"python": "my_agent.py", "yaml": "study.yaml"}

pytestmark = [pytest.mark.any_database, pytest.mark.videos]


def blocks(text: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_page_names_its_files_and_its_agent_is_short() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = dict(blocks(text))
    assert {"bash", *FILES} == set(found)
    assert all(f"`{name}`" in text for name in FILES.values())
    assert len([line for line in found["python"].splitlines() if line.strip()]) <= 35


@pytest.mark.exhaustive
def test_every_command_of_the_page_does_what_the_page_says(tmp_path: Path) -> None:
    left_out = ("DATABASE_URL", "LIKELY_HUMAN_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    n_commands = 0
    for kind, text in blocks(PAGE.read_text(encoding="utf-8")):
        if kind in FILES:
            (tmp_path / FILES[kind]).write_text(text, encoding="utf-8")
            continue
        for command in text.splitlines():
            if command.startswith(". "):
                continue
            n_commands += 1
            done = subprocess.run(
                shlex.split(command),
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert n_commands == 13
    labels = pd.read_csv(tmp_path / "labels.csv")
    assert len(labels) == 48
    assert set(labels["n"]) == {12}
    card = json.loads((tmp_path / "judge" / "card.json").read_text())
    assert card["evaluation"]["n_pairs"] == 48
    assert sorted(path.stem for path in (tmp_path / "drawn").glob("*.svg")) == [
        "accuracy-by-model", "rank-by-model",
    ]  # fmt: skip
    assert (tmp_path / "report" / "report.html").is_file()
