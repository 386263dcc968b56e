"""Where a page is shown and to whom, and the parts that pages of every task have."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from app.questions.base import Question, QuestionView
from app.questions.registry import TYPES
from app.trials.design import BlockPart, PageKey
from app.trials.ending import FINISHED, Ending
from app.trials.here import TrialSeen

NO_PART = BlockPart("", "", 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page of a design is shown, and to whom: what its page holds beside the design itself.

    `form` and `errors` are of a form that could not be accepted. `clips` gives the address of a position and side.
    `part` is the block of a trial's page, `trial` what is on it where that differs by session, `now` when it is shown.
    `ending` is how the session came to its last page.
    """

    page: PageKey
    action: str
    submit_id: str
    done: int
    steps: int
    clips: Callable[[int, str], str]
    part: BlockPart = NO_PART
    trial: TrialSeen | None = None
    key: str = ""
    participant: str = ""
    session: str = ""
    notice: str = ""
    preview: str = ""
    form: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    now: datetime | None = None
    ending: Ending = FINISHED


def clip_address(action: str, position: int, side: str) -> str:
    """An address that holds the session, the position and the side, and so tells nothing of the clip."""
    return f"{action}/clips/{position}-{side}.mp4"


def views(
    questions: Sequence[Question], form: Mapping[str, str], errors: Mapping[str, str]
) -> tuple[QuestionView, ...]:
    return tuple(
        QuestionView(
            id=q.id,
            type=q.type,
            ask=q.ask,
            required=q.required,
            options=tuple(TYPES[q.type].options(q, form)),
            value=form.get(q.id, ""),
            error=errors.get(q.id, ""),
            minimum=q.minimum,
            maximum=q.maximum,
            step=q.step,
            widget=TYPES[q.type].widget_of(q),
        )
        for q in questions
    )
