"""The analysis as people read it."""

import re

import pytest

from analysis import Analysis, analyze, render
from tests.analysis.tables import answer, person, published, table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hntt() -> Analysis:
    return published()


def test_it_fits_a_terminal_of_100_columns(hntt: Analysis) -> None:
    assert max(map(len, render(hntt).splitlines())) <= 100


def test_the_published_numbers_stand_beside_the_corrected_ones(hntt: Analysis) -> None:
    text = render(hntt)
    for line in (
        r"mean of hntt-2 +0.76667 +0.76667",
        r"U +341.0 +559.0, 341.0 +3",
        r"p +0.0456 one-sided +0.0912 two-sided +1",
        r"U +257.5 +257.5, 642.5 +3",
        r"p +0.0022 one-sided +0.0043 two-sided +1",
        r"mean of hntt-1 +0.78226 +0.80833 +2",
        r"SD \(n\) of hntt-1 +0.25194 +0.21098 +2",
        r"values of hntt-1 +31 +30 +2",
        r"p +0.0128 one-sided +0.0190 two-sided +1",
    ):
        assert re.search(line, text), line
    for number, start in enumerate(
        ["The printed p values", "The hybrid-symbolic rows", "The smaller", "Ties"], 1
    ):
        assert f"{number}. {start}" in text


def test_every_participant_has_a_line(hntt: Analysis) -> None:
    lines = render(hntt).splitlines()
    assert (
        "1             0.67 (4/6)          1.50        2.20          0.67 (4/6)             1.00 (4/4)"
        in [line.strip() for line in lines]
    )
    assert sum(bool(re.match(r" \d+ +\d\.\d\d \(\d/6\)", line)) for line in lines) == 60


def test_a_one_sided_p_has_the_two_sided_one_beside_it() -> None:
    frame = table(*person("p1", "aab"), *person("p2", "abb"), *person("p3", "bbb", study="t"))
    header = next(
        line for line in render(analyze(frame, alternative="greater")).splitlines() if "U first" in line
    )
    assert "p greater" in header
    assert "p two-sided" in header


def test_left_out_rows_and_missing_numbers_are_told() -> None:
    rows = [*person("p1", "aab"), answer(pair="q9", mode="pilot"), answer(pair="q8", excluded="too-fast")]
    text = render(analyze(table(*rows)))
    assert "1 of 1 participants and 3 of 5 answers count; left out: 1 pilot, 1 excluded by too-fast" in text
    assert "one participant: no SD with ddof 1." in text
    nothing = render(analyze(table(answer(kind="practice"))))
    assert "No numbers: no answer of mode live to a main trial counts." in nothing


def test_long_lists_are_cut_and_say_so() -> None:
    rows = [answer(participant=f"p{number}", pair=f"q{number}") for number in range(70)]
    text = render(analyze(table(*rows), resamples=10))
    assert "The first 60 of 70 participants; --json has them all." in text
    assert "The first 60 of 70 labels; --json has them all." in text


def test_names_are_text_neither_markup_nor_commands_to_the_terminal() -> None:
    rows = [answer(study="[red]", participant="[b]x[/b]\x1b[31m", pair=":smile:", condition="[link]")]
    text = render(analyze(table(*rows)))
    for name in ("Study [red]", "[b]x[/b]\N{REPLACEMENT CHARACTER}[31m", ":smile:", "[link]"):
        assert name in text
    assert "\x1b" not in text


def test_broken_ties_are_still_told() -> None:
    rows = [*person("p1", "aa"), *person("p2", "bb")]
    assert "2 of 2 pairs tied; the majority" in render(analyze(table(*rows), resamples=0))
    broken = render(analyze(table(*rows), ties="random", resamples=0))
    assert "2 of 2 pairs tied, each broken at random by the seed" in broken


def test_no_labels_are_counted_where_skills_cannot_be_told() -> None:
    text = render(analyze(table(*person("p1", "ab")), resamples=0))
    assert "labels differ from the majority" not in text
