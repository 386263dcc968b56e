"""Persuasion on its page: a seller who knows a product's quality speaks of it to a buyer who does not."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

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
    title = "Buying on advice"

    def rules(self, view: View) -> Rules:
        facts = view.facts
        rounds = (
            f"There are {view.rounds} rounds" if view.rounds else "How many rounds there are is not announced"
        )
        price = plural(facts["price"], UNIT)
        says = "writes a message to" if facts["messages"] == "text" else "recommends the product, or not, to"
        return Rules(
            self.title,
            (
                f"{_part(view)} {rounds}, each with a new product at the price of {price}.",
                f"A product is of high quality with a chance of {_chance(facts['chance_high'])}, else of low "
                "quality; each "
                "round by itself. Only the seller sees which.",
                f"The seller then {says} the buyer. What the seller says need not be true. The buyer buys, or does "
                "not.",
                _pays(view),
                "A sale earns the seller the price, whatever the quality. The buyer gains a product's value less "
                "the price; "
                "not to buy gains and costs nothing.",
                _remembers(view),
                "When the time is up, nothing is said for the seller, and the buyer does not buy.",
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=_earned(view),
            unit="points",
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
            f"{_who(view)} bought {stats['bought']} of {plural(stats['rounds'], 'product')}: "
            f"{stats['bought_good']} of high quality and {bad} of low quality.",
            f"You earned {amount(own)} points.",
        )
        sold, gained = view.facts["payoffs"]
        rows = [
            Row((Cell("The seller"), Cell(amount(sold))), own=_sells(view)),
            Row(
                (Cell("The buyer"), Cell(MISSING if gained is None else amount(gained))), own=not _sells(view)
            ),
        ]
        table = Table("What each of you got", ("Player", "Points"), tuple(rows), (1,))
        return Ended(
            "The match is over", lines, own, "points", _you(view), table, _drawings(view), _history(view)
        )


def _sells(view: View) -> bool:
    return seat_of(view) == 1


def _you(view: View) -> Fact:
    return you(seat_of(view), "The seller" if _sells(view) else "The buyer")


def _who(view: View) -> str:
    return "The buyer" if _sells(view) else "You"


def _part(view: View) -> str:
    return {0: "One player sells, the other may buy.", 1: "You sell, the other player may buy.",
            2: "The other player sells, and you may buy."}[seat_of(view)]  # fmt: skip


def _chance(chance: str) -> str:
    # A third is no whole number of percent.
    share = Fraction(chance)
    return f"{share.numerator} in {share.denominator}" if share.denominator == 3 else percent(share)


def _worth(view: View) -> Fraction | None:
    """The value of a high-quality product to the buyer, if known."""
    value = view.facts["value"]
    return None if value is None else Fraction(value) * view.facts["price"]


def _pays(view: View) -> str:
    worth = _worth(view)
    if worth is not None:
        return f"To the buyer a product of high quality is worth {plural(worth, UNIT)}, one of low quality nothing."
    if seat_of(view):
        return (
            "To the buyer low quality is worth nothing; what high quality is worth to them, you do not know."
        )
    return "To the buyer a product of high quality is worth more than its price, one of low quality nothing."


def _remembers(view: View) -> str:
    if view.facts["buyer"] == "myopic":
        return "In each round it is as if a new buyer came, who sees only how many were bought and were good so far."
    return "After each round both of you see what the quality was and whether the product was bought."


def _earned(view: View) -> Fraction:
    return Fraction(view.facts["payoffs"][seat_of(view) - 1])


def _quality(good: bool) -> str:
    return "high quality" if good else "low quality"


def _headline(view: View, acts: bool) -> str:
    if view.phase == "answer":
        return "Buy, or not?" if acts else "The buyer decides"
    if acts:
        return "What do you tell the buyer?" if view.facts["messages"] == "text" else "Do you recommend it?"
    return "The seller is looking at the product" if not _sells(view) else "The next product comes"


def _message(view: View, product: Mapping[str, Any]) -> str:
    """The seller's message about a product."""
    if product["recommended"] is None:
        return product["message"] or "(no message)"
    return "recommended" if product["recommended"] else "not recommended"


def _waiting(view: View) -> str:
    if view.phase == "answer" and view.facts["current"]:
        product = view.facts["current"]
        if product["recommended"] is not None:
            return f"You {'recommended' if product['recommended'] else 'did not recommend'} the product."
        return f"You wrote: {product['message']}" if product["message"] else "You wrote nothing."
    return "You will see here what the seller says." if not _sells(view) else ""


def _facts(view: View) -> tuple[Fact, ...]:
    facts, shown = view.facts, []
    if _sells(view) and facts["current"]:
        shown.append(Fact("This product", f"of {_quality(facts['current']['good'])}", "only you see this"))
    shown.append(Fact("Price", plural(facts["price"], UNIT)))
    worth = _worth(view)
    whom = "to the buyer" if _sells(view) else "to you"
    known = f"{amount(worth)} {whom}" if worth is not None else "not known to you"
    shown.append(Fact("High quality is worth", known, f"low quality: nothing {whom}"))
    shown.append(Fact("Chance of high quality", _chance(facts["chance_high"]), "in each round"))
    stats = facts["statistics"]
    if stats["rounds"]:
        bought = f"{stats['bought']} of {stats['rounds']}"
        shown.append(Fact("Bought so far", bought, f"{stats['bought_good']} of these of high quality"))
    return tuple(shown)


def _quote(view: View) -> Quote | None:
    product = view.facts["current"]
    if not product or product["recommended"] is not None:
        return None
    return Quote("The seller", product["message"] or "(no message)")


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    (kind,) = legal.kinds
    label = "Message to the buyer" if _sells(view) else "Message to the seller"
    message = (
        (Text(label, legal.max_length, value=entered.value("message"), error=entered.error("message")),)
        if kind.message
        else ()
    )
    price = amount(view.facts["price"])
    if kind.kind == "answer":
        product = view.facts["current"]
        title = "What the seller says"
        if product["recommended"] is not None:
            title = (
                f"The seller {'recommends' if product['recommended'] else 'does not recommend'} this product"
            )
        buttons = (Button("Do not buy", "buy", "no"), Button(f"Buy for {price}", "buy", "yes"))
        note = "The quality is shown after you have decided."
        if view.facts["buyer"] == "myopic":
            note = ""
        return MoveForm(kind.kind, view.phase_id, title, message, buttons, note=note)
    title = f"This product is of {_quality(view.facts['current']['good'])}"
    if kind.message:
        return MoveForm(kind.kind, view.phase_id, title, message, (Button("Send this message"),))
    buttons = (Button("Do not recommend", "buy", "no"), Button("Recommend", "buy", "yes"))
    return MoveForm(kind.kind, view.phase_id, title, (), buttons, note="Only you see the quality now.")


def _news(view: View) -> tuple[str, ...]:
    if not view.history or view.phase == "answer":
        return ()
    last = view.history[-1]
    bought = "bought it" if last["bought"] else "did not buy it"
    who = _who(view)
    gained = amount(_gain(view, last), signed=True)
    text = f"Round {last['round']}: the product was of {_quality(last['good'])}, and {who.lower()} {bought}. "
    reply = (f"The buyer wrote: {last['reply']}",) if last["reply"] and _sells(view) else ()
    return (text + f"{gained} points for you.", *reply)


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
    columns = ("Round", "Quality", "The seller", "Bought", "Your points")
    empty = "Here you will see each round when it is over."
    if view.facts["buyer"] == "myopic" and not _sells(view):
        empty = "A new buyer does not see single rounds of the past, only the numbers above."
    return Table("Rounds so far", columns, rows, (0, 4), empty)


def _row(view: View, entry: Mapping[str, Any]) -> Row:
    is_text = entry["recommended"] is None
    return Row(
        (
            Cell(str(entry["round"])),
            Cell("high" if entry["good"] else "low"),
            Cell("wrote" if is_text and entry["message"] else _message(view, entry)),
            Cell("yes" if entry["bought"] else "no", mark="yes" if entry["bought"] else "no"),
            Cell(amount(_gain(view, entry), signed=True)),
        ),
        quote=entry["message"],
    )


def _drawings(view: View) -> tuple[Drawing, ...]:
    """A drawing of the rounds that were good, recommended and bought: a line of dots for each."""
    if not view.history:
        return ()
    lines = [("High quality", "good"), ("Bought", "bought")]
    if view.facts["messages"] == "binary":
        lines.insert(1, ("Recommended", "recommended"))
    across = max(view.rounds or 0, len(view.history), 10)
    marks, said = [], []
    for at, (label, name) in enumerate(lines):
        y = at * LINE + LINE / 2
        marks.append(Mark("text", 0, y + 4, text=label))
        for entry in view.history:
            x = NAMES + (100 - NAMES) * (entry["round"] - 0.5) / across
            marks.append(Mark("dot", x, y, tone="full" if entry[name] else "hollow"))
        rounds = [str(entry["round"]) for entry in view.history if entry[name]]
        said.append(f"{label}: {'rounds ' + ', '.join(rounds) if rounds else 'no round'}")
    return (
        Drawing(
            "Round by round",
            ". ".join(said) + ".",
            LINE * len(lines),
            tuple(marks),
            "Filled: yes; outlined: no.",
        ),
    )
