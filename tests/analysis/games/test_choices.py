"""Prediction of choices: scores against scikit-learn, no leak from who is held out, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.metrics import brier_score_loss, log_loss  # type: ignore[import-untyped]

from analysis.errors import AnalysisError
from analysis.games.choices import folds_of, predict_choices


def decisions(people: int = 12, each: int = 10, effect: float = 2.0) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = people * each
    gain = rng.normal(size=n)
    return pd.DataFrame(
        {
            "person": np.repeat([f"p{i}" for i in range(people)], each),
            "config": [f"c{i % 6}" for i in range(n)],
            "chose": rng.random(n) < 1 / (1 + np.exp(-effect * gain)),
            "gain": gain,
            "round": np.tile(np.arange(each, dtype=float), people),
        }
    )


def test_baselines_are_scikit_learns_fits_to_the_other_people() -> None:
    table = decisions()
    found = predict_choices(table, ["gain", "round"], folds=4, resamples=100)
    for held in found.held_out:
        fold = folds_of(table[held.held_out], 4)
        values, chose = table[["gain", "round"]].to_numpy(), table["chose"].to_numpy()
        expected, rates = np.empty(len(table)), np.empty(len(table))
        for one in range(4):
            out = fold == one
            # Whole groups are held out.
            assert not set(table[held.held_out][out]) & set(table[held.held_out][~out])
            centre, scale = values[~out].mean(axis=0), values[~out].std(axis=0)
            model = LogisticRegression(tol=1e-10).fit((values[~out] - centre) / scale, chose[~out])
            expected[out] = model.predict_proba((values[out] - centre) / scale)[:, 1]
            rates[out] = (chose[~out].sum() + 0.5) / ((~out).sum() + 1)
        base, logistic = held.scores
        assert base.log_loss == pytest.approx(log_loss(chose, rates))
        assert logistic.log_loss == pytest.approx(log_loss(chose, expected), abs=1e-6)
        assert logistic.brier == pytest.approx(brier_score_loss(chose, expected), abs=1e-6)
        assert logistic.accuracy == pytest.approx(((expected > 0.5) == chose).mean())
        assert logistic.better == pytest.approx(base.log_loss - logistic.log_loss)
        assert logistic.better > 0.1
        assert sum(part.n for part in logistic.calibration) == len(table)
        assert logistic.interval.low is not None
        assert logistic.interval.high is not None
        assert logistic.interval.low < logistic.log_loss < logistic.interval.high


def test_predictions_from_elsewhere_are_scored_the_same_way() -> None:
    table = decisions()
    sure = table["chose"].astype(float).tolist()
    half = [0.5] * len(table)
    wrong = [1 - one for one in sure]
    found = predict_choices(table, ["gain"], {"sure": sure, "half": half, "wrong": wrong}, resamples=0)
    scores = {one.predictor: one for one in found.held_out[0].scores}
    assert scores["sure"].log_loss == pytest.approx(1e-6, rel=0.01)
    assert scores["half"].log_loss == pytest.approx(np.log(2))
    assert scores["wrong"].log_loss == pytest.approx(-np.log(1e-6), rel=0.01)
    (part,) = scores["half"].calibration
    assert (part.low, part.n, part.predicted) == (0.5, len(table), 0.5)
    assert part.observed == table["chose"].mean()
    assert part.observed_low is not None
    assert part.observed_high is not None
    assert part.observed_low < part.observed < part.observed_high
    assert scores["base rate"].interval.low is None
    assert "no interval holds" in (scores["base rate"].interval.reason or "")


def test_what_nothing_predicts_is_no_better_than_the_base_rate() -> None:
    found = predict_choices(decisions(40, 10, effect=0.0), ["gain", "round"], resamples=0)
    assert all(abs(held.scores[1].better) < 0.03 for held in found.held_out)


def test_too_few_people_are_refused_and_too_few_configurations_said() -> None:
    with pytest.raises(AnalysisError, match=r"decisions of 4 people; .* so 5 are needed"):
        predict_choices(decisions(4), ["gain"])
    table = decisions().assign(config="one")
    person, config = predict_choices(table, ["gain"], resamples=0).held_out
    assert person.reason is None
    assert (config.scores, config.reason) == (
        (),
        "1 configurations were played; at least 5 are needed to hold some out",
    )
    for values, said in (
        ([0.5], "1 predictions for 120"),
        ([1.5] * 120, "no probability"),
        ([np.nan] * 120, "no prob"),
    ):
        with pytest.raises(AnalysisError, match=said):
            predict_choices(decisions(), ["gain"], {"file": values})
    # All alike in training: the regression is the base rate.
    alike = predict_choices(decisions().assign(chose=True), ["gain"], resamples=0)
    base, logistic = alike.held_out[0].scores
    assert base.log_loss == logistic.log_loss
