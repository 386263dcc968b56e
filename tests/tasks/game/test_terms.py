"""The value of a payoff in money."""

from fractions import Fraction

import pytest

from app.tasks.game.terms import BonusPay


@pytest.mark.parametrize(
    ("payoff", "minor"),
    [("24", 0), ("25", 1), ("74", 1), ("75", 2), ("99", 2), ("1/3", 0), ("-80", 0), ("5000", 30)],
)
def test_a_bonus_is_rounded_half_up_and_neither_below_nothing_nor_above_the_cap(
    payoff: str, minor: int
) -> None:
    assert BonusPay(minor_per_unit=0.02, cap_minor=30).minor(Fraction(payoff)) == minor


def test_a_price_that_no_float_has_is_taken_as_it_was_written() -> None:
    """The nearest float to .35 is a little less: 10 times that would be rounded down."""
    assert [BonusPay(minor_per_unit=0.35).minor(Fraction(payoff)) for payoff in (10, 30)] == [4, 11]
