"""Ratings against the published Alympics numbers, NumPy, krippendorff, and simulations with known truth."""

import json
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.api import OLS

from analysis import AnalysisError, SchemaError
from analysis.__main__ import main
from analysis.data.mapping import mapping_kind, read_ratings
from analysis.data.rating_table import check_ratings
from analysis.ratings.interval import mean_interval
from analysis.ratings.scores import RatingAnalysis, analyze_ratings
from analysis.results import table_rows
from analysis.text.ratings import render_ratings
from tests.analysis.tables import GOLD, write_csv

pytestmark = pytest.mark.slow

CSV, MAP = GOLD / "alympics_ratings.csv", GOLD / "alympics_ratings.yaml"
LONG = """\
kind: ratings
columns: {item: clip, rater: who, score: points}
"""
ROWS = [
    {"clip": "x", "who": "1", "points": "4"},
    {"clip": "x", "who": "2", "points": "5"},
    {"clip": "y", "who": "1", "points": "2"},
]


@pytest.fixture(scope="module")
def alympics() -> RatingAnalysis:
    return analyze_ratings(read_ratings(CSV, MAP), resamples=500)


def files(tmp_path: Path, mapping: str = LONG, rows: list[dict[str, str]] = ROWS) -> tuple[Path, Path]:
    map_path = tmp_path / "map.yaml"
    map_path.write_text(mapping, encoding="utf-8")
    return write_csv(tmp_path / "scores.csv", rows), map_path


def table(*scores: tuple[str, str, str]) -> pd.DataFrame:
    return pd.DataFrame(scores, columns=["item", "rater", "score"])


def refusal(tmp_path: Path, mapping: str = LONG, rows: list[dict[str, str]] = ROWS) -> str:
    with pytest.raises(AnalysisError) as caught:
        read_ratings(*files(tmp_path, mapping, rows))
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_the_published_identity_alignment_comes_out(alympics: RatingAnalysis) -> None:
    """Source: Table 3 of the Alympics paper prints 3.51 (1.24): of 73 scores 72 are numbers, one is "2 point"."""
    [found] = [one for one in alympics.criteria if one.criterion == "IA"]
    assert (found.n_ratings, found.n, found.n_not_numbers, found.n_missing) == (73, 72, 1, 0)
    assert found.mean is not None
    assert found.sd_ddof1 is not None
    assert (round(found.mean, 2), round(found.sd_ddof1, 2)) == (3.51, 1.24)
    assert (round(found.mean, 4), round(found.sd_ddof1, 4)) == (3.5139, 1.2446)
    assert (found.n_items, found.n_raters) == (15, 10)


def test_every_score_that_is_odd_is_listed_with_its_row(alympics: RatingAnalysis) -> None:
    """Source: the lines of the file itself."""
    lines = CSV.read_text(encoding="utf-8").splitlines()
    odd = table_rows(alympics.odd)
    assert len(odd) == 11
    for row in odd:
        cells = lines[row["row"] - 1].replace('",3"', ",3").split(",", maxsplit=3)
        assert cells == [row["item"], row["rater"], row["criterion"], row["score"]]
    assert {row["score"]: row["why"] for row in odd} == {
        **dict.fromkeys(("1 point", "2 point", "3 point", "4 point", ",3"), "not a number"),
        **dict.fromkeys(("6", "12", "17"), "out of range, counted"),
    }


def test_every_criterion_is_what_numpy_gives(alympics: RatingAnalysis) -> None:
    """Source: pandas.to_numeric and NumPy over the raw file."""
    raw = pd.read_csv(CSV, dtype=str)
    raw["number"] = pd.to_numeric(raw["score"], errors="coerce")
    for one in alympics.criteria:
        scores = raw.loc[raw["criterion"] == one.criterion, "number"].dropna()
        assert one.n == len(scores)
        assert (one.mean, one.sd_ddof0, one.sd_ddof1) == pytest.approx(
            (np.mean(scores), np.std(scores), np.std(scores, ddof=1))
        )
        assert (one.minimum, one.maximum) == (scores.min(), scores.max())
    means = raw.groupby(["criterion", "judge"])["number"].mean()
    for row in table_rows(alympics.raters):
        assert row["mean"] == pytest.approx(means[row["criterion"], row["rater"]])


def test_the_agreement_is_that_of_the_krippendorff_package(alympics: RatingAnalysis) -> None:
    """Source: krippendorff.alpha(level_of_measurement="ordinal") of judges by records."""
    raw = pd.read_csv(CSV, dtype=str)
    raw["number"] = pd.to_numeric(raw["score"], errors="coerce")
    for one in alympics.criteria:
        wide = raw[raw["criterion"] == one.criterion].pivot(index="judge", columns="record", values="number")
        expected = krippendorff.alpha(wide.to_numpy(), level_of_measurement="ordinal")
        assert one.agreement.alpha.value == pytest.approx(expected)


def test_scores_off_the_scale_are_left_out_when_asked_to(tmp_path: Path) -> None:
    map_path = tmp_path / "map.yaml"
    map_path.write_text(MAP.read_text(encoding="utf-8").replace("keep", "drop"), encoding="utf-8")
    dropped = analyze_ratings(read_ratings(CSV, map_path), resamples=0)
    found = {one.criterion: (one.n_ratings, one.n, one.n_out_of_range) for one in dropped.criteria}
    assert (found["IU"], found["SE"]) == ((150, 147, 2), (150, 147, 1))
    assert all(one.maximum == 5 for one in dropped.criteria)
    assert "out of range, left out" in set(dropped.odd["why"])


@pytest.mark.parametrize("text", ["3", " 3.5 ", ".5", "5.", "-2", "+2", "1e1"])
def test_a_number_counts_however_it_is_written(text: str) -> None:
    [one] = analyze_ratings(table(("x", "1", text), ("y", "1", "3")), resamples=0).criteria
    assert (one.n, one.n_not_numbers) == (2, 0)


@pytest.mark.parametrize("text", ["2 point", ",3", "3,5", "inf", "nan", "", " ", "٣", "1e999", "0x1", "1 2"])
def test_what_is_no_number_does_not_count(text: str) -> None:
    [one] = analyze_ratings(table(("x", "1", text), ("y", "1", "3")), resamples=0).criteria
    assert (one.n, one.n_not_numbers + one.n_missing) == (1, 1)


def test_the_interval_agrees_with_a_plain_bootstrap_of_items_and_raters() -> None:
    """Source: Owen's pigeonhole bootstrap in plain NumPy loops."""
    rng = np.random.default_rng(3)
    n, m = 60, 50
    scores = rng.normal(size=(n, 1)) + rng.normal(size=(1, m)) + rng.normal(size=(n, m))
    kept = rng.random((n, m)) < 0.7
    item, rater = np.nonzero(kept)
    ours = mean_interval(item, rater, scores[kept], seed=1, resamples=10_000)
    drawn = []
    for _ in range(2_000):
        rows, columns = rng.integers(0, n, n), rng.integers(0, m, m)
        drawn.append(scores[np.ix_(rows, columns)][kept[np.ix_(rows, columns)]].mean())
    assert (ours.low, ours.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.03)
    assert ours.method == "percentile bootstrap over items and raters"


def test_of_few_items_or_raters_the_interval_is_students_with_both_variances() -> None:
    """Source: statsmodels' cluster-robust variances of a mean, by items and by raters, added; Satterthwaite's df."""
    rng = np.random.default_rng(4)
    item, rater = np.nonzero(rng.random((12, 7)) < 0.7)
    scores = rng.normal(size=12)[item] + 2 * rng.normal(size=7)[rater] + rng.normal(size=len(item))
    ours = mean_interval(item, rater, scores, seed=1, resamples=0)
    model = OLS(scores, np.ones(len(scores)))
    parts = [
        float(model.fit(cov_type="cluster", cov_kwds={"groups": codes}).bse[0]) ** 2
        for codes in (item, rater)
    ]
    df = sum(parts) ** 2 / (parts[0] ** 2 / 11 + parts[1] ** 2 / 6)
    expected = stats.t.interval(0.95, df, loc=scores.mean(), scale=sum(parts) ** 0.5)
    assert (ours.low, ours.high) == pytest.approx(expected)
    assert ours.method == "Student's t over items and raters"
    # A square in which items and raters all have one mean says nothing of other ones.
    rows, columns = np.indices((3, 3)).reshape(2, -1)
    square = mean_interval(rows, columns, ((rows + columns) % 3).astype(float), seed=1, resamples=0)
    assert "no spread" in str(square.reason)


def test_an_interval_ends_where_the_scale_does() -> None:
    rows = [
        {"item": f"i{item}", "rater": f"r{rater}", "score": str(score)}
        for item, given in enumerate([(1, 4, 4), (1, 2, 4), (4, 4, 4)])
        for rater, score in enumerate(given)
    ]
    free = analyze_ratings(check_ratings(pd.DataFrame(rows))).criteria[0].interval
    held = analyze_ratings(check_ratings(pd.DataFrame(rows), scale=(1, 4))).criteria[0].interval
    assert free.low is not None
    assert free.high is not None
    assert held.low is not None
    assert free.high > 4, "Student's t knows no scale"
    assert (held.low, held.high) == (max(1, free.low), 4)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Simulation with known truth: 30 items, 4 raters who differ more than items do, 3 of whom score each item."""
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(400):
        item = np.repeat(np.arange(30), 3)
        rater = np.concatenate([rng.choice(4, 3, replace=False) for _ in range(30)])
        noise = rng.normal(0, 0.3, 30)[item] + rng.normal(0, 0.8, 4)[rater] + rng.normal(0, 0.5, 90)
        interval = mean_interval(item, rater, 3 + noise, seed=seed, resamples=400)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= 3 <= interval.high
    assert 0.91 <= covered / 400 <= 0.99


def test_with_one_or_two_raters_the_interval_is_over_items_for_these_raters() -> None:
    """Source: scipy.stats.t.interval of the items' mean scores, where every rater scored every item."""
    item, rater = np.indices((8, 2)).reshape(2, -1)
    scores = np.arange(16.0) ** 1.5
    found = mean_interval(item, rater, scores, seed=1, resamples=0)
    of_items = scores.reshape(8, 2).mean(axis=1)
    expected = stats.t.interval(0.95, 7, loc=of_items.mean(), scale=stats.sem(of_items))
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.method == "Student's t of the linearised ratio over items (of these 2 raters)"
    turned = mean_interval(rater, item, scores, seed=1, resamples=0)
    assert (turned.low, turned.high) == (found.low, found.high)
    assert turned.method == "Student's t of the linearised ratio over raters (of these 2 items)"
    few = mean_interval(item[:4], rater[:4], scores[:4], seed=1, resamples=99)
    assert few.reason == "too few items for an interval: 2"


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([("x", "1", "none")], "no score is a number that counts"),
        ([("x", "1", "")], "no score is a number that counts"),
        ([("x", "1", "3")], "one score: no SD with ddof 1"),
        ([("Zoë 🎮", "1", "3"), ("Zoë 🎮", "2", "3")], None),
        ([(f"x{n}", str(n), "3") for n in range(5)], None),
    ],
)
def test_degenerate_scores_give_numbers_and_reasons_never_nan(
    scores: list[tuple[str, str, str]], reason: str | None
) -> None:
    analysis = analyze_ratings(table(*scores), resamples=50)
    assert analysis.criteria[0].reason == reason
    json.dumps(analysis.to_dict(), allow_nan=False)
    assert analysis.criteria[0].interval.low is None
    assert render_ratings(analysis)


def test_an_empty_table_has_no_criterion() -> None:
    analysis = analyze_ratings(table())
    assert analysis.criteria == ()
    assert json.loads(json.dumps(analysis.to_dict(), allow_nan=False))["items"] == []


def test_a_table_with_one_column_per_criterion_is_read(tmp_path: Path) -> None:
    mapping = "kind: ratings\ncolumns: {item: clip, rater: who}\ncriteria: [fluid, human]\nscale: [1, 5]\n"
    rows = [
        {"clip": "x", "who": "1", "fluid": "4", "human": "2"},
        {"clip": "x", "who": "2", "fluid": "5", "human": "lots"},
    ]
    path, map_path = files(tmp_path, mapping, rows)
    assert mapping_kind(map_path) == "ratings"
    analysis = analyze_ratings(read_ratings(path, map_path), resamples=0)
    assert [(one.criterion, one.n, one.mean) for one in analysis.criteria] == [
        ("fluid", 2, 4.5),
        ("human", 1, 2.0),
    ]
    [odd] = table_rows(analysis.odd)
    assert (odd["row"], odd["criterion"], odd["score"]) == (3, "human", "lots")


def test_values_and_constants_of_ratings_are_mapped(tmp_path: Path) -> None:
    mapping = LONG + "constants: {criterion: likeness}\nvalues: {score: {two: 2}}\nlevel: interval\n"
    rows = [*ROWS, {"clip": "y", "who": "2", "points": "two"}]
    analysis = analyze_ratings(read_ratings(*files(tmp_path, mapping, rows)), resamples=0)
    [one] = analysis.criteria
    assert (one.criterion, one.n, one.mean, analysis.agreement_level) == ("likeness", 4, 3.25, "interval")


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        (LONG.replace("points", "point"), "map.yaml: line 2, columns.score: scores.csv has no column 'point'"),
        (LONG.replace(", score: points", ""), "map.yaml: line 2, columns: no column is given for score;"),
        (LONG.replace("rater", "judge"), "map.yaml: line 2, columns.judge: the name is not known; allowed: item,"),
        (LONG + "scale: [5, 1]\n", "map.yaml: line 3, scale: '5, 1' is no scale; give [lowest, highest],"),
        (LONG + "scale: [a, 1]\n", "map.yaml: line 3, scale: 'a, 1' is no scale;"),
        (LONG + "scale: []\n", "map.yaml: line 3, scale: '' is no scale;"),
        (LONG + "scale: 5\n", "map.yaml: line 3, scale: this is no list; write [first, second]"),
        (LONG + "out_of_range: cut\n", "map.yaml: line 3, out_of_range: 'cut' is not allowed; allowed: keep, drop"),
        (LONG + "level: ratio\n", "map.yaml: line 3, level: 'ratio' is not allowed; allowed: ordinal, nominal"),
        (LONG + "criteria: [points]\n", "map.yaml: line 2, score: criteria lists the columns of scores already;"),
        (LONG + "title: x\n", "map.yaml: line 3, title: the name is not known"),
        (
            LONG.replace(", score: points", "") + "criteria: [point]\n",
            "map.yaml: line 3, criteria.point: scores.csv has no column 'point'",
        ),
        ("kind: 2afc\n", "map.yaml: line 1, kind: this maps 2AFC answers, and ratings are needed;"),
    ],
)  # fmt: skip
def test_a_bad_entry_of_the_mapping_is_named_by_its_line(tmp_path: Path, mapping: str, said: str) -> None:
    assert refusal(tmp_path, mapping).startswith(said)


def test_a_bad_row_is_named_as_it_stands_in_the_file(tmp_path: Path) -> None:
    assert refusal(tmp_path, rows=[*ROWS, ROWS[1]]) == (
        "scores.csv: row 5, column points (our score): rater '2' has scored item 'x' by 'score' already, in row 3; "
        "allowed: one score for each rater, item and criterion"
    )
    said = refusal(tmp_path, rows=[*ROWS, {"clip": "", "who": "1", "points": "1"}])
    assert (
        said == "scores.csv: row 5, column clip (our item): the cell is empty; allowed: any text (not empty)"
    )
    with pytest.raises(SchemaError, match="row 1, column rater: the column is missing"):
        analyze_ratings(pd.DataFrame({"item": [1], "score": [1]}))


def test_ten_thousand_raters_are_no_matter() -> None:
    rng = np.random.default_rng(2)
    ratings = pd.DataFrame({"rater": np.arange(10_000).repeat(2), "item": rng.integers(0, 50, 20_000)})
    ratings["score"] = rng.integers(1, 6, 20_000)
    [one] = analyze_ratings(ratings.drop_duplicates(["rater", "item"]), resamples=100).criteria
    assert one.n_raters == 10_000
    assert one.interval.low is not None
    assert one.interval.low < 3.0 < one.interval.high  # type: ignore[operator]


SCORES = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.sampled_from(["1", "2", "10"]),
        st.sampled_from(["1", "2.5", "5", "", "five"]),
    ),
    min_size=1,
    max_size=9,
    unique_by=lambda one: one[:2],
)


@settings(deadline=None, max_examples=6)
@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing(scores: list[tuple[str, str, str]], random: Any) -> None:
    def numbers(rows: list[tuple[str, str, str]]) -> dict[str, Any]:
        found = analyze_ratings(check_ratings(table(*rows), scale=(1, 4)), resamples=30).to_dict()
        for one in found["odd"]:
            del one["row"]
        return found

    def by_name(found: dict[str, Any]) -> dict[str, Any]:
        return found | {"odd": sorted(found["odd"], key=lambda one: (one["item"], one["rater"]))}

    assert by_name(numbers(random.sample(scores, len(scores)))) == by_name(numbers(scores))


def test_the_module_analyses_ratings_by_their_mapping(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(CSV), "--mapping", str(MAP), "--json", "--resamples", "20"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == analyze_ratings(read_ratings(CSV, MAP), resamples=20).to_dict()
    assert printed["format"] == "likely-human ratings 1"
    assert main([str(CSV), "--mapping", str(MAP), "--resamples", "20"]) == 0
    text = capsys.readouterr().out
    assert "IA           72   3.51" in text
    assert (
        "816 of 823 scores count, of 30 items by 10 raters; left out: 7 not a number; 4 out of range are"
        in text
    )
    assert main([str(CSV), str(CSV), "--mapping", str(MAP)]) == 1
    assert capsys.readouterr().err.endswith("ratings are analysed one file at a time\n")


def test_the_module_analyses_answers_by_their_mapping(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"w": f"p{n}", "i": "q", "c": "ab"[n % 3 == 0]} for n in range(6)]
    mapping = "kind: 2afc\ncolumns: {participant: w, pair: i, choice: c}\nconstants: {truth: a}\n"
    path, map_path = files(tmp_path, mapping, rows)
    assert main([str(path), "--mapping", str(map_path), "--json", "--resamples", "0"]) == 0
    [study] = json.loads(capsys.readouterr().out)["studies"]
    assert (study["study"], study["accuracy"]["mean"]) == ("scores", pytest.approx(4 / 6))
    assert main([str(path), "--mapping", str(tmp_path / "no.yaml")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_long_list_is_cut_and_the_text_says_so() -> None:
    many = table(*((f"i{n}", "r", "what") for n in range(70)), ("i0", "s", "3"))
    text = render_ratings(analyze_ratings(many, resamples=0))
    assert "The first 60 of 70 scores that are no numbers, or out of range; --json has them all." in text
    assert max(map(len, text.splitlines())) <= 100
