"""GLEE's negotiation: a seller and a buyer offer prices in turn for one good; either may deal with a third party.

Bilateral trade, as in GLEE [SMR24], section 2.2; the outside option is in its prompts and code.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from app.core.widgets import Widget
from app.tasks.game.base import Seat, Start
from app.tasks.game.games.glee.offers import (
    BOTH,
    FACTORS,
    MONEY,
    OffersConfig,
    OffersGame,
    OffersState,
    Rounds,
)
from app.tasks.game.moves import Number
from app.tasks.game.ratio import Ratio


class NegotiationConfig(OffersConfig):
    """Published: 4 x 4 factors, 3 sums, 3 horizons, information and messages: 576 configurations."""

    levels: ClassVar[Mapping[str, Sequence[Any]]] = {
        "seller_factor": FACTORS,
        "buyer_factor": FACTORS,
        "money": MONEY,
        "rounds": (1, 10, 30),
        "complete_information": BOTH,
        "messages": BOTH,
    }
    samples: ClassVar[Mapping[str, Sequence[Mapping[str, Any]]]] = {
        "human-study": ({"only": {"rounds": (10, 30)}},)
    }
    starts: ClassVar[Sequence[Start]] = (
        Start("Published", "10 rounds at most, told to both; a text may go with a price", {}),
        Start("Take it or leave it", "One round: one price, one answer", {"rounds": 1}),
        Start("Short", "4 rounds at most, prices without a text", {"rounds": 4, "messages": False}),
    )

    seller_factor: Annotated[Ratio, Widget(unit="of the money")] = Field(
        default=Fraction("0.8"),
        gt=0,
        title="Worth to the seller",
        description="The good's value to the seller, in M.",
    )
    buyer_factor: Annotated[Ratio, Widget(unit="of the money")] = Field(
        default=Fraction("1.2"),
        gt=0,
        title="Worth to the buyer",
        description="The good's value to the buyer, in M.",
    )
    rounds: Rounds = 10

    @model_validator(mode="after")
    def _whole(self) -> Self:
        self.times_money(self.seller_factor, "the seller's value")
        self.times_money(self.buyer_factor, "the buyer's value")
        return self

    @property
    def values(self) -> tuple[int, int]:
        """The value of the good to the seller and to the buyer."""
        return int(self.seller_factor * self.money), int(self.buyer_factor * self.money)


class Negotiation(OffersGame[NegotiationConfig]):
    """Negotiation: at an accepted price x, the seller gains x - V_A and the buyer V_B - x; no bound on prices, no
    discounting.

    `outside` deals with a third party at the player's own value: the game ends and both gain nothing.
    """

    name = "glee-negotiation"
    shares = frozenset({"efficiency"})
    Config = NegotiationConfig
    roles = ("seller", "buyer")
    amount_name = "price"
    answers = ("accept", "reject", "outside")

    def amount(self, c: NegotiationConfig) -> Number:
        """Any price."""
        # No bound, so that one may sell at a loss, as in the paper.
        return Number("price", 0, None, usual=2 * c.money)

    def default_amount(self, c: NegotiationConfig, seat: Seat) -> int:
        """The player's own value, at which they gain nothing."""
        return c.values[seat - 1]

    def private(self, c: NegotiationConfig) -> tuple[str, tuple[Any, Any]]:
        """The values."""
        return "values", c.values

    def payoffs(self, s: OffersState[NegotiationConfig]) -> tuple[Fraction, ...]:
        """The gains of seller and buyer at the agreed price."""
        seller, buyer = s.config.values
        if not (deal := s.deal):
            return Fraction(0), Fraction(0)
        return Fraction(deal.amount - seller), Fraction(buyer - deal.amount)

    def measures(self, s: OffersState[NegotiationConfig]) -> Mapping[str, Fraction]:
        """Efficient: sold at a price between the values, or not sold where the seller's is not the smaller one.

        Fairness is 1 - 4((x - (V_A + V_B)/2) / M)^2, and 1 without a sale; it can be negative.
        """
        seller, buyer = s.config.values
        if not s.deal:
            return {"efficiency": Fraction(seller >= buyer), "fairness": Fraction(1)}
        price, middle = s.deal.amount, Fraction(seller + buyer, 2)
        fairness = 1 - 4 * ((price - middle) / s.config.money) ** 2
        return {"efficiency": Fraction(seller <= price <= buyer), "fairness": fairness}
