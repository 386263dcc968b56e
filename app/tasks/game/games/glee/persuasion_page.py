"""Persuasion on its page: a seller who knows a product's quality speaks of it to a buyer who does not."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.game.base import View
from app.tasks.game.moves import MoveSchema
from app.tasks.game.parts import (
    MISSING,
    Button,
    Cell,
    Drawing,
    Ended,
    Entered,
    Face,
    Fact,
    Mark,
    MoveForm,
    Quote,
    Row,
    Rules,
    Table,
    Text,
    amount,
)
from app.tasks.game.presenters.base import percent, plural, round_of, seat_of, you

UNIT = "point"
LINE, NAMES = 26, 30.0


class PersuasionPresenter:
    title = noop("Buying on advice")

    def rules(self, view: View) -> Rules:
        facts = view.facts
        rounds = (
            _("There are {rounds} rounds").format(rounds=view.rounds)
            if view.rounds
            else _("How many rounds there are is not announced")
        )
        price = plural(facts["price"], UNIT)
        says = (
            _("The seller then writes a message to the buyer.")
            if facts["messages"] == "text"
            else _("The seller then recommends the product, or not, to the buyer.")
        )
        return Rules(
            _(self.title),
            (
                _("{part} {rounds}, each with a new product at the price of {price}.").format(
                    part=_part(view), rounds=rounds, price=price
                ),
                _(
                    "A product is of high quality with a chance of {chance}, else of low quality; each "
                    "round by itself. Only the seller sees which."
                ).format(chance=_chance(facts["chance_high"])),
                _("{says} What the seller says need not be true. The buyer buys, or does not.").format(
                    says=says
                ),
                _pays(view),
                _(
                    "A sale earns the seller the price, whatever the quality. The buyer gains a "
                    "product's value less the price; not to buy gains and costs nothing."
                ),
                _remembers(view),
                _("When the time is up, nothing is said for the seller, and the buyer does not buy."),
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=_earned(view),
            unit=_("points"),
            you=_you(view),
            facts=_facts(view),
            news=_news(view),
            quote=_quote(view) if legal and not _sells(view) else None,
            form=_form(view, legal, entered) if legal else None,
            waiting="" if legal else _waiting(view),
            drawings=_drawings(view),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        stats, own = view.facts["statistics"], _earned(view)
        bad = stats["bought"] - stats["bought_good"]
        lines = (
            (
                _(
                    "The buyer bought {bought} of {rounds}: {bought_good} of high quality and {bad} of low quality."
                )
                if _sells(view)
                else _(
                    "You bought {bought} of {rounds}: {bought_good} of high quality and {bad} of low quality."
                )
            ).format(
                bought=stats["bought"],
                rounds=plural(stats["rounds"], "product"),
                bought_good=stats["bought_good"],
                bad=bad,
            ),
            _("You earned {own} points.").format(own=amount(own)),
        )
        sold, gained = view.facts["payoffs"]
        rows = [
            Row((Cell(_("The seller")), Cell(amount(sold))), own=_sells(view)),
            Row(
                (Cell(_("The buyer")), Cell(MISSING if gained is None else amount(gained))),
                own=not _sells(view),
            ),
        ]
        table = Table(_("What each of you got"), (_("Player"), _("Points")), tuple(rows), (1,))
        return Ended(
            _("The match is over"),
            lines,
            own,
            _("points"),
            _you(view),
            table,
            _drawings(view),
            _history(view),
        )


def _sells(view: View) -> bool:
    return seat_of(view) == 1


def _you(view: View) -> Fact:
    return you(seat_of(view), _("The seller") if _sells(view) else _("The buyer"))


def _part(view: View) -> str:
    return {0: _("One player sells, the other may buy."), 1: _("You sell, the other player may buy."),
            2: _("The other player sells, and you may buy.")}[seat_of(view)]  # fmt: skip


def _chance(chance: str) -> str:
    # A third is no whole number of percent.
    share = Fraction(chance)
    return (
        _("{numerator} in {denominator}").format(numerator=share.numerator, denominator=share.denominator)
        if share.denominator == 3
        else percent(share)
    )


def _worth(view: View) -> Fraction | None:
    """The value of a high-quality product to the buyer, if known."""
    value = view.facts["value"]
    return None if value is None else Fraction(value) * view.facts["price"]


def _pays(view: View) -> str:
    worth = _worth(view)
    if worth is not None:
        return _(
            "To the buyer a product of high quality is worth {worth}, one of low quality nothing."
        ).format(worth=plural(worth, UNIT))
    if seat_of(view):
        return _(
            "To the buyer low quality is worth nothing; what high quality is worth to them, you do not know."
        )
    return _(
        "To the buyer a product of high quality is worth more than its price, one of low quality nothing."
    )


def _remembers(view: View) -> str:
    if view.facts["buyer"] == "myopic":
        return _(
            "In each round it is as if a new buyer came, who sees only how many were bought and "
            "were good so far."
        )
    return _("After each round both of you see what the quality was and whether the product was bought.")


def _earned(view: View) -> Fraction:
    return Fraction(view.facts["payoffs"][seat_of(view) - 1])


def _quality(good: bool) -> str:
    return _("high quality") if good else _("low quality")


def _headline(view: View, acts: bool) -> str:
    if view.phase == "answer":
        return _("Buy, or not?") if acts else _("The buyer decides")
    if acts:
        return (
            _("What do you tell the buyer?")
            if view.facts["messages"] == "text"
            else _("Do you recommend it?")
        )
    return _("The seller is looking at the product") if not _sells(view) else _("The next product comes")


def _message(view: View, product: Mapping[str, Any]) -> str:
    """The seller's message about a product."""
    if product["recommended"] is None:
        return product["message"] or _("(no message)")
    return _("recommended") if product["recommended"] else _("not recommended")


def _waiting(view: View) -> str:
    if view.phase == "answer" and view.facts["current"]:
        product = view.facts["current"]
        if product["recommended"] is not None:
            if product["recommended"]:
                return _("You recommended the product.")
            return _("You did not recommend the product.")
        return (
            _("You wrote: {message}").format(message=product["message"])
            if product["message"]
            else _("You wrote nothing.")
        )
    return _("You will see here what the seller says.") if not _sells(view) else ""


def _facts(view: View) -> tuple[Fact, ...]:
    facts, shown = view.facts, []
    if _sells(view) and facts["current"]:
        shown.append(
            Fact(
                _("This product"),
                _("of {quality}").format(quality=_quality(facts["current"]["good"])),
                _("only you see this"),
            )
        )
    shown.append(Fact(_("Price"), plural(facts["price"], UNIT)))
    worth = _worth(view)
    whom = _("to the buyer") if _sells(view) else _("to you")
    known = (
        _("{amount} {whom}").format(amount=amount(worth), whom=whom)
        if worth is not None
        else _("not known to you")
    )
    shown.append(Fact(_("High quality is worth"), known, _("low quality: nothing {whom}").format(whom=whom)))
    shown.append(Fact(_("Chance of high quality"), _chance(facts["chance_high"]), _("in each round")))
    stats = facts["statistics"]
    if stats["rounds"]:
        bought = _("{bought} of {rounds}").format(bought=stats["bought"], rounds=stats["rounds"])
        shown.append(
            Fact(
                _("Bought so far"),
                bought,
                _("{bought_good} of these of high quality").format(bought_good=stats["bought_good"]),
            )
        )
    return tuple(shown)


def _quote(view: View) -> Quote | None:
    product = view.facts["current"]
    if not product or product["recommended"] is not None:
        return None
    return Quote(_("The seller"), product["message"] or _("(no message)"))


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    (kind,) = legal.kinds
    label = _("Message to the buyer") if _sells(view) else _("Message to the seller")
    message = (
        (Text(label, legal.max_length, value=entered.value("message"), error=entered.error("message")),)
        if kind.message
        else ()
    )
    price = amount(view.facts["price"])
    if kind.kind == "answer":
        product = view.facts["current"]
        title = _("What the seller says")
        if product["recommended"] is not None:
            title = (
                _("The seller recommends this product")
                if product["recommended"]
                else _("The seller does not recommend this product")
            )
        buttons = (
            Button(_("Do not buy"), "buy", "no"),
            Button(_("Buy for {price}").format(price=price), "buy", "yes"),
        )
        note = _("The quality is shown after you have decided.")
        if view.facts["buyer"] == "myopic":
            note = ""
        return MoveForm(kind.kind, view.phase_id, title, message, buttons, note=note)
    title = _("This product is of {quality}").format(quality=_quality(view.facts["current"]["good"]))
    if kind.message:
        return MoveForm(kind.kind, view.phase_id, title, message, (Button(_("Send this message")),))
    buttons = (Button(_("Do not recommend"), "buy", "no"), Button(_("Recommend"), "buy", "yes"))
    return MoveForm(kind.kind, view.phase_id, title, (), buttons, note=_("Only you see the quality now."))


def _news(view: View) -> tuple[str, ...]:
    if not view.history or view.phase == "answer":
        return ()
    last = view.history[-1]
    gained = amount(_gain(view, last), signed=True)
    if _sells(view):
        said = (
            _(
                "Round {round}: the product was of {quality}, and the buyer bought it. {gained} points for you."
            )
            if last["bought"]
            else _(
                "Round {round}: the product was of {quality}, and the buyer did not buy it. {gained} points for you."
            )
        )
    else:
        said = (
            _("Round {round}: the product was of {quality}, and you bought it. {gained} points for you.")
            if last["bought"]
            else _(
                "Round {round}: the product was of {quality}, and you did not buy it. {gained} points for you."
            )
        )
    text = said.format(round=last["round"], quality=_quality(last["good"]), gained=gained)
    reply = (
        (_("The buyer wrote: {reply}").format(reply=last["reply"]),) if last["reply"] and _sells(view) else ()
    )
    return (text, *reply)


def _gain(view: View, product: Mapping[str, Any]) -> Fraction:
    price = view.facts["price"]
    if not product["bought"]:
        return Fraction(0)
    if _sells(view):
        return Fraction(price)
    worth = _worth(view) if product["good"] else None
    return (worth or Fraction(0)) - int(price)


def _history(view: View) -> Table:
    rows = tuple(_row(view, entry) for entry in reversed(view.history))
    columns = (_("Round"), _("Quality"), _("The seller"), _("Bought"), _("Your points"))
    empty = _("Here you will see each round when it is over.")
    if view.facts["buyer"] == "myopic" and not _sells(view):
        empty = _("A new buyer does not see single rounds of the past, only the numbers above.")
    return Table(_("Rounds so far"), columns, rows, (0, 4), empty)


def _row(view: View, entry: Mapping[str, Any]) -> Row:
    is_text = entry["recommended"] is None
    return Row(
        (
            Cell(str(entry["round"])),
            Cell(_("high") if entry["good"] else _("low")),
            Cell(_("wrote") if is_text and entry["message"] else _message(view, entry)),
            Cell(_("yes") if entry["bought"] else _("no"), mark="yes" if entry["bought"] else "no"),
            Cell(amount(_gain(view, entry), signed=True)),
        ),
        quote=entry["message"],
    )


def _drawings(view: View) -> tuple[Drawing, ...]:
    """A drawing of the rounds that were good, recommended and bought: a line of dots for each."""
    if not view.history:
        return ()
    lines = [(_("High quality"), "good"), (_("Bought"), "bought")]
    if view.facts["messages"] == "binary":
        lines.insert(1, (_("Recommended"), "recommended"))
    across = max(view.rounds or 0, len(view.history), 10)
    marks, said = [], []
    for at, (label, name) in enumerate(lines):
        y = at * LINE + LINE / 2
        marks.append(Mark("text", 0, y + 4, text=label))
        for entry in view.history:
            x = NAMES + (100 - NAMES) * (entry["round"] - 0.5) / across
            marks.append(Mark("dot", x, y, tone="full" if entry[name] else "hollow"))
        rounds = [str(entry["round"]) for entry in view.history if entry[name]]
        said.append(
            _("{label}: rounds {rounds}").format(label=label, rounds=_(", ").join(rounds))
            if rounds
            else _("{label}: no round").format(label=label)
        )
    return (
        Drawing(
            _("Round by round"),
            ". ".join(said) + ".",
            LINE * len(lines),
            tuple(marks),
            _("Filled: yes; outlined: no."),
        ),
    )
