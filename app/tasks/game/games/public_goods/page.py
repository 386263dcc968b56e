"""The public-goods game on its page: what to put into the project, who put in what, and points for each other."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.core.language import gettext as _
from app.core.language import noop
from app.tasks.game.base import View
from app.tasks.game.games.public_goods.rules import COSTS, MOST_POINTS
from app.tasks.game.moves import MoveSchema, Number
from app.tasks.game.parts import (
    MISSING,
    Amount,
    Button,
    Cell,
    Chip,
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
    shape,
)
from app.tasks.game.presenters.base import player, plural, round_of, seat_of, you

UNIT = "point"
DEDUCTION = "deduction point"
Seen = Mapping[str, Any]


class PublicGoodsPresenter:
    title = noop("The group project")

    def rules(self, view: View) -> Rules:
        facts = view.facts
        n, pie, rate = facts["players"], facts["endowment"], Fraction(facts["mpcr"])
        rounds = (
            plural(view.rounds, "round") if view.rounds else _("several rounds; how many is not announced")
        )
        lines = (
            _("A group of {n} players plays {rounds}.").format(n=n, rounds=rounds),
            _(
                "In each round everybody gets {pie}, and decides how many of them to put into a "
                "project of the group. The rest is yours to keep. All decide at the same time."
            ).format(pie=plural(pie, UNIT)),
            _(
                "Each point in the project, whoever put it there, gives every member of the group "
                "{rate} points: if all together put in {n}, each gets {rate_2}."
            ).format(rate=amount(rate), n=amount(n * pie), rate_2=amount(rate * n * pie)),
            _("Then you see what each of the others put in."),
            *_about_points(facts),
            _("When the time is up, 0 is put into the project for you, or no deduction points are given.")
            if _has_points(view)
            else _("When the time is up, 0 is put into the project for you."),
        )
        return Rules(_(self.title), lines)

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        form = _form(view, legal, entered) if legal else None
        return Face(
            headline=_headline(view, legal is not None),
            round=round_of(view),
            earned=Fraction(view.facts["earned"]),
            unit=_("points"),
            you=you(seat_of(view)),
            facts=_facts(view),
            news=(_news(view.history[-1]),) if view.history and view.phase == "contribute" else (),
            form=form,
            waiting="" if form else _("The round continues as soon as everyone has decided."),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        earned, put = view.facts["earned"], [_own(view, entry) for entry in view.history]
        return Ended(
            headline=_("The match is over"),
            lines=(
                _("You earned {earned} in {n}.").format(
                    earned=plural(earned, UNIT), n=plural(len(put), "round")
                ),
                _("You put {put} into the project.").format(put=plural(sum(put), UNIT)),
            ),
            earned=Fraction(earned),
            unit=_("points"),
            you=you(seat_of(view)),
            history=_history(view),
        )


def _has_points(view: View) -> bool:
    return bool(view.facts["punishment"] != "none")


def _about_points(facts: Seen) -> tuple[str, ...]:
    if facts["punishment"] == "none":
        return ()
    give = _("After that you may give each of the others up to {most} deduction points, or none.").format(
        most=MOST_POINTS
    )
    if facts["punishment"] == "fixed":
        costs = _("Each costs you 1 point, and takes {effect} from the other player.").format(
            effect=plural(facts["effect"], UNIT)
        )
    else:
        table = _(", ").join(
            _("{n} cost {points}").format(n=n, points=COSTS[n]) for n in range(1, MOST_POINTS + 1)
        )
        costs = _(
            "Each takes a tenth of what the other player has earned in the round, all of it at "
            "most. What they cost you rises with their number: {table}."
        ).format(table=table)
    return give, costs, _("You see how many you were given, but not by whom.")


def _own(view: View, entry: Seen) -> int:
    return int(entry["contributions"][seat_of(view) - 1])


def _headline(view: View, acts: bool) -> str:
    if view.phase == "contribute":
        return _("How much do you put into the project?") if acts else _("You have decided")
    return _("Do you give deduction points?") if acts else _("Your deduction points are given")


def _facts(view: View) -> tuple[Fact, ...]:
    facts = view.facts
    own, made = facts["own_contribution"], facts["contributions"]
    if own is None:
        return ()
    found = [Fact(_("You put in"), plural(own, UNIT))]
    if made:
        project = sum(made)
        income = facts["endowment"] - own + Fraction(facts["mpcr"]) * project
        found.append(Fact(_("All together"), plural(project, UNIT)))
        found.append(
            Fact(
                _("This round pays you"),
                plural(income, UNIT),
                _("before deduction points"),
            )
        )
    return tuple(found)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    (kind,) = legal.kinds
    if kind.kind == "contribute":
        return _contribute_form(view, kind.fields[0], entered)
    made = view.facts["contributions"]
    fields = []
    for field in kind.fields:
        assert isinstance(field, Number)
        seat = int(field.name.rpartition("_")[2])
        label = _("{player}, who put in {made}").format(player=player(seat), made=amount(made[seat - 1]))
        fields.append(_amount(field, label, entered, tells=_cost_tell(view)))
    return MoveForm(
        kind.kind,
        view.phase_id,
        _("Deduction points"),
        tuple(fields),
        (Button(_("Send my decision")),),
        note=_("Choose 0 for players who get none."),
    )


def _cost_tell(view: View) -> tuple[Tell, ...]:
    """The cost and effect of points, if they are the same for each."""
    if view.facts["punishment"] != "fixed":
        return ()
    return Tell(_("They lose"), str(view.facts["effect"])), Tell(_("You pay"), "1")


def _contribute_form(view: View, field: Any, entered: Entered) -> MoveForm:
    pie = view.facts["endowment"]
    rate = Fraction(view.facts["mpcr"])
    tells = (Tell(_("You keep"), "-1", str(pie)), Tell(_("It gives each member"), str(float(rate))))
    return MoveForm(
        "contribute",
        view.phase_id,
        _("Your decision"),
        (_amount(field, _("Into the project"), entered, tells),),
        (Button(_("Put this in")),),
        note=_("The others see it when all have decided. You cannot take it back."),
        badge=_("{pie} to use").format(pie=plural(pie, UNIT)),
        saying=_("Put in {amount}"),
    )


def _amount(field: Number, label: str, entered: Entered, tells: tuple[Tell, ...] = ()) -> Amount:
    value, error = entered.value(field.name), entered.error(field.name)
    unit = _("points")
    return Amount(
        *(field.name, label, field.minimum, field.maximum, field.step, unit),
        tells=tells,
        value=value,
        error=error,
    )


def _news(entry: Seen) -> str:
    project = sum(entry["contributions"])
    said = _("Round {round}: all together put in {project}").format(
        round=entry["round"], project=amount(project)
    )
    if entry.get("received"):
        received = plural(entry["received"], DEDUCTION)
        said = _("{said}; you were given {received}").format(said=said, received=received)
    return _("{said}. The round paid you {profit}.").format(said=said, profit=plural(entry["profit"], UNIT))


def _history(view: View) -> Table:
    has = _has_points(view)
    columns = (
        _("Round"),
        _("You put in"),
        _("The others put in"),
        *((_("You gave"), _("You were given")) if has else ()),
    )
    rows = tuple(_row(view, entry, has) for entry in reversed(view.history))
    numeric = (0, 1, len(columns), *((4,) if has else ()))
    empty = _("Here you will see each round when it is over.")
    return Table(_("Rounds so far"), (*columns, _("Points")), rows, numeric, empty)


def _row(view: View, entry: Seen, has_points: bool) -> Row:
    theirs = [(seat, each) for seat, each in enumerate(entry["contributions"], 1) if seat != seat_of(view)]
    cells = [
        Cell(str(entry["round"])),
        Cell(amount(_own(view, entry))),
        Cell("", chips=_chips(theirs, _("{player} put in {amount}"))),
    ]
    if has_points:
        given = [(seat, each) for seat, each in enumerate(entry.get("given", ()), 1) if each]
        cells.append(Cell("" if given else MISSING, chips=_chips(given, _("{player} was given {amount}"))))
        cells.append(Cell(amount(entry.get("received", 0))))
    return Row((*cells, Cell(amount(entry["profit"]))))


def _chips(values: Sequence[tuple[int, int]], did: str) -> tuple[Chip, ...]:
    return tuple(
        Chip(amount(each), shape(seat), seat, "", did.format(player=player(seat), amount=amount(each)))
        for seat, each in values
    )
