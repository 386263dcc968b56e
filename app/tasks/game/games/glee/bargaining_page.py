"""Bargaining on its page: how to divide a sum that is worth less to both in each round without a deal."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.game.base import View
from app.tasks.game.games.glee.offers_page import is_last, is_own, message_field, standing_quote
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
    title = noop("Sharing a sum")

    def rules(self, view: View) -> Rules:
        money = plural(view.facts["money"], UNIT)
        rounds = (
            _("There are at most {rounds} rounds").format(rounds=view.rounds)
            if view.rounds
            else _("How many rounds there are is not announced")
        )
        seat = seat_of(view)
        first = {
            0: _("Player 1 makes the first offer"),
            1: _("You make the first offer"),
            2: _("The other player makes the first offer"),
        }
        return Rules(
            _(self.title),
            (
                _(
                    "Two players divide {money}. One of them proposes how; the other accepts or rejects."
                ).format(money=money),
                _("{first}; after that the two take turns, one offer in each round.").format(
                    first=first[seat]
                ),
                _(
                    "An offer that is accepted ends the match, and both get their part. After a "
                    "rejection the next round begins."
                ),
                *_fading(view),
                _("{rounds}. Without a deal in the end, both get nothing.").format(rounds=rounds),
                _(
                    "When the time is up, half of the sum is offered for you, or the offer to you is "
                    "rejected."
                ),
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=0,
            unit=_("points"),
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
                _("There was no deal in {rounds}, so both of you get nothing.").format(
                    rounds=plural(rounds, "round")
                ),
            )
            return Ended(_("No deal"), lines, Fraction(own), _("points"), you(seat), None, (), _history(view))
        part = _own_part(view, last)
        who = (
            _("The other player accepted in round {round}: {part} for you, {rest} for the other player.")
            if is_own(view, last)
            else _("You accepted in round {round}: {part} for you, {rest} for the other player.")
        )
        lines = (who.format(round=rounds, part=amount(part), rest=amount(money - part)),)
        if Fraction(own) != part:
            lines = (
                *lines,
                _("After {rounds} without a deal, your part is worth {own} points.").format(
                    rounds=plural(rounds - 1, "round"), own=amount(own)
                ),
            )
        rows = (
            Row((Cell(_("You")), Cell(amount(part)), Cell(amount(own))), own=True),
            Row(
                (
                    Cell(_("The other player")),
                    Cell(amount(money - part)),
                    Cell(MISSING if other is None else amount(other)),
                )
            ),
        )
        table = Table(_("What each of you got"), (_("Player"), _("Part"), _("Worth")), rows, (1, 2))
        return Ended(
            _("You have a deal"), lines, Fraction(own), _("points"), you(seat), table, (), _history(view)
        )


def _own_part(view: View, entry: Mapping[str, Any]) -> int:
    gain: int = entry["alice_gain"]
    return gain if seat_of(view) == 1 else view.facts["money"] - gain


def _discounts(view: View) -> tuple[Fraction | None, Fraction | None]:
    """The viewer's and the other's, where known."""
    own, other = view.facts["discounts"] if seat_of(view) != 2 else reversed(view.facts["discounts"])
    return (None if own is None else Fraction(own)), (None if other is None else Fraction(other))


def _loses(discount: Fraction) -> str:
    return (
        _("loses {discount} of its value").format(discount=percent(1 - discount))
        if discount < 1
        else _("keeps its value")
    )


def _fading(view: View) -> tuple[str, ...]:
    """The rules about the loss in each round, as far as the viewer knows it."""
    own, other = _discounts(view)
    if not seat_of(view):
        known = own is not None and other is not None
        return (
            _(
                "With each round without a deal, a part may lose some of its value, for each player "
                "at a rate of their own. You will see your own rate and that of the other player."
            )
            if known
            else _(
                "With each round without a deal, a part may lose some of its value, for each player "
                "at a rate of their own. You will see your own rate, but not that of the other player."
            ),
        )
    assert own is not None
    lines = [_("With each round without a deal, your part {loses}.").format(loses=_loses(own))]
    if other is None:
        lines.append(_("What the other player's part loses is not shown to you, nor yours to them."))
    else:
        lines.append(_("The other player's part {loses}. Both of you know this.").format(loses=_loses(other)))
    return tuple(lines)


def _headline(view: View, acts: bool) -> str:
    if view.phase == "propose":
        return _("Make an offer") if acts else _("The other player makes an offer")
    return _("Answer the offer") if acts else _("The other player answers your offer")


def _waiting(view: View) -> str:
    offer = view.facts["standing"]
    if not offer:
        return _("You will see it here, and can then accept or reject it.")
    part = _own_part(view, offer)
    return _("You offered {money} and would keep {part}.").format(
        money=amount(view.facts["money"] - part), part=amount(part)
    )


def _facts(view: View) -> tuple[Fact, ...]:
    own, other = _discounts(view)
    assert own is not None
    now = own ** (view.round - 1)
    facts = [Fact(_("To divide"), plural(view.facts["money"], UNIT))]
    if own < 1:
        worth = _("{now} of your part").format(now=percent(now)) if view.round > 1 else _("your part in full")
        facts.append(
            Fact(
                _("A deal now pays you"), worth, _("each round later {own} less").format(own=percent(1 - own))
            )
        )
    else:
        facts.append(Fact(_("A deal pays you"), _("your part in full"), _("also in later rounds")))
    if other is None:
        facts.append(Fact(_("What waiting costs the other player"), _("not known to you")))
    else:
        costs = _("{other} a round").format(other=percent(1 - other)) if other < 1 else _("nothing")
        facts.append(Fact(_("Waiting costs the other player"), costs))
    if is_last(view):
        facts.append(Fact(_("This is the last round"), _("no deal, no points"), _("for either of you")))
    return tuple(facts)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    money, seat = view.facts["money"], seat_of(view)
    own, _other = _discounts(view)
    assert own is not None
    now = own ** (view.round - 1)
    if view.phase == "answer":
        return _answer_form(view, now)
    number = legal.kinds[0].fields[0]
    assert isinstance(number, Number)
    # A move names Alice's gain; Bob chooses his own, and posts it as the rest.
    name = number.name if seat == 1 else f"rest-{number.name}"
    tells = [Tell(_("You get"), "1"), Tell(_("The other player gets"), "-1", str(money))]
    if now != 1:
        tells.append(Tell(_("Your part is worth now"), f"{float(now):.12g}"))
    field = Amount(
        name,
        _("How much of the {money} for you?").format(money=amount(money)),
        number.minimum,
        number.maximum,
        number.step,
        _("points"),
        _("The rest is for the other player."),
        tuple(tells),
        entered.value(name),
        entered.error(name),
    )
    return MoveForm(
        "propose",
        view.phase_id,
        _("Your offer"),
        (field, *message_field(legal, entered, _("Message to the other player"))),
        (Button(_("Make this offer")),),
        badge=_("{money} to divide").format(money=plural(money, UNIT)),
        saying=_("Offer: {amount} for me").format(amount=f"{{{name}}}"),
    )


def _answer_form(view: View, now: Fraction) -> MoveForm:
    offer, money = view.facts["standing"], view.facts["money"]
    part = _own_part(view, offer)
    worth = (
        _("Your {part} would be worth {worth} now.").format(part=amount(part), worth=amount(part * now))
        if now != 1
        else ""
    )
    keep = _("They would keep {rest}.").format(rest=amount(money - part))
    after = _("If you reject, the match ends and both of you get nothing.") if is_last(view) else (
        _("If you reject, the next round begins and you make the next offer.")
    )  # fmt: skip
    return MoveForm(
        "answer",
        view.phase_id,
        _("The other player offers you {part} of {money}").format(part=amount(part), money=amount(money)),
        (),
        (Button(_("Reject"), "answer", "reject"), Button(_("Accept"), "answer", "accept")),
        note=" ".join(filter(None, (keep, worth, after))),
    )


def _news(view: View) -> tuple[str, ...]:
    if not view.history or view.phase != "propose":
        return ()
    last = view.history[-1]
    if is_own(view, last):
        given = view.facts["money"] - _own_part(view, last)
        return (_("The other player rejected your offer of {given}.").format(given=amount(given)),)
    return (_("You rejected the offer of {own_part}.").format(own_part=amount(_own_part(view, last))),)


def _history(view: View) -> Table:
    rows = tuple(_row(view, entry) for entry in reversed(view.history))
    columns = (_("Round"), _("Offer by"), _("For you"), _("For other"), _("Answer"))
    return Table(
        _("Offers so far"), columns, rows, (0, 2, 3), _("Here you will see each offer that was answered.")
    )


def _row(view: View, entry: Mapping[str, Any]) -> Row:
    part, money = _own_part(view, entry), view.facts["money"]
    accepted = entry["answer"] == "accept"
    return Row(
        (
            Cell(str(entry["round"])),
            Cell(_("you") if is_own(view, entry) else _("other player")),
            Cell(amount(part), bar=round(100 * part / money)),
            Cell(amount(money - part)),
            Cell(_("accepted") if accepted else _("rejected"), mark="yes" if accepted else "no"),
        ),
        quote=entry["message"],
    )
