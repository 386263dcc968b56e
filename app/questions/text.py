"""`text`: a free text."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.core.language import gettext as _
from app.core.widgets import Widget
from app.questions.base import ANSWER_DUE, Asked, Question, QuestionType

MAX_TEXT = 5000


class TextQuestion(Asked):
    """A free text."""

    type: Literal["text"] = Field(title="Free text", description="A free text.")
    required: bool = Field(
        default=False, title=ANSWER_DUE, description="Whether the page waits for an answer."
    )
    max_length: Annotated[int, Widget(unit="characters")] = Field(
        default=MAX_TEXT,
        ge=1,
        le=50_000,
        title="Longest answer",
        description="The longest answer, in characters.",
    )


class Text(QuestionType):
    settings = TextQuestion
    widget = "text"
    begins_with: ClassVar[Mapping[str, Any]] = {"id": "comment"}
    first_about_pairs: ClassVar[Mapping[str, Any]] = {
        "id": "rationale",
        "ask": "Why do you think this is the case? Please provide as much detail as possible.",
    }
    kept_ids = frozenset({"rationale"})

    def value(self, question: Question, text: str) -> Any:
        if len(text) > question.max_length:
            most, n = question.max_length, len(text)
            raise ValueError(
                _("Please shorten this to {most} characters; it has {n}.").format(most=most, n=n)
            )
        return text
