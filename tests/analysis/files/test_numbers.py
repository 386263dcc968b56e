"""Numbers that people type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.files.numbers import decimal_number, whole_number, with_points


@given(st.integers(-(10**14), 10**14), st.sampled_from([",", "'", "’", " ", "\u00a0", "\u202f"]))
def test_a_separator_counts_between_groups_of_three_digits(number: int, mark: str) -> None:
    assert whole_number(f" {number:,}".replace(",", mark)) == number == whole_number(str(number))


@given(st.text(st.sampled_from("0123456789,' _.-"), max_size=10))
def test_no_separator_changes_a_number(text: str) -> None:
    """What is read is what stands there once whole groups are put together; anything else is refused."""
    try:
        number = whole_number(text)
    except ValueError:
        return
    digits = text.strip()
    assert digits in {f"{number:,}".replace(",", mark) for mark in (",", "'", " ")} | {digits.lstrip("+")}
    assert digits.replace(",", "").replace("'", "").replace(" ", "").lstrip("-0") == str(abs(number)).lstrip(
        "0"
    )


REFUSED = ["12,5", "1_0", "1,00", "1,0000", "1,000 000", ",100", "1.000", "1.5", "1e3", "０", "", "-", "1 2"]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no whole number"):
        whole_number(text)


@pytest.mark.parametrize(("text", "number"), [("12,5", 12.5), ("1.5", 1.5), ("1000", 1000), ("0,125", 0.125)])
def test_decimals_have_a_point_or_a_comma(text: str, number: float) -> None:
    assert decimal_number(text) == number


@pytest.mark.parametrize(
    "text", ["1,000", "1,000.5", "1.000,5", "12,345,678", "1 000", "1_0", "nan", "inf", "٣"]
)
def test_what_may_be_thousands_or_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        decimal_number(text)


def test_decimal_commas_of_a_column_are_points_where_they_can_be_nothing_else() -> None:
    assert with_points(["1,5", "2", "3,250"]) == ["1.5", "2", "3.250"]
    for cells in (
        ["1,500", "2,000", "3"],
        ["1,5", "2,5", "2.5"],
        ["3,5", "4"],
        ["1,5,0"],
        ["a,b", "1,5"],
        ["1", "2"],
    ):
        assert with_points(cells) == cells
