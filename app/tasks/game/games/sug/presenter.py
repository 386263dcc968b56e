"""The page of the Social Ultimatum Game: the offer to make, offers to answer, and earlier offers."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.core.language import gettext as _
from app.core.language import ngettext, noop
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
ANSWERS = (("reject", noop("Reject")), ("accept", noop("Accept")))
# The picture of who gave what: one row a player, to the right of the names; a full offer is this high.
ROW, FULL, NAMES = 46, 18, 19.0
MOST_DRAWN = 8

Seen = Mapping[str, Any]


class SugPresenter:
    title = noop("The sharing game")

    def rules(self, view: View) -> Rules:
        facts = view.facts
        pie = plural(facts["endowment"], UNIT)
        rounds = (
            _("{rounds} rounds").format(rounds=view.rounds)
            if view.rounds
            else _("several rounds; how many is not announced")
        )
        return Rules(
            _(self.title),
            (
                _("{players} players play {rounds}.").format(players=facts["players"], rounds=rounds),
                _(
                    "In each round you get {pie} to share with one other player. You choose whom, and "
                    "how much you offer."
                ).format(pie=pie),
                _(
                    "Several players may choose the same one, so a player may get several offers in a "
                    "round, or none."
                ),
                _(
                    "You accept or reject each offer made to you. If you accept, you get what was "
                    "offered and the other player keeps the rest. If you reject, neither of you gets "
                    "anything from it."
                ),
                _("Your own offer works the same way: only if it is accepted do you keep the rest."),
                _who_sees(view),
                _("When the time is up, an offer of 0 is made for you, or the offers to you are rejected."),
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        facts, received = view.facts, view.facts["received"]
        form = _form(view, legal, entered) if legal else None
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=facts["total"],
            unit=_("points"),
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
            headline=_("The match is over"),
            lines=(
                _("You earned {total} in {rounds} rounds.").format(total=plural(total, UNIT), rounds=rounds),
                ngettext(
                    "Of your {n} offers, {taken} was accepted.",
                    "Of your {n} offers, {taken} were accepted.",
                    taken,
                ).format(n=len(made), taken=taken),
            ),
            earned=total,
            unit=_("points"),
            you=you(seat_of(view)),
            drawings=_drawings(view),
            history=_history(view),
        )


def _who_sees(view: View) -> str:
    if view.facts["public_history"]:
        return _("After each round you see the offers and answers of all players.")
    return _("You see your own offers and those made to you, with their answers.")


def _headline(view: View, acts: bool) -> str:
    if view.phase == "offer":
        return _("Make an offer") if acts else _("Your offer is made")
    n = len(view.facts["received"])
    if acts:
        return _("Answer the offer") if n == 1 else _("Answer the {n} offers").format(n=n)
    return _("Your answer is given") if n else _("Nobody made you an offer in this round")


def _waiting(view: View, received: Sequence[Seen]) -> str:
    if view.phase == "offer":
        return _("The offers are shown as soon as everyone has made one.")
    return (
        _("The round ends as soon as everyone has answered.") if received else _("The others are answering.")
    )


def _facts(view: View) -> tuple[Fact, ...]:
    own = view.facts["own_offer"]
    if not own:
        return ()
    offer = _("{amount} to {player}").format(amount=amount(own["amount"]), player=player(own["to"]))
    return (Fact(_("Your offer in this round"), offer, _("waits for an answer"), shape(own["to"])),)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    (kind,) = legal.kinds
    if kind.kind == "offer":
        return _offer_form(view, legal, entered)
    received, pie = view.facts["received"], view.facts["endowment"]
    badge = _("{n} open").format(n=len(received))
    if len(received) == 1:
        (offer,) = received
        name = f"offer_{offer['from']}"
        return MoveForm(
            kind.kind,
            view.phase_id,
            _("{player} offers you {amount}").format(
                player=player(offer["from"]), amount=amount(offer["amount"])
            ),
            (),
            tuple(Button(_(label), name, value) for value, label in ANSWERS),
            note=_("They would keep {pie}.").format(pie=amount(pie - offer["amount"])),
            badge=badge,
            shape=shape(offer["from"]),
        )
    picks = tuple(
        Pick(
            (name := f"offer_{offer['from']}"),
            _("{player} offers you {amount}").format(
                player=player(offer["from"]), amount=amount(offer["amount"])
            ),
            tuple(Option(value, _(label)) for value, label in ANSWERS),
            entered.value(name),
            entered.error(name),
            _("and would keep {pie}").format(pie=amount(pie - offer["amount"])),
            shape(offer["from"]),
        )
        for offer in received
    )
    return MoveForm(
        kind.kind, view.phase_id, _("Offers to you"), picks, (Button(_("Send my answers")),), badge=badge
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
        _("Your offer"),
        (
            Pick("to", _("To whom?"), options, entered.value("to"), entered.error("to")),
            Amount(
                "amount",
                _("How much?"),
                number.minimum,
                number.maximum,
                number.step,
                _("points"),
                tells=(Tell(_("They get"), "1"), Tell(_("You keep"), "-1", str(pie))),
                value=entered.value("amount"),
                error=entered.error("amount"),
            ),
        ),
        (Button(_("Make this offer")),),
        note=_("Only if they accept do both of you get the points. You cannot take an offer back."),
        badge=_("{pie} to share").format(pie=plural(pie, UNIT)),
        saying=_("Offer {amount} to {to}"),
    )


def _news(entry: Seen) -> str:
    own = entry["offer"]
    answered = (
        _("{player} accepted your offer of {amount}")
        if own["accepted"]
        else _("{player} rejected your offer of {amount}")
    )
    said = [answered.format(player=player(own["to"]), amount=amount(own["amount"]))]
    for accepted, did in ((True, _("you accepted {offers}")), (False, _("you rejected {offers}"))):
        offers = [
            _("{amount} from {player}").format(amount=amount(o["amount"]), player=player(o["from"]))
            for o in entry["received"]
            if o["accepted"] is accepted
        ]
        if offers:
            said.append(did.format(offers=listed(offers)))
    return _("Round {round}: {said}. You earned {payoff}.").format(
        round=entry["round"], said=listed(said), payoff=plural(entry["payoff"], UNIT)
    )


def _history(view: View) -> Table:
    rows = tuple(_row(entry) for entry in reversed(view.history))
    columns = (_("Round"), _("You offered"), _("You were offered"), _("Points"))
    return Table(
        _("Rounds so far"), columns, rows, (0, 3), _("Here you will see each round when it is over.")
    )


def _row(entry: Seen) -> Row:
    own = entry["offer"]
    offered = tuple(_chip(offer, offer["from"], _("{amount} from")) for offer in entry["received"])
    return Row(
        (
            Cell(str(entry["round"])),
            Cell("", chips=(_chip(own, own["to"], _("{amount} to")),)),
            Cell("" if offered else MISSING, chips=offered),
            Cell(amount(entry["payoff"])),
        )
    )


def _chip(offer: Seen, other: int, words: str) -> Chip:
    answer, mark = (_("accepted"), "yes") if offer["accepted"] else (_("rejected"), "no")
    says = _("{player}, {answer}").format(player=player(other), answer=answer)
    return Chip(words.format(amount=amount(offer["amount"])), shape(other), other, mark, says)


def _boards(view: View) -> tuple[Table, ...]:
    """All offers of finished rounds, last round first, if they are public."""
    if not view.history or "offers" not in view.history[-1]:
        return ()
    rows = tuple(
        _public_row(view, entry["round"], offer)
        for entry in reversed(view.history)
        for offer in entry["offers"]
    )
    columns = (_("Round"), _("From"), _("To"), _("Points"), _("Answer"))
    return (Table(_("All offers so far"), columns, rows, (0, 3), newest=view.facts["players"]),)


def _public_row(view: View, number: int, offer: Seen) -> Row:
    answer, mark = (_("accepted"), "yes") if offer["accepted"] else (_("rejected"), "no")
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
            _("Between you and each other player"),
            "; ".join(_with(view.history, seat) for seat in others) + ".",
            ROW * len(others),
            tuple(marks),
            _(
                "Each round from left to right. Above the line: what you offered; below: what you "
                "were offered. Filled: accepted; outlined: rejected."
            ),
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
    return _("{player}: you offered {given}, and were offered {got}").format(
        player=player(seat), given=listed(given) or _("nothing"), got=listed(got) or _("nothing")
    )
