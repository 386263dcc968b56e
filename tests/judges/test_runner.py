"""The runner: blind, timed, stamped; a pair that fails is a row."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.judges.base import (
    JudgeFailed,
    JudgeInfo,
    JudgeUnavailable,
    Needs,
    PairFiles,
    StimulusFiles,
    Verdict,
)
from app.judges.runner import COLUMNS, Clock, PairToJudge, VerdictRow, blinded, run_judge, verdicts_csv
from tests.factories import NOW
from tests.judges.files import QUESTION

INFO = JudgeInfo(
    name="stub",
    version="7",
    title="A stub",
    reference="none",
    score_unit="probability of a",
    needs=Needs.CLIPS,
    order_invariant=False,
    even=0.5,
)


class Stub:
    """Says what it is told to say, and keeps what it was shown."""

    info: ClassVar[JudgeInfo] = INFO

    def __init__(self, *says: Verdict | Exception) -> None:
        self.says = says
        self.seen: list[PairFiles] = []

    def prepare(self) -> None:
        """Do nothing; there is nothing to load."""

    def judge(self, pair: PairFiles) -> Verdict:
        self.seen.append(pair)
        said = self.says[(len(self.seen) - 1) % len(self.says)]
        if isinstance(said, Exception):
            raise said
        return said


def clip(name: str) -> StimulusFiles:
    return StimulusFiles(Path("clips") / f"{name}.mp4", None)


def pair(name: str = "human-hybrid-01", a: str = "aaa", b: str = "bbb") -> PairToJudge:
    return PairToJudge("nav", name, QUESTION, clip(a), clip(b))


def ticking(step_ms: int) -> Clock:
    """A clock that goes on by so much each time it is read."""
    reads = count()
    return lambda: NOW + timedelta(milliseconds=step_ms * next(reads))


def silent(_done: int, _total: int, _what: str) -> None:
    """Progress that nobody watches."""


def run(judge: Stub, *pairs: PairToJudge) -> Sequence[VerdictRow]:
    return run_judge(judge, pairs or [pair()], silent, ticking(40))


def test_a_row_is_stamped_with_version_time_and_duration() -> None:
    first, second = run(Stub(Verdict("a", 0.75)), pair("p1"), pair("p2"))
    assert (first.judge, first.version, first.study, first.run) == ("stub", "7", "nav", "")
    assert (first.choice, first.score, first.problem) == ("a", 0.75, "")
    assert (first.judged_at, first.duration_ms) == (NOW, 40)
    assert second.judged_at == NOW + timedelta(milliseconds=80)


def test_a_judge_is_told_neither_the_pairs_name_nor_the_order_of_its_members() -> None:
    """In most studies the human clip is always `a`: a judge that says `a` must not be right by that."""
    judge = Stub(Verdict("a", 0.9))
    named, renamed, turned = run(judge, pair(), pair("p2"), pair(a="bbb", b="aaa"))
    assert judge.seen[0] == judge.seen[1] == judge.seen[2]
    assert "human" not in judge.seen[0].pair
    assert judge.seen[0].question == QUESTION
    assert [(row.choice, row.score) for row in (named, renamed)] == [("a", 0.9)] * 2
    assert turned.choice == "b"
    assert turned.score == pytest.approx(0.1)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=20), st.floats(0, 1))
def test_calling_a_b_mirrors_every_row_of_any_judge(numbers: list[tuple[int, int]], score: float) -> None:
    pairs = [pair(f"p{n}", f"c{a}", f"d{b}") for n, (a, b) in enumerate(numbers)]
    turned = [replace(p, a=p.b, b=p.a) for p in pairs]
    says = [Verdict("a", score), Verdict("b", score), Verdict(None, None)]
    rows, mirrored = run(Stub(*says), *pairs), run(Stub(*says), *turned)
    for row, mirror in zip(rows, mirrored, strict=True):
        assert {row.choice, mirror.choice} in ({"a", "b"}, {None})
        if row.score is not None:
            assert mirror.score == pytest.approx(1 - row.score)


def test_different_pairs_have_different_opaque_names() -> None:
    shown = {blinded(pair("p", a, b))[0].pair for a in "xyz" for b in "uvw"}
    assert len(shown) == 9


def test_a_pair_that_fails_is_a_row_that_says_whose_file_it_was() -> None:
    bad = pair("p2", a="zzz", b="yyy")
    failing = Stub(Verdict("a", 1.0), JudgeFailed(bad.a.clip, "is not there"), JudgeFailed(None, "no light"))
    rows = run(failing, pair("p1"), bad, pair("p3"))
    assert [row.pair for row in rows] == ["p1", "p2", "p3"]
    assert [row.problem for row in rows] == ["", "a: zzz.mp4 is not there", "no light"]
    assert [(row.choice, row.score) for row in rows[1:]] == [(None, None)] * 2


@pytest.mark.parametrize(
    ("says", "problem"),
    [
        (ValueError("line 1\nline 2"), "ValueError: line 1 line 2"),
        (KeyError("x" * 1000), "KeyError: 'xxx"),
        (Verdict("left", 1.0), "the judge chose 'left'"),  # type: ignore[arg-type]
        (Verdict("a", float("nan")), "the judge gave the score nan"),
    ],
)
def test_a_judge_that_goes_wrong_costs_one_row(says: Verdict | Exception, problem: str) -> None:
    row = run(Stub(says))[0]
    assert row.problem.startswith(problem)
    assert len(row.problem) <= 300
    assert (row.choice, row.score) == (None, None)


def test_progress_can_stop_it_between_two_pairs() -> None:
    class Cancelled(Exception):
        """As the worker raises it."""

    def stop(done: int, _total: int, _what: str) -> None:
        if done == 2:
            raise Cancelled

    judge = Stub(Verdict("a", 1.0))
    with pytest.raises(Cancelled):
        run_judge(judge, [pair(f"p{n}") for n in range(5)], stop, ticking(1))
    assert len(judge.seen) == 2


def test_a_judge_that_cannot_run_says_so_before_the_first_pair() -> None:
    class Unavailable(Stub):
        def prepare(self) -> None:
            raise JudgeUnavailable("the weights are not there; put them into weights/")

    judge = Unavailable(Verdict("a", 1.0))
    with pytest.raises(JudgeUnavailable, match="weights"):
        run(judge)
    assert judge.seen == []


def test_verdicts_are_a_table_with_empty_cells_for_what_is_missing() -> None:
    rows = run(
        Stub(Verdict("b", 0.25), Verdict(None, None), JudgeFailed(None, 'a "quoted", one')), *map(pair, "xyz")
    )
    read = list(csv.DictReader(io.StringIO(verdicts_csv(rows))))
    assert tuple(read[0]) == COLUMNS
    assert COLUMNS[:4] == ("judge", "pair", "choice", "score")
    assert [(row["choice"], row["score"], row["problem"]) for row in read] == [
        ("b", "0.25", ""),
        ("", "", ""),
        ("", "", 'a "quoted", one'),
    ]
    assert read[0]["judged_at"] == "2026-03-01T12:00:00.000Z"
    assert datetime.fromisoformat(read[0]["judged_at"]).tzinfo == UTC
