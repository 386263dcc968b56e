"""The mutations fit the code as it is, and a copy that is broken is what its own tests and programs run."""

import ast
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutations.__main__ import NoResult, caught_by
from tests.mutations.copied import changed, copied
from tests.mutations.mutation import ROOT, DoesNotApply, Mutation, mutations

ROUNDED = Mutation(
    name="rounded",
    breaks="A small p value is printed as 0.",
    file="analysis/stats/p_values.py",
    old="if value < _SMALLEST:\n",
    new="if value < 0:\n",
    tests=["tests/analysis/test_p_values.py"],
)


def test_every_mutation_fits_the_code_as_it_is_and_has_its_tests() -> None:
    found = mutations()
    assert len(found) >= 35
    for one in found.values():
        broken = one.applied((ROOT / one.file).read_text(encoding="utf-8"))
        if one.file.endswith(".py"):
            ast.parse(broken)
        for test in one.tests:
            file, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8") or not name, (
                f"{one.name}: no {test}"
            )


@pytest.mark.parametrize(("text", "times"), [("def f():\n    a = 1\n", 0), ("    b = 2\nb = 2\n", 2)])
def test_lines_that_are_not_there_just_once_are_named(text: str, times: int) -> None:
    one = Mutation("of-b", "", "app/b.py", "b = 2\n", "b = 3\n", [])
    with pytest.raises(DoesNotApply, match=rf"of-b no longer applies: app/b\.py has its lines {times} times"):
        one.applied(text)


def test_lines_keep_their_margin_and_what_is_around_them() -> None:
    one = Mutation("of-b", "", "app/b.py", "if b:\n    c()\n", "c()\n", [])
    assert one.applied("a()\n    if b:\n        c()\n    d()\n") == "a()\n    c()\n    d()\n"


@pytest.mark.slow
def test_programs_of_a_copy_run_the_copy_and_the_checkout_stays_as_it_is(tmp_path: Path) -> None:
    skip_without_git()
    before = (ROOT / ROUNDED.file).read_bytes()
    code = "import json, analysis.stats.p_values as p; print(json.dumps([p.__file__, p.p_cell(0.0004)]))"

    def shown(copy: Path) -> list[str]:
        command = [str(copy / ".venv/bin/python"), "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, check=True)
        return list(json.loads(done.stdout))

    with copied() as copy:
        ours = str(copy / ROUNDED.file)
        with changed(copy, ROUNDED):
            assert shown(copy) == [ours, ".00"]
        assert shown(copy) == [ours, "< .001"]
        program = (copy / ".venv/bin/likely-human").read_text(encoding="utf-8")
        assert program.startswith(f"#!{copy}/.venv/bin/python")
    assert (ROOT / ROUNDED.file).read_bytes() == before
    assert not copy.exists()


@pytest.mark.exhaustive
def test_what_the_tests_notice_is_caught_and_what_they_do_not_survives() -> None:
    skip_without_git()
    unnoticed = replace(ROUNDED, name="unnoticed", new="if value <  _SMALLEST:\n")
    with copied() as copy:
        test = caught_by(copy, ROUNDED, all_tests=False)
        assert test.startswith("tests/analysis/test_p_values.py::test_")
        assert caught_by(copy, unnoticed, all_tests=False) == ""
        with pytest.raises(NoResult, match="did not run"):
            caught_by(copy, replace(ROUNDED, tests=["tests/no_such.py"]), all_tests=False)
    command = [sys.executable, "-m", "tests.mutations", "sd-of-the-sample"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, "\n1 of 1 caught, in " in done.stdout) == (0, "", True)


def skip_without_git() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("git says what belongs to a checkout, and this folder is none")
