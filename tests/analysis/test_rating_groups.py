"""Ratings by group, score and rater, against the printed Alympics table, SciPy, statsmodels and hand-worked cases."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

from analysis import SchemaError
from analysis.data.mapping import read_ratings
from analysis.ratings.groups import Quartiles
from analysis.ratings.scores import RatingAnalysis, analyze_ratings
from analysis.stats.multiplicity import holm
from analysis.text.ratings import render_ratings
from tests.analysis.tables import GOLD

pytestmark = pytest.mark.slow

CSV, MAP = GOLD / "alympics_ratings.csv", GOLD / "alympics_ratings.yaml"
# Table 3 of the Alympics paper, agents: its quartiles. For IA it prints a median of 4, where the sheets have as many
# scores up to 3 as from 4 on, 36 each.
PRINTED = {
    "IU": (3, 3, 4),
    "LR": (3, 4, 4),
    "SE": (3, 4, 4),
    "AD": (3, 4, 4),
    "LP": (3, 4, 4),
    "IA": (3, 3.5, 5),
}


def grouped() -> pd.DataFrame:
    """The released scores; records 1 to 15 are of the games with personas."""
    raw = pd.read_csv(CSV, dtype=str).rename(columns={"record": "item", "judge": "rater"})
    return raw.assign(group=np.where(raw["item"].astype(int) <= 15, "persona", "plain"))


@pytest.fixture(scope="module")
def alympics() -> RatingAnalysis:
    return analyze_ratings(grouped(), resamples=200)


def test_the_printed_quartiles_come_out_but_for_one_median(alympics: RatingAnalysis) -> None:
    assert {one.criterion: one.quartiles for one in alympics.criteria} == {
        name: Quartiles(*map(float, values)) for name, values in PRINTED.items()
    }


def test_scores_by_group_are_what_pandas_gives(alympics: RatingAnalysis) -> None:
    """Source: pandas.to_numeric and groupby over the raw file."""
    raw = grouped().assign(score=lambda rows: pd.to_numeric(rows["score"], errors="coerce")).dropna()
    for one in alympics.criteria:
        rows = raw[raw["criterion"] == one.criterion]
        assert {each.score: each.n for each in one.counts} == rows["score"].value_counts().to_dict()
        assert sum(each.share for each in one.counts) == pytest.approx(1)
        for group in one.groups:
            scores = rows.loc[rows["group"] == group.group, "score"]
            assert (group.n, group.mean, group.sd_ddof1) == pytest.approx(
                (len(scores), scores.mean(), scores.std())
            )
            assert group.quartiles == Quartiles(*map(float, scores.quantile([0.25, 0.5, 0.75])))
            assert group.interval.low is not None
            assert group.interval.low < group.mean
    assert [len(one.groups) for one in alympics.criteria if one.criterion == "IA"] == [1]


def test_groups_are_compared_over_the_means_of_items(alympics: RatingAnalysis) -> None:
    """Source: scipy.stats.mannwhitneyu over pandas' item means; Holm over the five criteria that both groups have."""
    raw = grouped().assign(score=lambda rows: pd.to_numeric(rows["score"], errors="coerce")).dropna()
    ps = []
    for one in alympics.criteria:
        means = raw[raw["criterion"] == one.criterion].groupby(["group", "item"])["score"].mean()
        for pair in one.group_comparisons:
            x, y = (means[name] for name in pair.groups)
            expected = stats.mannwhitneyu(x, y, method="asymptotic")
            assert pair.groups == ("persona", "plain")
            assert (pair.test.u1, pair.test.p) == pytest.approx((expected.statistic, expected.pvalue))
            assert pair.difference == pytest.approx(x.mean() - y.mean())
            ps.append((pair.test.p, pair.p_holm))
    assert len(ps) == 5
    assert [corrected for _, corrected in ps] == holm([p for p, _ in ps])


def test_severity_is_the_distance_from_the_means_of_the_same_items() -> None:
    """Worked by hand: items x (2, 4) and y (1, 5, 3); z, which one rater alone has scored, says nothing."""
    rows = [
        ("x", "a", 2),
        ("x", "b", 4),
        ("y", "a", 1),
        ("y", "b", 5),
        ("y", "c", 3),
        ("z", "c", 1),
        ("z2", "d", 5),
    ]
    raters = analyze_ratings(pd.DataFrame(rows, columns=["item", "rater", "score"]), resamples=0).raters
    assert list(raters["severity"])[:3] == [(-1 - 2) / 2, (1 + 2) / 2, 0]
    assert np.isnan(raters["severity"].iloc[3])


def test_severity_of_raters_who_all_rate_everything_is_that_of_a_linear_model() -> None:
    """Source: statsmodels' least squares with items and raters as factors, raters' effects summing to zero."""
    rng = np.random.default_rng(5)
    rows = [
        (f"i{item}", f"r{rater}", float(np.round(3 + rater / 2 - item / 8 + rng.normal(), 1)))
        for item in range(12)
        for rater in range(4)
    ]
    table = pd.DataFrame(rows, columns=["item", "rater", "score"])
    model = smf.ols("score ~ C(item) + C(rater, Sum)", table).fit()
    effects = [model.params[f"C(rater, Sum)[S.r{rater}]"] for rater in range(3)]
    found = analyze_ratings(table, resamples=0).raters["severity"]
    assert list(found) == pytest.approx([*effects, -sum(effects)])


def test_an_item_of_two_groups_is_refused_with_its_row() -> None:
    rows = grouped()
    rows.loc[2, "group"] = "plain"
    with pytest.raises(
        SchemaError, match=r"row 3, column group: item '1' has group 'plain' here, and 'persona' before"
    ):
        analyze_ratings(rows)
    rows.loc[2, "group"] = None
    with pytest.raises(SchemaError, match="has no group here"):
        analyze_ratings(rows)


def test_classes_and_ratings_without_groups_have_none(alympics: RatingAnalysis) -> None:
    plain = analyze_ratings(read_ratings(CSV, MAP), resamples=0)
    assert {(one.groups, one.group_comparisons) for one in plain.criteria} == {((), ())}
    assert "group" not in alympics.odd
    assert "Scores by group" not in render_ratings(plain)


def test_the_text_shows_groups_quartiles_counts_and_severity(alympics: RatingAnalysis) -> None:
    text = render_ratings(alympics)
    [row] = [line for line in text.splitlines() if line.split()[:4] == ["IA", "3", "3.5", "5"]]
    given = pd.read_csv(CSV, dtype=str).query("criterion == 'IA'")["score"].value_counts()
    assert row.split()[4:9] == [str(given[score]) for score in "12345"]
    assert re.search(r"persona and plain +15 and 15 +0\.14 ", text)
    assert "Severity: a rater's scores less the mean score of the same items" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_mapping_says_which_column_is_the_group(tmp_path: Path) -> None:
    rows = grouped().rename(columns={"group": "persona"})
    rows.to_csv(tmp_path / "scores.csv", index=False)
    columns = "{item: item, rater: rater, criterion: criterion, score: score, group: persona}"
    (tmp_path / "map.yaml").write_text(f"kind: ratings\ncolumns: {columns}\n", encoding="utf-8")
    found = analyze_ratings(read_ratings(tmp_path / "scores.csv", tmp_path / "map.yaml"), resamples=0)
    assert {group.group for one in found.criteria for group in one.groups} == {"persona", "plain"}


def test_many_groups_are_described_and_not_compared() -> None:
    rows = [(f"i{n}", rater, n % 5 + 1, f"g{n}") for n in range(11) for rater in "ab"]
    [one] = analyze_ratings(
        pd.DataFrame(rows, columns=["item", "rater", "score", "group"]), resamples=0
    ).criteria
    assert [group.group for group in one.groups] == [f"g{n}" for n in range(11)]
    assert one.group_comparisons == ()
