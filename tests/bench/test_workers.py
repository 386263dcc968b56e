"""Two processes beside one: the ratio, and whether the machine had cores for it."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bench import library, workers
from bench.usage import family_s
from bench.workers import Run, is_sound, measure_workers, workers_text
from tests.program import Program


def run(workers: int, rate: float, *, ms: float = 2.0, others: float = 0.0, n_lost: int = 0) -> Run:
    return Run(workers, rate, ms, 1.0, 0.5 * workers, 0.2, 0.2, others, 100, 100, n_lost)


def test_the_ratio_is_of_each_turn_and_its_median() -> None:
    runs = [run(1, 100), run(2, 150), run(1, 50), run(2, 85), run(1, 100), run(2, 190)]
    told = workers_text(runs, cores=8)
    assert "| 1 | 100.0 | 2.00 | 1.00 | 0.50 | 0.20 | 0.20 | 0.00 |" in told
    assert told.endswith(
        "Two processes: 1.70 times the answers per second of one (1.50 to 1.90, 3 turns; goal: 1.7)."
    )


def test_without_a_free_core_that_is_said_with_what_processor_time_alone_allows() -> None:
    told = workers_text([run(1, 100), run(2, 110, ms=2.5, others=0.6)], cores=2)
    assert "NO CORE WAS FREE: with two processes 2.00 of 2 cores were busy" in told
    assert "1.25 times the processor time" in told
    assert told.endswith("could reach 1.60 times at most.")


def test_a_lost_answer_is_not_sound() -> None:
    assert is_sound([run(1, 100)])
    assert not is_sound([run(1, 100), run(2, 100, n_lost=1)])


def test_processor_time_of_a_family_counts_children_that_have_ended() -> None:
    before = family_s(os.getpid())
    spend = "import time\nwhile time.process_time() < 0.2: pass"
    subprocess.run([sys.executable, "-c", spend], check=True)
    assert family_s(os.getpid()) - before >= 0.15
    assert family_s(2**22 + 1) == 0


@pytest.mark.slow
def test_every_acknowledged_answer_is_stored_whichever_process_took_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program, exhaustive: bool
) -> None:
    """Two processes take answers; one beside them, as it is measured, is left to `make test-all`.

    The commands that make the study are forked, of which each would spend two seconds on imports.
    """

    def run_forked(command: Sequence[str | Path], env: Mapping[str, str]) -> None:
        done = program.run(*command[1:], cwd=tmp_path, environment=env)
        assert done.returncode == 0, done.stderr

    monkeypatch.setattr(library, "run", run_forked)
    numbers = (1, 2) if exhaustive else (2,)
    monkeypatch.setattr(workers, "WORKERS", numbers)
    monkeypatch.setattr(workers, "COMING_S", 0.5)
    runs = measure_workers(tmp_path / "data", seconds=2, repeats=1, warm_up_s=1)
    if not runs:
        pytest.skip("no PostgreSQL server")
    assert tuple(each.workers for each in runs) == numbers
    assert all(each.n_acknowledged > 0 for each in runs)
    assert is_sound(runs)
