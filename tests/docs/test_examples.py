"""The Python in the documentation: it passes the linters of the project, and runs."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from analysis.planning import simulated_responses
from analysis.planning.asked import SIMULATIONS

ROOT = Path(__file__).parents[2]
RUFF = str(Path(sys.executable).with_name("ruff"))
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
EXAMPLES: Mapping[str, str] = {
    f"{page.stem.lower().replace('-', '_')}_{number}": code
    for page in PAGES
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE), 1
    )
}
# Examples print, and open the address that they are given.
IGNORED = "T20,S310"
# Parts of a task and of a game, which are files of the tests and linted there; and one that needs what the project does
# without.
ELSEWHERE = {name for name in EXAMPLES if name.startswith(("new_task", "new_game"))}
NEEDS_TORCH = {"judges_2"}
A_LINE_OF_A_REGISTRY = {"new_game_2", "new_statistic_2"}
# Who is run by the test of what it shows: an agent, a program on a seat, a judge, tables from elsewhere.
RUN_BY_OTHERS = {"clips_1", "closed_loop_1", "games_1", "judges_1", "elsewhere_1", "judging_2"}
# What examples take comes from NumPy, pandas and the project.
NOT_READ = """
[[tool.mypy.overrides]]
module = ["sqlalchemy.*", "xarray.*", "matplotlib.*", "pydantic.*", "pydantic_core.*", "rich.*", "av.*"]
follow_imports = "skip"
follow_imports_for_stubs = true
"""
RUN = sorted(EXAMPLES.keys() - ELSEWHERE - NEEDS_TORCH - RUN_BY_OTHERS - A_LINE_OF_A_REGISTRY)


def test_the_exceptions_are_there() -> None:
    assert EXAMPLES.keys() >= NEEDS_TORCH | RUN_BY_OTHERS | A_LINE_OF_A_REGISTRY
    assert len(ELSEWHERE) >= 8


@pytest.mark.slow
def test_every_example_passes_the_linter_and_stands_as_the_formatter_has_it() -> None:
    for name, code in EXAMPLES.items():
        if name in A_LINE_OF_A_REGISTRY:
            continue
        for options in (["check", "--ignore", IGNORED], ["format", "--diff"]):
            command = [RUFF, *options, "--stdin-filename", f"app/{name}.py", "-"]
            done = subprocess.run(command, input=code, capture_output=True, text=True, cwd=ROOT, check=False)
            assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


def typing_options(folder: Path, config: pytest.Config) -> list[str]:
    """Options of mypy: the project's where `make lint` has left its cache, which is then all that is read.

    Without one, mypy would read for half a minute what no example is about: here it leaves that out, and the bodies of
    our own functions, and keeps what it learned for the next time.
    """
    if (ROOT / ".mypy_cache").exists():
        return ["--config-file", "pyproject.toml"]
    options = folder / "pyproject.toml"
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    options.write_text(project + NOT_READ, encoding="utf-8")
    cache = getattr(config, "cache", None)
    kept = cache.mkdir("mypy") if cache else folder / "cache"
    return ["--config-file", str(options), "--follow-imports", "silent", "--cache-dir", str(kept)]


@pytest.mark.slow
def test_every_example_is_typed_as_the_project_is(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    files = []
    for name in EXAMPLES.keys() - ELSEWHERE - NEEDS_TORCH - A_LINE_OF_A_REGISTRY:
        files.append(tmp_path / f"example_{name}.py")
        files[-1].write_text(EXAMPLES[name], encoding="utf-8")
    command = [sys.executable, "-m", "mypy", *typing_options(tmp_path, pytestconfig), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an example finds the files that it names."""
    path = tmp_path_factory.mktemp("examples")
    responses = simulated_responses(accuracy=0.84, participants=12, pairs=6, seed=1)
    responses.to_csv(path / "responses.csv", index=False)
    responses.to_parquet(path / "responses.parquet")
    pairs = sorted(responses["pair"].astype(str).unique())
    pd.DataFrame({"judge": "coin", "pair": pairs, "choice": ["a", "b"] * 3}).to_csv(
        path / "verdicts.csv", index=False
    )
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_an_example_runs_as_it_stands_and_prints_what_it_says(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for test in SIMULATIONS:
        monkeypatch.setitem(SIMULATIONS, test, 100)
    exec(compile(EXAMPLES[name], name, "exec"), {"__name__": name})
    assert bool(capsys.readouterr().out.strip()) == ("print(" in EXAMPLES[name])
