"""The classifier of all clues together, against scikit-learn and in simulations with a known truth."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
from sklearn.model_selection import cross_val_score  # type: ignore[import-untyped]
from sklearn.pipeline import Pipeline, make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

from analysis.clues.classifier import REPEATS, classify, stratified_splits
from analysis.clues.report import clue_report
from analysis.stats.logistic import fit_logistic

from .clue_tables import drawn


def scikit_learns() -> Pipeline:
    return make_pipeline(
        SimpleImputer(strategy="median"),
        StandardScaler(),
        LogisticRegression(C=1.0, class_weight="balanced", solver="newton-cg", tol=1e-8, max_iter=1000),
    )


@pytest.mark.parametrize(("n", "others", "shift"), [(5, 20, 0.5), (30, 12, 2.0), (200, 200, 30.0)])
def test_the_regression_is_scikit_learns(n: int, others: int, shift: float) -> None:
    """With a missing value, a column without any spread, and classes far apart."""
    rng = np.random.default_rng(n)
    values = rng.normal(5, 40, size=(n + others, 4))
    values[:n, 0] += 40 * shift
    values[:, 3] = 7.0
    values[3, 1] = np.nan
    y = np.arange(n + others) < n
    theirs = scikit_learns().fit(values, y).decision_function(values)
    assert fit_logistic(values, y).scores(values) == pytest.approx(theirs, abs=1e-4)


@pytest.mark.slow
def test_the_classifiers_auc_is_scikit_learns_mean_over_folds() -> None:
    """Source: cross_val_score with roc_auc on the same splits; 20 and 20 clips make all folds alike in size."""
    table = drawn(3, 20, 20, shift=1.0)
    y = (table["source"] == "human").to_numpy()
    clues = table[["x", "y", "z"]]
    result = classify(clues, y, seed=5, threshold=0.75)
    splits = [fold for folds in stratified_splits(y, 5, seed=5) for fold in folds]
    assert len(splits) == 5 * REPEATS
    theirs = cross_val_score(scikit_learns(), clues.to_numpy(), y, cv=splits, scoring="roc_auc")
    assert result.auc == pytest.approx(theirs.mean())


def test_every_fold_has_its_share_of_both_classes_and_every_clip_is_tested_once() -> None:
    y = np.arange(40) < 11
    for folds in stratified_splits(y, 5, seed=1):
        assert np.sort(np.concatenate([test for _, test in folds])).tolist() == list(range(40))
        assert {int(y[test].sum()) for _, test in folds} == {2, 3}
        assert all(not set(train) & set(test) for train, test in folds)


def test_the_classifiers_interval_is_delongs_where_one_clue_decides() -> None:
    """A classifier of one clue ranks as the clue does; with many clips bootstrap and DeLong agree, but for arms that
    are longer for the luck of training."""
    table = drawn(4, 150, 150, shift=1.0, names=("x",))
    report = clue_report(table, seed=1)
    alone, together = report.clue("x").against_others, report.classifier
    assert alone.auc is not None
    assert together.auc is not None
    for end in ("low", "high"):
        arm, wider = (getattr(each.interval, end) - each.auc for each in (alone, together))
        assert wider == pytest.approx(1.4 * arm, abs=0.01)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_clues_that_tell_nothing_give_intervals_around_a_half_and_hardly_ever_warn() -> None:
    held, warned = 0, 0
    for seed in range(30):
        table = drawn(seed, 12, 12)
        y = (table["source"] == "human").to_numpy()
        result = classify(table[["x", "y", "z"]], y, seed=seed, threshold=0.75)
        assert result.interval.low is not None
        assert result.interval.high is not None
        held += result.interval.low <= 0.5 <= result.interval.high
        warned += result.warns
    assert held >= 28
    assert warned <= 2


def test_many_clips_are_sampled_for_the_classifier_and_counted_so() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([True, False], [1200, 30])
    result = classify(pd.DataFrame({"x": rng.normal(size=1230)}), y, seed=1, threshold=0.75)
    assert (result.n_positive, result.n_other) == (1000, 30)
