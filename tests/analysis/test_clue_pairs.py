"""Clues within the pairs that people decide: against SciPy, by hand, and where margins say nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from analysis.clues.report import clue_report
from analysis.clues.within_pairs import share_within

pytestmark = pytest.mark.slow


def paired(n: int, shift: float, seed: int = 1, clues: int = 1) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Pairs whose scenes differ widely; the person's clip has the first clue lower by `shift`, give or take little."""
    rng = np.random.default_rng(seed)
    scene = rng.normal(20, 5, (n, clues))
    rows = []
    for source, less in (("human", shift), ("agent", 0.0)):
        for number in range(n):
            values = scene[number] + 0.01 * rng.standard_normal(clues)
            values[0] -= less
            named = {f"c{k}": value for k, value in enumerate(values)}
            rows.append({"stimulus": f"{source}{number}", "source": source, **named})
    return pd.DataFrame(rows), [(f"agent{k}", f"human{k}") for k in range(n)]


def test_a_clip_that_is_a_little_shorter_in_every_pair_is_found_where_margins_say_nothing() -> None:
    table, pairs = paired(30, 0.2)
    margins = clue_report(table, seed=1)
    assert (margins.verdict == "telling", margins.clue("c0").warns) == (False, False)
    report = clue_report(table, seed=1, pairs=pairs)
    clue = report.clue("c0")
    [share] = clue.within_pairs
    assert (share.first, share.second, share.n_pairs, share.n_lower, share.strength) == (
        "human",
        None,
        30,
        30,
        1.0,
    )
    assert (clue.finding, clue.warns, report.verdict) == ("telling", True, "telling")
    assert report.says == "C0 gives the source away."
    because = (
        "C0 names the source within pairs: it is lower in human than in the other in 30 of 30 pairs (exact 95% "
        "interval 0.88 to 1.00, sign test p < .001)."
    )
    assert report.because == (because,)
    assert because in report.summary
    assert (clue.against_others, clue.pairs) == (margins.clue("c0").against_others, margins.clue("c0").pairs)


def test_pairs_that_differ_by_nothing_but_chance_do_not_warn() -> None:
    table, pairs = paired(30, 0.0, clues=3)
    report = clue_report(table, seed=1, pairs=pairs)
    assert not any(clue.warns for clue in report.clues)
    assert [clue.within_pairs[0].n_pairs for clue in report.clues] == [30] * 3


def test_the_share_its_interval_and_p_are_scipy_s_and_equal_values_count_half() -> None:
    share = share_within("human", None, np.array([1.0, 2.0, 3.0, -1.0, 0.0, 0.0, np.nan]))
    test = binomtest(3, 4)
    assert (share.n_pairs, share.n_higher, share.n_lower, share.n_equal) == (6, 3, 1, 2)
    assert share.share == pytest.approx(4 / 6)
    assert share.p == pytest.approx(test.pvalue)
    ends = test.proportion_ci(0.95, "exact")
    assert [share.low, share.high] == pytest.approx([(4 * ends.low + 1) / 6, (4 * ends.high + 1) / 6])
    level = share_within("human", None, np.zeros(3))
    assert (level.share, level.p, level.low) == (0.5, 1.0, None)


def test_each_two_sources_are_compared_and_pairs_of_one_source_are_left_out() -> None:
    rows = [
        {"stimulus": name, "source": source, "x": x}
        for name, source, x in (
            ("h1", "human", 2.0),
            ("h2", "human", 3.0),
            ("y1", "hybrid", 1.0),
            ("s1", "symbolic", 5.0),
        )
    ]
    pairs = [("h1", "y1"), ("s1", "h2"), ("h1", "h2"), ("y1", "s1"), ("h1", "gone")]
    shares = clue_report(pd.DataFrame(rows), seed=1, pairs=pairs).clue("x").within_pairs
    assert [(one.first, one.second, one.n_pairs, one.n_higher) for one in shares] == [
        ("human", None, 2, 1),
        ("human", "hybrid", 1, 1),
        ("human", "symbolic", 1, 0),
        ("hybrid", "symbolic", 1, 0),
    ]
