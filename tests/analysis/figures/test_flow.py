"""The flow: what is left at each step, and nobody lost on the way."""

from dataclasses import replace
from itertools import pairwise

import pytest

from analysis import Selection, analyze
from analysis.figures import Figure, NoFigure, Sessions, flow_figure
from analysis.figures.figure import AnyFigure
from tests.analysis.figures.sheets import kept_sheets, texts
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow

SESSIONS = Sessions(refused=2, under_age=1, left_at_consent=3, unfinished=4, completed=30)


def selection() -> Selection:
    """Two participants of four count; of seven answers three."""
    rows = [
        answer(),
        answer(pair="q2", trial="q2"),
        answer(pair="q3", trial="q3", kind="practice"),
        answer(pair="q4", trial="q4", kind="attention"),
        answer(participant="p2"),
        answer(participant="p3", excluded="too-fast"),
        answer(participant="p4", mode="pilot"),
    ]
    return analyze(checked(*rows), resamples=0).studies[0].selection


def steps(figure: AnyFigure) -> list[tuple[str, str, int]]:
    assert isinstance(figure, Figure)
    return [(of, step, int(n)) for of, step, n in figure.numbers.rows]


def test_every_step_is_the_one_before_less_those_who_left() -> None:
    parts: dict[str, list[tuple[str, int]]] = {}
    for of, step, n in steps(flow_figure("s", selection(), SESSIONS)):
        parts.setdefault(of, []).append((step, n))
    assert list(parts) == ["Sessions (live)", "Participants", "Answers"]
    for rows in parts.values():
        stays = [number for number, (step, _) in enumerate(rows) if not step.startswith("left out")]
        for before, after in pairwise(stays):
            assert rows[before][1] - sum(n for _, n in rows[before + 1 : after]) == rows[after][1]


def test_a_table_of_answers_tells_answers_and_participants() -> None:
    figure = flow_figure("s", selection())
    assert steps(figure) == [
        ("Participants", "gave answers", 4),
        ("Participants", "left out: with no answer that counts", 2),
        ("Participants", "are in the numbers", 2),
        ("Answers", "to trials", 7),
        ("Answers", "left out: of mode pilot", 1),
        ("Answers", "left out: to attention pairs", 1),
        ("Answers", "left out: to practice pairs", 1),
        ("Answers", "left out: excluded: too-fast", 1),
        ("Answers", "are in the numbers", 3),
    ]
    assert isinstance(figure, Figure)
    assert figure.sentence == "Of 7 answers by 4 participants, 3 by 2 are in the numbers."


def test_the_drawing_says_the_same_in_its_boxes() -> None:
    with kept_sheets() as sheets:
        flow_figure("s", selection(), SESSIONS)
    drawn = texts(sheets[0])
    for said in ("40 opened", "34 gave consent", "30 completed", "2 refused", "1 said they were under age",
                 "3 left at the consent page", "4 not finished", "7 to trials", "3 are in the numbers",
                 "1 excluded: too-fast"):  # fmt: skip
        assert said in drawn, said


def test_very_many_reasons_are_summed_up() -> None:
    many = replace(selection(), left_out={"excluded": {f"rule-{number}": number + 1 for number in range(12)}})
    rows = steps(flow_figure("s", many))
    assert ("Answers", "left out: for 4 more reasons", 9 + 10 + 11 + 12) in rows


def test_where_nobody_came_there_is_a_sentence_instead() -> None:
    nothing = Selection("live", 0, 0, 0, 0, {}, "no answer of mode live to a main trial counts")
    assert isinstance(flow_figure("s", nothing), NoFigure)
    assert isinstance(flow_figure("s", nothing, Sessions(0, 0, 0, 0, 0)), NoFigure)
    opened = flow_figure("s", nothing, Sessions(1, 0, 0, 0, 0))
    assert isinstance(opened, Figure)
    assert "Nothing counts: no answer of mode live to a main trial counts." in opened.sentence
