"""The page of negotiation: the price of one good, between its values to the seller and to the buyer."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from app.tasks.game.base import View
from app.tasks.game.games.glee.offers_page import ANSWERED, by, is_last, is_own, message_field, standing_quote
from app.tasks.game.moves import MoveSchema, Number
from app.tasks.game.parts import (
    MISSING,
    Amount,
    Button,
    Cell,
    Drawing,
    Ended,
    Entered,
    Face,
    Fact,
    Mark,
    MoveForm,
    Row,
    Rules,
    Table,
    Tell,
    amount,
)
from app.tasks.game.presenters.base import plural, round_of, seat_of, you

UNIT = "point"
HEIGHT, EDGE, LEFT = 120, 16, 4.0


class NegotiationPresenter:
    title = "A price for a good"

    def rules(self, view: View) -> Rules:
        rounds = (
            f"There are at most {view.rounds} rounds"
            if view.rounds
            else "How many rounds there are is not announced"
        )
        if view.rounds == 1:
            rounds = "There is one round"
        return Rules(
            self.title,
            (
                "A seller has a good, and a buyer may buy it. Each of them has a value for it.",
                *_values_known(view),
                f"{_first(view)} If the price is rejected, the other one names the next, and so on by turns.",
                "If a price is accepted, the good is sold at it: the seller gains what the price is above the "
                "seller's "
                "value, the buyer what it is below the buyer's value. A gain may be below zero.",
                "Instead of accepting or rejecting, a player may trade elsewhere at their own value: that ends the "
                "match, "
                "and both gain nothing.",
                f"{rounds}. Without a sale in the end, both gain nothing.",
                "When the time is up, your own value is named as the price for you, or "
                "the "
                "price named to you is rejected.",
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=0,
            unit="points",
            you=_you(view),
            facts=_facts(view),
            news=_news(view),
            quote=standing_quote(view) if legal else None,
            form=_form(view, legal, entered) if legal else None,
            waiting="" if legal else _waiting(view),
            drawings=_drawings(view),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        last, seat = view.history[-1], seat_of(view)
        own, other = view.facts["payoffs"][seat - 1], view.facts["payoffs"][2 - seat]
        rest = (Fraction(own), "points", _you(view))
        lines: tuple[str, ...]
        if last["answer"] == "outside":
            who = "The other player" if is_own(view, last) else "You"
            lines = (
                f"{who} chose to trade elsewhere in round {last['round']}, so both of you gain nothing.",
            )
            return Ended("No sale", lines, *rest, None, _drawings(view), _history(view))
        if last["answer"] != "accept":
            lines = (
                f"There was no sale in {plural(len(view.history), 'round')}, so both of you gain nothing.",
            )
            return Ended("No sale", lines, *rest, None, _drawings(view), _history(view))
        who = "The other player" if is_own(view, last) else "You"
        price = amount(last["price"])
        lines = (
            f"{who} accepted the price of {price} in round {last['round']}.",
            f"The good is worth {amount(_own_value(view))} to you, so you gain {amount(own, signed=True)}.",
        )
        rows = (
            Row((Cell("You"), Cell(amount(own, signed=True))), own=True),
            Row((Cell("The other player"), Cell(MISSING if other is None else amount(other, signed=True)))),
        )
        table = Table("What each of you gained", ("Player", "Gain"), rows, (1,))
        return Ended(f"Sold for {price}", lines, *rest, table, _drawings(view), _history(view))


def _sells(view: View) -> bool:
    return seat_of(view) == 1


def _you(view: View) -> Fact:
    return you(seat_of(view), "The seller" if _sells(view) else "The buyer")


def _own_value(view: View) -> int:
    value: int = view.facts["values"][seat_of(view) - 1]
    return value


def _other_value(view: View) -> int | None:
    value: int | None = view.facts["values"][2 - seat_of(view)]
    return value


def _values_known(view: View) -> tuple[str, ...]:
    if not seat_of(view):
        return ("You will see whether you sell or buy, and what the good is worth to you.",)
    part = "You are the seller" if _sells(view) else "You are the buyer"
    own = f"{part}, and the good is worth {plural(_own_value(view), UNIT)} to you."
    other = _other_value(view)
    if other is None:
        return (own, "What it is worth to the other player is not shown to you, nor your value to them.")
    return (own, f"It is worth {plural(other, UNIT)} to the other player. Both of you know both values.")


def _first(view: View) -> str:
    first = {
        0: "The seller names the first price.",
        1: "You name the first price.",
        2: "The seller names the first price.",
    }
    return first[seat_of(view)]


def _headline(view: View, acts: bool) -> str:
    if view.phase == "propose":
        return "Name a price" if acts else "The other player names a price"
    return "Answer the price" if acts else "The other player answers your price"


def _gain(view: View, price: int) -> int:
    value = _own_value(view)
    return price - value if _sells(view) else value - price


def _waiting(view: View) -> str:
    offer = view.facts["standing"]
    if not offer:
        return "You will see it here, and can then accept or reject it."
    gain = amount(_gain(view, offer["price"]), signed=True)
    return f"You named {amount(offer['price'])}, at which you gain {gain}."


def _facts(view: View) -> tuple[Fact, ...]:
    other = _other_value(view)
    side = "you gain what the price is above it" if _sells(view) else "you gain what the price is below it"
    facts = [Fact("Worth to you", plural(_own_value(view), UNIT), side)]
    facts.append(
        Fact("Worth to the other player", plural(other, UNIT) if other is not None else "not known to you")
    )
    if is_last(view):
        facts.append(Fact("This is the last round", "no sale, no gain", "for either of you"))
    return tuple(facts)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    if view.phase == "answer":
        return _answer_form(view)
    number = legal.kinds[0].fields[0]
    assert isinstance(number, Number)
    value = _own_value(view)
    gain = (
        Tell("You would gain", "1", str(-value)) if _sells(view) else Tell("You would gain", "-1", str(value))
    )
    other = _other_value(view)
    tells = [gain]
    if other is not None:
        label = "The other player would gain"
        tells.append(Tell(label, "-1", str(other)) if _sells(view) else Tell(label, "1", str(-other)))
    field = Amount(
        number.name,
        "Which price do you name?",
        number.minimum,
        number.maximum,
        number.step,
        "points",
        f"The good is worth {amount(value)} to you.",
        tuple(tells),
        entered.value(number.name),
        entered.error(number.name),
    )
    return MoveForm(
        "propose",
        view.phase_id,
        "Your price",
        (field, *message_field(legal, entered, "Message to the other player")),
        (Button("Name this price"),),
        saying="Name the price {price}",
    )


def _answer_form(view: View) -> MoveForm:
    price = view.facts["standing"]["price"]
    does = "pay" if _sells(view) else "sell for"
    after = "If you reject, the match ends without a sale." if is_last(view) else (
        "If you reject, the next round begins and you name a price."
    )  # fmt: skip
    return MoveForm(
        "answer",
        view.phase_id,
        f"The other player would {does} {amount(price)}",
        (),
        (
            Button("Reject", "answer", "reject"),
            Button("Accept", "answer", "accept"),
            Button("Trade elsewhere", "answer", "outside"),
        ),
        note=f"If you accept, you gain {amount(_gain(view, price), signed=True)}. {after} If you trade elsewhere, "
        "the match "
        "ends, and both of you gain nothing.",
    )


def _news(view: View) -> tuple[str, ...]:
    if not view.history or view.phase != "propose":
        return ()
    last = view.history[-1]
    who, whose = ("The other player", "your") if is_own(view, last) else ("You", "the")
    return (f"{who} rejected {whose} price of {amount(last['price'])}.",)


def _history(view: View) -> Table:
    rows = tuple(_row(view, entry) for entry in reversed(view.history))
    columns = ("Round", "Price by", "Price", "Your gain", "Answer")
    return Table("Prices so far", columns, rows, (0, 2, 3), "Here you will see each price that was answered.")


def _row(view: View, entry: Mapping[str, Any]) -> Row:
    return Row(
        (
            Cell(str(entry["round"])),
            Cell("you" if is_own(view, entry) else "other player"),
            Cell(amount(entry["price"])),
            Cell(amount(_gain(view, entry["price"]), signed=True)),
            Cell(ANSWERED[entry["answer"]], mark="yes" if entry["answer"] == "accept" else "no"),
        ),
        quote=entry["message"],
    )


def _drawings(view: View) -> tuple[Drawing, ...]:
    """Prices by round, own ones filled, and the values as lines."""
    standing = view.facts["standing"]
    offers = [*view.history, *([standing] if standing else [])]
    if not offers:
        return ()
    own, other = _own_value(view), _other_value(view)
    scale = [entry["price"] for entry in offers] + [own] + ([other] if other is not None else [])
    low, high = min(scale), max(scale)

    def y(price: int) -> float:
        share = (price - low) / (high - low) if high > low else 0.5
        return EDGE + (HEIGHT - 2 * EDGE) * (1 - share)

    marks = [
        Mark("line", 0, y(own), 100, tone="own"),
        Mark("text", 0, y(own) - 4, text=f"{amount(own)} to you"),
    ]
    if other is not None and other != own:
        marks.append(Mark("line", 0, y(other), 100, tone="other"))
        marks.append(Mark("text", 0, y(other) - 4, text=f"{amount(other)} to the other"))
    across = max(view.rounds or 0, len(offers), 6)
    for at, entry in enumerate(offers):
        x = 34 + 62 * at / (across - 1)
        marks.append(Mark("dot", x, y(entry["price"]), tone="full" if is_own(view, entry) else "hollow"))
    said = ", ".join(f"{amount(entry['price'])} by {by(view, entry).lower()}" for entry in offers)
    return (
        Drawing(
            "Prices by round",
            f"Prices in order: {said}.",
            HEIGHT,
            tuple(marks),
            "Filled: your prices; outlined: the other player's. Lines: what the good is worth.",
        ),
    )
