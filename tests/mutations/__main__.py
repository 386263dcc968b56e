"""Mutation check of the tests: break a copy of the checkout in one place at a time, and run the tests next to it."""

import argparse
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.copied import changed, copied
from tests.mutations.mutation import DoesNotApply, Mutation, mutations

PASSED = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Tests that have run: how they ended, what they said, seconds on the clock and of the processor."""

    status: int
    said: str
    seconds: float
    processor: float

    @property
    def failed(self) -> str:
        """The first test that failed, without its parameters."""
        lines = (line for line in self.said.splitlines() if line.startswith(("FAILED ", "ERROR ")))
        return next(lines, "").partition(" ")[2].partition(" - ")[0].partition("[")[0]


class NoResult(Exception):
    """Tests that did not run, or that fail without any change."""


def main() -> int:
    names = mutations()
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="of files in tests/mutations/changes; else all"
    )
    parser.add_argument(
        "--all-tests", action="store_true", help="try what survived with the whole of `make test`"
    )
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in names]:
        parser.error(f"no mutation is called {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [names[name] for name in asked.names or names]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with copied() as copy:
            tests = {one.name: caught_by(copy, one, asked.all_tests) for one in chosen}
            _must_pass(copy, filter(None, tests.values()))
    except (DoesNotApply, NoResult) as fault:
        print(fault, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped; the copy is gone, and the checkout is as it was.", file=sys.stderr)
        return 1
    survived = [name for name, test in tests.items() if not test]
    print(f"{len(chosen) - len(survived)} of {len(chosen)} caught, in {_processor():.0f} s of the processor.")
    if survived:
        print(f"Survived: {', '.join(survived)}")
    return 1 if survived else 0


def caught_by(copy: Path, mutation: Mutation, all_tests: bool) -> str:
    """The first test that fails with the mutation; empty where none does."""
    with changed(copy, mutation):
        test = _tried(copy, mutation, _pytest(copy, mutation.tests))
        if not test and all_tests:
            # The test of the mutations would fail, as the changed lines are not there any more.
            test = _tried(copy, mutation, ["make", "test", "ARGS=-q -x --ignore tests/mutations"])
    return test


def _tried(copy: Path, mutation: Mutation, command: Sequence[str]) -> str:
    run = _run(copy, command)
    # make has a status of its own for a program that failed.
    if run.status != PASSED and not run.failed:
        raise NoResult(f"The tests of {mutation.name} did not run.\n{run.said}")
    word = "caught" if run.failed else "survived"
    times = f"{run.seconds:6.1f} s, {run.processor:5.1f} s of the processor"
    print(f"{word:8} {times}  {mutation.name}  {run.failed}", flush=True)
    return run.failed


def _must_pass(copy: Path, tests: Iterable[str]) -> None:
    """A test that fails without any change has caught nothing."""
    if not (needed := [*dict.fromkeys(tests)]):
        return
    run = _run(copy, _pytest(copy, needed))
    if run.status != PASSED:
        raise NoResult(f"Without any change one of the tests that failed does so too.\n{run.said}")


def _pytest(copy: Path, tests: Iterable[str]) -> Sequence[str]:
    return [str(copy / ".venv/bin/pytest"), "-q", "-x", *tests]


def _run(copy: Path, command: Sequence[str]) -> Run:
    began, used = time.monotonic(), _processor()
    process = subprocess.Popen(
        command,
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate()
    except BaseException:
        # Once, and to all of them: they end the databases and services that they have begun.
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()
        raise
    return Run(process.returncode, said, time.monotonic() - began, _processor() - used)


def _processor() -> float:
    """Seconds that all programs started so far have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
