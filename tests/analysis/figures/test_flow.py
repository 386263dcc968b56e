"""The flow: what is left at each step, and nobody lost on the way."""

from dataclasses import replace
from itertools import pairwise

import pytest

from analysis import Selection, StudyResult, analyze
from analysis.data.flow import SessionKnown, flow_of
from analysis.figures import Figure, NoFigure, flow_figure
from analysis.figures.figure import AnyFigure
from tests.analysis.figures.sheets import kept_sheets, texts
from tests.analysis.tables import answer, checked

pytestmark = pytest.mark.slow

FLOW = flow_of(
    "live",
    [
        (SessionKnown("refused"), 2),
        (SessionKnown("under-age"), 1),
        (SessionKnown("left"), 3),
        (SessionKnown("active", n_answered=1), 4),
        (SessionKnown("completed", n_answered=3, counts=True), 28),
        (SessionKnown("completed", n_answered=3, rules=("unwatched",), counts=True), 2),
    ],
)


def study() -> StudyResult:
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
    return analyze(checked(*rows), resamples=0).studies[0]


def steps(figure: AnyFigure) -> list[tuple[str, str, int]]:
    assert isinstance(figure, Figure)
    return [(of, step, int(n)) for of, step, n in figure.numbers.rows]


def test_every_step_is_the_one_before_less_those_who_left() -> None:
    parts: dict[str, list[tuple[str, int]]] = {}
    for of, step, n in steps(flow_figure("s", study().selection, FLOW)):
        parts.setdefault(of, []).append((step, n))
    assert list(parts) == ["Participants (live)", "Answers"]
    for rows in parts.values():
        stays = [number for number, (step, _) in enumerate(rows) if not step.startswith("left out")]
        for before, after in pairwise(stays):
            assert rows[before][1] - sum(n for _, n in rows[before + 1 : after]) == rows[after][1]


def test_a_table_of_answers_tells_answers_and_participants() -> None:
    one = study()
    figure = flow_figure("s", one.selection, one.flow)
    assert steps(figure) == [
        ("Participants (live)", "began", 3),
        ("Participants (live)", "left out: without an answer that counts", 1),
        ("Participants (live)", "analysed", 2),
        ("Answers", "to trials", 7),
        ("Answers", "left out: of mode pilot", 1),
        ("Answers", "left out: to attention pairs", 1),
        ("Answers", "left out: to practice pairs", 1),
        ("Answers", "left out: excluded: too-fast", 1),
        ("Answers", "are in the numbers", 3),
    ]
    assert isinstance(figure, Figure)
    said = "Of 3 who began, 2 are analysed. Of 7 answers by 4 participants, 3 by 2 are in the numbers."
    assert figure.sentence == said


def test_the_drawing_says_the_same_in_its_boxes() -> None:
    with kept_sheets() as sheets:
        flow_figure("s", study().selection, FLOW)
    drawn = texts(sheets[0])
    for said in ("40 arrived", "34 consented", "34 began", "30 finished", "28 analysed", "2 declined",
                 "1 reported being under age", "3 left at the consent page", "4 have not finished",
                 "7 to trials",
                 "3 are in the numbers", "1 excluded: too-fast"):  # fmt: skip
        assert said in drawn, said


def test_very_many_reasons_are_summed_up() -> None:
    one = study()
    many = replace(
        one.selection, left_out={"excluded": {f"rule-{number}": number + 1 for number in range(12)}}
    )
    rows = steps(flow_figure("s", many, one.flow))
    assert ("Answers", "left out: for 4 more reasons", 9 + 10 + 11 + 12) in rows


def test_where_nobody_came_there_is_a_sentence_instead() -> None:
    nothing = Selection("live", 0, 0, 0, 0, {}, "no answer of mode live to a main trial counts")
    assert isinstance(flow_figure("s", nothing, flow_of("live", ())), NoFigure)
    opened = flow_figure("s", nothing, flow_of("live", [(SessionKnown("refused"), 1)]))
    assert isinstance(opened, Figure)
    assert "Nothing counts: no answer of mode live to a main trial counts." in opened.sentence
