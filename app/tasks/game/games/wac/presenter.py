"""The water auction on its page: who needs what and stands where, today's supply, one sealed bid."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from app.tasks.game.base import View
from app.tasks.game.moves import MoveSchema, Number
from app.tasks.game.parts import (
    MISSING,
    Amount,
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
    Tell,
    amount,
    shape,
)
from app.tasks.game.presenters.base import listed, plural, round_of, seat_of, you

HEIGHT, EDGE = 116, 12
# Room for the values of the upright axis, in percent, and for the days below, in pixels.
LEFT, BELOW = 14.0, 20
UNIT = "point"


class WaterPresenter:
    title = "The water auction"

    def rules(self, view: View) -> Rules:
        facts = view.facts
        low, high = facts["supply_range"]
        people = len(facts["residents"])
        earns = plural(facts["day_payoff"], UNIT)
        return Rules(
            self.title,
            (
                f"{people} people live through {view.rounds} days of drought. Each needs a fixed amount of water a "
                "day.",
                f"Each day everybody alive is paid a salary. Then {low} to {high} units of water come, every number "
                "with the "
                "same chance, and everybody bids once for their need. Nobody sees the bids of the others before "
                "all are in.",
                "The highest bid gets its need of water first, then the next one whose need still fits into what "
                "is left, "
                "and so on. Of equal bids the smaller need comes first. Who gets water pays their bid; the others "
                "pay "
                "nothing.",
                f"Water adds {facts['water_health']} health, up to {facts['most_health']}. The first day without "
                "water costs 1 "
                "health, the second in a row 2, and so on. Who has no health left is out.",
                "After each day everybody sees all bids, who got water, and everybody's health and money.",
                f"You earn {earns} for each day at whose end you are alive. Money left over earns nothing.",
                "When the time is up, a bid of 0 is made for you.",
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        own = _own(view)
        persona = view.facts["persona"]
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view, "Day"),
            earned=Fraction(view.facts["payoffs"][seat_of(view) - 1]),
            unit="points",
            you=you(seat_of(view), own["name"]),
            facts=_facts(view) if own["alive"] else (),
            news=(_news(view, view.history[-1]),) if view.history else (),
            quote=Quote(f"Who {own['name']} is", persona) if persona else None,
            form=_form(view, legal, entered) if legal else None,
            waiting="" if legal else _waiting(view),
            over=not own["alive"],
            boards=(_residents(view),),
            drawings=_drawings(view),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        own, payoff = _own(view), Fraction(view.facts["payoffs"][seat_of(view) - 1])
        alive = [each["name"] for each in view.facts["residents"] if each["alive"]]
        lines = (
            f"You are alive after {plural(len(view.history), 'day')}."
            if own["alive"]
            else "You did not live to the last day.",
            f"Alive at the end: {listed(alive)}." if alive else "Nobody is alive at the end.",
            f"You earned {plural(payoff, UNIT)}.",
        )
        payoffs = view.facts["payoffs"]
        rows = tuple(
            Row(
                (
                    Cell(each["name"], shape(seat)),
                    Cell(str(max(0, each["health"])), bar=_health(view, each)),
                    Cell(amount(payoffs[seat - 1])),
                ),
                own=seat == view.viewer,
            )
            for seat, each in enumerate(view.facts["residents"], 1)
        )
        table = Table("How everybody ended", ("Resident", "Health", "Points"), rows, (1, 2))
        who = you(seat_of(view), own["name"])
        return Ended(
            "The match is over", lines, payoff, "points", who, table, _drawings(view), _history(view)
        )


def _own(view: View) -> Mapping[str, Any]:
    resident: Mapping[str, Any] = view.facts["residents"][seat_of(view) - 1]
    return resident


def _dollars(value: int) -> str:
    return f"${amount(value)}"


def _health(view: View, status: Mapping[str, Any]) -> int:
    share: float = status["health"] / view.facts["most_health"]
    return max(0, round(100 * share))


def _headline(view: View, acts: bool) -> str:
    if acts:
        return f"Bid for today's water: {plural(view.facts['supply'], 'unit')} for everybody"
    if not _own(view)["alive"]:
        return "You have no health left and are out"
    return "Your bid is made" if view.facts["bid"] is not None else "The day begins"


def _waiting(view: View) -> str:
    if not _own(view)["alive"]:
        return "The others play on. What you have earned is yours."
    bid = view.facts["bid"]
    return f"You bid {_dollars(bid)}. The day ends as soon as everyone has bid." if bid is not None else ""


def _facts(view: View) -> tuple[Fact, ...]:
    own, supply = _own(view), view.facts["supply"]
    return (
        Fact(
            "Water today",
            plural(supply, "unit") if supply is not None else MISSING,
            f"you need {own['need']}",
        ),
        Fact("Your money", _dollars(own["balance"]), f"{_dollars(own['salary'])} more each day"),
        Fact("Your health", f"{own['health']} of {view.facts['most_health']}"),
        Fact(
            "A day without water now",
            f"costs {own['next_loss']} health",
            "and would end your game"
            if own["next_loss"] >= own["health"]
            else f"with water: +{view.facts['water_health']}",
        ),
    )


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    number = legal.kinds[0].fields[0]
    assert isinstance(number, Number)
    top = number.maximum or 0
    field = Amount(
        number.name,
        "Your bid in dollars",
        number.minimum,
        number.maximum,
        number.step,
        "dollars",
        f"Any whole number from 0 to {amount(top)}, all that you have.",
        (Tell("If you get water, you keep (dollars)", "-1", str(top)),),
        entered.value(number.name),
        entered.error(number.name),
    )
    return MoveForm(
        "bid",
        view.phase_id,
        "Your bid",
        (field,),
        (Button("Make this bid"),),
        note="You pay only if you get water. Nobody sees your bid before all are in.",
        badge=f"you need {plural(_own(view)['need'], 'unit')}",
        saying="Bid {amount} dollars",
    )


def _names(view: View) -> list[str]:
    return [each["name"] for each in view.facts["residents"]]


def _called(view: View, seat: int) -> str:
    return "you" if seat == view.viewer else _names(view)[seat - 1]


def _won(view: View, day: Mapping[str, Any]) -> str:
    return listed([f"{_called(view, seat)} ({_dollars(day['bids'][seat - 1])})" for seat in day["winners"]])


def _news(view: View, day: Mapping[str, Any]) -> str:
    who = _won(view, day)
    text = f"Day {day['day']}: " + (f"water went to {who}." if who else "nobody's need fitted.")
    before = view.history[-2]["statuses"] if len(view.history) > 1 else None
    out = [
        name
        for at, name in enumerate(_names(view))
        if not day["statuses"][at]["alive"] and (before is None or before[at]["alive"])
    ]
    return f"{text} {listed(out)} {'is' if len(out) == 1 else 'are'} out." if out else text


def _residents(view: View) -> Table:
    rows = tuple(
        Row(
            (
                Cell(each["name"] + (" (you)" if seat == view.viewer else ""), shape(seat)),
                Cell(str(each["need"])),
                Cell(_dollars(each["salary"])),
                Cell(_dollars(each["balance"]) if each["alive"] else MISSING),
                Cell(str(each["health"]) if each["alive"] else "out", bar=_health(view, each)),
                Cell(f"{each['next_loss']}" if each["alive"] else MISSING),
            ),
            own=seat == view.viewer,
        )
        for seat, each in enumerate(view.facts["residents"], 1)
    )
    columns = ("Resident", "Need", "Salary", "Money", "Health", "Next loss")
    return Table("Everybody today", columns, rows, (1, 2, 3, 4, 5))


def _history(view: View) -> Table:
    me = seat_of(view) - 1
    rows = tuple(
        Row(
            (
                Cell(str(day["day"])),
                Cell(str(day["supply"])),
                Cell(_dollars(day["bids"][me]) if day["bids"][me] is not None else MISSING),
                Cell(_won(view, day) or "nobody", mark="yes" if seat_of(view) in day["winners"] else ""),
                Cell(_others(view, day)),
            )
        )
        for day in reversed(view.history)
    )
    columns = ("Day", "Supply", "Your bid", "Water went to", "Bids without water")
    return Table("Days so far", columns, rows, (0, 1, 2), "Here you will see each day when it is over.")


def _others(view: View, day: Mapping[str, Any]) -> str:
    """The bids that got no water; a line does not end between a name and its bid."""
    lost = [
        f"{_called(view, seat)}\N{NO-BREAK SPACE}{_dollars(bid)}"
        for seat, bid in enumerate(day["bids"], 1)
        if bid is not None and seat not in day["winners"]
    ]
    return ", ".join(lost) or MISSING


def _drawings(view: View) -> tuple[Drawing, ...]:
    """Every player's health by day, the viewer's own in bold, and the lowest bid that got water."""
    if not view.history:
        return ()
    names, days = _names(view), view.rounds or len(view.history)
    across = max(days, 2)
    top = view.facts["most_health"]

    def x(day: int) -> float:
        return LEFT + (99 - LEFT) * (day - 1) / (across - 1)

    def y(health: int) -> float:
        share: float = max(0, health) / top
        return EDGE + (HEIGHT - BELOW - 2 * EDGE) * (1 - share)

    marks = _axes(y(0), {y(0): "0", y(top): str(top)}, days)
    me = seat_of(view) - 1
    for at in [*(at for at in range(len(names)) if at != me), me]:
        levels = [(x(day["day"]), y(day["statuses"][at]["health"])) for day in view.history]
        tone = "full" if at == me else "pale"
        for (from_x, from_y), (to_x, to_y) in pairwise(levels):
            marks.append(Mark("line", from_x, from_y, to_x - from_x, to_y - from_y, tone))
        if at == me or len(levels) == 1:
            marks += [Mark("dot", each_x, each_y, tone=tone) for each_x, each_y in levels]
    own = [str(max(0, day["statuses"][me]["health"])) for day in view.history]
    health = Drawing(
        "Health by day",
        f"Your health at the end of each day: {', '.join(own)}.",
        HEIGHT,
        tuple(marks),
        f"Dark with dots: you; pale: the others. From 0, where somebody is out, up to {top}.",
    )
    return (health, *_prices(view, days))


def _axes(base: float, values: Mapping[float, str], days: int) -> list[Mark]:
    """The base line, the values next to it at their heights, and the first and last day below it."""
    beside = [Mark("text", 0, at + 4, text=text) for at, text in values.items()]
    below = [Mark("text", LEFT, base + BELOW, text="day 1")]
    if days > 1:
        below.append(Mark("text", 84, base + BELOW, text=f"day {days}"))
    return [Mark("line", LEFT, base, 100 - LEFT, tone="axis"), *beside, *below]


def _prices(view: View, days: int) -> tuple[Drawing, ...]:
    prices = [
        (day["day"], min(day["bids"][seat - 1] for seat in day["winners"]))
        for day in view.history
        if day["winners"]
    ]
    if not prices:
        return ()
    highest = max(price for _, price in prices) or 1
    base, slot = HEIGHT - BELOW - EDGE, (100 - LEFT) / days
    marks = _axes(base, {base: "$0", EDGE: _dollars(highest)}, days)
    for day, price in prices:
        # Water at a price of 0 must be seen, too.
        high = max(2.0, (base - EDGE) * price / highest)
        marks.append(Mark("box", LEFT + slot * (day - 0.85), base - high, slot * 0.7, high, "full"))
    said = ", ".join(f"day {day} {_dollars(price)}" for day, price in prices)
    return (Drawing("The lowest bid that got water", f"By day: {said}.", HEIGHT, tuple(marks)),)
