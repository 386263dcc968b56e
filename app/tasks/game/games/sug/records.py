"""Records of the Social Ultimatum Game: its rounds, and the decisions of a seat."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.library.records import Line, Table
from app.tasks.game.base import Seat
from app.tasks.game.match import Match
from app.tasks.game.parts import amount
from app.tasks.game.record_decisions import FIRST, Decision, counted
from app.tasks.game.record_rounds import OWN, OWN_WITHIN, Parts, Played, RecordedMatch, players_of


def record(looked: RecordedMatch) -> Played:
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
    return Played("Offers among several players", players_of(looked), (Line(text=rules),), rounds)


def decisions(_: Match, looked: RecordedMatch, seat: Seat, found: Played) -> Iterator[Decision]:
    before: Mapping[Seat, Mapping[str, Any]] = {}
    for entry in looked.view.history:
        offers = {offer["from"]: offer for offer in entry["offers"]}
        own = offers[seat]
        to_own = {sender for sender, offer in before.items() if offer["to"] == seat}
        past: Parts = (FIRST,)
        whom = ""
        if before:
            past = (
                Line(
                    text=f"In the round before, {OWN_WITHIN} offered {amount(before[seat]['amount'])} to one of the"
                    f" others, who {_answered(before[seat])}, and had {counted(len(to_own), 'offer')} from the others."
                ),
            )
            if to_own:
                had = "had" if own["to"] in to_own else "had not"
                whom = f", who {had} made it an offer in the round before"
        text = f"{OWN} offers {amount(own['amount'])} to one of the others{whom}."
        yield Decision("offer", entry["round"], past, (Line(text=text),), "offer")
        for sender, offer in offers.items():
            if offer["to"] == seat:
                stands = Line(text=f"One of the others offers {amount(offer['amount'])} to {OWN_WITHIN}.")
                answer = Line(text=f"{OWN} {'accepts' if offer['accepted'] else 'rejects'}.")
                before_it = (*_between(before, seat, sender), stands)
                yield Decision("answer", entry["round"], before_it, (answer,), "answer")
        before = offers


def _between(before: Mapping[Seat, Mapping[str, Any]], seat: Seat, other: Seat) -> Parts:
    """The previous round between a player and the one now making an offer."""
    if not before:
        return (FIRST,)
    own = before[seat]
    if own["to"] != other:
        return (Line(text=f"In the round before, {OWN_WITHIN} made this other no offer."),)
    return (
        Line(
            text=f"In the round before, {OWN_WITHIN} offered {amount(own['amount'])} to the same other, who"
            f" {_answered(own)}."
        ),
    )


def _answered(offer: Mapping[str, Any]) -> str:
    return "accepted" if offer["accepted"] else "rejected"
