"""The base class of question types and what they share."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from app.core.language import gettext as _
from app.core.plain_numbers import PlainNumbers
from app.core.problems import Fault, Place, quoted
from app.core.widgets import Widget

ID_PATTERN = r"^[a-z][a-z0-9_]*$"
ANSWER_DUE = "An answer is required"
# Form fields and page words of the participant's pages.
RESERVED_IDS = frozenset({"submit_id", "rt_ms", "playback", "unplayable", "decision", "of_age", "page"})


Level = Literal["nominal", "ordinal", "interval"]


class Part(PlainNumbers):
    """A part of a study file: nothing unknown in it, no blanks round a text, and it does not change."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Frozen(BaseModel):
    """A part of a design, as it is run."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Own = bool | int | float | str | tuple[str, ...]


class Question(Frozen):
    """A question at run time, of any type; its type defines the keys (`own`: those that no other type has).

    With `groups`, it is asked only about items of these groups. `level` is the level of measurement if the type does
    not determine it, as in an imported table.
    """

    id: str
    type: str
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
    level: Level | None = None
    own: Mapping[str, Own] = {}
    # Options and statements as pages say them, where that is another language than that of the data.
    said: Mapping[str, str] = {}

    def says(self, answer: str) -> str:
        """An option or statement as it is shown."""
        return self.said.get(answer, answer)

    def own_texts(self, key: str) -> tuple[str, ...]:
        """The texts of a key that its type alone has."""
        return texts_of(self.own.get(key))

    def own_number(self, key: str) -> float:
        """The number of a key that its type alone has; 0 where it has none."""
        return finite_number(self.own.get(key)) or 0.0


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


QuestionId = Annotated[
    str,
    Field(pattern=ID_PATTERN, max_length=40, json_schema_extra={"not": {"enum": sorted(RESERVED_IDS)}}),
    AfterValidator(_not_reserved),
]


class Asked(Part):
    """Keys of every question in a study file."""

    ask: Annotated[str, Widget(rows=2)] = Field(
        title="What is asked",
        min_length=1,
        max_length=2000,
        description="The question as the participant reads it.",
    )
    id: Annotated[QuestionId, Widget(is_short=True)] = Field(
        title="Name in the data",
        description="Names the answer in the data; lower-case letters, digits and _, at most 40, "
        "and no other question of the same list has it.",
    )


Labels = Annotated[tuple[Label, ...], Field(min_length=2, max_length=11), AfterValidator(different)]
Options = Annotated[tuple[Label, ...], Field(min_length=2, max_length=50), AfterValidator(different)]


@dataclass(frozen=True, slots=True)
class OptionView:
    """`anchor` describes a level, if the study does, or says what is on a side; `given` is the text entered in its own
    field, if it has one.
    """

    value: str
    label: str
    anchor: str = ""
    given: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds and step of a number that a page asks for; None where there is none."""

    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None


@dataclass(frozen=True, slots=True)
class FormField:
    """A field that a page's form posts: one of `options`, a number within `limits`, or else a text."""

    name: str
    options: tuple[str, ...] = ()
    limits: Limits | None = None


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One question as asked; `value` is what was entered before (kept when the server sends a form back).

    `widget` names its template, which sees this alone: a type with more to show has a view of its own, with more in it.
    """

    id: str
    type: str
    ask: str
    required: bool
    options: tuple[OptionView, ...] = ()
    value: str = ""
    error: str = ""
    widget: str = ""

    @property
    def fields(self) -> tuple[FormField, ...]:
        """The fields that its template posts, in their order."""
        return (FormField(self.id, tuple(option.value for option in self.options)),)


class Answering(Protocol):
    """A simulated participant."""

    def order(self, options: Sequence[str]) -> Sequence[str]:
        """All of them, in an order."""


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """The context of a question for checks between keys: `scales` by name, including the built-in ones.

    `of_pairs`: the question is asked about pairs, whose answers have columns of their own.
    """

    scales: Mapping[str, Any]
    of_pairs: bool


class QuestionType:
    """A type of question, all of it. A new one is a file with a subclass, its template, and a line in `registry.py`.

    `settings` are its keys in a study file, with label, help, limits and widget of each; `of_items` what more may be
    said where it is asked about items. `only_pairs`: it is asked about pairs alone. `widget` is the template of its
    part of a page, `question-<widget>.html`; one of those that there are, or its own, which sees a `view_type`.
    `kept_ids` belong to this type among the questions about pairs.
    """

    settings: ClassVar[type[Asked]]
    of_items: ClassVar[type[Part] | None] = None
    only_pairs: ClassVar[bool] = False
    widget: ClassVar[str]
    view_type: ClassVar[type[QuestionView]] = QuestionView
    # The keys of a new one in the design's form, beside its type.
    begins_with: ClassVar[Mapping[str, Any]] = {}
    # The same of the first one about each pair, and of the first one about the participant: all keys but the type.
    first_about_pairs: ClassVar[Mapping[str, Any]] = {}
    first_about_people: ClassVar[Mapping[str, Any]] = {}
    kept_ids: ClassVar[frozenset[str]] = frozenset()
    # What its answers about items are to the analysis; None where they are not analysed.
    level: ClassVar[Level | None] = None
    # What a cell of an export holds, where that is more than the answer itself.
    entry: ClassVar[str] = ""
    # True if each answer has a name in the study file, so that the file can say which one is right or accepted.
    names_answers: ClassVar[bool] = False

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        """Faults between its keys, which may have any shape. Single values are already checked."""
        return iter(())

    def named(self, keys: Mapping[str, Any], around: QuestionContext) -> Sequence[str]:
        """The names of the answers of a question in a file, whose keys may have any shape; empty where unknown."""
        return ()

    def ends_in(self, keys: Mapping[str, Any], around: QuestionContext) -> tuple[float | None, float | None]:
        """The `scale` of a question in a file, whose keys may have any shape; None where there is none or unknown."""
        return None, None

    def name_of(self, question: Question, value: Any) -> str:
        """The name of an answer."""
        return str(value)

    def resolved(self, settings: Any, scales: Mapping[str, tuple[str, ...]]) -> Mapping[str, Any]:
        """The keys of the question as it is run."""
        keys: dict[str, Any] = settings.model_dump(exclude_none=True)
        return keys

    def as_far(self, question: Question, keys: Mapping[str, Any]) -> Question:
        """The question of a draft that is not right yet, as it can be shown; `keys` may be of any shape."""
        return question

    def widget_of(self, question: Question) -> str:
        return self.widget

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        """Options to choose from; `form` has what was entered before."""
        return ()

    def view(self, question: Question, form: Mapping[str, str], error: str = "") -> QuestionView:
        """The question as its template shows it; `form` and `error` are of a form that could not be accepted."""
        return self.view_type(
            id=question.id,
            type=question.type,
            ask=question.ask,
            required=question.required,
            options=tuple(self.options(question, form)),
            value=form.get(question.id, ""),
            error=error,
            widget=self.widget_of(question),
            **self.more(question, form),
        )

    def more(self, question: Question, form: Mapping[str, str]) -> Mapping[str, Any]:
        """Fields that its own type of view adds."""
        return {}

    def answer(self, question: Question, form: Mapping[str, str]) -> Any:
        """The typed answer in a posted form; None where there is none. Raises ValueError, in words for participants."""
        # PostgreSQL stores no NUL in a text.
        text = form.get(question.id, "").replace("\x00", "").strip()
        return self.value(question, text) if text else None

    def value(self, question: Question, text: str) -> Any:
        """The typed answer that a text stands for. Raises as `answer` does."""
        return text

    def lack(self, question: Question, value: Any) -> str:
        """Message about an answer that is missing or incomplete where one is required; empty where it is complete."""
        return _("Please answer this question.") if value is None else ""

    def parts(self, question: Question) -> Mapping[str, Question]:
        """The questions it consists of, if each has an answer of its own: the answer is a mapping by these keys, and
        its parts are exported and analysed one by one.
        """
        return {}

    def column(self, question_id: str) -> str | None:
        """The response column that holds the answer about a pair, if it has its own."""
        return question_id if question_id in self.kept_ids else None

    def scale(self, question: Question) -> tuple[float | None, float | None]:
        """The lowest and highest possible numeric answer; None if unbounded or not numeric.

        Imported classes may have bounds, too: those of the numbers that name them.
        """
        return question.minimum, question.maximum

    def written(self, value: Any) -> Any:
        """The answer as one cell of a table."""
        return value

    def in_words(self, question: Question, value: Any) -> str:
        """The answer as the experimenter's pages show it."""
        return str(self.written(value))

    def simulate(self, person: Answering, view: QuestionView) -> Mapping[str, str]:
        """Entries of a simulated participant, where one option or one number for each field will not do."""
        return {}


def finite_number(value: object) -> float | None:
    """The number that a value is or says; None where it is none."""
    try:
        number = float(value) if isinstance(value, (str, int, float)) else math.nan
    # float() overflows on whole numbers above 10^308.
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def texts_of(value: object) -> tuple[str, ...]:
    """The texts in a list of any shape."""
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, (list, tuple)) else ()


HOW_CERTAIN = "How certain are you of your choice?"
_DOUBT = ("uncertain", "unsure", "not ", "guess")


def is_doubtful(label: str) -> bool:
    """True if a label is at the uncertain end of a certainty scale."""
    return any(word in label.lower() for word in _DOUBT)
