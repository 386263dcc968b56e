"""GLEE's persuasion: a seller who sees a product's quality recommends it, or not, to a buyer who does not see it.

Repeated cheap talk, as in GLEE [SMR24], section 2.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from app.core.widgets import Widget
from app.tasks.game.base import Event, Outcome, Phase, Role, Seat, Start, View, Viewer, require_legal
from app.tasks.game.games.glee.offers import ALICE, BOB, BOTH, MONEY, GleeConfig, Rounds, known, two_roles
from app.tasks.game.moves import ChanceSpec, Choice, IllegalMove, Move, MoveKind, MoveSchema
from app.tasks.game.ratio import Ratio


class PersuasionConfig(GleeConfig):
    """Published: 3 chances, 5 values, 3 prices, and who knows v, the messages and the buyer: 360 configurations.

    `money` is the price, and `complete_information` says whether the seller knows v. That buyers write, too, is no
    published factor.
    """

    levels: ClassVar[Mapping[str, Sequence[Any]]] = {
        "chance_high": tuple(map(Fraction, ("1/3", "1/2", "4/5"))),
        "value": tuple(map(Fraction, ("1.2", "1.25", "2", "3", "4"))),
        "money": MONEY,
        "rounds": (20,),
        "complete_information": BOTH,
        "messages": ("binary", "text"),
        "buyer": ("long-living", "myopic"),
    }
    samples: ClassVar[Mapping[str, Sequence[Mapping[str, Any]]]] = {
        "human-study": tuple(
            {"main": {"buyer": buyer}, "only": {"buyer": (buyer,)}} for buyer in ("long-living", "myopic")
        )
    }
    starts: ClassVar[Sequence[Start]] = (
        Start("Published", "20 rounds with one buyer; the seller writes a text", {}),
        Start("New buyers", "20 rounds, a new buyer in each", {"buyer": "myopic"}),
        Start(
            "Short",
            "8 rounds with one buyer; the seller recommends or not",
            {"rounds": 8, "messages": "binary"},
        ),
    )

    chance_high: Annotated[Ratio, Widget(unit="of products")] = Field(
        default=Fraction(1, 2),
        gt=0,
        lt=1,
        title="Share of good products",
        description="Chance of high quality (p).",
    )
    value: Annotated[Ratio, Widget(unit="prices")] = Field(
        default=Fraction(2),
        gt=1,
        title="Worth of a good product to the buyer",
        description="A good product's value to the buyer, in prices (v).",
    )
    rounds: Rounds = 20
    messages: Annotated[
        Literal["binary", "text"],
        Widget(words={"binary": "Recommends it or not", "text": "Writes a text of its own"}),
    ] = Field(
        default="text",
        title="The seller",
        description="A yes or no, or a text of the seller's own.",
    )
    buyer: Annotated[
        Literal["long-living", "myopic"],
        Widget(words={"long-living": "One buyer, who remembers", "myopic": "A new one every round"}),
    ] = Field(
        default="long-living",
        title="The buyer",
        description="One buyer who remembers, or a new one every round.",
    )
    buyer_messages: bool = Field(
        default=False,
        title="A text may go with the buyer’s answer",
        description="Whether a text may go with the buyer's answer.",
    )

    @model_validator(mode="after")
    def _whole(self) -> Self:
        self.times_money(self.value, "the value of a good product")
        return self


@dataclass(frozen=True, slots=True)
class Product:
    """One round's product: whether it is `good`, the seller's message, and whether it was `bought`.

    `sent`: the seller has had the turn; `recommended` is None for a text.
    """

    good: bool
    sent: bool = False
    recommended: bool | None = None
    message: str = ""
    bought: bool | None = None
    reply: str = ""


@dataclass(frozen=True, slots=True)
class PersuasionState:
    """The products so far, one a round; the last may be under way."""

    config: PersuasionConfig
    products: tuple[Product, ...] = ()

    @property
    def current(self) -> Product | None:
        """The product that is not yet answered."""
        return self.products[-1] if self.products and self.products[-1].bought is None else None

    @property
    def past(self) -> tuple[Product, ...]:
        """The products that were bought or not."""
        return self.products[:-1] if self.current else self.products


class Persuasion:
    """Each round: nature draws the quality, the seller sends a message, the buyer buys at the price or does not.

    The seller earns the price for a sale; the buyer v - 1 prices for a good product and -1 for a bad one.
    """

    name = "glee-persuasion"
    version = "1"
    shares = frozenset({"efficiency", "fairness"})
    Config = PersuasionConfig

    def seats(self, c: PersuasionConfig) -> Sequence[Role]:
        """Alice sells."""
        return two_roles("seller", "buyer")

    def initial(self, c: PersuasionConfig) -> PersuasionState:
        """No product yet."""
        return PersuasionState(c)

    def nature(self, s: PersuasionState) -> ChanceSpec | None:
        """The draw of whether the round's product is `good`."""
        if s.current or self.done(s):
            return None
        p = s.config.chance_high
        # In whole numbers, so that a chance of a third is exact.
        return ChanceSpec("good", (True, False), (p.numerator, p.denominator - p.numerator))

    def to_move(self, s: PersuasionState) -> Phase:
        """`nature`, `message`, `answer`."""
        number = len(s.past) + 1
        if self.done(s):
            return Phase("done", len(s.past), "done", ())
        if not s.current:
            return Phase(f"{number}-nature", number, "nature", ())
        if s.current.sent:
            return Phase(f"{number}-answer", number, "answer", (BOB,))
        return Phase(f"{number}-message", number, "message", (ALICE,))

    def legal(self, s: PersuasionState, seat: Seat) -> MoveSchema:
        """A text or a recommendation from the seller; whether to buy from the buyer."""
        phase, c = self.to_move(s), s.config
        if seat not in phase.seats:
            raise IllegalMove(f"seat {seat} may not act now")
        if phase.name == "answer":
            kind = MoveKind("answer", (Choice("buy", BOTH),), c.buyer_messages)
        elif c.messages == "text":
            kind = MoveKind("message", (), True)
        else:
            kind = MoveKind("recommend", (Choice("buy", BOTH),))
        return MoveSchema((kind,), c.max_length)

    def apply(self, s: PersuasionState, event: Event) -> PersuasionState:
        """The state after a draw of quality, a message or an answer."""
        if event.kind not in ("nature", "move"):
            return s
        require_legal(self, s, event)
        if event.kind == "nature":
            return replace(s, products=(*s.products, Product(event.move["value"])))
        return replace(s, products=(*s.past, self._moved(s.products[-1], event)))

    def _moved(self, product: Product, event: Event) -> Product:
        buy = event.move.get("buy")
        if product.sent:
            return replace(product, bought=buy, reply=event.message)
        return replace(product, sent=True, recommended=buy, message=event.message)

    def default_move(self, s: PersuasionState, seat: Seat) -> Move:
        """No recommendation, an empty text, no purchase."""
        (kind,) = self.legal(s, seat).kinds
        return {"kind": kind.kind, **{field.name: False for field in kind.fields}}

    def payoffs(self, s: PersuasionState) -> tuple[Fraction, ...]:
        """Earnings so far, in units of money."""
        good, bad = _bought(s.past)
        price = s.config.money
        return Fraction(price * (good + bad)), price * (good * (s.config.value - 1) - bad)

    def done(self, s: PersuasionState) -> Outcome | None:
        """`rounds-played`."""
        return Outcome("rounds-played", self.payoffs(s)) if len(s.past) == s.config.rounds else None

    def view(self, s: PersuasionState, viewer: Viewer) -> View:
        """Facts: `price`, `chance_high`, `value` (None where unknown), `seller_knows_value`, `messages`, `buyer`,
        `current` (the product under way: `good` for the seller alone, `recommended` and `message` once sent),
        `payoffs` where known, and `statistics` of past rounds. History: past products, for a myopic buyer none.
        """
        c, phase = s.config, self.to_move(s)
        price_known = c.complete_information or viewer in (BOB, "observer")
        facts = {
            "price": c.money,
            "chance_high": str(c.chance_high),
            "value": str(c.value) if price_known else None,
            "seller_knows_value": c.complete_information,
            "messages": c.messages,
            "buyer": c.buyer,
            "current": _current(s.current, viewer),
            "payoffs": self._payoffs(s, viewer),
            "statistics": _statistics(s.past),
        }
        # Each round has a new buyer, who was not there before.
        forgets = viewer == BOB and c.buyer == "myopic"
        history = () if forgets else tuple(_entry(n, product) for n, product in enumerate(s.past, 1))
        rounds = c.rounds if viewer == "observer" else c.shown_rounds
        return View(
            viewer, phase.round, phase.name, phase.phase_id, rounds, viewer in phase.seats, facts, history
        )

    def _payoffs(self, s: PersuasionState, viewer: Viewer) -> list[Any]:
        seller, buyer = self.payoffs(s)
        return [str(seller), *known((None, buyer), viewer, s.config.complete_information)[1:]]

    def metrics(
        self, c: PersuasionConfig, events: Sequence[Event]
    ) -> Mapping[Seat, Mapping[str, Fraction | float | None]]:
        """Measures as defined in the paper: `gain` in prices per round, `efficiency` (share bought of the good),
        `fairness` (share not bought of the bad); None without good or without bad products; `rounds` played.
        """
        s = reduce(self.apply, events, self.initial(c))
        good = sum(product.good for product in s.past)
        bad = len(s.past) - good
        good_bought, bad_bought = _bought(s.past)
        shared = {
            "efficiency": Fraction(good_bought, good) if good else None,
            "fairness": Fraction(bad - bad_bought, bad) if bad else None,
            "rounds": Fraction(len(s.past)),
        }
        unit = c.money * len(s.past)
        return {seat: {"gain": gain / unit, **shared} for seat, gain in enumerate(self.payoffs(s), 1)}


def _bought(past: Sequence[Product]) -> tuple[int, int]:
    bought = [product.good for product in past if product.bought]
    return sum(bought), len(bought) - sum(bought)


def _statistics(past: Sequence[Product]) -> Mapping[str, int]:
    good, bad = _bought(past)
    return {"rounds": len(past), "bought": good + bad, "bought_good": good}


def _current(product: Product | None, viewer: Viewer) -> Mapping[str, Any] | None:
    if product is None:
        return None
    sees_quality = viewer in (ALICE, "observer")
    return {
        "good": product.good if sees_quality else None,
        "recommended": product.recommended,
        "message": product.message,
    }


def _entry(number: int, product: Product) -> Mapping[str, Any]:
    return {
        "round": number,
        "good": product.good,
        "recommended": product.recommended,
        "message": product.message,
        "bought": product.bought,
        "reply": product.reply,
    }
