"""The calibration bench itself: every case still runs, and a test or an interval that is off is called so."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from bench import (
    calibration_ceiling,
    calibration_choices,
    calibration_clues,
    calibration_games,
)
from bench.calibration import CASES, calibration_text, main, measure_calibration
from bench.calibration_case import Case, Hit, interval, null_test, rejected, within
from bench.calibration_labels import reliability, reliability_text

pytestmark = pytest.mark.slow


def test_the_table_of_ceilings_has_what_was_wrong_before_and_is_right_now() -> None:
    lines = calibration_ceiling.ceilings_text().splitlines()
    assert "| 0.5 | 9 | 0.363 | 0.500 | 0.500 |" in lines
    assert "| 0.7 | 9 | 0.582 | 0.650 | 0.660 |" in lines
    assert "| 0.7 | 11 | 0.609 | 0.660 | 0.669 |" in lines


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.key, marks=pytest.mark.exhaustive if at % 8 else [])
        for at, case in enumerate(CASES)
    ],
)
def test_every_case_answers_for_each_of_its_goals(
    case: Case, monkeypatch: pytest.MonkeyPatch, exhaustive: bool
) -> None:
    monkeypatch.setattr(calibration_clues, "WORLD", 2)
    monkeypatch.setattr(calibration_games, "WORLD", 40)
    monkeypatch.setattr(calibration_choices, "WORLD", 3)
    for seed in (1, 2) if exhaustive else (1,):
        hits: Sequence[Hit] = case.simulate(np.random.default_rng(seed), seed)
        assert len(hits) == len(case.goals)
        # Three people may give no interval in two draws; what is withheld gives none in any.
        assert not case.withheld or set(hits) == {None}
        assert all(hit is None or isinstance(hit, bool) for hit in hits)


def test_the_same_seeds_give_the_same_rows_whichever_cases_run_beside() -> None:
    quick = [case for case in CASES if case.key in ("shift-8", "wilson-0.7", "prediction-powered-30")]
    assert measure_calibration(20, None, quick[1:]) == measure_calibration(20, None, quick)[1:]


def test_a_case_runs_no_more_seeds_than_it_allows_and_progress_ends_at_all_of_them() -> None:
    seen = []
    case = replace(_coin("coin", 0.05, is_test=True), most=25)
    rows = measure_calibration(1_000, lambda *step: seen.append(step), [case])
    assert rows[0].seeds == 25
    assert seen[-1] == (25, 25, "")


@pytest.mark.parametrize(
    ("rate", "is_test", "verdict"),
    [
        (0.05, True, "holds"),
        (0.12, True, "OFF: rejects too often"),
        (0.01, True, "holds, cautious"),
        (0.95, False, "holds"),
        (0.85, False, "OFF: too narrow"),
        (0.99, False, "holds, wide"),
    ],
)
def test_a_coin_of_known_bias_gets_the_verdict_it_deserves(rate: float, is_test: bool, verdict: str) -> None:
    [row] = measure_calibration(2_000, None, [_coin("coin", rate, is_test=is_test)])
    assert row.verdict == verdict
    assert row.rate is not None
    assert row.rate == pytest.approx(rate, abs=4 * (rate * (1 - rate) / 2_000) ** 0.5)
    # Independent source of the rate's own interval: statsmodels.
    expected = proportion_confint(round(row.rate * 2_000), 2_000, method="wilson")
    assert (row.low, row.high) == pytest.approx(expected, abs=1e-9)


def test_a_row_that_is_there_to_be_off_is_not_counted_as_off() -> None:
    case = _coin("coin", 0.5, is_test=False)
    shown = replace(case, goals=(replace(case.goals[0], shows=True),))
    [row] = measure_calibration(200, None, [shown])
    assert row.verdict == "too narrow, as the row is there to show"
    assert not row.is_off


@pytest.mark.exhaustive
def test_the_pooled_rows_show_that_answers_of_one_participant_are_not_independent() -> None:
    """Independent source: the normal approximation with the design effect of Beta(4, 4) abilities in six trials."""
    [case] = [case for case in CASES if case.key == "pooled-30x6"]
    design_effect = 1 + (6 - 1) / (4 + 4 + 1)
    # At least 14 of 180 answers away from one half: p at most 0.05.
    expected = 2 * norm.sf(13.5 / (180 / 4 * design_effect) ** 0.5)
    rate = np.mean([case.simulate(np.random.default_rng(seed), seed)[0] for seed in range(3_000)])
    assert rate == pytest.approx(expected, abs=0.02)


def test_data_without_a_number_are_counted_and_not_taken_for_a_miss() -> None:
    case = Case("gaps", "", (null_test("gaps"),), lambda _rng, seed: (None if seed % 2 else True,))
    [row] = measure_calibration(10, None, [case])
    assert (row.seeds, row.n, row.rate) == (10, 5, 1.0)
    assert row.verdict.endswith("none in 5 of 10")


def test_p_of_exactly_five_in_a_hundred_rejects_and_an_end_is_inside() -> None:
    assert rejected(0.05)
    assert not rejected(0.0501)
    assert rejected(None) is None
    assert within(0.5, 0.5, 0.6)
    assert not within(0.51, 0.5, 0.6)


def test_the_command_prints_the_table_and_keeps_it(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    kept = tmp_path / "calibration.md"
    assert main(["--seeds", "5", "--cases", "wilson-0.7,chance-12", "--out", str(kept)]) == 0
    text = kept.read_text()
    assert capsys.readouterr().out == text
    assert "`python -m bench.calibration --seeds 5 --cases wilson-0.7,chance-12" in text
    assert "Wilson interval" in text
    assert "5 seeds" in text


def test_an_unknown_case_is_refused_with_the_names_of_all(capsys) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SystemExit):
        main(["--cases", "nonsense"])
    assert "mann-whitney-exact" in capsys.readouterr().err


def test_the_table_keeps_tests_and_intervals_apart() -> None:
    rows = measure_calibration(50, None, [_coin("t", 0.5, is_test=True), _coin("i", 0.5, is_test=False)])
    text = calibration_text(rows)
    assert text.startswith("2 rows, 2 of them OFF")
    assert text.index("`t`") < text.index("95% intervals") < text.index("`i`")


def _coin(key: str, rate: float, *, is_test: bool) -> Case:
    goal = (null_test if is_test else interval)("a coin")
    return Case(key, "a coin", (goal,), lambda rng, _seed: (bool(rng.random() < rate),))


@pytest.mark.exhaustive
def test_the_reliability_of_labels_is_counted_and_em_is_more_certain_than_right() -> None:
    found = reliability(1)
    for rows in found.values():
        assert sum(row.n for row in rows) == 32 * 200
    ours, theirs = found["hierarchical"], found["EM"]
    assert theirs[-1].n > 4 * ours[-1].n
    assert theirs[-1].right is not None
    assert theirs[-1].right < 0.9
    for row in ours:
        assert row.expected is not None
        assert row.right == pytest.approx(row.expected, abs=0.1)
    text = reliability_text(found)
    assert text.count("\n") == len(ours) + 1
    assert f"| 0.99 to 1 | {ours[-1].n:,} |" in text
