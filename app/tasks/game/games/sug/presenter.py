"""The page of the Social Ultimatum Game: the offer to make, offers to answer, and earlier offers."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.tasks.game.base import View
from app.tasks.game.moves import MoveSchema, Number
from app.tasks.game.parts import (
    MISSING,
    Amount,
    Button,
    Cell,
    Chip,
    Drawing,
    Ended,
    Entered,
    Face,
    Fact,
    Mark,
    MoveForm,
    Option,
    Pick,
    Row,
    Rules,
    Table,
    Tell,
    amount,
    shape,
)
from app.tasks.game.presenters.base import listed, player, plural, round_of, seat_of, you

UNIT = "point"
ANSWERS = (Option("reject", "Reject"), Option("accept", "Accept"))
# The picture of who gave what: one row a player, to the right of the names; a full offer is this high.
ROW, FULL, NAMES = 46, 18, 19.0
MOST_DRAWN = 8

Seen = Mapping[str, Any]


class SugPresenter:
    title = "The sharing game"

    def rules(self, view: View) -> Rules:
        facts = view.facts
        pie = plural(facts["endowment"], UNIT)
        rounds = f"{view.rounds} rounds" if view.rounds else "several rounds; how many is not announced"
        return Rules(
            self.title,
            (
                f"{facts['players']} players play {rounds}.",
                f"In each round you get {pie} to share with one other player. You choose whom, and how much you "
                "offer.",
                "Several players may choose the same one, so a player may get several offers in a round, or none.",
                "You accept or reject each offer made to you. If you accept, you get what was offered and the other "
                "player keeps the rest. If you reject, neither of you gets anything from it.",
                "Your own offer works the same way: only if it is accepted do you keep the rest.",
                _who_sees(view),
                "When the time is up, an offer of 0 is made for you, or the offers to you are rejected.",
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        facts, received = view.facts, view.facts["received"]
        form = _form(view, legal, entered) if legal else None
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=facts["total"],
            unit="points",
            you=you(seat_of(view)),
            facts=_facts(view),
            news=(_news(view.history[-1]),) if view.history and view.phase == "offer" else (),
            form=form,
            waiting="" if form else _waiting(view, received),
            boards=_boards(view),
            drawings=_drawings(view),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        total, rounds = view.facts["total"], len(view.history)
        made = [entry["offer"] for entry in view.history]
        taken = sum(offer["accepted"] for offer in made)
        return Ended(
            headline="The match is over",
            lines=(
                f"You earned {plural(total, UNIT)} in {rounds} rounds.",
                f"Of your {len(made)} offers, {taken} {'was' if taken == 1 else 'were'} accepted.",
            ),
            earned=total,
            unit="points",
            you=you(seat_of(view)),
            drawings=_drawings(view),
            history=_history(view),
        )


def _who_sees(view: View) -> str:
    if view.facts["public_history"]:
        return "After each round you see the offers and answers of all players."
    return "You see your own offers and those made to you, with their answers."


def _headline(view: View, acts: bool) -> str:
    if view.phase == "offer":
        return "Make an offer" if acts else "Your offer is made"
    n = len(view.facts["received"])
    if acts:
        return "Answer the offer" if n == 1 else f"Answer the {n} offers"
    return "Your answer is given" if n else "Nobody made you an offer in this round"


def _waiting(view: View, received: Sequence[Seen]) -> str:
    if view.phase == "offer":
        return "The offers are shown as soon as everyone has made one."
    return "The round ends as soon as everyone has answered." if received else "The others are answering."


def _facts(view: View) -> tuple[Fact, ...]:
    own = view.facts["own_offer"]
    if not own:
        return ()
    offer = f"{amount(own['amount'])} to {player(own['to'])}"
    return (Fact("Your offer in this round", offer, "waits for an answer", shape(own["to"])),)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    (kind,) = legal.kinds
    if kind.kind == "offer":
        return _offer_form(view, legal, entered)
    received, pie = view.facts["received"], view.facts["endowment"]
    badge = f"{len(received)} open"
    if len(received) == 1:
        (offer,) = received
        name = f"offer_{offer['from']}"
        return MoveForm(
            kind.kind,
            view.phase_id,
            f"{player(offer['from'])} offers you {amount(offer['amount'])}",
            (),
            tuple(Button(option.label, name, option.value) for option in ANSWERS),
            note=f"They would keep {amount(pie - offer['amount'])}.",
            badge=badge,
            shape=shape(offer["from"]),
        )
    picks = tuple(
        Pick(
            (name := f"offer_{offer['from']}"),
            f"{player(offer['from'])} offers you {amount(offer['amount'])}",
            ANSWERS,
            entered.value(name),
            entered.error(name),
            f"and would keep {amount(pie - offer['amount'])}",
            shape(offer["from"]),
        )
        for offer in received
    )
    return MoveForm(
        kind.kind, view.phase_id, "Offers to you", picks, (Button("Send my answers"),), badge=badge
    )


def _offer_form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    whom, number = legal.kinds[0].fields
    assert isinstance(number, Number)
    assert not isinstance(whom, Number)
    options = tuple(Option(str(seat), player(int(seat)), "", shape(int(seat))) for seat in whom.options)
    pie = view.facts["endowment"]
    return MoveForm(
        "offer",
        view.phase_id,
        "Your offer",
        (
            Pick("to", "To whom?", options, entered.value("to"), entered.error("to")),
            Amount(
                "amount",
                "How much?",
                number.minimum,
                number.maximum,
                number.step,
                "points",
                tells=(Tell("They get", "1"), Tell("You keep", "-1", str(pie))),
                value=entered.value("amount"),
                error=entered.error("amount"),
            ),
        ),
        (Button("Make this offer"),),
        note="Only if they accept do both of you get the points. You cannot take an offer back.",
        badge=f"{plural(pie, UNIT)} to share",
        saying="Offer {amount} to {to}",
    )


def _news(entry: Seen) -> str:
    own = entry["offer"]
    answered = "accepted" if own["accepted"] else "rejected"
    said = [f"{player(own['to'])} {answered} your offer of {amount(own['amount'])}"]
    for accepted, verb in ((True, "accepted"), (False, "rejected")):
        offers = [
            f"{amount(o['amount'])} from {player(o['from'])}"
            for o in entry["received"]
            if o["accepted"] is accepted
        ]
        if offers:
            said.append(f"you {verb} {listed(offers)}")
    return f"Round {entry['round']}: {listed(said)}. You earned {plural(entry['payoff'], UNIT)}."


def _history(view: View) -> Table:
    rows = tuple(_row(entry) for entry in reversed(view.history))
    columns = ("Round", "You offered", "You were offered", "Points")
    return Table("Rounds so far", columns, rows, (0, 3), "Here you will see each round when it is over.")


def _row(entry: Seen) -> Row:
    own = entry["offer"]
    offered = tuple(_chip(offer, offer["from"], "from") for offer in entry["received"])
    return Row(
        (
            Cell(str(entry["round"])),
            Cell("", chips=(_chip(own, own["to"], "to"),)),
            Cell("" if offered else MISSING, chips=offered),
            Cell(amount(entry["payoff"])),
        )
    )


def _chip(offer: Seen, other: int, word: str) -> Chip:
    answer, mark = ("accepted", "yes") if offer["accepted"] else ("rejected", "no")
    return Chip(f"{amount(offer['amount'])} {word}", shape(other), other, mark, f"{player(other)}, {answer}")


def _boards(view: View) -> tuple[Table, ...]:
    """All offers of finished rounds, last round first, if they are public."""
    if not view.history or "offers" not in view.history[-1]:
        return ()
    rows = tuple(
        _public_row(view, entry["round"], offer)
        for entry in reversed(view.history)
        for offer in entry["offers"]
    )
    columns = ("Round", "From", "To", "Points", "Answer")
    return (Table("All offers so far", columns, rows, (0, 3), newest=view.facts["players"]),)


def _public_row(view: View, number: int, offer: Seen) -> Row:
    answer, mark = ("accepted", "yes") if offer["accepted"] else ("rejected", "no")
    return Row(
        (
            Cell(str(number)),
            Cell(player(offer["from"]), shape(offer["from"])),
            Cell(player(offer["to"]), shape(offer["to"])),
            Cell(amount(offer["amount"])),
            Cell(answer, mark=mark),
        ),
        own=offer["from"] == view.viewer,
    )


def _drawings(view: View) -> tuple[Drawing, ...]:
    me, n = seat_of(view), view.facts["players"]
    if not view.history or n > MOST_DRAWN:
        return ()
    others = [seat for seat in range(1, n + 1) if seat != me]
    across = max(view.rounds or 0, len(view.history), 10)
    marks: list[Mark] = []
    for at, seat in enumerate(others):
        middle = at * ROW + ROW / 2
        marks.append(Mark("text", 0, middle + 4, text=player(seat)))
        marks.append(Mark("line", NAMES, middle, 100 - NAMES, tone="axis"))
        for entry in view.history:
            marks += _exchanged(entry, seat, middle, across, view.facts["endowment"])
    return (
        Drawing(
            "Between you and each other player",
            "; ".join(_with(view.history, seat) for seat in others) + ".",
            ROW * len(others),
            tuple(marks),
            "Each round from left to right. Above the line: what you offered; below: what you were offered. Filled: "
            "accepted; outlined: rejected.",
        ),
    )


def _exchanged(entry: Seen, seat: int, middle: float, across: int, pie: int) -> list[Mark]:
    slot = (100 - NAMES) / across
    x = NAMES + (entry["round"] - 1) * slot + slot * 0.15
    own = entry["offer"]
    bars = [(own["amount"], own["accepted"], True)] if own["to"] == seat else []
    bars += [(o["amount"], o["accepted"], False) for o in entry["received"] if o["from"] == seat]
    marks = []
    for value, accepted, is_above in bars:
        # An offer of nothing is an offer as well, and must be seen.
        high = max(2.0, FULL * value / pie)
        tone = "full" if accepted else "hollow"
        marks.append(Mark("box", x, middle - 1 - high if is_above else middle + 1, slot * 0.7, high, tone))
    return marks


def _with(history: Sequence[Seen], seat: int) -> str:
    given = [amount(entry["offer"]["amount"]) for entry in history if entry["offer"]["to"] == seat]
    got = [
        amount(offer["amount"]) for entry in history for offer in entry["received"] if offer["from"] == seat
    ]
    return f"{player(seat)}: you offered {listed(given) or 'nothing'}, and were offered {listed(got) or 'nothing'}"
