"""The page of negotiation: the price of one good, between its values to the seller and to the buyer."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.game.base import View
from app.tasks.game.games.glee.offers_page import ANSWERED, is_last, is_own, message_field, standing_quote
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
    title = noop("A price for a good")

    def rules(self, view: View) -> Rules:
        rounds = (
            _("There are at most {rounds} rounds").format(rounds=view.rounds)
            if view.rounds
            else _("How many rounds there are is not announced")
        )
        if view.rounds == 1:
            rounds = _("There is one round")
        return Rules(
            _(self.title),
            (
                _("A seller has a good, and a buyer may buy it. Each of them has a value for it."),
                *_values_known(view),
                _(
                    "{first} If the price is rejected, the other one names the next, and so on by turns."
                ).format(first=_first(view)),
                _(
                    "If a price is accepted, the good is sold at it: the seller gains what the price is "
                    "above the seller's value, the buyer what it is below the buyer's value. A gain may "
                    "be below zero."
                ),
                _(
                    "Instead of accepting or rejecting, a player may trade elsewhere at their own value: "
                    "that ends the match, and both gain nothing."
                ),
                _("{rounds}. Without a sale in the end, both gain nothing.").format(rounds=rounds),
                _(
                    "When the time is up, your own value is named as the price for you, or the price "
                    "named to you is rejected."
                ),
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=0,
            unit=_("points"),
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
        rest = (Fraction(own), _("points"), _you(view))
        lines: tuple[str, ...]
        if last["answer"] == "outside":
            said = (
                _("The other player chose to trade elsewhere in round {round}, so both of you gain nothing.")
                if is_own(view, last)
                else _("You chose to trade elsewhere in round {round}, so both of you gain nothing.")
            )
            lines = (said.format(round=last["round"]),)
            return Ended(_("No sale"), lines, *rest, None, _drawings(view), _history(view))
        if last["answer"] != "accept":
            lines = (
                _("There was no sale in {n}, so both of you gain nothing.").format(
                    n=plural(len(view.history), "round")
                ),
            )
            return Ended(_("No sale"), lines, *rest, None, _drawings(view), _history(view))
        said = (
            _("The other player accepted the price of {price} in round {round}.")
            if is_own(view, last)
            else _("You accepted the price of {price} in round {round}.")
        )
        price = amount(last["price"])
        lines = (
            said.format(price=price, round=last["round"]),
            _("The good is worth {own_value} to you, so you gain {own}.").format(
                own_value=amount(_own_value(view)), own=amount(own, signed=True)
            ),
        )
        rows = (
            Row((Cell(_("You")), Cell(amount(own, signed=True))), own=True),
            Row(
                (Cell(_("The other player")), Cell(MISSING if other is None else amount(other, signed=True)))
            ),
        )
        table = Table(_("What each of you gained"), (_("Player"), _("Gain")), rows, (1,))
        return Ended(
            _("Sold for {price}").format(price=price), lines, *rest, table, _drawings(view), _history(view)
        )


def _sells(view: View) -> bool:
    return seat_of(view) == 1


def _you(view: View) -> Fact:
    return you(seat_of(view), _("The seller") if _sells(view) else _("The buyer"))


def _own_value(view: View) -> int:
    value: int = view.facts["values"][seat_of(view) - 1]
    return value


def _other_value(view: View) -> int | None:
    value: int | None = view.facts["values"][2 - seat_of(view)]
    return value


def _values_known(view: View) -> tuple[str, ...]:
    if not seat_of(view):
        return (_("You will see whether you sell or buy, and what the good is worth to you."),)
    part = _("You are the seller") if _sells(view) else _("You are the buyer")
    own = _("{part}, and the good is worth {own_value} to you.").format(
        part=part, own_value=plural(_own_value(view), UNIT)
    )
    other = _other_value(view)
    if other is None:
        return (own, _("What it is worth to the other player is not shown to you, nor your value to them."))
    return (
        own,
        _("It is worth {other} to the other player. Both of you know both values.").format(
            other=plural(other, UNIT)
        ),
    )


def _first(view: View) -> str:
    first = {
        0: _("The seller names the first price."),
        1: _("You name the first price."),
        2: _("The seller names the first price."),
    }
    return first[seat_of(view)]


def _headline(view: View, acts: bool) -> str:
    if view.phase == "propose":
        return _("Name a price") if acts else _("The other player names a price")
    return _("Answer the price") if acts else _("The other player answers your price")


def _gain(view: View, price: int) -> int:
    value = _own_value(view)
    return price - value if _sells(view) else value - price


def _waiting(view: View) -> str:
    offer = view.facts["standing"]
    if not offer:
        return _("You will see it here, and can then accept or reject it.")
    gain = amount(_gain(view, offer["price"]), signed=True)
    return _("You named {price}, at which you gain {gain}.").format(price=amount(offer["price"]), gain=gain)


def _facts(view: View) -> tuple[Fact, ...]:
    other = _other_value(view)
    side = (
        _("you gain what the price is above it") if _sells(view) else _("you gain what the price is below it")
    )
    facts = [Fact(_("Worth to you"), plural(_own_value(view), UNIT), side)]
    facts.append(
        Fact(
            _("Worth to the other player"),
            plural(other, UNIT) if other is not None else _("not known to you"),
        )
    )
    if is_last(view):
        facts.append(Fact(_("This is the last round"), _("no sale, no gain"), _("for either of you")))
    return tuple(facts)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    if view.phase == "answer":
        return _answer_form(view)
    number = legal.kinds[0].fields[0]
    assert isinstance(number, Number)
    value = _own_value(view)
    gain = (
        Tell(_("You would gain"), "1", str(-value))
        if _sells(view)
        else Tell(_("You would gain"), "-1", str(value))
    )
    other = _other_value(view)
    tells = [gain]
    if other is not None:
        label = _("The other player would gain")
        tells.append(Tell(label, "-1", str(other)) if _sells(view) else Tell(label, "1", str(-other)))
    field = Amount(
        number.name,
        _("Which price do you name?"),
        number.minimum,
        number.maximum,
        number.step,
        _("points"),
        _("The good is worth {value} to you.").format(value=amount(value)),
        tuple(tells),
        entered.value(number.name),
        entered.error(number.name),
    )
    return MoveForm(
        "propose",
        view.phase_id,
        _("Your price"),
        (field, *message_field(legal, entered, _("Message to the other player"))),
        (Button(_("Name this price")),),
        saying=_("Name the price {price}"),
    )


def _answer_form(view: View) -> MoveForm:
    price = view.facts["standing"]["price"]
    would = (
        _("The other player would pay {price}")
        if _sells(view)
        else _("The other player would sell for {price}")
    )
    after = _("If you reject, the match ends without a sale.") if is_last(view) else (
        _("If you reject, the next round begins and you name a price.")
    )  # fmt: skip
    return MoveForm(
        "answer",
        view.phase_id,
        would.format(price=amount(price)),
        (),
        (
            Button(_("Reject"), "answer", "reject"),
            Button(_("Accept"), "answer", "accept"),
            Button(_("Trade elsewhere"), "answer", "outside"),
        ),
        note=_(
            "If you accept, you gain {gain}. {after} If you trade elsewhere, the match ends, and "
            "both of you gain nothing."
        ).format(gain=amount(_gain(view, price), signed=True), after=after),
    )


def _news(view: View) -> tuple[str, ...]:
    if not view.history or view.phase != "propose":
        return ()
    last = view.history[-1]
    said = (
        _("The other player rejected your price of {price}.")
        if is_own(view, last)
        else _("You rejected the price of {price}.")
    )
    return (said.format(price=amount(last["price"])),)


def _history(view: View) -> Table:
    rows = tuple(_row(view, entry) for entry in reversed(view.history))
    columns = (_("Round"), _("Price by"), _("Price"), _("Your gain"), _("Answer"))
    return Table(
        _("Prices so far"), columns, rows, (0, 2, 3), _("Here you will see each price that was answered.")
    )


def _row(view: View, entry: Mapping[str, Any]) -> Row:
    return Row(
        (
            Cell(str(entry["round"])),
            Cell(_("you") if is_own(view, entry) else _("other player")),
            Cell(amount(entry["price"])),
            Cell(amount(_gain(view, entry["price"]), signed=True)),
            Cell(_(ANSWERED[entry["answer"]]), mark="yes" if entry["answer"] == "accept" else "no"),
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
        Mark("text", 0, y(own) - 4, text=_("{own} to you").format(own=amount(own))),
    ]
    if other is not None and other != own:
        marks.append(Mark("line", 0, y(other), 100, tone="other"))
        marks.append(
            Mark("text", 0, y(other) - 4, text=_("{other} to the other").format(other=amount(other)))
        )
    across = max(view.rounds or 0, len(offers), 6)
    for at, entry in enumerate(offers):
        x = 34 + 62 * at / (across - 1)
        marks.append(Mark("dot", x, y(entry["price"]), tone="full" if is_own(view, entry) else "hollow"))
    said = _(", ").join(
        (_("{price} by you") if is_own(view, entry) else _("{price} by the other player")).format(
            price=amount(entry["price"])
        )
        for entry in offers
    )
    return (
        Drawing(
            _("Prices by round"),
            _("Prices in order: {said}.").format(said=said),
            HEIGHT,
            tuple(marks),
            _("Filled: your prices; outlined: the other player's. Lines: what the good is worth."),
        ),
    )
