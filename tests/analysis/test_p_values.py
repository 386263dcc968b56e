"""p values as the APA's manual has them (7th edition, 6.36): no leading zero, two or three decimals, p < .001."""

import pytest

from analysis.stats.p_values import p_cell, p_words


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (0.25, ".25"),
        (0.2504, ".25"),
        (0.04632, ".046"),
        (0.05, ".05"),
        (0.0496, ".05"),
        (0.3, ".30"),
        (0.001, ".001"),
        (0.00099, "< .001"),
        (0.0, "< .001"),
        (0.9994, ".999"),
        (0.9996, "> .999"),
        (1.0, "> .999"),
        (None, "-"),
    ],
)
def test_a_p_value_has_two_or_three_decimals_and_is_never_zero_or_one(value: float | None, cell: str) -> None:
    assert p_cell(value) == cell


def test_in_a_sentence_it_is_named() -> None:
    assert (p_words(0.25), p_words(1e-9), p_words(None, "–")) == ("p = .25", "p < .001", "p = –")
