"""Checks of a participant as a study file says them: screening before the study, comprehension of its instructions."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from app.core.problems import Fault
from app.core.widgets import Widget
from app.questions.base import Asked, Frozen, Part, Question
from app.questions.checked import (
    ACCEPT,
    ANSWER,
    COMPREHENSION,
    EXPECT,
    SCREENING,
    ComprehensionQuestion,
    ScreeningQuestion,
)
from app.questions.drafted import by_id, keys_of_question, with_defaults

MOST_TRIES = 2
Failed = Literal["end", "flag"]
# Where questions with a key of their own stand in a study file, and which key it is.
CHECKED: Mapping[tuple[str, ...], str] = {
    ("screening",): ACCEPT,
    ("comprehension", "questions"): ANSWER,
}
_ATTENTION = ("attention", "questions")


def checked_key(place: tuple[str, ...]) -> str | None:
    """The key with which a question at a place knows an answer; None for other questions."""
    return EXPECT if place[-2:] == _ATTENTION else CHECKED.get(place)


CHECKED_TYPES: Mapping[tuple[str, ...], Mapping[str, type[Asked]]] = {
    ("screening",): SCREENING,
    ("comprehension", "questions"): COMPREHENSION,
}
Screening = Annotated[tuple[ScreeningQuestion, ...], Field(max_length=20)]


class Comprehension(Part):
    """Questions on the instructions."""

    questions: tuple[ComprehensionQuestion, ...] = Field(
        default=(),
        max_length=20,
        title="Questions",
        description="Asked after the instructions. Without questions there is no such page.",
    )
    tries: Annotated[int, Widget(unit="times", is_short=True)] = Field(
        default=MOST_TRIES,
        ge=1,
        le=MOST_TRIES,
        title="Tries",
        description="How often the questions may be answered, at most twice. Before the second try the instructions "
        "are shown again, and which answers were not right.",
    )
    failed: Annotated[
        Failed, Widget(words={"flag": "Goes on, and is flagged in the data", "end": "The study ends"})
    ] = Field(
        default="flag",
        title="After the last wrong try",
        description="`flag` lets the person go on and flags the answer in the data; `end` ends the session.",
    )


class DesignComprehension(Frozen):
    questions: tuple[Question, ...] = ()
    tries: int = MOST_TRIES
    failed: Failed = "flag"

    @property
    def n_pages(self) -> int:
        """A page for each try; none without questions."""
        return self.tries if self.questions else 0


def keys_of_comprehension(design: DesignComprehension) -> dict[str, Any] | None:
    """The keys that differ from the defaults; None where all are defaults."""
    keys = design.model_dump(exclude={"questions"}, exclude_defaults=True)
    asked = [keys_of_question(question, COMPREHENSION) for question in design.questions]
    return keys | ({"questions": asked} if asked else {}) or None


def comparable_checks(draft: Mapping[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
    """The checks of a draft in the form in which the same ones are the same value."""
    found: dict[str, Any] = {}
    if draft.get("screening"):
        found["screening"] = by_id(draft["screening"], labels, SCREENING)
    if isinstance(asked := draft.get("comprehension"), dict):
        keys = with_defaults(Comprehension, asked)
        found["comprehension"] = {**keys, "questions": by_id(keys["questions"], labels, COMPREHENSION)}
    return found


def faults_of_checks(raw: Mapping[str, Any]) -> Iterator[Fault]:
    """Check that there is a text to be understood."""
    asked = raw.get("comprehension")
    has_questions = isinstance(asked, Mapping) and bool(asked.get("questions"))
    if has_questions and not raw.get("instructions"):
        yield Fault(
            ("comprehension",),
            "comprehension asks about instructions, and there are none",
            "add `instructions:`, the text that is asked about",
        )
