"""The sorted bars: every participant one, as high as counting the file's answers by hand says."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from analysis import Analysis, analyze
from analysis.figures import Figure, NoFigure, preference_figures
from analysis.figures.preferences import MOST_BARS, MOST_FIGURES
from tests.analysis.figures.sheets import kept_sheets, marks, texts, xs
from tests.analysis.tables import answer, checked, person

pytestmark = pytest.mark.slow

Answers = Mapping[tuple[str, str], Sequence[Mapping[str, str]]]
HYBRID, SYMBOLIC = "2", "3"


def by_hand(answers: Answers, study: str) -> list[float]:
    """Each participant's share of hybrids chosen over symbolic agents, highest first."""
    shares = []
    for (name, _), rows in answers.items():
        asked = [row for row in rows if {row["vidA_type"], row["vidB_type"]} == {HYBRID, SYMBOLIC}]
        chosen = [row[f"vid{row['subj_resp']}_type"] for row in asked]
        if name == study:
            shares.append(chosen.count(HYBRID) / len(asked))
    return sorted(shares, reverse=True)


def no_truth(rows: list[dict[str, str]], condition: str = "hybrid-symbolic") -> list[dict[str, str]]:
    sources = {"source_a": "hybrid", "source_b": "symbolic"}
    return [{**row, "truth": "", "condition": condition, **sources} for row in rows]


def test_every_participant_is_a_bar_highest_first(hntt: Analysis, answers: Answers) -> None:
    """Source: counted from the file's rows."""
    with kept_sheets() as sheets:
        (figure,) = preference_figures(hntt.studies)
    assert isinstance(figure, Figure)
    for axes, study in zip(sheets[0].axes, hntt.studies, strict=True):
        bars = [bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)]
        assert bars == pytest.approx(by_hand(answers, study.study))


def test_its_numbers_and_its_sentence_are_those_of_the_result(hntt: Analysis, answers: Answers) -> None:
    (figure,) = preference_figures(hntt.studies)
    assert isinstance(figure, Figure)
    expected = by_hand(answers, "hntt-1")
    counted = {row[1]: int(row[2]) for row in figure.numbers.rows if row[0] == "hntt-1"}
    assert counted == {f"{share:.3f}": expected.count(share) for share in expected}
    above = sum(share > 0.5 for share in expected)
    assert f"{above} of 30 participants chose hybrid more often than not in hntt-1" in figure.sentence
    low = next(p for p in hntt.studies[0].preferences if not p.has_truth).description.interval.low
    assert f"was 0.81 (95% interval {low:.2f} to " in figure.sentence


def test_a_participant_without_any_such_choice_is_seen(hntt: Analysis) -> None:
    rows = no_truth([*person("p1", "aa"), *person("p2", "bb")])
    with kept_sheets() as sheets:
        list(preference_figures(analyze(checked(*rows), resamples=0).studies))
    assert xs(marks(sheets[0].axes[0])[0]) == [1]


def test_where_every_preference_is_an_accuracy_it_is_not_drawn_again() -> None:
    (figure,) = preference_figures(analyze(checked(answer()), resamples=0).studies)
    assert figure == NoFigure(
        "preferences",
        "Preference of each participant",
        "Every preference is one for the right member: it is the accuracy, and drawn as such.",
    )


def test_where_there_are_no_two_sources_it_says_so() -> None:
    rows = [
        answer(truth="", source_a="", source_b=""),
        answer(participant="p2", truth="", source_a="", source_b=""),
    ]
    (figure,) = preference_figures(analyze(checked(*rows), resamples=0).studies)
    assert isinstance(figure, NoFigure)
    assert "no preference to draw" in figure.reason


def test_of_very_many_participants_some_are_drawn_and_the_caption_says_so() -> None:
    rng = np.random.default_rng(2)
    rows = [row for n in range(150) for row in person(f"p{n}", "".join(rng.choice(["a", "b"], 4)))]
    with kept_sheets() as sheets:
        (figure,) = preference_figures(analyze(checked(*no_truth(rows)), resamples=0).studies)
    assert isinstance(figure, Figure)
    assert len(sheets[0].axes[0].patches) == MOST_BARS
    assert f"At most {MOST_BARS} participants" in figure.reading
    assert "150 participants, sorted" in texts(sheets[0])
    assert sum(int(row[2]) for row in figure.numbers.rows) == 150


def test_of_very_many_preferences_the_first_are_drawn() -> None:
    rows = [
        {**row, "pair": f"c{number}", "trial": f"c{number}"}
        for number in range(8)
        for row in no_truth([answer()], f"condition {number}")
    ]
    figures = list(preference_figures(analyze(checked(*rows), resamples=0).studies))
    assert [figure.name for figure in figures] == [
        *(f"preferences-{number}" for number in range(1, MOST_FIGURES + 1)),
        "preferences-more",
    ]
    assert figures[-1] == NoFigure(
        "preferences-more",
        "Further preferences",
        "2 more preferences are not drawn; their numbers are in the tables.",
    )
