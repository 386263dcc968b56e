"""The water auction on its page: who needs what and stands where, today's supply, one sealed bid."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
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
from app.tasks.game.presenters.base import day_of, listed, plural, seat_of, you

HEIGHT, EDGE = 116, 12
# Room for the values of the upright axis, in percent, and for the days below, in pixels.
LEFT, BELOW = 14.0, 20
UNIT = "point"


class WaterPresenter:
    title = noop("The water auction")

    def rules(self, view: View) -> Rules:
        facts = view.facts
        low, high = facts["supply_range"]
        people = len(facts["residents"])
        earns = plural(facts["day_payoff"], UNIT)
        return Rules(
            _(self.title),
            (
                _(
                    "{people} people live through {rounds} days of drought. Each needs a fixed amount of "
                    "water a day."
                ).format(people=people, rounds=view.rounds),
                _(
                    "Each day everybody alive is paid a salary. Then {low} to {high} units of water "
                    "come, every number with the same chance, and everybody bids once for their need. "
                    "Nobody sees the bids of the others before all are in."
                ).format(low=low, high=high),
                _(
                    "The highest bid gets its need of water first, then the next one whose need still "
                    "fits into what is left, and so on. Of equal bids the smaller need comes first. Who "
                    "gets water pays their bid; the others pay nothing."
                ),
                _(
                    "Water adds {water_health} health, up to {most_health}. The first day without water "
                    "costs 1 health, the second in a row 2, and so on. Who has no health left is out."
                ).format(water_health=facts["water_health"], most_health=facts["most_health"]),
                _("After each day everybody sees all bids, who got water, and everybody's health and money."),
                _(
                    "You earn {earns} for each day at whose end you are alive. Money left over earns nothing."
                ).format(earns=earns),
                _("When the time is up, a bid of 0 is made for you."),
            ),
        )

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        own = _own(view)
        persona = view.facts["persona"]
        return Face(
            headline=_headline(view, legal is not None),
            round=day_of(view),
            earned=Fraction(view.facts["payoffs"][seat_of(view) - 1]),
            unit=_("points"),
            you=you(seat_of(view), own["name"]),
            facts=_facts(view) if own["alive"] else (),
            news=(_news(view, view.history[-1]),) if view.history else (),
            quote=Quote(_("Who {name} is").format(name=own["name"]), persona) if persona else None,
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
            _("You are alive after {n}.").format(n=plural(len(view.history), "day"))
            if own["alive"]
            else _("You did not live to the last day."),
            _("Alive at the end: {alive}.").format(alive=listed(alive))
            if alive
            else _("Nobody is alive at the end."),
            _("You earned {payoff}.").format(payoff=plural(payoff, UNIT)),
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
        table = Table(_("How everybody ended"), (_("Resident"), _("Health"), _("Points")), rows, (1, 2))
        who = you(seat_of(view), own["name"])
        return Ended(
            _("The match is over"), lines, payoff, _("points"), who, table, _drawings(view), _history(view)
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
        return _("Bid for today's water: {supply} for everybody").format(
            supply=plural(view.facts["supply"], "unit")
        )
    if not _own(view)["alive"]:
        return _("You have no health left and are out")
    return _("Your bid is made") if view.facts["bid"] is not None else _("The day begins")


def _waiting(view: View) -> str:
    if not _own(view)["alive"]:
        return _("The others play on. What you have earned is yours.")
    bid = view.facts["bid"]
    return (
        _("You bid {bid}. The day ends as soon as everyone has bid.").format(bid=_dollars(bid))
        if bid is not None
        else ""
    )


def _facts(view: View) -> tuple[Fact, ...]:
    own, supply = _own(view), view.facts["supply"]
    return (
        Fact(
            _("Water today"),
            plural(supply, "unit") if supply is not None else MISSING,
            _("you need {need}").format(need=own["need"]),
        ),
        Fact(
            _("Your money"),
            _dollars(own["balance"]),
            _("{salary} more each day").format(salary=_dollars(own["salary"])),
        ),
        Fact(
            _("Your health"),
            _("{health} of {most_health}").format(
                health=own["health"], most_health=view.facts["most_health"]
            ),
        ),
        Fact(
            _("A day without water now"),
            _("costs {n} health").format(n=own["next_loss"]),
            _("and would end your game")
            if own["next_loss"] >= own["health"]
            else _("with water: +{water_health}").format(water_health=view.facts["water_health"]),
        ),
    )


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    number = legal.kinds[0].fields[0]
    assert isinstance(number, Number)
    top = number.maximum or 0
    field = Amount(
        number.name,
        _("Your bid in dollars"),
        number.minimum,
        number.maximum,
        number.step,
        _("dollars"),
        _("Any whole number from 0 to {top}, all that you have.").format(top=amount(top)),
        (Tell(_("If you get water, you keep (dollars)"), "-1", str(top)),),
        entered.value(number.name),
        entered.error(number.name),
    )
    return MoveForm(
        "bid",
        view.phase_id,
        _("Your bid"),
        (field,),
        (Button(_("Make this bid")),),
        note=_("You pay only if you get water. Nobody sees your bid before all are in."),
        badge=_("you need {need}").format(need=plural(_own(view)["need"], "unit")),
        saying=_("Bid {amount} dollars"),
    )


def _names(view: View) -> list[str]:
    return [each["name"] for each in view.facts["residents"]]


def _called(view: View, seat: int) -> str:
    return _("you") if seat == view.viewer else _names(view)[seat - 1]


def _won(view: View, day: Mapping[str, Any]) -> str:
    return listed([f"{_called(view, seat)} ({_dollars(day['bids'][seat - 1])})" for seat in day["winners"]])


def _news(view: View, day: Mapping[str, Any]) -> str:
    who = _won(view, day)
    text = (
        _("Day {day}: water went to {who}.").format(day=day["day"], who=who)
        if who
        else _("Day {day}: nobody's need fitted.").format(day=day["day"])
    )
    before = view.history[-2]["statuses"] if len(view.history) > 1 else None
    out = [
        name
        for at, name in enumerate(_names(view))
        if not day["statuses"][at]["alive"] and (before is None or before[at]["alive"])
    ]
    if not out:
        return text
    return " ".join(
        [text, ngettext("{names} is out.", "{names} are out.", len(out)).format(names=listed(out))]
    )


def _residents(view: View) -> Table:
    rows = tuple(
        Row(
            (
                Cell(
                    _("{name} (you)").format(name=each["name"]) if seat == view.viewer else each["name"],
                    shape(seat),
                ),
                Cell(str(each["need"])),
                Cell(_dollars(each["salary"])),
                Cell(_dollars(each["balance"]) if each["alive"] else MISSING),
                Cell(str(each["health"]) if each["alive"] else _("out"), bar=_health(view, each)),
                Cell(f"{each['next_loss']}" if each["alive"] else MISSING),
            ),
            own=seat == view.viewer,
        )
        for seat, each in enumerate(view.facts["residents"], 1)
    )
    columns = (_("Resident"), _("Need"), _("Salary"), _("Money"), _("Health"), _("Next loss"))
    return Table(_("Everybody today"), columns, rows, (1, 2, 3, 4, 5))


def _history(view: View) -> Table:
    me = seat_of(view) - 1
    rows = tuple(
        Row(
            (
                Cell(str(day["day"])),
                Cell(str(day["supply"])),
                Cell(_dollars(day["bids"][me]) if day["bids"][me] is not None else MISSING),
                Cell(_won(view, day) or _("nobody"), mark="yes" if seat_of(view) in day["winners"] else ""),
                Cell(_others(view, day)),
            )
        )
        for day in reversed(view.history)
    )
    columns = (_("Day"), _("Supply"), _("Your bid"), _("Water went to"), _("Bids without water"))
    return Table(_("Days so far"), columns, rows, (0, 1, 2), _("Here you will see each day when it is over."))


def _others(view: View, day: Mapping[str, Any]) -> str:
    """The bids that got no water; a line does not end between a name and its bid."""
    lost = [
        f"{_called(view, seat)}\N{NO-BREAK SPACE}{_dollars(bid)}"
        for seat, bid in enumerate(day["bids"], 1)
        if bid is not None and seat not in day["winners"]
    ]
    return _(", ").join(lost) or MISSING


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
        _("Health by day"),
        _("Your health at the end of each day: {levels}.").format(levels=_(", ").join(own)),
        HEIGHT,
        tuple(marks),
        _("Dark with dots: you; pale: the others. From 0, where somebody is out, up to {top}.").format(
            top=top
        ),
    )
    return (health, *_prices(view, days))


def _axes(base: float, values: Mapping[float, str], days: int) -> list[Mark]:
    """The base line, the values next to it at their heights, and the first and last day below it."""
    beside = [Mark("text", 0, at + 4, text=text) for at, text in values.items()]
    below = [Mark("text", LEFT, base + BELOW, text=_("day {days}").format(days=1))]
    if days > 1:
        below.append(Mark("text", 84, base + BELOW, text=_("day {days}").format(days=days)))
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
    said = _(", ").join(
        _("day {day} {price}").format(day=day, price=_dollars(price)) for day, price in prices
    )
    return (
        Drawing(
            _("The lowest bid that got water"), _("By day: {said}.").format(said=said), HEIGHT, tuple(marks)
        ),
    )
