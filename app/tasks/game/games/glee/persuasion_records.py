"""Records of persuasion: its products, and the decisions of a seat."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from app.library.records import Line
from app.tasks.game.base import Seat
from app.tasks.game.match import Match
from app.tasks.game.parts import amount
from app.tasks.game.presenters.base import percent
from app.tasks.game.record_decisions import FIRST, NOW, Decision, counted
from app.tasks.game.record_rounds import OWN, Parts, Played, RecordedMatch, players_of


def record(looked: RecordedMatch) -> Played:
    facts = looked.view.facts
    seller, buyer = looked.name(1), looked.name(2)
    # A buyer who is another one in each round saw nothing of how past products were.
    sees_quality = looked.seat != 2 or facts["buyer"] == "long-living"
    rounds = {}
    for entry in looked.view.history:
        quality, said, answered = _product(looked, entry)
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
    return Played(
        "Recommending products", players_of(looked), tuple(Line(text=line) for line in lines), rounds
    )


def _product(looked: RecordedMatch, entry: Mapping[str, Any]) -> tuple[Line, Parts, Parts]:
    """A product's quality, its seller's message if shown, and the buyer's action."""
    quality = Line(text=f"The product is of {'high' if entry['good'] else 'low'} quality.")
    said: Parts = looked.message(1, entry["message"])
    if entry["recommended"] is not None:
        verb = "recommends" if entry["recommended"] else "does not recommend"
        said = (Line(text=f"{looked.name(1)} {verb} it."),)
    answer = Line(text=f"{looked.name(2)} {'buys' if entry['bought'] else 'does not buy'}.")
    return quality, said, (answer, *looked.message(2, entry["reply"]))


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:] if name.startswith("The ") or name == OWN else name


def decisions(_: Match, looked: RecordedMatch, seat: Seat, found: Played) -> Iterator[Decision]:
    is_seller = seat == 1
    forgets = not is_seller and looked.view.facts["buyer"] == "myopic"
    history = looked.view.history
    for i, entry in enumerate(history):
        number = entry["round"]
        quality, said, answered = _product(looked, entry)
        past: Parts = (FIRST,)
        if i > 0 and forgets:
            bought = [each for each in history[:i] if each["bought"]]
            good = sum(each["good"] for each in bought)
            summary = f"Of {counted(i, 'product')} so far, {len(bought)} were bought, {good} of them of high quality."
            past = (Line(text=summary),)
        elif i > 0:
            now = (NOW,) if is_seller or said else ()
            past = (Line(text="In the round before:"), *found.rounds[number - 1], *now)
        if not is_seller:
            yield Decision("purchase", number, (*past, *said), answered)
        elif said:
            yield Decision("message", number, (*past, quality), said)
