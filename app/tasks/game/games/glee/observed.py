"""The observer's view of GLEE's games: the state, and each move in words."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.tasks.game.base import GameConfig, View
from app.tasks.game.games.glee.offers_page import ANSWERED
from app.tasks.game.observed import ANSWERS, Names, Observed, either, players_board, seat_cell
from app.tasks.game.parts import MISSING, Cell, Fact, Table, amount
from app.tasks.game.parts import Row as Line
from app.tasks.game.presenters.base import percent


def bargaining_words(config: Any, names: Names, move: Mapping[str, Any]) -> str:
    if move["kind"] == "answer":
        return ANSWERS[move["answer"]]
    gain = move["alice_gain"]
    return f"proposes {amount(gain)} for {names[1]} and {amount(config.money - gain)} for {names[2]}"


def negotiation_words(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    return (
        ANSWERS[move["answer"]] if move["kind"] == "answer" else f"names a price of {amount(move['price'])}"
    )


def persuasion_words(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    match move["kind"]:
        case "answer":
            return "buys" if move["buy"] else "does not buy"
        case "recommend":
            return "recommends to buy" if move["buy"] else "does not recommend to buy"
        case "message":
            return f"writes to {names[2]}"
    return f"The product is {'good' if move['value'] else 'bad'}"


def bargaining(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    money = view.facts["money"]

    def row(entry: Mapping[str, Any]) -> Line:
        own = entry["alice_gain"]
        answered = _answered(entry)
        cells = (
            Cell(str(entry["round"])),
            seat_cell(names, entry["proposer"]),
            Cell(amount(own)),
            Cell(amount(money - own)),
        )
        return Line((*cells, answered), quote=entry["message"])

    loses = [f"{percent(1 - Fraction(each))} a round" for each in view.facts["discounts"]]
    facts = (
        Fact("To divide", f"{amount(money)} points"),
        *_standing(view, names, "alice_gain", f"for {names[1]}"),
    )
    columns = ("Round", "Offer by", f"For {names[1]}", f"For {names[2]}", "Answer")
    board = players_board(view, names, payoffs, ("Loses", "Points"))(loses)
    return Observed(facts, board, _offers(view, row, columns))


def negotiation(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    seller, buyer = view.facts["values"]

    def row(entry: Mapping[str, Any]) -> Line:
        price = entry["price"]
        gains = (Cell(amount(price - seller, signed=True)), Cell(amount(buyer - price, signed=True)))
        cells = (Cell(str(entry["round"])), seat_cell(names, entry["proposer"]), Cell(amount(price)), *gains)
        return Line((*cells, _answered(entry)), quote=entry["message"])

    board = players_board(view, names, payoffs, ("The good is worth", "Points"))(
        [amount(seller), amount(buyer)]
    )
    columns = ("Round", "Price by", "Price", f"{names[1]}'s gain", f"{names[2]}'s gain", "Answer")
    return Observed(_standing(view, names, "price", "the price"), board, _offers(view, row, columns))


def _answered(entry: Mapping[str, Any]) -> Cell:
    return Cell(ANSWERED[entry["answer"]], mark="yes" if entry["answer"] == "accept" else "no")


def _standing(view: View, names: Names, key: str, noun: str) -> tuple[Fact, ...]:
    offer = view.facts["standing"]
    if not offer:
        return ()
    return (Fact("The offer that waits", f"{amount(offer[key])} {noun}", f"by {names[offer['proposer']]}"),)


def _offers(view: View, row: Callable[[Mapping[str, Any]], Line], columns: tuple[str, ...]) -> Table:
    rows = tuple(row(entry) for entry in reversed(view.history))
    numeric = (0, *range(2, len(columns) - 1))
    return Table("Offers so far", columns, rows, numeric, "No offer is answered yet.")


def persuasion(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    facts, now = view.facts, view.facts["current"]
    about = [
        Fact("Price", f"{amount(facts['price'])} points"),
        Fact("A good product is worth", f"{amount(Fraction(facts['value']) * facts['price'])} points"),
        Fact("Chance of a good one", percent(facts["chance_high"])),
    ]
    if now and now["good"] is not None:
        about.append(Fact("The product now", "good" if now["good"] else "bad", _message_text(now)))
    board = players_board(view, names, payoffs, ("Is", "Points"))(["the seller", "the buyer"])
    rows = tuple(
        Line(
            (
                Cell(str(entry["round"])),
                Cell("good" if entry["good"] else "bad"),
                Cell(_message_text(entry) or MISSING),
                either(entry["bought"], "bought", "not bought"),
            ),
            quote=" / ".join(filter(None, (entry["message"], entry["reply"]))),
        )
        for entry in reversed(view.history)
    )
    columns = ("Round", "Product", "Seller", "Buyer")
    return Observed(
        tuple(about), board, Table("Products so far", columns, rows, (0,), "No round is over yet.")
    )


def _message_text(product: Mapping[str, Any]) -> str:
    if product["recommended"] is not None:
        return "recommended" if product["recommended"] else "not recommended"
    return "a message" if product["message"] else ""
