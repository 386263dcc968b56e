"""The decisions of one seat, each with what a record of it shows: the situation it was made in, and the move.

A situation is short, so that it comes about in several matches: what stands to be decided, and of what went before the
last round alone, in words that hold for whoever is on whatever seat. Nothing private is in it, and no later move.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.library.records import Line
from app.tasks.game.base import Seat
from app.tasks.game.match import Match
from app.tasks.game.parts import amount
from app.tasks.game.record_rounds import OWN, Looked, Parts, Played, product

FIRST: Final = Line(text="It is the first round.")
_NOW = Line(text="Now:")
_OWN = OWN.replace("This", "this")


@dataclass(frozen=True, slots=True)
class Decision:
    """One move that a seat made in a `round`: `name` says what was decided, `before` is the situation."""

    name: str
    round: int
    before: Parts
    move: Parts


def decisions(match: Match, looked: Looked, seat: Seat, found: Played) -> Iterator[Decision]:
    """The decisions of a seat in order; `found` is what a record of that seat shows.

    A move that is not shown, as a seller's message where messages are not, is no decision.
    """
    return _GAMES[match.game.name](match, looked, seat, found)


def _ultimatum(_: Match, looked: Looked, seat: Seat, found: Played) -> Iterator[Decision]:
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
                    text=f"In the round before, {_OWN} offered {amount(before[seat]['amount'])} to one of the others,"
                    f" who {_answered(before[seat])}, and had {_counted(len(to_own), 'offer')} from the others."
                ),
            )
            if to_own:
                had = "had" if own["to"] in to_own else "had not"
                whom = f", who {had} made it an offer in the round before"
        text = f"{OWN} offers {amount(own['amount'])} to one of the others{whom}."
        yield Decision("offer", entry["round"], past, (Line(text=text),))
        for sender, offer in offers.items():
            if offer["to"] == seat:
                stands = Line(text=f"One of the others offers {amount(offer['amount'])} to {_OWN}.")
                answer = Line(text=f"{OWN} {'accepts' if offer['accepted'] else 'rejects'}.")
                yield Decision("answer", entry["round"], (*_between(before, seat, sender), stands), (answer,))
        before = offers


def _between(before: Mapping[Seat, Mapping[str, Any]], seat: Seat, other: Seat) -> Parts:
    """What the round before was between a player and the one who makes an offer now."""
    if not before:
        return (FIRST,)
    own = before[seat]
    if own["to"] != other:
        return (Line(text=f"In the round before, {_OWN} made this other no offer."),)
    return (
        Line(
            text=f"In the round before, {_OWN} offered {amount(own['amount'])} to the same other, who {_answered(own)}."
        ),
    )


def _answered(offer: Mapping[str, Any]) -> str:
    return "accepted" if offer["accepted"] else "rejected"


def _offers(_: Match, looked: Looked, seat: Seat, found: Played) -> Iterator[Decision]:
    for entry in looked.view.history:
        number = entry["round"]
        # The last line of a round is its answer; the offer stands before it, with its message.
        offer, answer = found.rounds[number][:-1], found.rounds[number][-1:]
        past: Parts = (FIRST,)
        if number > 1:
            past = (Line(text=f"It is round {number}. In the round before:"), *found.rounds[number - 1], _NOW)
        if entry["proposer"] == seat:
            yield Decision("offer", number, past, offer)
        else:
            yield Decision("answer", number, (*past, *offer), answer)


def _persuasion(_: Match, looked: Looked, seat: Seat, found: Played) -> Iterator[Decision]:
    is_seller = seat == 1
    forgets = not is_seller and looked.view.facts["buyer"] == "myopic"
    history = looked.view.history
    for i, entry in enumerate(history):
        number = entry["round"]
        quality, said, answered = product(looked, entry)
        past: Parts = (FIRST,)
        if i > 0 and forgets:
            bought = [each for each in history[:i] if each["bought"]]
            good = sum(each["good"] for each in bought)
            summary = f"Of {_counted(i, 'product')} so far, {len(bought)} were bought, {good} of them of high quality."
            past = (Line(text=summary),)
        elif i > 0:
            now = (_NOW,) if is_seller or said else ()
            past = (Line(text="In the round before:"), *found.rounds[number - 1], *now)
        if not is_seller:
            yield Decision("purchase", number, (*past, *said), answered)
        elif said:
            yield Decision("message", number, (*past, quality), said)


def _auction(match: Match, looked: Looked, seat: Seat, found: Played) -> Iterator[Decision]:
    own = seat - 1
    bids = {entry["day"]: entry["bids"][own] for entry in looked.view.history}
    state = match.game.initial(match.config)
    for line in match.log:
        if line.event.kind == "move" and line.event.seat == seat and bids.get(line.round) is not None:
            view = match.game.view(state, seat)
            yield Decision(
                "bid",
                line.round,
                tuple(Line(text=text) for text in _day(view.facts, view.history, line.round, own)),
                (Line(text=f"{OWN} bids ${amount(bids[line.round])}."),),
            )
        if line.event.kind in ("nature", "move"):
            state = match.game.apply(state, line.event)


def _day(
    facts: Mapping[str, Any], history: tuple[Mapping[str, Any], ...], day: int, own: int
) -> Iterator[str]:
    residents = facts["residents"]
    n_others = sum(resident["alive"] for resident in residents) - 1
    yield f"It is day {day}. {amount(facts['supply'])} units of water are for sale, and {n_others} others can bid."
    yield (
        f"{OWN} has ${amount(residents[own]['balance'])}, and {amount(residents[own]['health'])} points of health."
    )
    if history:
        got = "got" if own + 1 in history[-1]["winners"] else "did not get"
        yield f"On the day before it bid ${amount(history[-1]['bids'][own])} and {got} water."


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


_GAMES: Mapping[str, Callable[[Match, Looked, Seat, Played], Iterator[Decision]]] = {
    "sug": _ultimatum,
    "glee-bargaining": _offers,
    "glee-negotiation": _offers,
    "glee-persuasion": _persuasion,
    "wac": _auction,
}
