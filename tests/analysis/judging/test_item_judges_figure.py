"""The figure of judges of classes and of ratings: its numbers are the validation's, its marks where these say."""

import numpy as np
import pandas as pd
import pytest

from analysis.data.rating_table import check_ratings
from analysis.figures.figure import Figure, NoFigure
from analysis.judging.items import validate_items
from analysis.judging.items.figure import MOST_CRITERIA, item_judges_figure
from analysis.judging.items.validation import ItemValidation
from tests.analysis.figures.sheets import kept_sheets, marks, xs
from tests.analysis.judging.test_items import random_classes, rated, said

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("few_splits")]


def of_ratings(judges: int = 2, *, turned: bool = False, resamples: int = 50) -> ItemValidation:
    """Items on a scale from 1 to 5, five raters of each; the judges add noise, or turn the scale round."""
    rng = np.random.default_rng(4)
    truth = rng.uniform(1, 5, 40)
    names = [f"i{n}" for n in range(len(truth))]
    scores = np.clip(np.round(truth[:, None] + rng.normal(0, 0.7, (len(truth), 5))), 1, 5).astype(int)
    ratings = rated(dict(zip(names, scores.tolist(), strict=True)))
    verdicts = []
    for place in range(judges):
        values = np.clip((6 - truth if turned else truth) + rng.normal(0, 0.5 + place, len(truth)), 1, 5)
        verdicts.append(said(dict(zip(names, values, strict=True)), f"j{place}"))
    return validate_items(ratings, pd.concat(verdicts, ignore_index=True), resamples=resamples)


def figure_of(validation: ItemValidation) -> Figure:
    figure = item_judges_figure(validation)
    assert isinstance(figure, Figure)
    return figure


def test_ratings_are_drawn_by_their_measures_names_over_one_rater() -> None:
    validation = of_ratings()
    with kept_sheets() as sheets:
        figure = figure_of(validation)
    spearman, icc = sheets[0].axes[:2]
    for axes, measure, title in (
        (spearman, "spearman", "Spearman's correlation with the mean rating"),
        (icc, "icc", "ICC(A,1) with the mean rating, on people's scale"),
    ):
        assert axes.get_title(loc="left") == title
        wanted = [judge.measures[measure].value.value for judge in validation.criteria[0].judges]
        assert [x for one in marks(axes) for x in xs(one)] == pytest.approx(
            [one for one in wanted if one is not None]
        )
    judge = validation.criteria[0].judges[0]
    own, person = judge.measures["spearman"].value, judge.measures["spearman"].ceiling
    row = figure.numbers.rows[0]
    assert row[1:4] == ("j0", "Spearman's correlation with the mean rating", "40")
    assert (row[4], row[6]) == (f"{own.value:.3f}", f"{person.value:.3f}")
    assert "with its interval over items" in figure.sentence
    assert "chance" not in figure.sentence


def test_below_zero_the_axis_begins_at_minus_one() -> None:
    with kept_sheets() as sheets:
        figure = figure_of(of_ratings(1, turned=True))
    axes = sheets[0].axes[0]
    assert axes.get_xlim() == (-1, 1)
    assert all(text.get_position()[0] < -1 for text in axes.texts), "names stand beside the axis"
    assert "chance is 0." in figure.sentence


def test_classes_are_drawn_by_accuracy_and_kappa() -> None:
    people, judge = random_classes(3)
    validation = validate_items(rated(people, "nominal"), said(judge), resamples=50)
    figure = figure_of(validation)
    assert [row[2] for row in figure.numbers.rows] == [
        "Names the class of most people",
        "Cohen's kappa with the class that most people named",
    ]
    found = validation.criteria[0].judges[0].measures
    values = [found[name].value.value for name in ("accuracy", "kappa")]
    assert [row[4] for row in figure.numbers.rows] == [f"{value:.3f}" for value in values]
    assert "j named the class of most people in " in figure.sentence


def test_more_judges_and_criteria_than_there_is_room_for_are_said() -> None:
    assert "The first 8 of 9 judges are drawn." in figure_of(of_ratings(9, resamples=0)).sentence
    rows = [
        {"item": f"i{item}", "rater": f"r{rater}", "criterion": f"c{number}", "score": (item + rater) % 5 + 1}
        for number in range(MOST_CRITERIA + 1)
        for item in range(6)
        for rater in range(3)
    ]
    ratings = check_ratings(pd.DataFrame(rows))
    validation = validate_items(ratings, said({f"i{item}": item for item in range(6)}), resamples=0)
    figure = figure_of(validation)
    assert "The first 8 of 9 criteria are drawn." in figure.sentence
    assert {row[0] for row in figure.numbers.rows} == {f"c{number}" for number in range(8)}


def test_a_judge_without_a_number_is_not_drawn() -> None:
    ratings = rated({"i1": [1, 2], "i2": [2, 3]})
    found = item_judges_figure(validate_items(ratings, said({"i1": 1, "i2": 2}), resamples=0))
    assert isinstance(found, NoFigure)
