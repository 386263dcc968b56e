"""A judge that learnt nothing cannot tell how positions were logged: both of a pair are brought to one step."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.judges.alike import logged_alike
from app.judges.base import Judge, StimulusFiles
from app.judges.fidget import Fidget
from app.judges.motion import Motion
from app.judges.runner import PairToJudge, run_judge
from app.judges.straightness import Straightness
from tests.factories import NOW
from tests.judges.files import QUESTION, wavy, write_positions


def pair_of(a: Path, b: Path) -> PairToJudge:
    return PairToJudge("s", "q1", QUESTION, StimulusFiles(a, a), StimulusFiles(b, b))


def score(judge: Judge, pair: PairToJudge) -> float:
    [row] = run_judge(judge, [pair], lambda *_: None, lambda: NOW)
    assert row.score is not None, row.problem
    return row.score


@pytest.fixture
def coarse(tmp_path: Path) -> Path:
    """The same walk at 5 values a second, rounded to decimetres."""
    path = write_positions(tmp_path / "coarse.csv", wavy, hz=5)
    header, *rows = path.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    rounded = [[t_s, *(f"{float(cell):.1f}" for cell in place), heading] for t_s, *place, heading in cells]
    path.write_text("\n".join([header, *map(",".join, rounded)]) + "\n")
    return path


def test_one_walk_that_was_logged_in_two_ways_is_told_apart_no_more(tmp_path: Path, coarse: Path) -> None:
    pair = pair_of(write_positions(tmp_path / "fine.csv", wavy), coarse)
    for judge in (Straightness(), Fidget()):
        as_they_are = score(judge, pair)
        with logged_alike(judge.info, [pair]) as [alike]:
            assert abs(score(judge, alike)) < abs(as_they_are) / 5, judge.info.name
            assert np.loadtxt(alike.a.positions or "", delimiter=",", skiprows=1).shape == (41, 5)
        assert alike.a.positions is not None
        assert not alike.a.positions.exists()


def test_pairs_that_were_logged_alike_and_what_is_no_table_stay_as_they_are(
    tmp_path: Path, coarse: Path
) -> None:
    fine, other = (write_positions(tmp_path / f"{name}.csv", wavy) for name in ("one", "two"))
    odd = tmp_path / "odd.csv"
    odd.write_text("x,y\n1,2\n")
    pairs = [
        pair_of(fine, other),
        pair_of(fine, odd),
        replace(pair_of(fine, other), a=StimulusFiles(fine, None)),
    ]
    with logged_alike(Straightness.info, pairs) as alike:
        assert alike == pairs
    different = [pair_of(fine, coarse)]
    with logged_alike(Motion.info, different) as alike:
        assert alike == different, "a judge that looks reads no positions"
