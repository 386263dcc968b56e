"""`likert`: a point on a scale."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.core.language import gettext as _
from app.core.problems import Fault, Place, listed, nearest, quoted
from app.core.widgets import Widget
from app.questions.base import (
    ANSWER_DUE,
    HOW_CERTAIN,
    Asked,
    Label,
    Labels,
    Level,
    OptionView,
    Part,
    Question,
    QuestionContext,
    QuestionType,
    exactly_one,
    finite_number,
    is_doubtful,
    texts_of,
)
from app.questions.scales import SCALES


class LikertQuestion(Asked, json_schema_extra=exactly_one(labels="array", scale="string")):
    """One point of a scale; the first label is answer 1."""

    type: Literal["likert"] = Field(
        default="likert",
        title="Point on a scale",
        description="A point on a scale; needs `labels` or `scale`.",
    )
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    scale: str | None = Field(
        default=None,
        title="Scale",
        description=f"Instead of `labels`: a scale of `scales`, or {listed(SCALES)}.",
    )
    labels: Annotated[Labels | None, Widget(rows=5)] = Field(
        default=None,
        title="Labels, one per line",
        description="2 to 11 different labels; the first is answer 1.",
    )


@cache
def _points(n: int) -> frozenset[str]:
    return frozenset(map(str, range(1, n + 1)))


class Anchored(Part):
    """A criterion: a scale with one set of labels and descriptions of some points."""

    anchors: Annotated[dict[Annotated[int, Field(ge=1, le=11)], Label], Widget(rows=3)] = Field(
        default={},
        title="What answers stand for, one per line",
        description="Answer to what it stands for, such as `1: no reasons are given`; shown beside it.",
    )


class Likert(QuestionType):
    """Answer n is `labels[n - 1]`; `anchors` describe the answers, one text for each, empty where there is none."""

    settings: ClassVar[type[Asked]] = LikertQuestion
    of_items: ClassVar[type[Part] | None] = Anchored
    widget = "scale"
    begins_with: ClassVar[Mapping[str, Any]] = {"id": "rating", "scale": "agreement"}
    first_about_pairs: ClassVar[Mapping[str, Any]] = {
        "id": "uncertainty",
        "ask": HOW_CERTAIN,
        "scale": "uncertainty",
    }
    first_about_people: ClassVar[Mapping[str, Any]] = {
        "id": "familiarity",
        "ask": "How familiar are you with video games?",
        "scale": "familiarity",
    }
    level: ClassVar[Level | None] = "ordinal"
    kept_ids = frozenset({"uncertainty"})
    names_answers = True

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        scale, labels = keys.get("scale"), keys.get("labels")
        if scale is not None and labels is not None:
            yield Fault((*place, "scale"), "both `labels` and `scale` are given", "keep one of the two")
        elif scale is None and labels is None:
            yield Fault(place, "a likert question has neither `labels` nor `scale`", "add one of the two")
        elif isinstance(scale, str) and scale not in around.scales:
            otherwise = f"define it under `scales`, or use {', '.join(sorted(SCALES))}"
            remedy = nearest(scale, around.scales, otherwise)
            yield Fault((*place, "scale"), f"there is no scale {quoted(scale)}", remedy)
        points = self.named(keys, around)
        yield from _direction(place, keys, points, around)
        yield from _anchors(place, keys, points)

    def named(self, keys: Mapping[str, Any], around: QuestionContext) -> Sequence[str]:
        labels = keys.get("labels")
        return texts_of(around.scales.get(str(keys.get("scale"))) if labels is None else labels)

    def ends_in(self, keys: Mapping[str, Any], around: QuestionContext) -> tuple[float | None, float | None]:
        n = len(self.named(keys, around))
        return (1, n) if n > 1 else (None, None)

    def name_of(self, question: Question, value: Any) -> str:
        return str(question.labels[value - 1])

    def resolved(self, settings: Any, scales: Mapping[str, tuple[str, ...]]) -> Mapping[str, Any]:
        keys: dict[str, Any] = settings.model_dump(exclude={"scale", "anchors"}, exclude_none=True)
        if settings.scale is not None:
            keys["labels"] = scales[settings.scale]
        if anchors := getattr(settings, "anchors", None):
            keys["anchors"] = tuple(anchors.get(n, "") for n in range(1, len(keys["labels"]) + 1))
        return keys

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        anchors = question.anchors or ("",) * len(question.labels)
        return [
            OptionView(str(n), label, anchor)
            for n, (label, anchor) in enumerate(zip(question.labels, anchors, strict=True), start=1)
        ]

    def value(self, question: Question, text: str) -> Any:
        # As texts, since int() also takes " 3", "+3" and digits of other scripts.
        if text not in _points(len(question.labels)):
            raise ValueError(_("Please choose one of the {n} answers.").format(n=len(question.labels)))
        return int(text)

    def scale(self, question: Question) -> tuple[float | None, float | None]:
        return 1, len(question.labels)

    def in_words(self, question: Question, value: Any) -> str:
        """A point of a scale with its label."""
        is_point = isinstance(value, int) and 0 < value <= len(question.labels)
        return f"{value}: {question.labels[value - 1]}" if is_point else str(value)


def _direction(
    place: Place, keys: Mapping[str, Any], points: Sequence[str], around: QuestionContext
) -> Iterator[Fault]:
    """Check that `uncertainty` runs in the direction of the exported column of that name."""
    if not around.of_pairs or str(keys.get("id")).strip() != "uncertainty" or not points:
        return
    if is_doubtful(points[0]) and not is_doubtful(points[-1]):
        message = "`uncertainty` runs the wrong way: answer 1 is the most certain one"
        yield Fault((*place, "labels"), message, "turn the labels round, or choose another id")


def _anchors(place: Place, keys: Mapping[str, Any], points: Sequence[str]) -> Iterator[Fault]:
    """Keep anchors to the answers that there are."""
    anchors = keys.get("anchors")
    for answer in anchors if isinstance(anchors, Mapping) else ():
        number = finite_number(answer)
        if points and number is not None and number > len(points):
            message = f"an anchor of answer {number:g}, and there are {len(points)} answers"
            yield Fault((*place, "anchors"), message, "give anchors to the answers that there are")
