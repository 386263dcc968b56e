"""The report of ratings: the numbers are the analysis', the dots the items' means."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from analysis.data.mapping import read_ratings
from analysis.data.rating_table import Ratings
from analysis.figures import Figure, NoFigure
from analysis.figures.distribution import distribution_figure
from analysis.figures.scores import scores_figure
from analysis.judging.items import check_item_verdicts, validate_items
from analysis.ratings.scores import analyze_ratings
from app.reports.ratings import write_ratings_report
from tests.analysis.figures.sheets import kept_sheets, marks, xs
from tests.analysis.tables import GOLD
from tests.factories import NOW
from tests.reports.packages import rows_in
from tests.splits import split_less

MAPPING = (
    "kind: ratings\ncolumns: {item: item, rater: rater, criterion: criterion, score: score}\nscale: [1, 5]\n"
)


def alympics() -> Ratings:
    return read_ratings(GOLD / "alympics_ratings.csv", GOLD / "alympics_ratings.yaml")


def ratings_of(folder: Path, *rows: str) -> Ratings:
    (folder / "map.yaml").write_text(MAPPING, encoding="utf-8")
    (folder / "ratings.csv").write_text(
        "\n".join(["item,rater,criterion,score", *rows, ""]), encoding="utf-8"
    )
    return read_ratings(folder / "ratings.csv", folder / "map.yaml")


def test_each_item_is_a_dot_at_its_mean_and_the_diamond_at_the_mean_of_all() -> None:
    """Source: averaged here from the file's rows."""
    scores: dict[str, dict[str, list[float]]] = {}
    for row in rows_in(GOLD / "alympics_ratings.csv"):
        if row["score"].strip().isdigit():
            scores.setdefault(row["criterion"], {}).setdefault(row["record"], []).append(float(row["score"]))
    with kept_sheets() as sheets:
        figure = scores_figure(analyze_ratings(alympics(), resamples=50))
    assert isinstance(figure, Figure)
    drawn = marks(sheets[0].axes[0])
    for criterion, dots, diamond in zip(figure.numbers.rows, drawn[::2], drawn[1::2], strict=True):
        items = scores[criterion[0]]
        assert xs(dots) == pytest.approx(sorted(float(np.mean(some)) for some in items.values()))
        every = [score for some in items.values() for score in some]
        assert xs(diamond) == pytest.approx([sum(every) / len(every)])
        assert criterion[1] == str(len(every))


def test_each_score_has_its_share_of_the_bar_of_its_criterion() -> None:
    """Source: counted here from the file's rows."""
    given: dict[str, list[float]] = {}
    for row in rows_in(GOLD / "alympics_ratings.csv"):
        if row["score"].strip().isdigit():
            given.setdefault(row["criterion"], []).append(float(row["score"]))
    with kept_sheets() as sheets:
        figure = distribution_figure(analyze_ratings(alympics(), resamples=0))
    assert isinstance(figure, Figure)
    widths = [float(bar.get_bbox().width) for bar in sheets[0].axes[0].patches if isinstance(bar, Rectangle)]
    wanted = [
        100 * scores.count(score) / len(scores) for scores in given.values() for score in sorted(set(scores))
    ]
    assert widths == pytest.approx(wanted)
    assert [row[0] for row in figure.numbers.rows] == [name for name in given for _ in set(given[name])]


@pytest.mark.slow
def test_its_files_hold_the_numbers_of_the_analysis(tmp_path: Path) -> None:
    n = write_ratings_report(alympics(), tmp_path / "report", seed=2, resamples=50, made_at=NOW)
    expected = analyze_ratings(alympics(), seed=2, resamples=50).to_dict()
    assert json.loads((tmp_path / "report" / "results.json").read_text(encoding="utf-8")) == expected
    assert n == sum(one["n"] for one in expected["criteria"])
    criteria = rows_in(tmp_path / "report/tables/criteria.csv")
    assert [float(row["mean"]) for row in criteria] == [one["mean"] for one in expected["criteria"]]
    for name in ("raters", "items", "odd"):
        assert rows_in(tmp_path / f"report/tables/{name}.csv") == [
            {key: "" if value is None else str(value) for key, value in row.items()} for row in expected[name]
        ]
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "out of range, counted" in page
    assert f"{expected['criteria'][0]['agreement']['alpha']['value']:.2f} (" in page
    assert (tmp_path / "report" / "figures" / "scores.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows",
    [["i1,r1,c,3"], ["i1,r1,c,", "i2,r1,c,none"], ["i1,r1,<b>,3", "i1,r2,<b>,3"], ["i1,r1,c,9", "i2,r2,d,1"]],
    ids=["one score", "no score", "all the same", "out of range"],
)
def test_degenerate_ratings_have_a_report(rows: list[str], tmp_path: Path) -> None:
    ratings = ratings_of(tmp_path, *rows)
    write_ratings_report(ratings, tmp_path / "report", seed=1, resamples=20, made_at=None)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "nan" not in page.lower().split()
    assert "<b>" not in page


def test_where_no_score_counts_there_is_no_figure(tmp_path: Path) -> None:
    figure = scores_figure(analyze_ratings(ratings_of(tmp_path, "i1,r1,c,"), resamples=20))
    assert figure == NoFigure(
        "scores", "Scores by criterion", "No criterion has a score that counts: there is nothing to draw."
    )


def test_classes_are_reported_with_counts_kappas_and_no_mean(tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(
        "kind: ratings\ncolumns: {item: item, rater: rater, score: class}\nlevel: nominal\n", encoding="utf-8"
    )
    votes = {"a": "hhbb", "b": "hbbb", "c": "hbhb"}
    rows = [
        f"i{place},{rater},{letter}"
        for rater, letters in votes.items()
        for place, letter in enumerate(letters)
    ]
    (tmp_path / "votes.csv").write_text("\n".join(["item,rater,class", *rows, ""]), encoding="utf-8")
    ratings = read_ratings(tmp_path / "votes.csv", tmp_path / "map.yaml")
    assert write_ratings_report(ratings, tmp_path / "report", seed=1, resamples=50, made_at=NOW) == 12
    page = (tmp_path / "report/report.html").read_text(encoding="utf-8")
    assert "How often each class was given" in page
    assert "Two raters at a time" in page
    counts = rows_in(tmp_path / "report/tables/classes.csv")
    assert [(row["class"], row["n"]) for row in counts] == [("b", "7"), ("h", "5")]
    items = rows_in(tmp_path / "report/tables/items.csv")
    assert [(row["plurality"], row["n_plurality"], row["mean"]) for row in items] == [
        ("h", "3", ""),
        ("b", "2", ""),
        ("b", "2", ""),
        ("b", "3", ""),
    ]
    first = rows_in(tmp_path / "report/tables/rater_pairs.csv")[0]
    # By hand: 3 of 4 agree; by chance 1/2 1/4 + 1/2 3/4 = 1/2.
    assert (first["first"], first["second"]) == ("a", "b")
    assert float(first["kappa"]) == pytest.approx(0.5)


@pytest.mark.slow
def test_judges_of_the_same_items_are_drawn_over_one_rater_with_the_numbers_of_their_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split_less(monkeypatch)
    ratings = alympics()
    means = analyze_ratings(ratings, resamples=0).items
    rng = np.random.default_rng(1)
    given = means[means["mean"].notna()]
    verdicts = check_item_verdicts(
        given[["criterion", "item"]].assign(
            judge="<model>", value=given["mean"] + rng.normal(0, 0.4, len(given))
        )
    )
    write_ratings_report(ratings, tmp_path / "report", seed=2, resamples=50, made_at=NOW, verdicts=verdicts)
    expected = validate_items(ratings, verdicts, seed=2, resamples=50).to_dict()
    assert json.loads((tmp_path / "report/judges.json").read_text(encoding="utf-8")) == expected
    rows = rows_in(tmp_path / "report/tables/judges.csv")
    wanted = [
        (group["criterion"], name, measure)
        for group in expected["criteria"]
        for judge in group["judges"]
        for name, measure in judge["measures"].items()
    ]
    assert [(row["criterion"], row["measure"]) for row in rows] == [one[:2] for one in wanted]
    for row, (_, _, measure) in zip(rows, wanted, strict=True):
        for cell, value in (
            (row["value"], measure["value"]["value"]),
            (row["ceiling"], measure["ceiling"]["value"]),
        ):
            assert cell == ("" if value is None else str(value))
    page = (tmp_path / "report/report.html").read_text(encoding="utf-8")
    assert "Judges against people" in page
    assert "&lt;model&gt;" in page
    assert "<model>" not in page
    assert "[CRD25]" in (tmp_path / "report/methods.md").read_text(encoding="utf-8")
    assert (tmp_path / "report/figures/judges.png").read_bytes().startswith(b"\x89PNG")

    write_ratings_report(ratings, tmp_path / "report", seed=2, resamples=0, made_at=NOW)
    assert not (tmp_path / "report/judges.json").exists()
    assert not (tmp_path / "report/figures/judges.png").exists()
