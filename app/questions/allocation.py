"""`allocation`: points to be shared over options."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from app.core.language import gettext as _
from app.core.language import ngettext
from app.core.widgets import Widget
from app.questions.base import (
    ANSWER_DUE,
    Answering,
    Asked,
    FormField,
    Label,
    Limits,
    OptionView,
    Question,
    QuestionType,
    QuestionView,
    different,
    finite_number,
)

MOST_POINTS = 10_000
# Not \d, which stands for the digits of every script.
_WHOLE = re.compile("[0-9]{1,9}")
Shared = Annotated[tuple[Label, ...], Field(min_length=2, max_length=12), AfterValidator(different)]


class AllocationQuestion(Asked):
    """Points to be shared over options, all of them."""

    type: Literal["allocation"] = Field(
        title="Points to share", description="Points to be shared over options."
    )
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    options: Annotated[Shared, Widget(rows=5)] = Field(
        title="Options, one per line",
        description="2 to 12 different options; the data have each by its number, `<id>.1` the first.",
    )
    total: Annotated[int, Widget(unit="points", is_short=True)] = Field(
        default=100,
        ge=1,
        le=MOST_POINTS,
        title="Points to share",
        description=f"How many points are shared, 1 to {MOST_POINTS}; an option without any has 0.",
    )


@dataclass(frozen=True, slots=True)
class AllocationView(QuestionView):
    """`total` points are shared over the `options`."""

    total: int = 0

    @property
    def fields(self) -> tuple[FormField, ...]:
        return tuple(
            FormField(f"{self.id}.{option.value}", limits=Limits(0, self.total)) for option in self.options
        )


class Allocation(QuestionType):
    """The points of option n, from 1, are posted as `<id>.<n>`, empty for none; the answer is a mapping from all
    options to whole numbers that add up to the total."""

    settings = AllocationQuestion
    widget = "allocation"
    view_type = AllocationView
    begins_with: ClassVar[Mapping[str, Any]] = {
        "id": "points",
        "ask": "How much did each of these count? Please share 100 points.",
        "options": ["Speed", "Smoothness", "Looking around"],
    }
    entry = "the points given to this option, a whole number"

    def as_far(self, question: Question, keys: Mapping[str, Any]) -> Question:
        total = finite_number(keys.get("total", 100))
        is_total = total is not None and 1 <= total <= MOST_POINTS
        return question.model_copy(update={"own": {"total": int(total) if total and is_total else 100}})

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        return [
            OptionView(str(n), question.says(option), given=form.get(f"{question.id}.{n}", ""))
            for n, option in enumerate(question.options, start=1)
        ]

    def more(self, question: Question, form: Mapping[str, str]) -> Mapping[str, Any]:
        return {"total": _total(question)}

    def answer(self, question: Question, form: Mapping[str, str]) -> Mapping[str, int] | None:
        entered = [form.get(f"{question.id}.{n}", "").strip() for n in range(1, len(question.options) + 1)]
        if not any(entered):
            return None
        if not all(_WHOLE.fullmatch(points or "0") for points in entered):
            raise ValueError(_("Please give whole numbers of points, none below 0."))
        shared, total = [int(points or 0) for points in entered], _total(question)
        if (left := total - sum(shared)) != 0:
            over = _("{n} left to share").format(n=left) if left > 0 else _("{n} too many").format(n=-left)
            points = ngettext("{n} point", "{n} points", total).format(n=total)
            raise ValueError(_("Please share out exactly {points}: {over}.").format(points=points, over=over))
        return dict(zip(question.options, shared, strict=True))

    def parts(self, question: Question) -> Mapping[str, Question]:
        of_all = question.model_dump(include={"required", "groups"})
        return {
            option: Question(
                **of_all,
                id=f"{question.id}.{n}",
                type="number",
                ask=f"{question.ask} [{option}]",
                minimum=0,
                maximum=_total(question),
            )
            for n, option in enumerate(question.options, start=1)
        }

    def written(self, value: Any) -> Any:
        return "; ".join(f"{option}: {points}" for option, points in value.items())

    def in_words(self, question: Question, value: Any) -> str:
        return "\n".join(f"{option}: {points}" for option, points in value.items())

    def simulate(self, person: Answering, view: QuestionView) -> Mapping[str, str]:
        """Shares that decrease along a random order: each option takes half of the rest."""
        assert isinstance(view, AllocationView)
        names, left = person.order([field.name for field in view.fields]), view.total
        shares: dict[str, str] = {}
        for name in names[:-1]:
            shares[name] = str((left + 1) // 2)
            left -= (left + 1) // 2
        return {**shares, names[-1]: str(left)}


def _total(question: Question) -> int:
    return int(question.own_number("total"))
