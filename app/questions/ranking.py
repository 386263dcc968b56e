"""`ranking`: options in an order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from app.core.language import gettext as _
from app.core.problems import Fault, Place, quoted
from app.core.widgets import Widget
from app.questions.base import (
    ANSWER_DUE,
    Answering,
    Asked,
    FormField,
    Label,
    OptionView,
    Question,
    QuestionContext,
    QuestionType,
    QuestionView,
    different,
    texts_of,
)

# Between the options of an answer in a table's cell.
JOINT = ">"

Ranked = Annotated[tuple[Label, ...], Field(min_length=2, max_length=12), AfterValidator(different)]


class RankingQuestion(Asked):
    """A ranking of all options of a list."""

    type: Literal["ranking"] = Field(title="Ranking", description="Options to be put in order.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    options: Annotated[Ranked, Widget(rows=5)] = Field(
        title="Options, one per line",
        description=f"2 to 12 different options, none with a `{JOINT}` in it; the data hold them in the order given.",
    )


@dataclass(frozen=True, slots=True)
class RankingView(QuestionView):
    """Each option has a field of its own, for its place."""

    @property
    def fields(self) -> tuple[FormField, ...]:
        places = tuple(option.value for option in self.options)
        return tuple(FormField(f"{self.id}.{option.value}", places) for option in self.options)


class Ranking(QuestionType):
    """The place of option n, from 1, is posted as `<id>.<n>`; the answer is the list of options, the first first."""

    settings = RankingQuestion
    widget = "ranking"
    view_type = RankingView
    begins_with: ClassVar[Mapping[str, Any]] = {"options": ["Speed", "Safety", "Comfort"]}
    entry = f"all options, the first first, joined by `{JOINT}`"

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        for option in texts_of(keys.get("options")):
            if JOINT in option:
                message = (
                    f"the option {quoted(option)} has a `{JOINT}` in it, which joins the options of an answer"
                )
                yield Fault((*place, "options"), message, "write it without")

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        return [
            OptionView(str(n), question.says(option), given=form.get(f"{question.id}.{n}", ""))
            for n, option in enumerate(question.options, start=1)
        ]

    def answer(self, question: Question, form: Mapping[str, str]) -> list[str] | None:
        n = len(question.options)
        places = [form.get(f"{question.id}.{place}", "").strip() for place in range(1, n + 1)]
        if not any(places):
            return None
        if sorted(places) != sorted(map(str, range(1, n + 1))):
            raise ValueError(_("Please give each of the {n} a place of its own, from 1 to {n}.").format(n=n))
        return [option for _, option in sorted(zip(map(int, places), question.options, strict=True))]

    def written(self, value: Any) -> Any:
        return JOINT.join(value) if isinstance(value, list) else value

    def simulate(self, person: Answering, view: QuestionView) -> Mapping[str, str]:
        names = [field.name for field in view.fields]
        places = person.order([str(n) for n in range(1, len(names) + 1)])
        return dict(zip(names, places, strict=True))
