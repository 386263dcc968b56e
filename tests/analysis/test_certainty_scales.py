"""Certainty on any scale: areas of the values as given, curves of quantile bins, scales from elsewhere."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

from analysis import AnalysisError, analyze, check_responses, read_responses, render, render_brief
from analysis.choice.certainty import CONSTANT_CERTAINTY, Certainty, certainty
from analysis.data.mapping import read_mapped
from analysis.results import table_rows
from analysis.stats.estimates import Estimate
from tests.analysis.tables import answer, checked, table, write_csv

pytestmark = pytest.mark.slow

Judged = tuple[str, float, bool]


def rows_of(answers: list[Judged], **cells: str) -> list[dict[str, str]]:
    """One answer each: who, how certain, and whether right."""
    return [
        answer(
            participant=who,
            pair=f"q{number}",
            choice="a" if right else "b",
            certainty=repr(points),
            uncertainty="",
            **cells,
        )
        for number, (who, points, right) in enumerate(answers)
    ]


def simulated(n_people: int, n_answers: int, seed: int) -> list[Judged]:
    """Continuous certainties from 0 to 100, all different, higher by 15 on average where the answer is right."""
    rng = np.random.default_rng(seed)
    right = rng.random((n_people, n_answers)) < 0.7
    points = np.clip(rng.normal(50, 20, right.shape) + 15 * right, 0, 100)
    return [
        (f"p{who:02}", float(points[who, at]), bool(right[who, at]))
        for who in range(n_people)
        for at in range(n_answers)
    ]


def areas(result: Certainty) -> dict[str, float | None]:
    return {row["participant"]: row["auroc"] for row in table_rows(result.participants)}


def test_areas_of_continuous_certainties_are_those_of_scikit_learn() -> None:
    """Source: sklearn.metrics.roc_auc_score of each person's values as given, and of everybody's."""
    answers = simulated(12, 25, seed=5)
    result = certainty(checked(*rows_of(answers)), resamples=50)
    for person, found in areas(result).items():
        own = [(right, points) for who, points, right in answers if who == person]
        assert found == pytest.approx(roc_auc_score(*zip(*own, strict=True)))
    everybody = roc_auc_score([right for *_, right in answers], [points for _, points, _ in answers])
    assert result.auroc_pooled.value == pytest.approx(everybody)
    assert result.auroc_pooled.interval.low is not None
    assert result.auroc_pooled.interval.low < everybody
    assert (result.scale, result.n_values, result.binned) == (
        "certainty",
        len({x for _, x, _ in answers}),
        True,
    )
    means = pd.DataFrame(answers).groupby(0)[1].mean()
    assert result.mean is not None
    assert result.mean.n == 12
    assert result.mean.mean == pytest.approx(means.mean())


def test_the_curve_has_a_fifth_of_the_answers_at_each_point() -> None:
    """Source: pandas.qcut of the certainties into five, the most certain first."""
    answers = simulated(12, 25, seed=6)
    levels = certainty(checked(*rows_of(answers)), resamples=0).levels
    plain = pd.DataFrame(answers, columns=["who", "points", "right"])
    plain["bin"] = 4 - pd.qcut(plain["points"], 5, labels=False)
    for place, rows in plain.groupby("bin"):
        level = levels[int(str(place))]
        assert (level.uncertainty, level.n_answers, level.n_correct) == (None, 60, rows["right"].sum())
        assert level.certainty == pytest.approx(rows["points"].mean())
        assert (level.certainty_low, level.certainty_high) == (rows["points"].min(), rows["points"].max())
        assert level.accuracy.mean == pytest.approx(rows.groupby("who")["right"].mean().mean())
        assert level.n_participants == rows["who"].nunique()


def test_equal_values_stay_in_one_bin_and_few_values_are_not_binned() -> None:
    """By hand: 0, 10, ..., 100 are eleven values; a twelfth makes bins, and twelve of 23 answers are one value."""
    eleven = [("p", float(10 * n), n % 2 == 0) for n in range(11)]
    few = certainty(checked(*rows_of(eleven)), resamples=0)
    assert [level.name for level in few.levels] == [str(10 * n) for n in range(10, -1, -1)]
    assert not few.binned
    many = certainty(checked(*rows_of([*eleven, ("p", 5.5, True), *[("p", 100.0, True)] * 11])), resamples=0)
    assert many.binned
    assert [(level.name, level.n_answers) for level in many.levels] == [
        ("100", 12),
        ("80 to 90", 2),
        ("40 to 70", 4),
        ("0 to 30", 5),
    ]


@settings(deadline=None, max_examples=8)
@given(
    st.lists(st.tuples(st.sampled_from("pqr"), st.integers(1, 5), st.booleans()), min_size=1, max_size=30),
    st.sampled_from([lambda x: 6.0 - x, lambda x: -(2.0**x), lambda x: 100 / x]),
)
def test_a_certainty_is_the_uncertainty_turned_round_whatever_its_unit(answers, scaled) -> None:  # type: ignore[no-untyped-def]
    """Any falling function of the uncertainty gives the same areas, gammas and curve."""
    rows = rows_of([(who, float(scaled(point)), right) for who, point, right in answers])
    old = [
        row | {"certainty": "", "uncertainty": str(point)}
        for row, (_, point, _) in zip(rows, answers, strict=True)
    ]
    theirs, ours = certainty(checked(*old), resamples=0), certainty(checked(*rows), resamples=0)
    drop = ["reason"]
    pd.testing.assert_frame_equal(
        ours.participants.drop(columns=drop), theirs.participants.drop(columns=drop)
    )
    for one, other in zip(*(_numbers(result.auroc_pooled) for result in (ours, theirs)), strict=True):
        assert one == pytest.approx(other)
    assert (ours.auroc, ours.gamma) == (theirs.auroc, theirs.gamma)
    counts = [[(x.n_answers, x.n_correct, x.accuracy) for x in result.levels] for result in (ours, theirs)]
    assert counts[0] == counts[1]


def _numbers(pooled: Estimate) -> list[float | None]:
    return [pooled.value, pooled.interval.low, pooled.interval.high]


def test_who_is_equally_certain_throughout_is_said_to_be() -> None:
    result = certainty(checked(*rows_of([("p", 50.0, True), ("p", 50.0, False)])), resamples=0)
    assert (result.n_constant, result.auroc.mean) == (1, None)
    assert result.participants["reason"].tolist() == [CONSTANT_CERTAINTY]


def test_certainty_is_used_where_any_answer_has_one_and_the_others_are_counted() -> None:
    rows = rows_of([("p", 10.0, False), ("p", 90.0, True), ("p", 50.0, True)])
    rows[2] |= {"certainty": "", "uncertainty": "1"}
    result = certainty(checked(*rows), resamples=0)
    assert (result.scale, result.n_answers, result.n_without_uncertainty) == ("certainty", 2, 1)
    # Only answers without a truth have a certainty: the uncertainties are what there is.
    rows = [row | {"truth": "", "uncertainty": ""} for row in rows[:2]] + [rows[2]]
    result = certainty(checked(*rows), resamples=0)
    assert (result.scale, result.n_answers, result.mean) == ("uncertainty", 1, None)


def test_the_numbers_are_printed_and_are_json(tmp_path: Path) -> None:
    responses = checked(*rows_of(simulated(4, 12, seed=1)))
    result = analyze(responses, resamples=20)
    assert re.search(r"certainty +4 +[\d.]+ .* more is more certain", render_brief(result))
    assert " uncertainty " not in render_brief(result)
    printed = render(result)
    assert "mean certainty, more is more certain" in printed
    assert "uncertainty, " not in printed
    assert "unc., all" not in printed
    assert "The levels are 5 quantile bins; the areas are of the values as given." in printed
    found = json.loads(json.dumps(result.to_dict(), allow_nan=False))["studies"][0]["certainty"]
    assert list(found)[-4:] == ["scale", "n_values", "binned", "mean"]
    assert list(found["levels"][0])[-3:] == ["certainty", "certainty_low", "certainty_high"]
    assert found["levels"][0]["uncertainty"] is None


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_certainties_are_read_back_from_every_format(tmp_path: Path, suffix: str) -> None:
    rows = rows_of([("p", 0.1, True), ("p", 1e-3, True), ("q", 100.0, False)])
    rows[1]["certainty"] = ""
    path = tmp_path / f"t.{suffix}"
    typed = table(*rows).assign(certainty=pd.Series([0.1, None, 100.0], dtype=float))
    if suffix == "csv":
        write_csv(path, rows)
    elif suffix == "jsonl":
        lines = [row | {"certainty": value} for row, value in zip(rows, (0.1, None, 100), strict=True)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    else:
        typed.to_parquet(path)
    found = read_responses(path)["certainty"].astype(float)
    assert found.isna().tolist() == [False, True, False]
    assert found[[0, 2]].tolist() == [0.1, 100.0]
    # A checked table is checked again without change, and a table from before has none.
    again = check_responses(read_responses(path))
    pd.testing.assert_frame_equal(again, read_responses(path))
    old = check_responses(table(*rows).drop(columns="certainty"))
    assert old["certainty"].isna().all()
    with pytest.raises(
        AnalysisError, match="row 4, column certainty: 'very' is not allowed; allowed: a number"
    ):
        checked(*rows[:2], rows[2] | {"certainty": "very"})


MAPPING = """\
kind: 2afc
columns: {participant: who, pair: item, choice: pick, certainty: sure}
constants: {truth: a}
"""


def mapped(tmp_path: Path, more: str, *cells: str) -> list[float | None]:
    rows = [{"who": "w", "item": f"i{n}", "pick": "a", "sure": cell} for n, cell in enumerate(cells)]
    (tmp_path / "map.yaml").write_text(MAPPING + more, encoding="utf-8")
    found = read_mapped(write_csv(tmp_path / "t.csv", rows), tmp_path / "map.yaml")["certainty"]
    return [None if value != value else value for value in found.astype(float).tolist()]


def test_scales_from_elsewhere_are_percent_continuous_or_reversed(tmp_path: Path) -> None:
    """By hand."""
    assert mapped(tmp_path, "", "75 %", "12.5%", "", "0.25") == [75, 12.5, None, 0.25]
    assert mapped(tmp_path, "certainty_scale: [0, 100]\n", "0", "100", "33.3") == [0, 100, 33.3]
    assert mapped(tmp_path, "certainty_scale: [100, 0]\n", "0", "100%", "25") == [100, 0, 75]
    assert mapped(tmp_path, "certainty_scale: [7, 1]\n", "1", "7", "2.5") == [7, 1, 5.5]
    words = "certainty_scale: [0, 1]\nvalues: {certainty: {sure: 1, unsure: 0.5, n/a: ''}}\n"
    assert mapped(tmp_path, words, "sure", "unsure", "n/a") == [1, 0.5, None]


@pytest.mark.parametrize(
    ("more", "cell", "said"),
    [
        ("certainty_scale: [0, 100]", "101", "row 3, column sure (our certainty): '101' is off the scale of 0 to 100;"),
        ("certainty_scale: [100, 0]", "-1%", "row 3, column sure (our certainty): '-1%' is off the scale of 0 to 100;"),
        ("certainty_scale: [0, 100]", "3,5", "row 3, column sure (our certainty): '3,5' is not allowed; allowed:"),
        ("certainty_scale: [5, 5]", "5", "line 4, certainty_scale: '5, 5' is no scale; give [least certain, most"),
        ("certainty_scale: [0]", "5", "line 4, certainty_scale: '0' is no scale;"),
        ("certainty_scale: 100", "5", "line 4, certainty_scale: this is no list;"),
    ],
)  # fmt: skip
def test_a_certainty_that_is_none_is_named_by_its_place(
    tmp_path: Path, more: str, cell: str, said: str
) -> None:
    with pytest.raises(AnalysisError) as caught:
        mapped(tmp_path, more, "50", cell)
    assert said in str(caught.value)


def test_a_scale_without_a_certainty_is_refused_and_a_long_uncertainty_is_shown_the_way(
    tmp_path: Path,
) -> None:
    rows = [{"who": "w", "item": "i", "pick": "a", "sure": "80"}]
    path, map_path = write_csv(tmp_path / "t.csv", rows), tmp_path / "map.yaml"
    map_path.write_text(MAPPING.replace(", certainty: sure", "") + "certainty_scale: [0, 1]\n")
    with pytest.raises(AnalysisError, match="no column is given for certainty; add certainty to columns"):
        read_mapped(path, map_path)
    map_path.write_text(MAPPING.replace("certainty:", "uncertainty:"))
    with pytest.raises(AnalysisError, match="or map the column to `certainty`, which takes any scale"):
        read_mapped(path, map_path)
