"""`matrix`: several statements on one scale."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from app.core.language import gettext as _
from app.core.problems import Fault, Place
from app.core.widgets import Widget
from app.questions.base import (
    FormField,
    Label,
    Part,
    Question,
    QuestionContext,
    QuestionView,
    different,
    exactly_one,
    texts_of,
)
from app.questions.likert import Likert, LikertQuestion

NO_STATEMENTS = ("(no statements yet)",)
Statements = Annotated[tuple[Label, ...], Field(min_length=2, max_length=20), AfterValidator(different)]


class MatrixQuestion(LikertQuestion, json_schema_extra=exactly_one(labels="array", scale="string")):
    """Several statements, each answered with a point of one scale."""

    type: Literal["matrix"] = Field(  # type: ignore[assignment]
        title="Statements",
        description="Statements, each with a point of one scale; needs `labels` or `scale`.",
    )
    statements: Annotated[Statements, Widget(rows=5)] = Field(
        title="Statements, one per line",
        description="2 to 20 different statements; the data have each by its number, `<id>.1` the first.",
    )


@dataclass(frozen=True, slots=True)
class StatementView:
    """A row of the matrix: its field, its text, and what was entered before."""

    name: str
    text: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class MatrixView(QuestionView):
    """`options` are the points of the scale."""

    statements: tuple[StatementView, ...] = ()

    @property
    def fields(self) -> tuple[FormField, ...]:
        points = tuple(option.value for option in self.options)
        return tuple(FormField(statement.name, points) for statement in self.statements)


class Matrix(Likert):
    """The point of statement n, from 1, is posted as `<id>.<n>`; the answer is a mapping from statements to points."""

    settings = MatrixQuestion
    of_items: ClassVar[type[Part] | None] = None
    widget = "matrix"
    view_type = MatrixView
    begins_with: ClassVar[Mapping[str, Any]] = {
        "id": "statements",
        "scale": "agreement",
        "statements": ["It moves with a purpose.", "It looks around."],
    }
    first_about_pairs: ClassVar[Mapping[str, Any]] = {}
    first_about_people: ClassVar[Mapping[str, Any]] = {}
    level = None
    names_answers = False  # each statement has an answer
    kept_ids: ClassVar[frozenset[str]] = frozenset()

    def faults(self, place: Place, keys: Mapping[str, Any], around: QuestionContext) -> Iterator[Fault]:
        yield from super().faults(place, {**keys, "anchors": None}, around)

    def as_far(self, question: Question, keys: Mapping[str, Any]) -> Question:
        return question.model_copy(
            update={"own": {"statements": texts_of(keys.get("statements")) or NO_STATEMENTS}}
        )

    def more(self, question: Question, form: Mapping[str, str]) -> Mapping[str, Any]:
        named = {_named(question, n): text for n, text in enumerate(_statements(question), start=1)}
        return {
            "statements": tuple(
                StatementView(name, question.says(text), form.get(name, "")) for name, text in named.items()
            )
        }

    def answer(self, question: Question, form: Mapping[str, str]) -> Mapping[str, int] | None:
        entered = (
            (text, form.get(_named(question, n), "").strip())
            for n, text in enumerate(_statements(question), start=1)
        )
        return {text: self.value(question, given) for text, given in entered if given} or None

    def lack(self, question: Question, value: Any) -> str:
        open_ = [text for text in _statements(question) if text not in (value or {})]
        if not open_:
            return ""
        return _("Please choose one answer for each statement: there is none for “{statement}”.").format(
            statement=question.says(open_[0])
        )

    def parts(self, question: Question) -> Mapping[str, Question]:
        # A question each in every table: one cell of text could not be analysed (decision 0035).
        of_all = question.model_dump(include={"required", "labels", "groups"})
        return {
            text: Question(**of_all, id=_named(question, n), type="likert", ask=f"{question.ask} [{text}]")
            for n, text in enumerate(_statements(question), start=1)
        }

    def scale(self, question: Question) -> tuple[float | None, float | None]:
        return None, None

    def written(self, value: Any) -> Any:
        return "; ".join(f"{text}: {point}" for text, point in value.items())

    def in_words(self, question: Question, value: Any) -> str:
        return "\n".join(f"{text}: {super(Matrix, self).in_words(question, n)}" for text, n in value.items())


def _statements(question: Question) -> Sequence[str]:
    return question.own_texts("statements")


def _named(question: Question, n: int) -> str:
    return f"{question.id}.{n}"
