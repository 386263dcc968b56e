"""`slider`: a point between two ends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from app.core.language import gettext as _
from app.core.problems import Fault, Place
from app.core.widgets import Widget
from app.questions.base import (
    ANSWER_DUE,
    HOW_CERTAIN,
    Asked,
    Label,
    OptionView,
    Question,
    QuestionContext,
    different,
    finite_number,
    is_doubtful,
    texts_of,
)
from app.questions.number import Number

# Of a scale's number of steps: 0.1 is not quite a tenth.
ROUNDING = 1e-9

Ends = Annotated[tuple[Label, ...], Field(min_length=2, max_length=2), AfterValidator(different)]


class SliderQuestion(Asked):
    """A point between two ends. Nothing is chosen until the slider is moved or a number is typed."""

    type: Literal["slider"] = Field(title="Slider", description="A slider, with a field for its number.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    labels: Annotated[Ends | None, Widget(rows=2)] = Field(
        default=None,
        title="Labels of both ends, one per line",
        description="2 different texts, of the smallest number and of the largest.",
    )
    minimum: Annotated[float, Widget(is_short=True)] = Field(
        default=0, allow_inf_nan=False, title="Smallest number", description="The number at the left end."
    )
    maximum: Annotated[float, Widget(is_short=True)] = Field(
        default=100,
        allow_inf_nan=False,
        title="Largest number",
        description="The number at the right end; more than `minimum`.",
    )
    step: float = Field(
        default=1,
        gt=0,
        allow_inf_nan=False,
        title="Step from one number to the next",
        description="Numbers are this far apart, counted from `minimum`.",
    )


class Slider(Number):
    """A slider; `labels` are those of its two ends, if any."""

    settings = SliderQuestion
    widget = "slider"
    begins_with: ClassVar[Mapping[str, Any]] = {}
    first_about_pairs: ClassVar[Mapping[str, Any]] = {
        "id": "certainty",
        "ask": HOW_CERTAIN,
        "labels": ["guessing", "absolutely certain"],
    }
    first_about_people: ClassVar[Mapping[str, Any]] = {}
    ends = (0, 100)

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        faults = list(super().faults(place, keys, around))
        yield from faults or _steps(place, keys, *self.limits(keys))
        yield from _direction(place, keys, around)

    def as_far(self, question: Question, keys: Mapping[str, Any]) -> Question:
        """The question with default bounds, and without labels unless there are two."""
        step = finite_number(keys.get("step"))
        return question.model_copy(
            update={
                "labels": question.labels if len(question.labels) == 2 else (),
                "minimum": question.minimum or 0.0,
                "maximum": 100.0 if question.maximum is None else question.maximum,
                "step": step if step and step > 0 else 1.0,
            }
        )

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        ends = (f"{question.minimum or 0:g}", f"{question.maximum:g}")
        return [OptionView(end, label) for end, label in zip(ends, question.labels or ("", ""), strict=True)]

    def value(self, question: Question, text: str) -> Any:
        number = super().value(question, text)
        low, step = question.minimum or 0, question.step or 1
        if not _is_whole((number - low) / step):
            raise ValueError(
                _("Please give a number in steps of {step:g} from {low:g}.").format(step=step, low=low)
            )
        return number

    def column(self, question_id: str) -> str | None:
        return "certainty" if question_id == "certainty" else None


def _is_whole(steps: float) -> bool:
    return abs(steps - round(steps)) <= ROUNDING * max(1, steps)


def _steps(place: Place, keys: Mapping[str, Any], low: float | None, high: float | None) -> Iterator[Fault]:
    step = finite_number(keys.get("step", 1))
    if low is None or high is None or step is None or step <= 0 or _is_whole((high - low) / step):
        return
    where = "step" if "step" in keys else "maximum"
    message = f"steps of {step:g} from {low:g} do not end at {high:g}"
    yield Fault((*place, where), message, "choose a `step` that divides the whole scale")


def _direction(place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
    """Check that `certainty` runs in the direction of the exported column: more is more certain."""
    if not around.of_pairs or str(keys.get("id")).strip() != "certainty":
        return
    labels = texts_of(keys.get("labels"))
    if labels and is_doubtful(labels[-1]) and not is_doubtful(labels[0]):
        message = "`certainty` runs the wrong way: the largest number is the most certain"
        yield Fault((*place, "labels"), message, "turn the labels round, or choose another id")
