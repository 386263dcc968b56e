"""The questions of a study file, one class for each type."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from app.studies.file.problems import listed, quoted
from app.studies.file.scales import SCALES
from app.studies.file.shown import Shown

QuestionType = Literal["2afc", "likert", "text", "choice", "number", "slider"]
ID_PATTERN = r"^[a-z][a-z0-9_]*$"
MAX_TEXT = 5000
ANSWER_DUE = "An answer is required"
# Form fields and page words of the participant's pages.
RESERVED_IDS = frozenset({"submit_id", "rt_ms", "playback", "unplayable", "decision", "of_age", "page"})


class Part(BaseModel):
    """A part of a study file: nothing unknown in it, no blanks round a text, and it does not change."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Frozen(BaseModel):
    """A part of a design, as it is run."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(Frozen):
    """A question of any type. Answer n of a likert is `labels[n - 1]`; a slider has two labels, those of its
    ends; `max_length` is for texts alone, `step` for sliders. A likert's `anchors` describe its answers, one text for
    each (empty where there is none); with `groups`, it is asked of items of these groups alone. With `yes_no` the first
    of its two options says that an item is of the study's true source. `level` says what answers are, where their
    type does not: an imported table's."""

    id: str
    type: QuestionType
    ask: str
    required: bool
    labels: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    max_length: int = 0
    minimum: float | None = None
    maximum: float | None = None
    allow_tie: bool = False
    step: float | None = None
    anchors: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    yes_no: bool = False
    level: Literal["nominal", "ordinal", "interval"] | None = None

    @property
    def taken_as(self) -> str | None:
        """What its answers are: points in an order unless something else is known; None of a free text."""
        return self.level or {"text": None, "2afc": None, "choice": "nominal"}.get(self.type, "ordinal")


def sides_of(question: Question) -> Mapping[str, str]:
    """What may be pressed in answer to a choice of two clips, each with what it is called."""
    sides = {"left": "Left video", "right": "Right video"}
    return {**sides, "tie": "No difference"} if question.allow_tie else sides


def scale_of(question: Question) -> tuple[float | None, float | None]:
    """The lowest and the highest number that may be the answer; None where there is no bound, or no number."""
    if question.type == "likert":
        return 1, len(question.labels)
    return question.minimum, question.maximum


def rule_error(message: str, remedy: str) -> PydanticCustomError:
    """A broken rule of ours, told apart from pydantic's own errors by its type."""
    return PydanticCustomError("study_rule", "{message}", {"message": message, "remedy": remedy})


def _as_written(schema: JsonDict) -> None:
    """Editors read `007` and `no` as number and boolean; the study file takes them as the text they are."""
    schema["type"] = ["string", "number", "boolean"]


def exactly_one(**kinds: str) -> Callable[[JsonDict], None]:
    """Say in the JSON Schema that one of these keys is given, as its JSON type, and no other."""

    def say(schema: JsonDict) -> None:
        schema["oneOf"] = [
            {"required": [key], "properties": {key: {"type": kind}}} for key, kind in kinds.items()
        ]

    return say


AsWritten = Annotated[str, Field(json_schema_extra=_as_written)]
Label = Annotated[AsWritten, Field(min_length=1, max_length=200)]


def different(labels: tuple[str, ...]) -> tuple[str, ...]:
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise rule_error(f"{quoted(twice[0])} comes twice in the list", "make every entry different")
    return labels


def _not_reserved(id_: str) -> str:
    if id_ in RESERVED_IDS:
        raise rule_error(f"the id {quoted(id_)} is a word of the pages", "choose another id")
    return id_


def _always(required: bool) -> bool:
    if not required:
        raise rule_error("the 2afc question must be answered", "remove `required`")
    return required


QuestionId = Annotated[
    str,
    Field(pattern=ID_PATTERN, max_length=40, json_schema_extra={"not": {"enum": sorted(RESERVED_IDS)}}),
    AfterValidator(_not_reserved),
]
Labels = Annotated[tuple[Label, ...], Field(min_length=2, max_length=11), AfterValidator(different)]
Ends = Annotated[tuple[Label, ...], Field(min_length=2, max_length=2), AfterValidator(different)]
Options = Annotated[tuple[Label, ...], Field(min_length=2, max_length=50), AfterValidator(different)]


class _Asked(Part):
    ask: Annotated[str, Shown(rows=2)] = Field(
        title="What is asked",
        min_length=1,
        max_length=2000,
        description="The question as the participant reads it.",
    )
    id: Annotated[QuestionId, Shown(is_short=True)] = Field(
        title="Name in the data",
        description="Names the answer in the data; lower-case letters, digits and _, at most 40, "
        "and no other question of the same list has it.",
    )


class TwoAfcQuestion(_Asked):
    """Which of the two clips: answered with a side, or with no difference where `allow_tie` says so."""

    type: Literal["2afc"] = Field(title="Choice of a clip", description="A choice between the two clips.")
    required: Annotated[bool, AfterValidator(_always), Shown(is_nowhere=True)] = Field(
        default=True,
        description="Always true: a trial without a choice is not answered.",
        json_schema_extra={"const": True},
    )
    allow_tie: bool = Field(
        title="“No difference” is an answer",
        default=False,
        description="Whether participants may answer that there is no difference: a vote, for neither clip.",
    )


class LikertQuestion(_Asked, json_schema_extra=exactly_one(labels="array", scale="string")):
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
    labels: Annotated[Labels | None, Shown(rows=5)] = Field(
        default=None,
        title="Labels, one per line",
        description="2 to 11 different labels; the first is answer 1.",
    )


class TextQuestion(_Asked):
    """A free text."""

    type: Literal["text"] = Field(title="Free text", description="A free text.")
    required: bool = Field(
        default=False, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    max_length: int = Field(
        default=MAX_TEXT,
        ge=1,
        le=50_000,
        title="Longest answer",
        description="The longest answer, in characters.",
    )


class ChoiceQuestion(_Asked):
    """One of a list; the answer is the option's text."""

    type: Literal["choice"] = Field(title="One of a list", description="One option of a list.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    options: Annotated[Options, Shown(rows=5)] = Field(
        title="Options, one per line",
        description="2 to 50 different options; the data hold the option's text.",
    )


class NumberQuestion(_Asked):
    """A number, with fractions."""

    type: Literal["number"] = Field(title="Number", description="A number.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    minimum: Annotated[float | None, Shown(is_short=True)] = Field(
        default=None,
        allow_inf_nan=False,
        title="Smallest number",
        description="The smallest number allowed.",
    )
    maximum: Annotated[float | None, Shown(is_short=True)] = Field(
        default=None,
        allow_inf_nan=False,
        title="Largest number",
        description="The largest number allowed.",
    )


class SliderQuestion(_Asked):
    """A point between two ends. Nothing is chosen until the slider is moved or a number is typed."""

    type: Literal["slider"] = Field(title="Slider", description="A slider, with a field for its number.")
    required: bool = Field(
        default=True, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    labels: Annotated[Ends | None, Shown(rows=2)] = Field(
        default=None,
        title="Labels of both ends, one per line",
        description="2 different texts, of the smallest number and of the largest.",
    )
    minimum: Annotated[float, Shown(is_short=True)] = Field(
        default=0, allow_inf_nan=False, title="Smallest number", description="The number at the left end."
    )
    maximum: Annotated[float, Shown(is_short=True)] = Field(
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


QUESTIONS: Mapping[str, type[Part]] = {
    "2afc": TwoAfcQuestion,
    "likert": LikertQuestion,
    "text": TextQuestion,
    "choice": ChoiceQuestion,
    "number": NumberQuestion,
    "slider": SliderQuestion,
}


def type_of(question: Any) -> str | None:
    """The question's type as far as it says: `scale` alone makes it a likert."""
    if not isinstance(question, Mapping):
        return getattr(question, "type", None)
    named = question.get("type")
    return "likert" if named is None and "scale" in question else named if isinstance(named, str) else None


_Background = (
    Annotated[LikertQuestion, Tag("likert")]
    | Annotated[TextQuestion, Tag("text")]
    | Annotated[ChoiceQuestion, Tag("choice")]
    | Annotated[NumberQuestion, Tag("number")]
    | Annotated[SliderQuestion, Tag("slider")]
)
BackgroundQuestion = Annotated[_Background, Discriminator(type_of)]
TrialQuestion = Annotated[_Background | Annotated[TwoAfcQuestion, Tag("2afc")], Discriminator(type_of)]
