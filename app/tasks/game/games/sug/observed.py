"""The observer's view of the Social Ultimatum Game: the state, and each move in words."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.tasks.game.base import GameConfig, View
from app.tasks.game.observed import ANSWERS, Names, Observed, either
from app.tasks.game.parts import Cell, Fact, Table, amount, shape
from app.tasks.game.parts import Row as Line
from app.tasks.game.presenters.base import listed


def move_words(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    if move["kind"] == "offer":
        return f"offers {amount(move['amount'])} to {names[move['to']]}"
    answers = {int(name.rpartition("_")[2]): answer for name, answer in move.items() if name != "kind"}
    return listed([f"{ANSWERS[answer]} the offer of {names[seat]}" for seat, answer in answers.items()])


def observe(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    facts, rows = view.facts, []
    title, offers, answers = _board(view)
    for seat, name in names.items():
        offer, answer = offers[seat - 1], answers[seat - 1]
        made = Cell(f"{amount(offer[1])} to {names[offer[0]]}", shape(offer[0])) if offer else Cell("not yet")
        rows.append(
            Line(
                (
                    Cell(name, shape(seat)),
                    made,
                    either(answer, "accepted", "rejected"),
                    Cell(amount(payoffs[seat - 1])),
                )
            )
        )
    board = Table(title, ("Player", "Offers", "Answer", "Points"), tuple(rows), (3,))
    past = tuple(
        Line(
            (
                Cell(str(entry["round"])),
                *(
                    Cell(
                        f"{amount(offer['amount'])} to {names[offer['to']]}",
                        mark="yes" if offer["accepted"] else "no",
                    )
                    for offer in entry["offers"]
                ),
            )
        )
        for entry in reversed(view.history)
    )
    columns = ("Round", *names.values())
    about = (Fact("To share", f"{amount(facts['endowment'])} points", "each player, each round"),)
    return Observed(about, board, Table("Rounds so far", columns, past, (0,), "No round is over yet."))


def _board(view: View) -> tuple[str, Sequence[Any], Sequence[bool | None]]:
    """Title, offers and answers: of the last round that is over until the first offer of the next."""
    if any(view.facts["offers"]) or not view.history:
        return "This round", view.facts["offers"], view.facts["answers"]
    last = view.history[-1]
    made = {line["from"]: line for line in last["offers"]}
    lines = [made[seat] for seat in sorted(made)]
    return (
        f"Round {last['round']}",
        [(line["to"], line["amount"]) for line in lines],
        [line["accepted"] for line in lines],
    )
