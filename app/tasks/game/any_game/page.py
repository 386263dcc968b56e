"""The page of any game, made of its views and legal moves, in the words of their keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from app.core.language import gettext as _
from app.tasks.game.any_game.words import ROUND, is_by_seat, value_text, words
from app.tasks.game.base import View
from app.tasks.game.moves import Choice, MoveSchema, Number
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
    Option,
    Pick,
    Row,
    Rules,
    Table,
    Text,
)
from app.tasks.game.presenters.base import player, plural, round_of, seat_of, you

EARNED, PLAYERS = "earned", "players"
"""The facts of a seat's view that say what the seat has earned so far, and how many play."""


@dataclass(frozen=True, slots=True)
class AnyPage:
    """A default presenter with no texts of its own but the game's name and rules, a sentence or two each.

    A seat's view has its own facts, including `earned` and the number of `players`, and a history entry for each
    finished round. Moves are of one kind at a time, or of several without fields: then each is a button.
    """

    title: str
    lines: tuple[str, ...]
    unit: str = "point"

    def rules(self, view: View) -> Rules:
        return Rules(self.title, self.lines)

    def face(self, view: View, legal: MoveSchema | None, entered: Entered) -> Face:
        return Face(
            headline=_("Your move") if legal else _("The others decide"),
            round=round_of(view),
            earned=_earned(view),
            unit=f"{self.unit}s",
            you=you(seat_of(view)),
            facts=_facts(view.facts),
            form=_form(view, legal, entered) if legal else None,
            waiting="" if legal else _("The match continues as soon as they have."),
            history=_history(view),
        )

    def ended(self, view: View) -> Ended:
        return Ended(
            headline=_("The match is over"),
            lines=(_("You earned {earned}.").format(earned=plural(_earned(view), self.unit)),),
            earned=_earned(view),
            unit=f"{self.unit}s",
            you=you(seat_of(view)),
            history=_history(view),
        )


def _earned(view: View) -> Fraction:
    return Fraction(view.facts.get(EARNED, 0))


def _facts(facts: Mapping[str, Any]) -> tuple[Fact, ...]:
    return tuple(Fact(words(name), value_text(value)) for name, value in facts.items() if name != EARNED)


def _form(view: View, legal: MoveSchema, entered: Entered) -> MoveForm:
    first = legal.kinds[0]
    if len(legal.kinds) > 1:
        buttons = tuple(Button(words(kind.kind), "kind", kind.kind) for kind in legal.kinds)
        return MoveForm("", view.phase_id, words(view.phase), (), buttons)
    fields: list[Pick | Amount | Text] = [_field(each, entered) for each in first.fields]
    if first.message:
        error = entered.error("message")
        fields.append(
            Text(_("A message to the others"), legal.max_length, value=entered.value("message"), error=error)
        )
    return MoveForm(first.kind, view.phase_id, words(first.kind), tuple(fields), (Button(_("Send my move")),))


def _field(field: Number | Choice, entered: Entered) -> Pick | Amount:
    name, label = field.name, words(field.name)
    value, error = entered.value(name), entered.error(name)
    if isinstance(field, Choice):
        return Pick(name, label, tuple(map(_option, field.options)), value, error)
    return Amount(name, label, field.minimum, field.maximum, field.step, value=value, error=error)


def _option(option: str | int | bool) -> Option:
    posted = ("yes" if option else "no") if isinstance(option, bool) else str(option)
    return Option(posted, words(value_text(option)))


def _history(view: View) -> Table:
    keys = list(dict.fromkeys(key for entry in view.history for key in entry if key != ROUND))
    rows = tuple(
        Row(
            (
                Cell(str(entry.get(ROUND, i))),
                *(Cell(_past(view, entry[key]) if key in entry else MISSING) for key in keys),
            )
        )
        for i, entry in reversed(list(enumerate(view.history, 1)))
    )
    columns = (_("Round"), *map(words, keys))
    return Table(_("Rounds so far"), columns, rows, (0,), _("Here you will see each round when it is over."))


def _past(view: View, value: Any) -> str:
    """A value of a round that is over; of a list by seat, whose each is."""
    if not is_by_seat(value, view.facts.get(PLAYERS, 0)):
        return value_text(value)
    names = [_("You") if seat == view.viewer else player(seat) for seat in range(1, len(value) + 1)]
    return ", ".join(f"{name}: {value_text(each)}" for name, each in zip(names, value, strict=True))
