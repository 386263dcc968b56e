"""`choice`: one of a list."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.core.language import gettext as _
from app.core.problems import Fault, Place
from app.core.widgets import Widget
from app.questions.base import (
    ANSWER_DUE,
    Asked,
    Options,
    OptionView,
    Part,
    Question,
    QuestionContext,
    QuestionType,
    texts_of,
)

# More options than these are chosen from a menu.
MOST_IN_SIGHT = 8


class ChoiceQuestion(Asked):
    """One of a list; the answer is the option's text."""

    type: Literal["choice"] = Field(title="One of a list", description="One option of a list.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    options: Annotated[Options, Widget(rows=5)] = Field(
        title="Options, one per line",
        description="2 to 50 different options; the data hold the option's text.",
    )


class Judged(Part):
    """A criterion: one option of a list. With `yes_no` answers are right or wrong."""

    yes_no: bool = Field(
        title="The first of two options is right for items of the true source",
        default=False,
        description="Of two options: the first says that the item is of the study's true source, the second that it "
        "is not, so that accuracy, d' and criterion are computed.",
    )


class Choice(QuestionType):
    settings = ChoiceQuestion
    of_items = Judged
    widget = "list"
    begins_with: ClassVar[Mapping[str, Any]] = {"id": "selection", "options": ["Yes", "No"]}
    level = "nominal"
    names_answers = True

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        n = len(texts_of(keys.get("options")))
        if keys.get("yes_no") is True and n != 2:
            message = f"a yes_no question has two options, and there are {n}"
            remedy = "give two options, first that of the true source, or remove it"
            yield Fault((*place, "yes_no"), message, remedy)

    def named(self, keys: Mapping[str, Any], around: QuestionContext) -> Sequence[str]:
        return texts_of(keys.get("options"))

    def widget_of(self, question: Question) -> str:
        return "list" if len(question.options) <= MOST_IN_SIGHT else "select"

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        return [OptionView(option, question.says(option)) for option in question.options]

    def value(self, question: Question, text: str) -> Any:
        if text not in question.options:
            raise ValueError(_("Please choose one of the answers given."))
        return text
