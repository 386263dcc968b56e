"""Parts common to the blocks of all tasks, in the study file and at run time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from app.core.widgets import Ways, Widget
from app.questions.base import Asked, Frozen, Part, Question, different
from app.trials.design import Kind, Slot
from app.trials.flags import StudyRule

BLOCK_PATTERN = r"^[a-z][a-z0-9-]{0,39}$"
LeakName = Literal[
    "rounds",
    "message-length",
    "message-count",
    "round-numbers",
    "times",
    "names",
    "typing",
    "automatic",
    "reasons",
    "file-size",
    "page-size",
    "reason-length",
]
Allowed = Annotated[tuple[LeakName, ...], AfterValidator(different), Widget(rows=2)]
ALLOWED = "Clues to the source that records and texts of this block may have; any other that tells it stops the study."
StudyRules = Annotated[tuple[StudyRule, ...], AfterValidator(different), Widget(rows=2)]
RULES = (
    "Flags that leave an answer out of the numbers: {names}; without them they are shown and exclude nothing."
)
Count = Annotated[int, Field(ge=1)]
Markdown = Annotated[str, Field(min_length=1)]
IN_A_TEXT_FILE = (
    "a Markdown file in the study file's folder, or Markdown itself when it has more than one line"
)


class BlockSettings(Part):
    """A part of the session with one task. A new one in the form has `begins_with` in addition to `id` and `task`;
    changing a key of `forgets` removes the keys that depend on it.
    """

    begins_with: ClassVar[Mapping[str, Any]] = {}
    forgets: ClassVar[Mapping[str, Sequence[str]]] = {}

    id: str = Field(
        pattern=BLOCK_PATTERN,
        title="Name in the data",
        description="Names the block in the data; lower-case letters, digits and -, at most 40, each block its own.",
    )
    instructions: Annotated[Markdown | None, Widget(rows=6, is_markdown=True)] = Field(
        default=None,
        title="Instructions",
        description=f"The page before the block's trials: {IN_A_TEXT_FILE}.",
    )

    @classmethod
    def ways(cls, key: str, keys: Mapping[str, Any]) -> Ways | None:
        """The form's alternatives for a key that can be written in several ways; None for others."""
        return None

    @classmethod
    def n_units(cls, keys: Mapping[str, Any]) -> int:
        """The number of units in a draft's block, whose keys may have any shape; 0 if not known yet."""
        return 0

    def as_run(self, instructions: str | None, asked: Callable[[Asked], Question]) -> "BlockDesign":
        """The block at run time, if its keys determine its content; blocks of listed pairs or items are completed with
        these (`app.studies.file.design`). `asked` converts a question to run time.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class UnitSpec:
    """A unit of a block as it is stored: `members` are the names of its stimuli by slot; `sha256` what each shows."""

    name: str
    condition: str
    kind: Kind
    members: Mapping[Slot, str]
    sha256: Mapping[str, str]
    truth: str | None = None
    group: str | None = None


class BlockDesign(Frozen):
    """A block at run time. `instructions` are the block's own; those of the study come before all blocks.

    `noun` names the unit of a trial, `nouns` its plural. With `self_assessment`, the trials' questions are asked about
    the participants themselves after them, or before them if `about_self_first`. `per_participant` is the number of
    main units for each participant, None for all.
    """

    noun: ClassVar[str]
    nouns: ClassVar[str]
    # Where a trial shows stimuli side by side: the sides that a response names, and the key of a trial's plan that
    # holds the slot at the first of them. The monitor counts presses by them, in SQL.
    sides: ClassVar[tuple[str, ...]] = ()
    slot_key: ClassVar[str] = ""

    id: str
    task: str
    instructions: str | None = None
    self_assessment: str | None = None
    per_participant: int | None = None

    @property
    def skips_when_full(self) -> bool:
        """True if a new participant skips this block when it is full."""
        return False

    @property
    def about_self_first(self) -> bool:
        """True if participants are asked about themselves before its trials."""
        return False

    @property
    def asked(self) -> tuple[Question, ...]:
        """Every question of its trials."""
        raise NotImplementedError

    def units(self) -> Sequence[UnitSpec]:
        """The units, in the order of the file."""
        raise NotImplementedError

    @property
    def wanted_per_unit(self) -> int | None:
        """The target number of participants for each main unit; None if there is no limit."""
        return None

    @property
    def has_texts(self) -> bool:
        """True if it shows texts from the study file itself, which are not stimuli of the library."""
        return False

    def keys(self) -> Mapping[str, Any]:
        """The block's own keys in a study file, in addition to those of every block; questions as at run time."""
        own = {*type(self).model_fields} - {*BlockDesign.model_fields}
        return self.model_dump(mode="json", include=own, exclude_defaults=True)

    def activity(self) -> str:
        """The participants' activity, as the end of a sentence."""
        asked = "; ".join(f"“{question.ask}”" for question in self.asked)
        return f"were shown {self.nouns.lower()} one at a time" + (f" and asked: {asked}" if asked else "")

    def n_main(self, n_units: int) -> int:
        """The number of main trials for each participant, of so many main units."""
        return min(n_units, self.per_participant or n_units)
