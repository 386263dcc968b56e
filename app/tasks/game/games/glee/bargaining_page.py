"""Bargaining on its page: how to divide a sum that is worth less to both in each round without a deal."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from app.tasks.game.base import View
from app.tasks.game.games.glee.offers_page import OTHER, is_last, is_own, message_field, standing_quote
from app.tasks.game.moves import MoveSchema, Number
from app.tasks.game.parts import (
    MISSING,
    Amount,
    Button,
    Cell,
    Ended,
    Entered,
    Face,
    Fact,
    MoveForm,
    Row,
    Rules,
    Table,
    Tell,
    amount,
)
from app.tasks.game.presenters.base import percent, plural, round_of, seat_of, you

UNIT = "point"


class BargainingPresenter:
    title = "Sharing a sum"

    def rules(self, view: View) -> Rules:
        money = plural(view.facts["money"], UNIT)
        rounds = (
            f"There are at most {view.rounds} rounds"
            if view.rounds
            else "How many rounds there are is not announced"
        )
        seat = seat_of(view)
        first = {
            0: "Player 1 makes the first offer",
            1: "You make the first offer",
            2: "The other player makes the first offer",
        }
        return Rules(
            self.title,
            (
                f"Two players divide {money}. One of them proposes how; the other accepts or rejects.",
                f"{first[seat]}; after that the two take turns, one offer in each round.",
                "An offer that is accepted ends the match, and both get their part. After a rejection the next "
                "round begins.",
                *_fading(view),
                f"{rounds}. Without a deal in the end, both get nothing.",
                "When the time is up, half of the sum is offered for you, or the offer to you is rejected.",
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=0,
            unit="points",
            you=you(seat_of(view)),
            facts=_facts(view),
            news=_news(view),
            quote=standing_quote(view) if legal else None,
            form=_form(view, legal, entered) if legal else None,
            waiting="" if legal else _waiting(view),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        last = view.history[-1]
        seat, money = seat_of(view), view.facts["money"]
        own, other = view.facts["payoffs"][seat - 1], view.facts["payoffs"][2 - seat]
        rounds = len(view.history)
        if last["answer"] != "accept":
            lines: tuple[str, ...] = (
                f"There was no deal in {plural(rounds, 'round')}, so both of you get nothing.",
            )
            return Ended("No deal", lines, Fraction(own), "points", you(seat), None, (), _history(view))
        part = _own_part(view, last)
        who = "The other player" if is_own(view, last) else "You"
        lines = (
            f"{who} accepted in round {rounds}: {amount(part)} for you, {amount(money - part)} for {OTHER}.",
        )
        if Fraction(own) != part:
            lines = (
                *lines,
                f"After {plural(rounds - 1, 'round')} without a deal, your part is worth {amount(own)} points.",
            )
        rows = (
            Row((Cell("You"), Cell(amount(part)), Cell(amount(own))), own=True),
            Row(
                (
                    Cell("The other player"),
                    Cell(amount(money - part)),
                    Cell(MISSING if other is None else amount(other)),
                )
            ),
        )
        table = Table("What each of you got", ("Player", "Part", "Worth"), rows, (1, 2))
        return Ended("You have a deal", lines, Fraction(own), "points", you(seat), table, (), _history(view))


def _own_part(view: View, entry: Mapping[str, Any]) -> int:
    gain: int = entry["alice_gain"]
    return gain if seat_of(view) == 1 else view.facts["money"] - gain


def _discounts(view: View) -> tuple[Fraction | None, Fraction | None]:
    """The viewer's and the other's, where known."""
    own, other = view.facts["discounts"] if seat_of(view) != 2 else reversed(view.facts["discounts"])
    return (None if own is None else Fraction(own)), (None if other is None else Fraction(other))


def _loses(discount: Fraction) -> str:
    return f"loses {percent(1 - discount)} of its value" if discount < 1 else "keeps its value"


def _fading(view: View) -> tuple[str, ...]:
    """The rules about the loss in each round, as far as the viewer knows it."""
    own, other = _discounts(view)
    if not seat_of(view):
        known = own is not None and other is not None
        return (
            "With each round without a deal, a part may lose some of its value, for each player at a rate of their "
            f"own. You will see your own rate{' and that' if known else ', but not that'} of the other player.",
        )
    assert own is not None
    lines = [f"With each round without a deal, your part {_loses(own)}."]
    if other is None:
        lines.append("What the other player's part loses is not shown to you, nor yours to them.")
    else:
        lines.append(f"The other player's part {_loses(other)}. Both of you know this.")
    return tuple(lines)


def _headline(view: View, acts: bool) -> str:
    if view.phase == "propose":
        return "Make an offer" if acts else "The other player makes an offer"
    return "Answer the offer" if acts else "The other player answers your offer"


def _waiting(view: View) -> str:
    offer = view.facts["standing"]
    if not offer:
        return "You will see it here, and can then accept or reject it."
    part = _own_part(view, offer)
    return f"You offered {amount(view.facts['money'] - part)} and would keep {amount(part)}."


def _facts(view: View) -> tuple[Fact, ...]:
    own, other = _discounts(view)
    assert own is not None
    now = own ** (view.round - 1)
    facts = [Fact("To divide", plural(view.facts["money"], UNIT))]
    if own < 1:
        worth = f"{percent(now)} of your part" if view.round > 1 else "your part in full"
        facts.append(Fact("A deal now pays you", worth, f"each round later {percent(1 - own)} less"))
    else:
        facts.append(Fact("A deal pays you", "your part in full", "also in later rounds"))
    if other is None:
        facts.append(Fact("What waiting costs the other player", "not known to you"))
    else:
        costs = f"{percent(1 - other)} a round" if other < 1 else "nothing"
        facts.append(Fact("Waiting costs the other player", costs))
    if is_last(view):
        facts.append(Fact("This is the last round", "no deal, no points", "for either of you"))
    return tuple(facts)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    money, seat = view.facts["money"], seat_of(view)
    own, _ = _discounts(view)
    assert own is not None
    now = own ** (view.round - 1)
    if view.phase == "answer":
        return _answer_form(view, now)
    number = legal.kinds[0].fields[0]
    assert isinstance(number, Number)
    # A move names Alice's gain; Bob chooses his own, and posts it as the rest.
    name = number.name if seat == 1 else f"rest-{number.name}"
    tells = [Tell("You get", "1"), Tell("The other player gets", "-1", str(money))]
    if now != 1:
        tells.append(Tell("Your part is worth now", f"{float(now):.12g}"))
    field = Amount(
        name,
        f"How much of the {amount(money)} for you?",
        number.minimum,
        number.maximum,
        number.step,
        "points",
        "The rest is for the other player.",
        tuple(tells),
        entered.value(name),
        entered.error(name),
    )
    return MoveForm(
        "propose",
        view.phase_id,
        "Your offer",
        (field, *message_field(legal, entered, "Message to the other player")),
        (Button("Make this offer"),),
        badge=f"{plural(money, UNIT)} to divide",
        saying=f"Offer: {{{name}}} for me",
    )


def _answer_form(view: View, now: Fraction) -> MoveForm:
    offer, money = view.facts["standing"], view.facts["money"]
    part = _own_part(view, offer)
    worth = f" Your {amount(part)} would be worth {amount(part * now)} now." if now != 1 else ""
    after = "If you reject, the match ends and both of you get nothing." if is_last(view) else (
        "If you reject, the next round begins and you make the next offer."
    )  # fmt: skip
    return MoveForm(
        "answer",
        view.phase_id,
        f"The other player offers you {amount(part)} of {amount(money)}",
        (),
        (Button("Reject", "answer", "reject"), Button("Accept", "answer", "accept")),
        note=f"They would keep {amount(money - part)}.{worth} {after}",
    )


def _news(view: View) -> tuple[str, ...]:
    if not view.history or view.phase != "propose":
        return ()
    last = view.history[-1]
    if is_own(view, last):
        given = view.facts["money"] - _own_part(view, last)
        return (f"The other player rejected your offer of {amount(given)}.",)
    return (f"You rejected the offer of {amount(_own_part(view, last))}.",)


def _history(view: View) -> Table:
    rows = tuple(_row(view, entry) for entry in reversed(view.history))
    columns = ("Round", "Offer by", "For you", "For other", "Answer")
    return Table("Offers so far", columns, rows, (0, 2, 3), "Here you will see each offer that was answered.")


def _row(view: View, entry: Mapping[str, Any]) -> Row:
    part, money = _own_part(view, entry), view.facts["money"]
    accepted = entry["answer"] == "accept"
    return Row(
        (
            Cell(str(entry["round"])),
            Cell("you" if is_own(view, entry) else "other player"),
            Cell(amount(part), bar=round(100 * part / money)),
            Cell(amount(money - part)),
            Cell("accepted" if accepted else "rejected", mark="yes" if accepted else "no"),
        ),
        quote=entry["message"],
    )
