"""Judges of installed packages: real distributions, built and installed into a folder, without a network."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from app.core.errors import NotFound
from app.judges import described as describing
from app.judges.base import JudgeUnavailable, StimulusFiles
from app.judges.described import Described
from app.judges.registry import OURS, Registered, judge_named, load, registry_of
from app.judges.runner import PairToJudge, run_judge
from tests.judges.files import QUESTION
from tests.judges.packages import BROKEN, installed, site

pytestmark = pytest.mark.slow

PROGRAM = Path(sys.executable).parent / "likely-human"
__all__ = ["installed", "site"]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.slow
def test_all_are_listed_with_their_package_and_broken_ones_are_named_apart(site: Path) -> None:
    done = subprocess.run(
        [PROGRAM, "judge", "list"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200"},
        check=True,
    )
    listed = re.findall(r"^(\S+)  version \d+  from", done.stdout, re.MULTILINE)
    assert listed == [*OURS, "longer"]
    assert "package: longer-judge 1.0" in done.stdout
    said = done.stderr.splitlines()
    for name in BROKEN:
        (line,) = [line for line in said if f"the judge {name!r}" in line]
        assert "of the package broken-judges 1.0" in line
    whole = "\n".join(said)
    assert "No module named 'a_library_that_is_not_there'" in whole
    assert "ended the process with status 7" in whole
    assert "SystemExit: no licence" in whole
    assert "is no judge" in whole
    assert "calls itself 'longer'" in whole
    assert (
        "broken-judges 1.0 registers a judge as 'motion', the name of one that comes with this program"
        in whole
    )
    assert "Traceback" not in done.stdout + done.stderr


def test_it_runs_in_the_runner_of_all_judges(installed: Path, stimuli: Sequence[StimulusFiles]) -> None:
    pairs = [PairToJudge("nav", "p1", QUESTION, stimuli[1], stimuli[2])]
    (row,) = run_judge(judge_named("longer"), pairs, lambda *_: None, lambda: NOW)
    assert (row.judge, row.choice, row.problem) == ("longer", "a", "")


@pytest.mark.slow
def test_a_broken_one_is_refused_by_name_and_ours_go_on(installed: Path) -> None:
    with pytest.raises(
        JudgeUnavailable, match=r"'absent' of the package broken-judges 1\.0 cannot be loaded"
    ):
        judge_named("absent")
    with pytest.raises(NotFound, match=r"there is straightness, fidget, motion, .*longer"):
        judge_named("oracle")
    assert judge_named("motion").info.name == "motion"


def test_one_that_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: Path
) -> None:
    (tmp_path / "sleeping.py").write_text("import time\ntime.sleep(600)")
    facts = tmp_path / "p-1.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: p\nVersion: 1\n")
    (facts / "entry_points.txt").write_text("[likely_human.judges]\ns = sleeping:Judge\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{installed}")
    monkeypatch.setattr(describing, "PATIENCE_S", 1.0)
    (found,) = describing._query_descriptions([Registered("s", "sleeping:Judge", "p 1")])
    problem = "the judge 's' of the package p 1 cannot be loaded: its code did not end within 1 s"
    assert found == Described("s", "p 1", None, problem)


class Unprepared:
    info = judge_named("motion").info

    def prepare(self) -> None:
        raise RuntimeError("no GPU here")

    def judge(self, pair: object) -> None:
        raise AssertionError("never asked")


def test_one_that_trips_over_its_own_preparation_is_unavailable_in_words(
    stimuli: Sequence[StimulusFiles],
) -> None:
    pairs = [PairToJudge("nav", "p1", QUESTION, stimuli[1], stimuli[2])]
    with pytest.raises(JudgeUnavailable, match=r"cannot be prepared \(RuntimeError: no GPU here\)"):
        run_judge(Unprepared(), pairs, lambda *_: None, lambda: NOW)  # type: ignore[arg-type]


def test_names_that_cannot_be_told_apart_or_typed_are_refused() -> None:
    points = [
        EntryPoint("twice", "a:A", "likely_human.judges"),
        EntryPoint("twice", "b:B", "likely_human.judges"),
        EntryPoint("a name", "c:C", "likely_human.judges"),
        EntryPoint("fine", "d:D", "likely_human.judges"),
    ]
    found = registry_of(points)
    assert list(found.judges) == [*OURS, "fine"]
    assert [line.partition(" regist")[2] for line in found.refused] == [
        "ers a judge as 'a name'; allowed: letters, digits, . _ and -, at most 40",
        "er two judges as 'twice': remove one of them",
    ]
    with pytest.raises(JudgeUnavailable, match="the judge 'fine' of the package an unknown package"):
        load(found.judges["fine"])
