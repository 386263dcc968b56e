"""The settings of a block of walks in a study file, and the block at run time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, ValidationError, model_validator

from app.core.problems import counted
from app.core.widgets import Widget
from app.questions.base import Asked, Question, rule_error
from app.trials.attention import TIDIES as ATTENTION
from app.trials.attention import (
    resolved_attention,
)
from app.trials.checks import Check, Checked
from app.trials.design import Kind
from app.trials.parts import CheckedDesign, CheckedSettings, UnitSpec
from app.trials.tidying import Tidy, whole
from stimuli.arena import GOALS
from stimuli.courses import MOST_STARTS, Course, courses
from stimuli.steps import TICKS_PER_S

MOST_GOALS, MOST_PRACTICE = len(GOALS), 3
SETTINGS = ("goals", "starts", "walks", "practice", "limit_s")
# At the start: nothing of it is read in a write.
_COURSES = courses()


class WalkBlock(CheckedSettings):
    """A block in which participants walk over the map, to one goal at a time."""

    key_order: ClassVar[Sequence[str]] = (*SETTINGS, "attention")
    tidies: ClassVar[Mapping[str, Tidy]] = {**dict.fromkeys(SETTINGS, whole), **ATTENTION}

    task: Literal["walk"] = Field(
        title="Walks on the map",
        description="Walks to the goals of the map, in first person: they become clips.",
    )
    goals: Annotated[int, Field(ge=2, le=MOST_GOALS), Widget(unit="goals", is_short=True)] = Field(
        default=MOST_GOALS,
        title="Goals",
        description="How many goals of the map are walked to, the first ones; their order is counterbalanced.",
    )
    starts: Annotated[int, Field(ge=1, le=MOST_STARTS), Widget(unit="places", is_short=True)] = Field(
        default=1,
        title="Starts for each goal",
        description="From how many places there are walks to each goal, by turns over participants. Clips of agents in "
        "the same scenes are walked with the seed 1.",
    )
    walks: Annotated[int, Field(ge=1, le=60), Widget(unit="walks", is_short=True)] = Field(
        default=3,
        title="Walks for each participant",
        description="How many walks each participant takes beside practice, to another goal each as far as these go.",
    )
    practice: Annotated[int, Field(ge=0, le=MOST_PRACTICE), Widget(unit="walks", is_short=True)] = Field(
        default=1,
        title="Walks for practice",
        description="How many walks come first that do not count, from starts of their own.",
    )
    limit_s: Annotated[int, Field(ge=10, le=300), Widget(unit="seconds", is_short=True)] = Field(
        default=90,
        title="A walk takes at most",
        description="When a walk ends though its goal was not reached.",
    )

    @model_validator(mode="after")
    def _has_enough_courses(self) -> Self:
        most = self.goals * self.starts
        if self.walks > most:
            raise rule_error(
                f"walks is {self.walks}, and there are {counted(most, 'course', 'courses')}: goals times starts",
                f"write `starts: {-(-self.walks // self.goals)}`, or fewer walks",
            )
        return self

    @classmethod
    def n_units(cls, keys: Mapping[str, Any]) -> int:
        """The number of its courses, including practice."""
        try:
            block = cls.model_validate({**keys, "id": "walk"})
        except ValidationError:
            return 0
        return block.goals * block.starts + block.practice

    def as_run(self, instructions: str | None, asked: Callable[[Asked], Question]) -> "WalkDesign":
        return WalkDesign(
            id=self.id,
            instructions=instructions,
            task="walk",
            attention=resolved_attention(self.attention, asked),
            **{name: getattr(self, name) for name in SETTINGS},
        )


class WalkDesign(CheckedDesign):
    """A block of walks as it is run."""

    noun: ClassVar[str] = "Walk"
    nouns: ClassVar[str] = "Walks"

    task: Literal["walk"]
    goals: int = MOST_GOALS
    starts: int = 1
    walks: int = 3
    practice: int = 1
    limit_s: int = 90

    def activity(self) -> str:
        return "walked over a map to the goals that they were shown"

    @property
    def asked(self) -> tuple[Question, ...]:
        """No question of the study's: a walk is answered by walking."""
        return ()

    @property
    def most_ticks(self) -> int:
        """The tick at which a walk ends by itself."""
        return self.limit_s * TICKS_PER_S

    def n_main(self, n_units: int) -> int:
        """The number of walks, independent of the number of courses."""
        return self.walks

    def course(self, unit: str) -> Course:
        """The course of a unit by its name. Raises KeyError."""
        return _COURSES[unit.rpartition(":")[2]]

    def unit(self, goal: int, number: int) -> str:
        """The name of the unit of a goal, from 0, and a start, from 1."""
        return f"{self.id}:{GOALS[goal].name}-{number}"

    def units(self) -> tuple[UnitSpec, ...]:
        """The block's courses, practice first."""
        practice = [(goal, MOST_STARTS + 1, Kind.PRACTICE) for goal in range(self.practice)]
        main = [
            (goal, number, Kind.MAIN) for goal in range(self.goals) for number in range(1, self.starts + 1)
        ]
        return tuple(
            UnitSpec(self.unit(goal, number), f"goal {GOALS[goal].name}", kind, members={}, sha256={})
            for goal, number, kind in [*practice, *main]
        )

    @classmethod
    def checks(cls, blocks: Sequence[Self], study: Checked) -> Iterator[Check]:
        """The check of whether walks may become clips."""
        title = "Walks"
        if not study.play_shown:
            detail = (
                "Walks cannot become clips: the consent text must tell people that others see how they "
                "walked, and `consent.play_shown` must be set."
            )
            yield Check("walks", title, "warning", detail, "design?at=consent.play_shown")
            return
        n = sum(block.walks for block in blocks)
        detail = f"{counted(n, 'walk')} for each participant, which may become clips."
        yield Check("walks", title, "ok", detail)
