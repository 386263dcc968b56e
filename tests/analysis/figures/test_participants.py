"""The violins: every participant a dot at the value that counting the file's answers by hand gives."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import gaussian_kde

from analysis import Analysis, analyze
from analysis.figures import Figure, NoFigure, participants_figure
from analysis.figures.dots import MOST_DOTS, beside, outline, thinned
from tests.analysis.figures.sheets import kept_sheets, marks, texts, xs, ys
from tests.analysis.tables import answer, checked, person

pytestmark = pytest.mark.slow

Answers = Mapping[tuple[str, str], Sequence[Mapping[str, str]]]


def by_hand(answers: Answers, study: str) -> tuple[list[float], list[float]]:
    """Accuracies and mean uncertainties over the questions with a human, sorted."""
    accuracies, uncertainties = [], []
    for (name, _), rows in answers.items():
        with_human = [row for row in rows if row["ground"] != "0"]
        if name == study:
            accuracies.append(sum(row["subj_resp"] == row["ground"] for row in with_human) / len(with_human))
            uncertainties.append(sum(int(row["certainty"]) for row in with_human) / len(with_human))
    return sorted(accuracies), sorted(uncertainties)


def test_every_participant_is_a_dot_and_the_mean_a_diamond(hntt: Analysis, answers: Answers) -> None:
    """Source: counted from the file's rows."""
    with kept_sheets() as sheets:
        figure = participants_figure(hntt.studies, hntt.comparisons)
    assert isinstance(figure, Figure)
    for place, axes in enumerate(sheets[0].axes):
        for number, study in enumerate(hntt.studies):
            dots, diamond = marks(axes)[2 * number : 2 * number + 2]
            values = by_hand(answers, study.study)[place]
            assert ys(dots) == pytest.approx(values)
            assert ys(diamond) == pytest.approx([sum(values) / len(values)])
            described = (study.accuracy, study.uncertainty)[place]
            interval = [described.interval.low, described.interval.high]
            assert any(ys(line) == pytest.approx(interval) for line in axes.lines if len(ys(line)) == 2)


def test_no_two_participants_share_a_place(hntt: Analysis) -> None:
    with kept_sheets() as sheets:
        participants_figure(hntt.studies)
    for axes in sheets[0].axes:
        for dots in marks(axes, minimum=2):
            assert len({(round(x, 6), round(y, 6)) for x, y in zip(xs(dots), ys(dots), strict=True)}) == 30


def test_its_numbers_and_its_sentence_are_those_of_the_result(hntt: Analysis) -> None:
    figure = participants_figure(hntt.studies, hntt.comparisons)
    assert isinstance(figure, Figure)
    first = hntt.studies[0]
    low, high = first.accuracy.interval.low, first.accuracy.interval.high
    assert figure.numbers.rows[0][:6] == (
        "hntt-1", "accuracy", "30", f"{first.accuracy.mean:.3f}", f"{low:.3f} to {high:.3f}",
        f"{first.accuracy.sd_ddof1:.3f}",
    )  # fmt: skip
    assert [row[:2] for row in figure.numbers.rows] == [
        (study, measure) for measure in ("accuracy", "uncertainty") for study in ("hntt-1", "hntt-2")
    ]
    assert (
        f"Mean accuracy was 0.84 (95% interval {low:.2f} to {high:.2f}; 30 participants) in hntt-1"
        in figure.sentence
    )
    effect = hntt.comparisons[0].test.effect
    assert f"has a higher accuracy than one of hntt-2 is {effect:.2f}" in figure.sentence


def test_the_outline_is_the_usual_kernel_estimate() -> None:
    """Source: SciPy's gaussian_kde with Scott's bandwidth."""
    values = np.random.default_rng(3).normal(3, 0.8, 200).clip(1, 5)
    shape = outline(values, 1, 5)
    assert shape is not None
    places, heights = shape
    expected = gaussian_kde(values, "scott")(places)
    assert heights == pytest.approx(expected / expected.max(), abs=1e-6)
    assert 1 <= places[0] < places[-1] <= 5


def test_an_outline_of_very_many_values_is_that_of_their_histogram() -> None:
    values = np.random.default_rng(3).normal(3, 0.8, 20_000)
    some = outline(values, -10, 10)
    assert some is not None
    expected = gaussian_kde(values, "scott")(some[0])
    assert some[1] == pytest.approx(expected / expected.max(), abs=0.005)


def test_there_is_no_outline_of_two_values_or_of_equal_ones() -> None:
    assert outline(np.array([0.2, 0.8]), 0, 1) is None
    assert outline(np.full(9, 0.5), 0, 1) is None


def test_equal_values_lie_beside_each_other_around_the_middle() -> None:
    assert beside(np.array([0.1, 0.5, 0.5, 0.5, 0.9]), 0, 1, 0.2).tolist() == [0, -0.2, 0, 0.2, 0]
    assert np.abs(beside(np.full(500, 0.5), 0, 1, 0.2)).max() == pytest.approx(1)


def test_of_very_many_participants_some_are_drawn_and_the_caption_says_so() -> None:
    values = np.random.default_rng(1).random(5000)
    some = thinned(values)
    assert (len(some), some[0], some[-1]) == (MOST_DOTS, values.min(), values.max())
    people = [row for number in range(301) for row in person(f"p{number}", "ab"[number % 2] + "a")]
    with kept_sheets() as sheets:
        figure = participants_figure(analyze(checked(*people), resamples=0).studies)
    assert isinstance(figure, Figure)
    assert "At most 300 participants of a study are drawn" in figure.reading
    assert len(ys(marks(sheets[0].axes[0])[0])) == MOST_DOTS
    assert "n = 301" in "".join(texts(sheets[0]))
    assert "301 participants" in figure.sentence


def test_row_order_and_the_names_of_members_change_nothing(hntt: Analysis) -> None:
    rows = [
        *person("p1", "aab", uncertainty="1"),
        *person("p2", "bab", uncertainty="4"),
        *person("p3", "aaa"),
    ]
    swap = {"a": "b", "b": "a", "": ""}
    mirrored = [
        {
            **row,
            "stimulus_a": row["stimulus_b"], "stimulus_b": row["stimulus_a"],
            "source_a": row["source_b"], "source_b": row["source_a"],
            **{name: swap[row[name]] for name in ("truth", "left", "choice")},
        }
        for row in rows
    ]  # fmt: skip
    drawn = [
        participants_figure(analyze(checked(*some), resamples=50).studies)
        for some in (rows, rows[::-1], mirrored)
    ]
    assert drawn[0] == drawn[1] == drawn[2]


def test_where_nobody_has_a_value_there_is_a_sentence_instead() -> None:
    blank = analyze(checked(*person("p1", "--", uncertainty="")), resamples=0)
    assert participants_figure(blank.studies) == NoFigure(
        "participants",
        "Accuracy and uncertainty of participants",
        "No participant has an accuracy or an uncertainty: there is nothing to draw.",
    )


def test_without_a_truth_the_uncertainty_alone_is_drawn() -> None:
    figure = participants_figure(analyze(checked(*person("p1", "ab", truth="")), resamples=0).studies)
    assert isinstance(figure, Figure)
    assert "There is no accuracy: no pair with a right member was answered." in figure.sentence
    assert {row[1] for row in figure.numbers.rows} == {"uncertainty"}


def test_one_participant_and_equal_participants_are_drawn_without_a_shape() -> None:
    for people in ((person("p1", "ab")), [*person("p1", "ab"), *person("p2", "ab"), *person("p3", "ab")]):
        with kept_sheets() as sheets:
            figure = participants_figure(analyze(checked(*people), resamples=20).studies)
        assert isinstance(figure, Figure)
        assert all(not axes.patches for axes in sheets[0].axes)
        assert "no interval: " in figure.sentence


def test_a_scale_with_more_points_is_drawn_whole() -> None:
    rows = [answer(participant=f"p{number}", uncertainty=str(number + 5)) for number in range(7)]
    with kept_sheets() as sheets:
        participants_figure(analyze(checked(*rows), resamples=0).studies)
    low, high = sheets[0].axes[1].get_ylim()
    assert low < 1 < 11 < high


def test_many_studies_are_drawn_and_more_are_told_of(hntt: Analysis) -> None:
    people = pd.concat([hntt.studies[0].participants] * 1)
    studies = [
        replace(hntt.studies[0], study=f"a-study-with-a-long-name-{n}", participants=people)
        for n in range(10)
    ]
    with kept_sheets() as sheets:
        figure = participants_figure(studies)
    assert isinstance(figure, Figure)
    assert "The first 8 of 10 studies are drawn." in figure.reading
    names = [text.split("\n")[0] for text in texts(sheets[0]) if "\nn = 30" in text or "n = 30" in text]
    assert len(set(names)) == 8
