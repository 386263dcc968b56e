"""The page of a trial of two clips: what its template sees."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from app.questions.base import FormField, QuestionView
from app.questions.registry import views
from app.tasks.pair.terms import DesignTrials, Showing
from app.trials.pages import UNPLAYABLE, Page
from app.trials.places import Place


@dataclass(frozen=True, slots=True)
class TrialPage(Page):
    """Two clips and the questions about them.

    Posts the questions' ids (the 2afc question as `left` | `right`, or `tie` if its options have that), `submit_id`,
    `rt_ms`, `playback` (JSON), and `unplayable` = `1` if a clip would not play. `key` identifies the trial within the
    session: the browser stores its recordings under it, across reloads. `next_clips` are fetched while this pair is
    watched. `layout` is the study's: a script decides by the window where it is `by-width`, and says what was shown.
    """

    template: ClassVar[str] = "trial.html"
    key: str = ""
    number: int = 1
    total: int = 1
    practice: bool = False
    watch: Literal["both-to-end", "free"] = "both-to-end"
    layout: Showing = "side-by-side"
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
        layout=trials.layout,
        left_clip=place.clips(position, "left"),
        right_clip=place.clips(position, "right"),
        next_clips=tuple(place.clips(position + 1, side) for side in ("left", "right"))
        if position < part.last
        else (),
        questions=tuple(
            in_turn(view) if trials.layout != "side-by-side" else view
            for view in views(trials.questions, place.form, place.errors)
        ),
    )


def in_turn(question: QuestionView) -> QuestionView:
    """The question; a choice names the clips by their turn as well, of which styles show what is true."""
    if question.widget != "sides":
        return question
    turned = (replace(option, anchor="turns") for option in question.options[:2])
    return replace(question, options=(*turned, *question.options[2:]))
