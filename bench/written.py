"""How often the rule `program-written` remarks on texts by their style alone: on texts of people, and of programs."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analysis.quality.records import Answer, SessionRecord
from analysis.quality.registry import RULES
from analysis.quality.rules import ChosenRule, Cohort
from analysis.quality.verdicts import verdict
from analysis.stats.intervals import wilson

RULE = "program-written"


@dataclass(frozen=True, slots=True)
class Rate:
    """Writers with a set of texts large enough, how many of them had a set that met the rule, and the sets."""

    writers: int
    writers_met: int
    sets: int
    sets_met: int

    def __str__(self) -> str:
        if not self.writers:
            return "no writer has a set of texts long enough"
        (low,), (high,) = wilson(np.array([self.writers_met]), np.array([self.writers]))
        return (
            f"{self.writers_met} of {self.writers} writers ({low:.0%} to {high:.0%}), "
            f"{self.sets_met} of {self.sets} sets"
        )


def rate_of(texts_of: Mapping[str, Sequence[str]], at_once: int) -> Rate:
    """The rate over sets of so many long texts: each writer's in order, without what is left over."""
    met = {name: [_is_met(part) for part in _dealt(texts, at_once)] for name, texts in texts_of.items()}
    judged = {name: each for name, each in met.items() if each}
    return Rate(
        len(judged),
        sum(map(any, judged.values())),
        sum(map(len, judged.values())),
        sum(map(sum, judged.values())),
    )


def _dealt(texts: Sequence[str], at_once: int) -> Iterator[Sequence[str]]:
    words = next(each.default for each in RULES[RULE].parameters if each.name == "words") or 1
    long = list(dict.fromkeys(text for text in texts if len(text.split()) > words))
    for start in range(0, len(long) - at_once + 1, at_once):
        yield long[start : start + at_once]


def _is_met(texts: Sequence[str]) -> bool:
    answers = tuple(
        Answer("pair", str(at), "main", frozenset(), texts={"rationale": text})
        for at, text in enumerate(texts)
    )
    session = SessionRecord("1", 1, "main", "live", "completed", answers)
    return bool(verdict([ChosenRule(RULE, use=True)], session, Cohort()).rules)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.written", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="JSON: from each writer to a list of texts")
    parser.add_argument("--at-once", type=int, default=10, help="texts in a set (10)")
    options = parser.parse_args(arguments)
    for path in options.files:
        print(f"{path.stem}: {rate_of(json.loads(path.read_text(encoding='utf-8')), options.at_once)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
