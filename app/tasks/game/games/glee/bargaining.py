"""GLEE's bargaining: two players split money by offers in turn, and each round makes it worth less to them.

Rubinstein's alternating offers, as in GLEE [SMR24], section 2.1.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import Field

from app.core.widgets import Widget
from app.tasks.game.base import Seat, Start
from app.tasks.game.games.glee.offers import BOTH, MONEY, OffersConfig, OffersGame, OffersState, Rounds
from app.tasks.game.moves import Number
from app.tasks.game.ratio import Ratio

# From texts, as Fraction(0.95) is the nearest double.
_DISCOUNTS = tuple(map(Fraction, ("0.8", "0.9", "0.95", "1")))


class BargainingConfig(OffersConfig):
    """Published: 4 x 4 discounts, 3 sums, 2 horizons, information and messages: 384 configurations."""

    levels: ClassVar[Mapping[str, Sequence[Any]]] = {
        "discount_alice": _DISCOUNTS,
        "discount_bob": _DISCOUNTS,
        "money": MONEY,
        "rounds": (12, 99),
        "complete_information": BOTH,
        "messages": BOTH,
    }
    together: ClassVar[Sequence[tuple[str, ...]]] = (("discount_alice", "discount_bob"),)
    samples: ClassVar[Mapping[str, Sequence[Mapping[str, Any]]]] = {"human-study": ({},)}
    starts: ClassVar[Sequence[Start]] = (
        Start("Published", "12 rounds at most, told to both; a text may go with an offer", {}),
        Start("No end in sight", "99 rounds at most, and nobody is told", {"rounds": 99}),
        Start("Short", "4 rounds at most, offers without a text", {"rounds": 4, "messages": False}),
    )

    discount_alice: Annotated[Ratio, Widget(unit="of its value")] = Field(
        default=Fraction("0.9"),
        gt=0,
        le=1,
        title="Alice’s money keeps each round",
        description="What money is worth to Alice a round later.",
    )
    discount_bob: Annotated[Ratio, Widget(unit="of its value")] = Field(
        default=Fraction("0.8"),
        gt=0,
        le=1,
        title="Bob’s money keeps each round",
        description="What money is worth to Bob a round later.",
    )
    rounds: Rounds = 12

    @property
    def discounts(self) -> tuple[Fraction, Fraction]:
        """Alice's and Bob's."""
        return self.discount_alice, self.discount_bob


class Bargaining(OffersGame[BargainingConfig]):
    """An offer names Alice's gain; the rest of the money is Bob's, so that the two always add up to M.

    Accepted in round t, it pays Alice M x dA^(t-1) x p and Bob M x dB^(t-1) x (1-p); without a deal, nothing.
    """

    name = "glee-bargaining"
    shares = frozenset({"gain", "efficiency", "fairness"})
    Config = BargainingConfig
    roles = ("Alice", "Bob")
    amount_name = "alice_gain"
    answers = ("accept", "reject")

    def amount(self, c: BargainingConfig) -> Number:
        """An amount up to all of the money."""
        return Number("alice_gain", 0, c.money)

    def default_amount(self, c: BargainingConfig, seat: Seat) -> int:
        """Half, rounded down."""
        return c.money // 2

    def private(self, c: BargainingConfig) -> tuple[str, tuple[Any, Any]]:
        """The discounts."""
        return "discounts", c.discounts

    def payoffs(self, s: OffersState[BargainingConfig]) -> tuple[Fraction, ...]:
        """The accepted shares, discounted."""
        if not (deal := s.deal):
            return Fraction(0), Fraction(0)
        alice, bob = (discount ** (len(s.offers) - 1) for discount in s.config.discounts)
        return alice * deal.amount, bob * (s.config.money - deal.amount)

    def measures(self, s: OffersState[BargainingConfig]) -> Mapping[str, Fraction]:
        """The sum of the gains, and 1 - 4(p - 1/2)^2; 0 and 1 without a deal."""
        share = Fraction(s.deal.amount, s.config.money) if s.deal else Fraction(1, 2)
        efficiency = Fraction(sum(self.payoffs(s))) / s.config.money
        return {"efficiency": efficiency, "fairness": 1 - 4 * (share - Fraction(1, 2)) ** 2}
