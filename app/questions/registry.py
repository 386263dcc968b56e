"""The types of questions that there are. A new one is a file, and a line here."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import Discriminator, Tag, ValidatorFunctionWrapHandler, WrapValidator

from app.questions.allocation import Allocation
from app.questions.base import Asked, Level, Question, QuestionType, QuestionView
from app.questions.choice import Choice
from app.questions.likert import Likert
from app.questions.matrix import Matrix
from app.questions.number import Number
from app.questions.ranking import Ranking
from app.questions.slider import Slider
from app.questions.text import Text
from app.questions.two_afc import TwoAfc

TYPES: dict[str, QuestionType] = {
    "2afc": TwoAfc(),
    "likert": Likert(),
    "text": Text(),
    "choice": Choice(),
    "number": Number(),
    "slider": Slider(),
    "ranking": Ranking(),
    "matrix": Matrix(),
    "allocation": Allocation(),
}


# The levels of answers that are numbers.
NUMBERED: tuple[Level, ...] = ("ordinal", "interval")


class Models(Mapping[str, type[Asked]]):
    """The settings of the types that may be asked at one place of a study, by name; `of` has None for all others."""

    def __init__(self, of: Callable[[QuestionType], type[Asked] | None]) -> None:
        self._of = of

    def __getitem__(self, name: str) -> type[Asked]:
        model = self._of(TYPES[name])
        if model is None:
            raise KeyError(name)
        return model

    def __iter__(self) -> Iterator[str]:
        return (name for name, type_ in TYPES.items() if self._of(type_) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


QUESTIONS = Models(lambda type_: type_.settings)
NOT_OF_PAIRS = Models(lambda type_: None if type_.only_pairs else type_.settings)


def views(
    questions: Iterable[Question], form: Mapping[str, str], errors: Mapping[str, str]
) -> tuple[QuestionView, ...]:
    """Questions as their templates show them; `form` and `errors` are of a form that could not be accepted."""
    return tuple(TYPES[q.type].view(q, form, errors.get(q.id, "")) for q in questions)


def parts_of(question: Question) -> Sequence[Question]:
    """The questions that have an answer of their own in tables: its parts, or itself."""
    return tuple(TYPES[question.type].parts(question).values()) or (question,)


def answers_of(question: Question, value: Any) -> Iterator[tuple[Question, Any]]:
    """Each of these with its answer, as far as there is one."""
    parts = TYPES[question.type].parts(question)
    if not parts and value is not None:
        yield question, value
    for key, part in parts.items() if isinstance(value, Mapping) else ():
        if key in value:
            yield part, value[key]


def type_of(question: Any) -> str | None:
    """The question's type as far as it says: `scale` alone makes it a likert."""
    if not isinstance(question, Mapping):
        return getattr(question, "type", None)
    named = question.get("type")
    return "likert" if named is None and "scale" in question else named if isinstance(named, str) else None


def any_of(models: Models) -> Any:
    """The annotation for a question of one of these types: a union that names the type in its errors."""
    listed = frozenset(models)
    union: Any = Union[tuple(Annotated[models[name], Tag(name)] for name in models)]  # noqa: UP007
    validator = WrapValidator(partial(_of_type, models, listed))
    return Annotated[union, Discriminator(type_of), validator]


def _of_type(models: Models, listed: frozenset[str], raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """A type that was registered later (in a test) is not in the union."""
    name = type_of(raw) or ""
    return models[name].model_validate(raw) if name in models and name not in listed else handler(raw)


if TYPE_CHECKING:
    BackgroundQuestion = Asked
    TrialQuestion = Asked
else:
    # Unions of the types that are registered, which only a running program knows.
    BackgroundQuestion = any_of(NOT_OF_PAIRS)
    TrialQuestion = any_of(QUESTIONS)
