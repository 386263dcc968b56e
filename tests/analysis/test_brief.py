"""The one screen that a command prints."""

import re

import pytest

from analysis import Analysis, analyze, hntt_responses, read_hntt, render, render_brief
from tests.analysis.tables import HNTT, answer, person, table

pytestmark = pytest.mark.slow

SCREEN = 40


@pytest.fixture(scope="module")
def hntt() -> Analysis:
    return analyze(hntt_responses(read_hntt(HNTT)), resamples=500)


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


def test_blanks_and_what_is_left_out_are_said_with_the_reason() -> None:
    rows = [*person("p1", "aab"), *person("p2", "ab-"), answer(pair="q8", excluded="unwatched")]
    first = render_brief(analyze(table(*rows), resamples=0)).splitlines()
    text = " ".join(" ".join(first).split())
    assert "are blank (no vote)" in text
    assert "1 excluded by unwatched" in text


def test_many_studies_and_people_take_no_more_room() -> None:
    frames = [
        table(*(row for p in range(30) for row in person(f"p{p}", "aab", study=f"s{s}"))) for s in range(9)
    ]
    text = render_brief(analyze(frames, resamples=0))
    assert len(text.splitlines()) <= 2 * SCREEN
    assert "... and 3 more studies: --full has them all." in text
    assert re.search(r"\.\.\. and \d+ more comparisons: --full has them all\.", text)


def test_a_study_without_answers_that_count_gives_its_reason() -> None:
    text = render_brief(analyze(table(answer(excluded="by-hand")), resamples=0))
    assert "Note, " in text
    assert "accuracy" not in text
