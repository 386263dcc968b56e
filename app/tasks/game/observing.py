"""A match as whoever sees everything sees it, at any of its events: tables for each game, events in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any

from sqlalchemy import Row, select
from sqlmodel import Session

from app.studies.access import StudyHere
from app.tasks.game.base import GameConfig, View
from app.tasks.game.fold import event_of, event_table
from app.tasks.game.games import GAMES
from app.tasks.game.live import BY_HAND
from app.tasks.game.match import START, STOP, Match
from app.tasks.game.parts import MISSING, Cell, Fact, Table, amount, shape
from app.tasks.game.parts import Row as Line
from app.tasks.game.presenters.base import listed, percent
from app.tasks.game.presenters.offers import ANSWERED
from app.tasks.game.replay import FED
from app.tasks.game.watching import Sat, match_row, seat_names, seats_at

Names = Mapping[int, str]
Moved = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Observed:
    """What is so at one moment: `facts`, the `board` of who stands where, and the rounds that are over."""

    facts: tuple[Fact, ...]
    board: Table
    history: Table


@dataclass(frozen=True, slots=True)
class Happened:
    """One event of a match. `after_s` is the time since the first; `auto` why the service made a move itself."""

    seq: int
    after_s: float
    round: int
    phase: str
    who: str
    shape: str
    what: str
    message: str
    auto: str
    rt_ms: int | None


@dataclass(frozen=True, slots=True)
class Replay:
    """A match at its event `at`, counted from 1, with all events up to its last one; `seats` as they were then."""

    at: int
    events: tuple[Happened, ...]
    observed: Observed
    seats: tuple[Sat, ...]

    @property
    def event(self) -> Happened:
        return self.events[self.at - 1]

    @property
    def n(self) -> int:
        return len(self.events)


def replay_at(session: Session, study: StudyHere, match_id: int, at: int) -> Replay:
    """The match after its event `at`, after its last one for 0 or more than there are. Raises NotFound."""
    row = match_row(session, study, match_id)
    log = session.connection().execute(
        select(event_table)
        .where(event_table.c.match_id == row.id, event_table.c.seq <= row.last_seq)
        .order_by(event_table.c.seq)
    )
    lines = log.all()
    at = at if 0 < at <= len(lines) else len(lines)
    match = _played(row, lines[:at])
    names = seat_names(match.game, match.config)
    view = match.game.view(match.state, "observer")
    begun: datetime = lines[0].received_at
    moved = partial(_MOVES[row.game], match.config, names)
    events = tuple(_happened(line, names, begun, moved) for line in lines)
    observed = _GAMES[row.game](view, names, match.game.payoffs(match.state))
    return Replay(at, events, observed, seats_at(session, row.id, match, at))


def _played(row: Row[Any], lines: Sequence[Row[Any]]) -> Match:
    game = GAMES[row.game]
    match = Match(game, game.Config.model_validate(row.config), int(row.seed))
    for line in lines:
        if line.kind in FED:
            match.append(event_of(line))
    return match


def _happened(line: Row[Any], names: Names, begun: datetime, moved: Moved) -> Happened:
    return Happened(
        seq=line.seq,
        after_s=(line.received_at - begun).total_seconds(),
        round=line.round,
        phase=line.phase,
        who=names.get(line.seat, "") if line.seat else "",
        shape=shape(line.seat) if line.seat else "",
        what=_words(line, moved),
        message=line.message,
        auto=line.auto,
        rt_ms=line.rt_ms,
    )


def _words(line: Row[Any], moved: Moved) -> str:
    """What happened, after the name of who did it, if somebody did."""
    move: Mapping[str, Any] = line.move or {}
    match line.kind:
        case "move" | "nature":
            return moved(move)
        case "note" if move.get("kind") == START:
            return "The match begins"
        case "note" if move.get("kind") == STOP:
            return f"The match is ended: {STOPPED.get(move['reason'], move['reason'])}"
        case "resolve":
            return f"gets {_exact(line.payoff_round)} points, {_exact(line.payoff_total)} so far"
        case "left":
            return f"leaves ({LEFT.get(move.get('reason', ''), move.get('reason', ''))})"
        case "returned":
            return "comes back"
        case "replaced":
            return f"is replaced by the agent {str(move.get('agent', '')).rpartition('-')[0]}"
    return str(move.get("kind", line.kind))


STOPPED = {"left": "a player left", BY_HAND: "stopped by hand"}
LEFT = {"withdrew": "by the button", "closed": "the browser fell silent", "timeout": "two moves missed"}


def _ultimatum_move(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    if move["kind"] == "offer":
        return f"offers {amount(move['amount'])} to {names[move['to']]}"
    answers = {int(name.rpartition("_")[2]): answer for name, answer in move.items() if name != "kind"}
    return listed([f"{_ANSWERS[answer]} the offer of {names[seat]}" for seat, answer in answers.items()])


def _bargaining_move(config: Any, names: Names, move: Mapping[str, Any]) -> str:
    if move["kind"] == "answer":
        return _ANSWERS[move["answer"]]
    gain = move["alice_gain"]
    return f"proposes {amount(gain)} for {names[1]} and {amount(config.money - gain)} for {names[2]}"


def _negotiation_move(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    return (
        _ANSWERS[move["answer"]] if move["kind"] == "answer" else f"names a price of {amount(move['price'])}"
    )


def _persuasion_move(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    match move["kind"]:
        case "answer":
            return "buys" if move["buy"] else "does not buy"
        case "recommend":
            return "recommends to buy" if move["buy"] else "does not recommend to buy"
        case "message":
            return f"writes to {names[2]}"
    return f"The product is {'good' if move['value'] else 'bad'}"


def _auction_move(_: GameConfig, names: Names, move: Mapping[str, Any]) -> str:
    if move["kind"] == "bid":
        return f"bids ${amount(move['amount'])}"
    return f"{amount(move['value'])} units of water are for sale"


_ANSWERS = {"accept": "accepts", "reject": "rejects", "outside": "takes the outside option"}
_MOVES: Mapping[str, Callable[[Any, Names, Mapping[str, Any]], str]] = {
    "sug": _ultimatum_move,
    "glee-bargaining": _bargaining_move,
    "glee-negotiation": _negotiation_move,
    "glee-persuasion": _persuasion_move,
    "wac": _auction_move,
}


def _exact(text: str | None) -> str:
    return amount(Fraction(text)) if text else "0"


def _seat(names: Names, seat: int) -> Cell:
    return Cell(names[seat], shape(seat))


def _either(value: bool | None, yes: str, no: str) -> Cell:
    return Cell(MISSING) if value is None else Cell(yes if value else no, mark="yes" if value else "no")


def _ultimatum(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    facts, rows = view.facts, []
    for seat, name in names.items():
        offer, answer = facts["offers"][seat - 1], facts["answers"][seat - 1]
        made = Cell(f"{amount(offer[1])} to {names[offer[0]]}", shape(offer[0])) if offer else Cell("not yet")
        rows.append(
            Line(
                (
                    Cell(name, shape(seat)),
                    made,
                    _either(answer, "accepted", "rejected"),
                    Cell(amount(payoffs[seat - 1])),
                )
            )
        )
    board = Table("This round", ("Player", "Offers", "Answer", "Points"), tuple(rows), (3,))
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


def _two(
    view: View, names: Names, payoffs: Sequence[Fraction], columns: tuple[str, str]
) -> Callable[..., Table]:
    """The board of a game of two: what each has, and has earned."""

    def board(first: Sequence[str]) -> Table:
        rows = tuple(
            Line((_seat(names, seat), Cell(first[seat - 1]), Cell(amount(payoffs[seat - 1]))))
            for seat in names
        )
        return Table("The two players", ("Player", *columns), rows, (2,))

    return board


def _bargaining(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    money = view.facts["money"]

    def row(entry: Mapping[str, Any]) -> Line:
        own = entry["alice_gain"]
        answered = _answered(entry)
        cells = (
            Cell(str(entry["round"])),
            _seat(names, entry["proposer"]),
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
    board = _two(view, names, payoffs, ("Loses", "Points"))(loses)
    return Observed(facts, board, _offers(view, row, columns))


def _negotiation(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    seller, buyer = view.facts["values"]

    def row(entry: Mapping[str, Any]) -> Line:
        price = entry["price"]
        gains = (Cell(amount(price - seller, signed=True)), Cell(amount(buyer - price, signed=True)))
        cells = (Cell(str(entry["round"])), _seat(names, entry["proposer"]), Cell(amount(price)), *gains)
        return Line((*cells, _answered(entry)), quote=entry["message"])

    board = _two(view, names, payoffs, ("The good is worth", "Points"))([amount(seller), amount(buyer)])
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


def _persuasion(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    facts, now = view.facts, view.facts["current"]
    about = [
        Fact("Price", f"{amount(facts['price'])} points"),
        Fact("A good product is worth", f"{amount(Fraction(facts['value']) * facts['price'])} points"),
        Fact("Chance of a good one", percent(facts["chance_high"])),
    ]
    if now and now["good"] is not None:
        about.append(Fact("The product now", "good" if now["good"] else "bad", _said(now)))
    board = _two(view, names, payoffs, ("Is", "Points"))(["the seller", "the buyer"])
    rows = tuple(
        Line(
            (
                Cell(str(entry["round"])),
                Cell("good" if entry["good"] else "bad"),
                Cell(_said(entry) or MISSING),
                _either(entry["bought"], "bought", "not bought"),
            ),
            quote=" / ".join(filter(None, (entry["message"], entry["reply"]))),
        )
        for entry in reversed(view.history)
    )
    columns = ("Round", "Product", "Seller", "Buyer")
    return Observed(
        tuple(about), board, Table("Products so far", columns, rows, (0,), "No round is over yet.")
    )


def _said(product: Mapping[str, Any]) -> str:
    if product["recommended"] is not None:
        return "recommended" if product["recommended"] else "not recommended"
    return "a message" if product["message"] else ""


def _auction(view: View, names: Names, payoffs: Sequence[Fraction]) -> Observed:
    facts, most = view.facts, view.facts["most_health"]
    supply = facts["supply"]
    rows = []
    for seat, who in enumerate(facts["residents"], 1):
        bid, health = facts["bids"][seat - 1], max(0, who["health"])
        said = f"${amount(bid)}" if bid is not None else "not yet" if who["alive"] else "out"
        cells = (
            *(Cell(names[seat], shape(seat)), Cell(amount(who["need"])), Cell(f"${amount(who['balance'])}")),
            *(Cell(f"{health} of {most}"), Cell(said), Cell(amount(payoffs[seat - 1]))),
        )
        rows.append(Line(cells))
    columns = ("Resident", "Needs", "Money", "Health", "Bid today", "Points")
    past = tuple(
        Line(
            (
                *(Cell(str(entry["day"])), Cell(amount(entry["supply"]))),
                *(
                    Cell(
                        "out" if bid is None else f"${amount(bid)}",
                        mark="yes" if seat in entry["winners"] else "",
                    )
                    for seat, bid in enumerate(entry["bids"], 1)
                ),
            )
        )
        for entry in reversed(view.history)
    )
    history = Table(
        "Days so far: bids, marked who got water",
        ("Day", "Water", *names.values()),
        past,
        tuple(range(2 + len(names))),
        "No day is over yet.",
    )
    about = (Fact("Water today", MISSING if supply is None else f"{amount(supply)} units"),)
    return Observed(about, Table("Residents", columns, tuple(rows), (1, 2, 3, 4, 5)), history)


_GAMES: Mapping[str, Callable[[View, Names, Sequence[Fraction]], Observed]] = {
    "sug": _ultimatum,
    "glee-bargaining": _bargaining,
    "glee-negotiation": _negotiation,
    "glee-persuasion": _persuasion,
    "wac": _auction,
}
