"""`2afc`: which of the two clips, records or texts."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from app.core.language import gettext as _
from app.core.widgets import Widget
from app.questions.base import Asked, OptionView, Question, QuestionType, rule_error
from app.questions.sides import TIE, Side

_SIDES = frozenset(map(str, Side))


def _always(required: bool) -> bool:
    if not required:
        raise rule_error("the 2afc question must be answered", "remove `required`")
    return required


class TwoAfcQuestion(Asked):
    """A forced choice between two: answered with a side, or no difference if `allow_tie`."""

    type: Literal["2afc"] = Field(
        title="Choice of one", description="A choice between the two that are shown."
    )
    required: Annotated[bool, AfterValidator(_always), Widget(is_nowhere=True)] = Field(
        default=True,
        title="An answer is required",
        description="Always true: a trial without a choice is not answered.",
        json_schema_extra={"const": True},
    )
    allow_tie: bool = Field(
        title="“No difference” is an answer",
        default=False,
        description="Whether participants may answer that there is no difference: a vote, for neither.",
    )


class TwoAfc(QuestionType):
    settings = TwoAfcQuestion
    only_pairs = True
    begins_with: ClassVar[Mapping[str, Any]] = {
        "id": "choice",
        "ask": "Which video is more likely to be human?",
    }
    widget = "sides"
    kept_ids = frozenset({"choice"})

    def options(self, question: Question, form: Mapping[str, str]) -> Sequence[OptionView]:
        sides = (
            OptionView(Side.LEFT, _("Left video"), "video"),
            OptionView(Side.RIGHT, _("Right video"), "video"),
        )
        return (*sides, OptionView(TIE, _("No difference"))) if question.allow_tie else sides

    def value(self, question: Question, text: str) -> Any:
        if text not in _SIDES and not (question.allow_tie and text == TIE):
            raise ValueError(
                _("Please choose the left one, the right one or no difference.")
                if question.allow_tie
                else _("Please choose the left or the right one.")
            )
        return text

    def column(self, question_id: str) -> str:
        return "side"
