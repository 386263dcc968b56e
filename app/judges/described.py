"""Descriptions of the judges, obtained without loading any here: the service loads neither numeric libraries nor
foreign code.

Ours are queried in a process of their own, and each package's judge in another, so that one that fails, exits or hangs
is named and does not affect the others.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from app.judges.base import JudgeInfo, JudgeUnavailable, Needs
from app.judges.registry import Registered, load, registry

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Described:
    """A judge that can be chosen, or (`info` None) why it cannot; `package` is empty for ours."""

    name: str
    package: str
    info: JudgeInfo | None
    problem: str = ""


@cache
def described() -> Sequence[Described]:
    """Every judge of the registry, in its order; asked once for each process."""
    judges = list(registry().judges.values())
    ours = [judge for judge in judges if not judge.package]
    groups = [ours, *([judge] for judge in judges if judge.package)]
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(_query_descriptions, groups))
    return [described for answer in answers for described in answer]


def _query_descriptions(judges: Sequence[Registered]) -> Sequence[Described]:
    names = [judge.name for judge in judges]
    try:
        done = subprocess.run(  # noqa: S603  (ourselves)
            [sys.executable, "-m", "app.judges.described", *names],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
            check=False,
        )
        said: Mapping[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
        fault = f"its code ended the process with status {done.returncode}"
    except subprocess.TimeoutExpired:
        said, fault = {}, f"its code did not end within {PATIENCE_S:.0f} s"
    return [_described(judge, said.get(judge.name), fault) for judge in judges]


def _described(judge: Registered, said: Mapping[str, Any] | None, fault: str) -> Described:
    if said is None:
        return Described(judge.name, judge.package, None, f"{judge.who} cannot be loaded: {fault}")
    if "problem" in said:
        return Described(judge.name, judge.package, None, said["problem"])
    return Described(judge.name, judge.package, JudgeInfo(**{**said, "needs": Needs(said["needs"])}))


def _say(names: Sequence[str]) -> None:
    """The queried process: writes JSON to standard output, whatever a judge's module prints."""
    answer = os.dup(1)
    os.dup2(2, 1)
    said: dict[str, Any] = {}
    for name in names:
        try:
            said[name] = asdict(load(registry().judges[name]).info)
        except JudgeUnavailable as error:
            said[name] = {"problem": str(error)}
    with os.fdopen(answer, "w") as out:
        json.dump(said, out)


if __name__ == "__main__":
    _say(sys.argv[1:])
