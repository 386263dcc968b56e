"""Questions that know an answer: which answers let a person take part, which one is right, which one is asked for."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from app.core.problems import Fault, Place, quoted
from app.core.widgets import Widget
from app.questions.base import Asked, Label, Part, Question, QuestionContext, QuestionType, texts_of
from app.questions.registry import TYPES, Models, any_of, type_of

ACCEPT, ANSWER, EXPECT = "accept", "answer", "expect"
_Always = Annotated[bool, Widget(is_nowhere=True)]


class _Due(Part):
    required: _Always = Field(
        default=True, title="An answer is required", description="Such a question is always to be answered."
    )


class _Accepting(_Due):
    accept: Annotated[tuple[Label, ...], Widget(rows=3)] = Field(
        min_length=1,
        title="Answers with which people take part, one per line",
        description="Answers, as they are written above; with any other the study ends politely.",
    )


class _WithAnswer(_Due):
    answer: Label = Field(
        title="Right answer", description="The answer that is right, as it is written above."
    )


class _Instructed(_Due):
    expect: Label = Field(
        title="Answer that is asked for",
        description="The answer that the question tells people to give, as it is written above.",
    )


@cache
def _with(key: type[Part], prefix: str, type_: QuestionType) -> type[Asked] | None:
    """The settings of a type of question with a key more; None for types whose answers have no names."""
    if not type_.names_answers:
        return None
    bases: tuple[type, ...] = (key, type_.settings)
    name = f"{prefix}{type_.settings.__name__}"
    return type(name, bases, {"__module__": __name__, "__doc__": type_.settings.__doc__})


SCREENING = Models(partial(_with, _Accepting, "Screening"))
COMPREHENSION = Models(partial(_with, _WithAnswer, "Comprehension"))
INSTRUCTED = Models(partial(_with, _Instructed, "Instructed"))

if TYPE_CHECKING:
    ScreeningQuestion = Asked
    ComprehensionQuestion = Asked
    InstructedQuestion = Asked
else:
    # Unions of the types that are registered, which only a running program knows.
    ScreeningQuestion = any_of(SCREENING)
    ComprehensionQuestion = any_of(COMPREHENSION)
    InstructedQuestion = any_of(INSTRUCTED)


def faults_of_key(
    key: str, place: Place, keys: Mapping[str, Any], around: QuestionContext
) -> Iterator[Fault]:
    """Faults of `accept`, `answer` or `expect`: a name that no answer has, or every answer accepted."""
    type_ = TYPES.get(type_of(keys) or "")
    known = type_.named(keys, around) if type_ is not None and type_.names_answers else ()
    if not known:  # what is wrong with the question is said elsewhere
        return
    given = keys.get(key)
    named = [text.strip() for text in ([given] if isinstance(given, str) else texts_of(given))]
    for name in named:
        if name not in known:
            remedy = f"write one of {', '.join(map(quoted, known[:6]))}"
            yield Fault((*place, key), f"{quoted(name)} is no answer of this question", remedy)
    if key == ACCEPT and set(known) <= set(named):
        yield Fault(
            (*place, key), "every answer is accepted, so that nobody is screened out", "leave one out"
        )
    if str(keys.get("required")).lower() == "false":
        yield Fault((*place, "required"), "this question is always to be answered", "remove `required`")


def knows_answer(question: Question) -> bool:
    """True for a question with answers that are accepted, right, or asked for."""
    return not question.own.keys().isdisjoint({ACCEPT, ANSWER, EXPECT})


def is_met(question: Question, value: Any) -> bool:
    """True if an answer is accepted, right, or the one that was asked for."""
    wanted = (*question.own_texts(ACCEPT), *(question.own.get(key) for key in (ANSWER, EXPECT)))
    return value is not None and TYPES[question.type].name_of(question, value) in wanted


def entry_of(question: Question, name: str) -> str:
    """The form entry for an answer, by its name."""
    options = TYPES[question.type].options(question, {})
    return next(option.value for option in options if option.label in (name, question.says(name)))


def met_by(question: Question) -> str:
    """The form entry for an answer that is accepted, right, or asked for."""
    own = question.own
    return entry_of(question, str(own.get(ANSWER) or own.get(EXPECT) or question.own_texts(ACCEPT)[0]))
