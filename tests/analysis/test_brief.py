"""The one screen that a command prints."""

import re

import numpy as np
import pandas as pd
import pytest

from analysis import Analysis, analyze, render, render_brief
from analysis.data.mapping import read_judgements, read_ratings
from analysis.detection.measures import analyze_judgements
from analysis.ratings.scores import analyze_ratings
from analysis.stats.p_values import p_words
from analysis.text.detection import render_detection
from analysis.text.ratings import render_ratings
from tests.analysis.tables import answer, person, published, table

pytestmark = pytest.mark.slow

SCREEN = 40


@pytest.fixture(scope="module")
def hntt() -> Analysis:
    return published()


def test_the_published_answers_fit_on_a_screen_with_their_numbers(hntt: Analysis) -> None:
    lines = render_brief(hntt).splitlines()
    assert len(lines) <= SCREEN < len(render(hntt).splitlines())
    assert max(map(len, lines)) <= 100
    text = "\n".join(lines)
    assert "hntt-1 (live): 30 of 30 participants and 300 of 300 answers count." in text
    for line in (
        r"hntt-1 +accuracy +30 +0\.839 +\[.*\] +p .* against 0\.5",
        r"hntt-2 +accuracy +30 +0\.767",
        r"hntt-2 +hybrid over symbolic +30 +0\.642",
        r"hntt-1 +uncertainty +30 +2\.078",
        r"hntt-1 +majority is right +6 +1\.000 +- +of pairs; 0 of 10 tied",
    ):
        assert re.search(line, text), line
    assert "--full" in text
    assert "30 participants have the same identifier" in " ".join(text.split())
    assert re.search(
        r"hntt-2 less hntt-1, right answers .* p = \.227 \(mixed model\)", " ".join(text.split())
    ), "the test that reaches furthest"


def test_blanks_and_what_is_left_out_are_said_with_the_reason() -> None:
    rows = [*person("p1", "aab"), *person("p2", "ab-"), answer(pair="q8", excluded="unwatched")]
    first = render_brief(analyze(table(*rows), resamples=0)).splitlines()
    text = " ".join(" ".join(first).split())
    assert "are blank (no vote)" in text
    assert "1 excluded by unwatched" in text


def test_what_was_not_asked_has_no_row_and_is_not_compared() -> None:
    frames = [
        table(*(row | {"uncertainty": ""} for p in range(4) for row in person(f"p{p}", said, study=study)))
        for study, said in (("s1", "aab"), ("s2", "abb"))
    ]
    text = render_brief(analyze(frames, resamples=0))
    assert re.search(r"s1 less s2 \(4 people in both\), accuracy: ", text)
    assert "uncertainty" not in text


def test_many_studies_and_people_take_no_more_room() -> None:
    frames = [
        table(*(row for p in range(2) for row in person(f"p{p}", "aab", study=f"s{s}"))) for s in range(8)
    ]
    text = render_brief(analyze(frames, resamples=0))
    assert len(text.splitlines()) <= 2 * SCREEN
    assert "... and 2 more studies: --full has them all." in text
    assert re.search(r"\.\.\. and \d+ more comparisons: --full has them all\.", text)


def test_a_study_without_answers_that_count_gives_its_reason() -> None:
    text = render_brief(analyze(table(answer(excluded="by-hand")), resamples=0))
    assert "Note, " in text
    assert "accuracy" not in text


def test_many_criteria_groups_classes_and_raters_take_one_screen() -> None:
    rng = np.random.default_rng(2)
    rows = [
        (f"i{i}", f"r{r}", f"criterion {c}", int(rng.integers(1, 6)), f"group {i % 5}")
        for i in range(27)
        for r in range(10)
        for c in range(11)
    ]
    table = pd.DataFrame(rows, columns=["item", "rater", "criterion", "score", "group"])
    columns = {name: name for name in table}
    mapping = {"kind": "ratings", "columns": columns, "scale": [1, 5]}
    found = analyze_ratings(read_ratings(table, mapping), resamples=50)
    text = render_ratings(found, full=False)
    assert len(text.splitlines()) <= SCREEN < len(render_ratings(found).splitlines())
    assert max(map(len, text.splitlines())) <= 100
    said = " ".join(text.split())
    assert "2970 of 2970 scores count, of 27 items by 10 raters." in said
    assert "... and 2 more criteria: --full has them all." in said
    assert re.search(r"criterion 0 270 \d\.\d\d \[", said)
    assert re.search(r"group \d against group \d, criterion \d+: difference [+-]", said)
    # Of all comparisons the least p, before Holm's correction.
    least = min(p.test.p_two_sided or 1.0 for one in found.criteria for p in one.group_comparisons)
    assert f"Mann-Whitney {p_words(least)}" in said
    # Classes, of which there are more than lines.
    named = table.assign(score="class " + table["item"])[["item", "rater", "score"]].drop_duplicates(
        ["item", "rater"]
    )
    mapping = {"kind": "ratings", "columns": {name: name for name in named}, "level": "nominal"}
    text = render_ratings(analyze_ratings(read_ratings(named, mapping), resamples=0), full=False)
    assert len(text.splitlines()) <= SCREEN
    assert "more classes: --full has them all." in text


def test_judgements_of_many_conditions_take_one_screen() -> None:
    rng = np.random.default_rng(2)
    rows = [
        (f"p{p}", f"s{s}", "real" if s % 2 else "fake", rng.choice(["real", "fake", ""], p=[0.5, 0.45, 0.05]))
        for p in range(15)
        for s in range(60)
    ]
    table = pd.DataFrame(rows, columns=["participant", "stimulus", "truth", "answer"])
    table["condition"] = "generator " + (table["stimulus"].str[1:].astype(int) // 6).astype(str)
    mapping = {
        "kind": "yes-no",
        "columns": {name: name for name in table},
        "classes": ["real", "fake"],
    }
    found = analyze_judgements(read_judgements(table, mapping), resamples=0)
    text = render_detection(found, full=False)
    assert len(text.splitlines()) <= SCREEN < len(render_detection(found).splitlines())
    assert max(map(len, text.splitlines())) <= 100
    said = " ".join(text.split())
    assert f"{found.n_answers} of 900 answers of 15 participants about 60 stimuli count" in said
    assert "... and 2 more conditions: --full has them all." in said
    assert re.search(r"all answers 15 0\.\d\d \[", said)
    assert re.search(r"generator 0 15 0\.\d\d ", said)
    assert "Conditions generator 0 less generator 1 (15 people in both), sensitivity d': " in said


def test_text_is_as_wide_as_the_terminal_and_at_most_100(
    hntt: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns, most in (("80", 80), ("300", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        widths = [len(line) for line in render_brief(hntt).splitlines()]
        assert most - 20 < max(widths) <= most
