"""`number`: a number, with fractions."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from analysis.files.numbers import NO_SEPARATORS, decimal_number
from app.core.language import gettext as _
from app.core.problems import Fault, Place
from app.core.widgets import Widget
from app.questions.base import (
    ANSWER_DUE,
    Asked,
    FormField,
    Limits,
    Question,
    QuestionContext,
    QuestionType,
    QuestionView,
    finite_number,
)


class NumberQuestion(Asked):
    """A number, with fractions."""

    type: Literal["number"] = Field(title="Number", description="A number.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    minimum: Annotated[float | None, Widget(is_short=True)] = Field(
        default=None,
        allow_inf_nan=False,
        title="Smallest number",
        description="The smallest number allowed.",
    )
    maximum: Annotated[float | None, Widget(is_short=True)] = Field(
        default=None,
        allow_inf_nan=False,
        title="Largest number",
        description="The largest number allowed.",
    )


@dataclass(frozen=True, slots=True)
class NumberView(QuestionView):
    """A number that is asked for. The `options` of a slider are its ends, with their labels, if it has any."""

    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None

    @property
    def fields(self) -> tuple[FormField, ...]:
        return (FormField(self.id, limits=Limits(self.minimum, self.maximum, self.step)),)


class Number(QuestionType):
    """A number between `minimum` and `maximum`; `ends` are the defaults."""

    settings: ClassVar[type[Asked]] = NumberQuestion
    widget = "number"
    view_type = NumberView
    begins_with: ClassVar[Mapping[str, Any]] = {"minimum": 0}
    first_about_people: ClassVar[Mapping[str, Any]] = {
        "id": "age",
        "ask": "How old are you?",
        "minimum": 0,
        "maximum": 120,
    }
    level = "ordinal"
    ends: ClassVar[tuple[float | None, float | None]] = (None, None)

    def limits(self, keys: Mapping[str, Any]) -> tuple[float | None, float | None]:
        low, high = self.ends
        return finite_number(keys.get("minimum", low)), finite_number(keys.get("maximum", high))

    def ends_in(self, keys: Mapping[str, Any], around: QuestionContext) -> tuple[float | None, float | None]:
        return self.limits(keys)

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        low, high = self.limits(keys)
        if low is not None and high is not None and not low < high:
            message = f"there is nothing to answer between {low:g} and {high:g}"
            where = "maximum" if "maximum" in keys else "minimum"
            yield Fault((*place, where), message, "make `minimum` less than `maximum`")

    def more(self, question: Question, form: Mapping[str, str]) -> Mapping[str, Any]:
        return {"minimum": question.minimum, "maximum": question.maximum, "step": question.step}

    def value(self, question: Question, text: str) -> Any:
        try:
            # A separator that could mean two things is refused: 12,5 was once read as 125.
            number = decimal_number(text)
        except ValueError as error:
            plain = _("Please give a number.")
            raise ValueError(_(NO_SEPARATORS) if str(error) == NO_SEPARATORS else plain) from None
        low, high = question.minimum, question.maximum
        if (
            not math.isfinite(number)
            or (low is not None and number < low)
            or (high is not None and number > high)
        ):
            raise ValueError(_between(low, high))
        return int(number) if number.is_integer() else number


def _between(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return _("Please give a number, at least {low:g} and at most {high:g}.").format(low=low, high=high)
    if low is not None:
        return _("Please give a number, at least {low:g}.").format(low=low)
    if high is not None:
        return _("Please give a number, at most {high:g}.").format(high=high)
    return _("Please give a number.")
