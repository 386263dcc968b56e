"""Records of the two games of alternating offers: their rounds, and the decisions of a seat."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.library.records import Line
from app.tasks.game.base import Seat
from app.tasks.game.match import Match
from app.tasks.game.parts import amount
from app.tasks.game.presenters.base import percent
from app.tasks.game.record_decisions import FIRST, NOW, Decision
from app.tasks.game.record_rounds import Parts, Played, RecordedMatch, players_of


def bargaining(looked: RecordedMatch) -> Played:
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
    return _rounds(looked, "Sharing a sum", lines, offer)


def negotiation(looked: RecordedMatch) -> Played:
    lines = [
        "A seller and a buyer name prices in turn for one good, one in each round. A price that is accepted ends the"
        " match, and so does a deal with somebody else, which pays nobody; without any deal both get nothing."
    ]
    for seat in looked.seats:
        value = looked.view.facts["values"][seat - 1]
        worth = "" if value is None else f", to whom the good is worth {amount(value)}"
        lines.append(f"{looked.name(seat)} is the {('seller', 'buyer')[seat - 1]}{worth}.")
    return _rounds(
        looked, "Selling and buying", lines, lambda entry: f"names a price of {amount(entry['price'])}."
    )


_ANSWERS = {"accept": "accepts.", "reject": "rejects.", "outside": "deals with somebody else instead."}


def _rounds(
    looked: RecordedMatch, title: str, lines: Sequence[str], offer: Callable[[Mapping[str, Any]], str]
) -> Played:
    rounds = {
        entry["round"]: (
            Line(text=f"{looked.name(entry['proposer'])} {offer(entry)}"),
            *looked.message(entry["proposer"], entry["message"]),
            Line(text=f"{looked.name(3 - entry['proposer'])} {_ANSWERS[entry['answer']]}"),
        )
        for entry in looked.view.history
    }
    return Played(title, players_of(looked), tuple(Line(text=line) for line in lines), rounds)


def decisions(_: Match, looked: RecordedMatch, seat: Seat, found: Played) -> Iterator[Decision]:
    for entry in looked.view.history:
        number = entry["round"]
        # The last line of a round is its answer; the offer stands before it, with its message.
        offer, answer = found.rounds[number][:-1], found.rounds[number][-1:]
        past: Parts = (FIRST,)
        if number > 1:
            past = (Line(text=f"It is round {number}. In the round before:"), *found.rounds[number - 1], NOW)
        if entry["proposer"] == seat:
            yield Decision("offer", number, past, offer)
        else:
            yield Decision("answer", number, (*past, *offer), answer)
