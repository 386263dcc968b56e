"""The page of a trial of two clips: what its template sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from app.questions.base import FormField
from app.questions.registry import views
from app.tasks.pair.terms import DesignTrials
from app.trials.pages import UNPLAYABLE, Page
from app.trials.places import Place


@dataclass(frozen=True, slots=True)
class TrialPage(Page):
    """Two clips and the questions about them.

    Posts the questions' ids (the 2afc question as `left` | `right`, or `tie` if its options have that), `submit_id`,
    `rt_ms`, `playback` (JSON), and `unplayable` = `1` if a clip would not play. `key` identifies the trial within the
    session: the browser stores its recordings under it, across reloads. `next_clips` are fetched while this pair is
    watched.
    """

    template: ClassVar[str] = "trial.html"
    key: str = ""
    number: int = 1
    total: int = 1
    practice: bool = False
    watch: Literal["both-to-end", "free"] = "both-to-end"
    left_clip: str = ""
    right_clip: str = ""
    next_clips: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[FormField, ...]:
        return (*super(TrialPage, self).fields, UNPLAYABLE)

    @property
    def clips(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.left_clip, self.right_clip)))


def trial_page(trials: DesignTrials, place: Place, frame: Mapping[str, Any]) -> TrialPage:
    """The trial at a place; `frame` is what every page of its session has."""
    position, part = place.page.position, place.part
    return TrialPage(
        **frame,
        key=place.key,
        number=part.number(position),
        total=part.total(position),
        practice=part.is_practice(position),
        watch=trials.watch,
        left_clip=place.clips(position, "left"),
        right_clip=place.clips(position, "right"),
        next_clips=tuple(place.clips(position + 1, side) for side in ("left", "right"))
        if position < part.last
        else (),
        questions=views(trials.questions, place.form, place.errors),
    )
