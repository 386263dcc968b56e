"""Accuracy by certainty: points counted by hand."""

from collections.abc import Mapping, Sequence

import pytest

from analysis import Analysis, analyze
from analysis.figures import Figure, NoFigure, certainty_figure
from tests.analysis.figures.sheets import kept_sheets, texts, xs, ys
from tests.analysis.tables import checked, person

pytestmark = pytest.mark.slow

Answers = Mapping[tuple[str, str], Sequence[Mapping[str, str]]]


def by_hand(answers: Answers, study: str) -> dict[int, float]:
    """Mean over the participants who used an uncertainty of their share of right answers at it."""
    shares: dict[int, list[float]] = {}
    for (name, _), rows in answers.items():
        for point in range(1, 6):
            at = [r for r in rows if r["ground"] != "0" and int(r["certainty"]) == point]
            if name == study and at:
                right = sum(row["subj_resp"] == row["ground"] for row in at)
                shares.setdefault(point, []).append(right / len(at))
    return {point: sum(values) / len(values) for point, values in sorted(shares.items())}


def test_each_point_is_the_mean_of_those_who_used_it(hntt: Analysis, answers: Answers) -> None:
    """Source: counted from the file's rows."""
    with kept_sheets() as sheets:
        figure = certainty_figure([(study.study, study.certainty) for study in hntt.studies])
    assert isinstance(figure, Figure)
    for axes, study in zip(sheets[0].axes, hntt.studies, strict=True):
        expected = by_hand(answers, study.study)
        curve = next(line for line in axes.lines if line.get_marker() not in ("None", None))
        assert dict(zip(xs(curve), ys(curve), strict=True)) == pytest.approx(expected)
        shown = {int(row[1]): row[6] for row in figure.numbers.rows if row[0] == study.study}
        assert shown == {point: f"{mean:.3f}" for point, mean in expected.items()}
    assert sum(int(row[2]) for row in figure.numbers.rows) == 2 * 30 * 6
    area = hntt.studies[0].certainty.auroc.mean
    assert f"the right one was the more certain with probability {area:.2f}" in figure.sentence


def test_where_there_is_no_curve_it_says_why() -> None:
    study = analyze(checked(*person("p1", "ab", uncertainty="")), resamples=0).studies[0]
    assert certainty_figure([("s", study.certainty)]) == NoFigure(
        "certainty",
        "Accuracy by certainty",
        "There is no curve: no answer has a choice, a truth and an uncertainty.",
    )
    assert isinstance(certainty_figure([]), NoFigure)


def test_one_uncertainty_alone_is_a_point() -> None:
    study = analyze(checked(*person("p1", "ab")), resamples=0).studies[0]
    with kept_sheets() as sheets:
        figure = certainty_figure([("s", study.certainty)])
    assert isinstance(figure, Figure)
    assert figure.sentence == "All answers have the uncertainty 2."
    assert "2\n2" in texts(sheets[0])


def test_a_scale_with_more_points_and_more_studies_fit() -> None:
    rows = [row for n in range(1, 12) for row in person(f"p{n}", "ab", uncertainty=str(n))]
    study = analyze(checked(*rows), resamples=0).studies[0]
    figure = certainty_figure([(f"s{number}", study.certainty) for number in range(9)])
    assert isinstance(figure, Figure)
    assert "The first 6 of 9 studies are drawn." in figure.reading
    assert figure.size[1] < 9
