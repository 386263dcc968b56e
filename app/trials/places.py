"""The place of a page and its viewer, for pages of every task."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.trials.design import BlockPart, PageKey
from app.trials.ending import FINISHED, Ending
from app.trials.here import TrialSeen

NO_PART = BlockPart("", "", 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Place:
    """The context of a page: the data it holds in addition to the design.

    `form` and `errors` belong to a form that was not accepted. `clips` gives the address for a position and side.
    `part` is the block of a trial's page, `trial` its session-specific content, `now` the time of showing. `ending` is
    how the session reached its last page. `came` is who is asked for consent, as the address carries it, and
    `languages` those that they may choose. `earlier` are the answers to the same questions in the try before.
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
    came: str = ""
    languages: tuple[str, ...] = ()
    earlier: Mapping[str, Any] = field(default_factory=dict)


def clip_address(action: str, position: int, side: str) -> str:
    """An address that holds the session, the position and the side, and so tells nothing of the clip."""
    return f"{action}/clips/{position}-{side}.mp4"
