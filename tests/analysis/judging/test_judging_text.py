"""The text for a terminal."""

from analysis.judging import render_validation, validate_judges
from analysis.terminal import WIDTH
from tests.analysis.judging.cases import choices, probabilities, verdicts, votes

RESPONSES = votes({f"q{n}": "aab" if n % 3 else "ab" for n in range(9)})


def text(rows: list[dict[str, object]], resamples: int = 100) -> str:
    return render_validation(validate_judges(RESPONSES, verdicts(rows), resamples=resamples))


def test_every_number_is_compared_with_people() -> None:
    rows = [
        *probabilities({f"q{n}": 0.9 - n / 20 for n in range(9)}, "one"),
        *choices({"q1": "a", "x": "b"}, "two"),
    ]
    page = text(rows)
    for words in (
        "Judge one",
        "probabilities that a is chosen",
        "as published",
        "one person",
        "half",
        "alternative annotator test, epsilon 0.1",
        "McNemar's test, exact",
        "1 of 9 pairs judged; 0 tied; 8 missing; 1 row about nothing known (x).",
        "3 labels tied",
        "prediction-powered",
    ):
        assert words in page, words
    assert max(map(len, page.splitlines())) <= WIDTH
    assert "nan" not in page.lower().split()


def test_the_range_of_the_shares_of_votes_is_said_and_what_near_unanimity_leaves() -> None:
    rows = choices({f"q{n}": "a" for n in range(9)})
    assert "has 0.50 to 0.67 of a pair's votes." in text(rows)
    agreed = votes({f"q{n}": "aaaaaaaab" if n % 3 else "bbbbbbbbb" for n in range(9)})
    found = validate_judges(agreed, verdicts(rows), resamples=0)
    group = found.judges[0].groups[0]
    assert (group.least_majority, group.greatest_majority) == (8 / 9, 1.0)
    assert "has 0.89 to 1.00 of a pair's votes: near unanimity" in " ".join(render_validation(found).split())


def test_a_group_with_the_numbers_of_an_earlier_one_is_not_repeated() -> None:
    page = text(choices({f"q{n}": "a" for n in range(9)}))
    assert "All pairs" in page
    assert "Condition human-hybrid" not in page


def test_undefined_numbers_are_reported() -> None:
    page = text(choices({"q1": ""}), resamples=0)
    assert "no pair has both a truth and a verdict" in page
    assert "no bootstrap over pairs" in page


def test_names_are_text_and_cannot_write_to_the_terminal() -> None:
    page = text(choices({"q1": "a"}, judge="[red]x\x1b[31m"))
    assert "[red]x\N{REPLACEMENT CHARACTER}[31m" in page
    assert "\x1b" not in page
