"""The votes on each pair: shares counted by hand, intervals from statsmodels."""

from collections.abc import Sequence

import pytest
from matplotlib.axes import Axes
from statsmodels.stats.proportion import proportion_confint

from analysis import Analysis, analyze
from analysis.figures import Figure, NoFigure, votes_figure
from analysis.figures.figure import AnyFigure
from analysis.figures.votes import MOST_DRAWN
from tests.analysis.figures.sheets import kept_sheets, marks, texts, xs
from tests.analysis.tables import answer, checked, hntt_rows, person

pytestmark = pytest.mark.slow


def figure_of(rows: Sequence[dict[str, str]]) -> tuple[AnyFigure, list[Axes], list[str]]:
    analysis = analyze(checked(*rows), resamples=0)
    with kept_sheets() as sheets:
        figure = votes_figure(analysis.studies[0], analysis.labels)
    return (
        figure,
        [axes for sheet in sheets for axes in sheet.axes],
        [t for sheet in sheets for t in texts(sheet)],
    )


def lines_of(axes: Axes) -> list[tuple[float, float]]:
    """The intervals drawn, from top to bottom."""
    segments = [segment for found in axes.collections for segment in found.get_segments()]  # type: ignore[attr-defined]
    return [(float(segment[0][0]), float(segment[1][0])) for segment in segments]


def test_each_pair_has_its_share_and_its_interval(hntt: Analysis) -> None:
    """Source: counted from the file's rows; statsmodels' Wilson interval."""
    study = hntt.studies[1]
    with kept_sheets() as sheets:
        figure = votes_figure(study, hntt.labels)
    assert isinstance(figure, Figure)
    expected = {}
    for question in range(1, 11):
        rows = [r for r in hntt_rows() if r["studyno"] == "2" and r["question_id"] == str(question)]
        aimed = ["1", "2"]  # the human, else the hybrid
        chosen = [row[f"vid{row['subj_resp']}_type"] for row in rows]
        source = next(code for code in aimed if code in (rows[0]["vidA_type"], rows[0]["vidB_type"]))
        votes = chosen.count(source)
        expected[f"q{question}"] = (votes, len(rows), *proportion_confint(votes, len(rows), method="wilson"))
    for pair, _, _, _, voted, n, share, interval, _ in figure.numbers.rows:
        count, total, low, high = expected[pair]
        assert (int(voted), int(n), share) == (count, total, f"{count / total:.3f}")
        assert interval == f"{low:.3f} to {high:.3f}"
    axes = sheets[0].axes[0]
    shown = [row[0] for row in figure.numbers.rows]
    ends = [expected[pair][2:] for pair in shown]
    assert [end for line in lines_of(axes) for end in line] == pytest.approx(
        [end for pair in ends for end in pair]
    )
    dots = sorted(x for line in marks(axes) for x in xs(line))
    assert dots == pytest.approx(sorted(count / total for count, total, _, _ in expected.values()))
    assert [text for text in texts(sheets[0]) if "/" in text] == [f"{expected[p][0]}/30" for p in shown]
    assert (
        "for the right member on 6 of 6 pairs of human-symbolic and for hybrid on 4 of 4 pairs"
        in figure.sentence
    )
    assert "The interval leaves out one half on 6 of 10 pairs." in figure.sentence


def test_ties_and_majorities_against_have_marks_of_their_own() -> None:
    rows = [*person("p1", "aabb"), *person("p2", "abab"), *person("p3", "a-bb")]
    figure, (axes,), drawn = figure_of(rows)
    assert isinstance(figure, Figure)
    assert {row[0]: row[-1] for row in figure.numbers.rows} == {
        "q1": "the right member", "q2": "tie", "q3": "the other member", "q4": "the other member"
    }  # fmt: skip
    shapes = {line.get_marker(): xs(line) for line in marks(axes)}
    assert shapes == {"o": [1.0], "D": [0.5], "X": pytest.approx([1 / 3, 0.0])}
    assert {"majority for it", "majority against it", "tie"} <= set(drawn)
    assert "for the right member on 1 of 4 pairs of human-hybrid (1 tie)" in figure.sentence


def test_the_share_does_not_ask_which_clip_is_called_a() -> None:
    one = [
        answer(participant=f"p{n}", choice="ab"[n > 3], truth="", stimulus_a="x", stimulus_b="y")
        for n in range(9)
    ]
    for sources in (("hybrid", "symbolic"), ("same", "same"), ("", "")):
        rows = [{**row, "source_a": sources[0], "source_b": sources[1]} for row in one]
        turned = [
            {
                **row,
                "choice": "ba"["ab".index(row["choice"])], "left": "b",
                "stimulus_a": "y", "stimulus_b": "x", "source_a": sources[1], "source_b": sources[0],
            }
            for row in rows
        ]  # fmt: skip
        assert figure_of(rows)[0] == figure_of(turned)[0]


def test_attention_pairs_are_in_the_numbers_alone() -> None:
    rows = [answer(), answer(pair="look", trial="look", kind="attention")]
    figure, (axes,), drawn = figure_of(rows)
    assert isinstance(figure, Figure)
    assert [row[:3] for row in figure.numbers.rows] == [
        ("q1", "human-hybrid", "main"),
        ("look", "human-hybrid", "attention"),
    ]
    assert len(lines_of(axes)) == 1
    assert "look" not in drawn


def test_pairs_without_a_vote_are_counted() -> None:
    figure, _, _ = figure_of([answer(), answer(pair="q2", trial="q2", choice="")])
    assert isinstance(figure, Figure)
    assert "1 pair without a vote is not drawn." in figure.reading
    nothing, _, _ = figure_of([answer(choice="")])
    assert isinstance(nothing, NoFigure)
    assert nothing.reason == "No main pair has a vote: there is nothing to draw."


def test_of_very_many_pairs_some_are_drawn_without_names_and_the_caption_says_so() -> None:
    rows = [answer(pair=f"q{n}", trial=f"q{n}", choice="ab"[n % 3 == 0]) for n in range(700)]
    figure, (axes,), drawn = figure_of(rows)
    assert isinstance(figure, Figure)
    assert len(lines_of(axes)) == MOST_DRAWN
    assert f"{MOST_DRAWN} of 700 pairs are drawn, evenly by rank." in figure.reading
    assert "q1" not in drawn
    assert figure.numbers.n_more == 500
    assert figure.size[1] < 9  # inches: a page of A4 holds it


def test_very_many_conditions_become_one_list() -> None:
    rows = [answer(pair=f"q{n}", trial=f"q{n}", condition=f"condition {n}") for n in range(20)]
    figure, _, drawn = figure_of(rows)
    assert isinstance(figure, Figure)
    assert "share for the right member" in drawn
    assert figure.size[1] < 6
