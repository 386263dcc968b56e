"""What a record shows of each game: its beginning and its rounds, from what a later judge may know of a match.

Seats go by names that say nothing of who sat there: in the record of one seat `This player` and `The other` (`Other 1`
and so on, counted from the seat), in that of a match `Player 1` and so on.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from app.library.records import Line, Player, Table
from app.tasks.game.base import Seat, View
from app.tasks.game.parts import amount
from app.tasks.game.presenters.base import percent
from app.tasks.game.record_options import Text

Parts = tuple[Line | Table, ...]
OWN: Final = "This player"
MASK: Final = "[masked]"
_CONTACT = re.compile(r"(?:https?://|www\.)\S+|[^\s@]+@[^\s@]+\.\w+|(?<!\w)@\w{2,}|\+?\d(?:[ ()/.-]*\d){8,}")
_LENGTHS = ((40, "short"), (120, "medium"))


@dataclass(frozen=True, slots=True)
class Played:
    """What a record shows of one match: `about` each player, what stands at the beginning, and the rounds by number."""

    title: str
    players: tuple[Player, ...]
    parts: Parts
    rounds: Mapping[int, Parts]
    round_name: str = "Round"


@dataclass(frozen=True, slots=True)
class Looked:
    """A match as it is recorded: the `view` of a later judge, and the `seat` whose record it is, None for all."""

    view: View
    n_seats: int
    seat: Seat | None
    text: Text

    def name(self, seat: Seat) -> str:
        """What a seat is called in the record."""
        if self.seat is None:
            return f"Player {seat}"
        if seat == self.seat:
            return OWN
        after = (seat - self.seat) % self.n_seats
        return "The other" if self.n_seats == 2 else f"Other {after}"

    @property
    def seats(self) -> list[Seat]:
        """All seats; the one whose record it is first."""
        first = self.seat or 1
        return [(first - 1 + i) % self.n_seats + 1 for i in range(self.n_seats)]

    def message(self, seat: Seat, message: str) -> tuple[Line, ...]:
        """A message as a line; none where there was none, or where messages are not shown."""
        if not message.strip() or self.text is Text.NUMBERS:
            return ()
        if self.text is Text.LENGTH:
            return (Line(text=f"{self.name(seat)} writes a {length_class(message)} message."),)
        return (Line(text=f"{self.name(seat)} writes: {_CONTACT.sub(MASK, message)}"),)


def length_class(message: str) -> str:
    """`short` up to 40 characters, `medium` up to 120, else `long`."""
    return next((name for most, name in _LENGTHS if len(message) <= most), "long")


def played(game: str, looked: Looked) -> Played:
    """What a record shows of a match of that game."""
    return _GAMES[game](looked)


def _ultimatum(looked: Looked) -> Played:
    endowment = looked.view.facts["endowment"]
    rounds = {}
    for entry in looked.view.history:
        offers = [offer for offer in entry["offers"] if looked.seat in (None, offer["from"], offer["to"])]
        offers.sort(key=lambda offer: looked.seats.index(offer["from"]))
        rows = tuple(
            (
                looked.name(offer["from"]),
                looked.name(offer["to"]),
                amount(offer["amount"]),
                "accepted" if offer["accepted"] else "rejected",
            )
            for offer in offers
        )
        rounds[entry["round"]] = (Table(columns=("Offer by", "To", "Amount", "Answer"), rows=rows),)
    rules = (
        f"In each round every player offers a part of {amount(endowment)} points to one of the others, all at once. An"
        " offer that is accepted is divided so, one that is rejected pays nobody."
    )
    return Played("Offers among several players", _players(looked), (Line(text=rules),), rounds)


def _bargaining(looked: Looked) -> Played:
    money = looked.view.facts["money"]

    def offer(entry: Mapping[str, Any]) -> str:
        own = entry["alice_gain"] if entry["proposer"] == 1 else money - entry["alice_gain"]
        return f"offers {amount(money - own)} of {amount(money)} and would keep {amount(own)}."

    lines = [
        f"Two players divide {amount(money)} points. They propose in turn, one offer in each round; an offer that is"
        " accepted ends the match, and without any deal both get nothing."
    ]
    for seat in looked.seats:
        if (discount := looked.view.facts["discounts"][seat - 1]) is not None:
            lines.append(
                f"{looked.name(seat)}: each round without a deal takes {percent(1 - Fraction(discount))} of the value."
            )
    return _offers(looked, "Sharing a sum", lines, offer)


def _negotiation(looked: Looked) -> Played:
    lines = [
        "A seller and a buyer name prices in turn for one good, one in each round. A price that is accepted ends the"
        " match, and so does a deal with somebody else, which pays nobody; without any deal both get nothing."
    ]
    for seat in looked.seats:
        value = looked.view.facts["values"][seat - 1]
        worth = "" if value is None else f", to whom the good is worth {amount(value)}"
        lines.append(f"{looked.name(seat)} is the {('seller', 'buyer')[seat - 1]}{worth}.")
    return _offers(
        looked, "Selling and buying", lines, lambda entry: f"names a price of {amount(entry['price'])}."
    )


_ANSWERS = {"accept": "accepts.", "reject": "rejects.", "outside": "deals with somebody else instead."}


def _offers(
    looked: Looked, title: str, lines: Sequence[str], offer: Callable[[Mapping[str, Any]], str]
) -> Played:
    rounds = {
        entry["round"]: (
            Line(text=f"{looked.name(entry['proposer'])} {offer(entry)}"),
            *looked.message(entry["proposer"], entry["message"]),
            Line(text=f"{looked.name(3 - entry['proposer'])} {_ANSWERS[entry['answer']]}"),
        )
        for entry in looked.view.history
    }
    return Played(title, _players(looked), tuple(Line(text=line) for line in lines), rounds)


def _persuasion(looked: Looked) -> Played:
    facts = looked.view.facts
    seller, buyer = looked.name(1), looked.name(2)
    # A buyer who is another one in each round saw nothing of how past products were.
    sees_quality = looked.seat != 2 or facts["buyer"] == "long-living"
    rounds = {}
    for entry in looked.view.history:
        quality, said, answered = product(looked, entry)
        parts = (*said, *answered)
        if sees_quality:
            parts = (*parts, quality) if looked.seat == 2 else (quality, *parts)
        rounds[entry["round"]] = parts
    worth = (
        ""
        if facts["value"] is None
        else f", and is worth {amount(Fraction(facts['value']) * facts['price'])}"
    )
    lines = (
        f"In each round a seller offers one product at a price of {amount(facts['price'])}. It is of high quality with"
        f" a chance of {percent(facts['chance_high'])}{worth} then, else nothing. The seller alone sees the quality"
        " before the buyer decides.",
        f"{seller} is the seller, {_lower(buyer)} the buyer.",
    )
    return Played("Recommending products", _players(looked), tuple(Line(text=line) for line in lines), rounds)


def product(looked: Looked, entry: Mapping[str, Any]) -> tuple[Line, Parts, Parts]:
    """A product's quality, what its seller wrote where that is shown, and what the buyer did."""
    quality = Line(text=f"The product is of {'high' if entry['good'] else 'low'} quality.")
    said: Parts = looked.message(1, entry["message"])
    if entry["recommended"] is not None:
        verb = "recommends" if entry["recommended"] else "does not recommend"
        said = (Line(text=f"{looked.name(1)} {verb} it."),)
    answer = Line(text=f"{looked.name(2)} {'buys' if entry['bought'] else 'does not buy'}.")
    return quality, said, (answer, *looked.message(2, entry["reply"]))


def _auction(looked: Looked) -> Played:
    residents = looked.view.facts["residents"]
    rounds = {}
    for entry in looked.view.history:
        if looked.seat is not None and entry["bids"][looked.seat - 1] is None:
            break
        rows = tuple(
            (
                looked.name(seat),
                amount(entry["bids"][seat - 1]),
                seat in entry["winners"],
                amount(entry["statuses"][seat - 1]["balance"]),
                amount(entry["statuses"][seat - 1]["health"]),
            )
            for seat in looked.seats
            if entry["bids"][seat - 1] is not None
        )
        columns = ("Resident", "Bid ($)", "Got water", "Balance after ($)", "Health after")
        supply = Line(text=f"{amount(entry['supply'])} units of water are for sale.")
        rounds[entry["day"]] = (supply, Table(columns=columns, rows=rows))
    rules = (
        "Residents bid for water on each day of a drought, all at once. The highest bids whose need fits in what is"
        " left win and pay what they bid. Water adds health, a day without takes it; who has none left is out."
    )
    about = {
        seat: f"needs {amount(who['need'])} units of water a day and earns ${amount(who['salary'])}"
        for seat, who in enumerate(residents, 1)
    }
    return Played("Bids for water", _players(looked, about), (Line(text=rules),), rounds, "Day")


def _players(looked: Looked, about: Mapping[Seat, str] | None = None) -> tuple[Player, ...]:
    return tuple(Player(name=looked.name(seat), about=(about or {}).get(seat, "")) for seat in looked.seats)


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:] if name.startswith("The ") or name == OWN else name


_GAMES: Mapping[str, Callable[[Looked], Played]] = {
    "sug": _ultimatum,
    "glee-bargaining": _bargaining,
    "glee-negotiation": _negotiation,
    "glee-persuasion": _persuasion,
    "wac": _auction,
}
