"""Parts common to the blocks of all tasks, in the study file and at run time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, get_args

from pydantic import AfterValidator, BaseModel, Field

from app.core.problems import Fault, Place
from app.core.widgets import Ways, Widget
from app.questions.base import Asked, Frozen, Part, Question, different
from app.questions.drafted import by_id, keys_of_question
from app.questions.registry import QUESTIONS
from app.trials.attention import (
    NO_ATTENTION,
    Attention,
    DesignAttention,
    comparable_attention,
    keys_of_attention,
)
from app.trials.checks import Check, Checked
from app.trials.clues import CLUE_WORDS, LeakName
from app.trials.design import Kind, Slot
from app.trials.flags import MEANINGS, Flag, StudyRule
from app.trials.leaks import BlockLeaks, CluesOf
from app.trials.lists import Content, Keys, Reader
from app.trials.stimuli import Sources, StimulusFacts
from app.trials.tidying import Tidy

BLOCK_PATTERN = r"^[a-z][a-z0-9-]{0,39}$"
Allowed = Annotated[
    tuple[LeakName, ...], AfterValidator(different), Widget(rows=2, words=CLUE_WORDS, is_rare=True)
]
ALLOWED = "Clues to the source that records and texts of this block may have; any other that tells it stops the study."
StudyRules = Annotated[
    tuple[StudyRule, ...],
    AfterValidator(different),
    Widget(
        rows=2,
        is_rare=True,
        words={name: MEANINGS[Flag(name)].title.capitalize() for name in get_args(StudyRule)},
    ),
]
RULES = (
    "Flags that leave an answer out of the numbers: {names}; without them they are shown and exclude nothing."
)
Count = Annotated[int, Field(ge=1)]
Markdown = Annotated[str, Field(min_length=1)]
IN_A_TEXT_FILE = (
    "a Markdown file in the study file's folder, or Markdown itself when it has more than one line"
)


class BlockSettings(Part):
    """A part of the session with one task, as a study file says it. What studies ask of a task's block is declared
    here, and most tasks declare little: the rest is for blocks with lists, or with keys of several levels.
    """

    # What a new block in the form has besides `id` and `task`.
    begins_with: ClassVar[Mapping[str, Any]] = {}
    # By key: the keys that go when it is changed in the form, as they depend on it.
    forgets: ClassVar[Mapping[str, Sequence[str]]] = {}
    # The models of its parts, by their keys, and those of its questions, by type: faults name the keys that each has.
    sections: ClassVar[Mapping[str, type[BaseModel]]] = {}
    question_types: ClassVar[Mapping[str, type[BaseModel]]] = QUESTIONS
    # The models of what a key may hold that has no model itself.
    parameters: ClassVar[Mapping[str, Sequence[type[BaseModel]]]] = {}
    # Where its questions stand.
    questions_at: ClassVar[Place] = ("questions",)
    # Where its attention checks stand.
    attention_at: ClassVar[Place] = ("attention",)
    # True if a trial shows two stimuli: questions choose between them, and their answers have columns of their own.
    of_two: ClassVar[bool] = False
    # Lists that are CSV, or name a file that is; and the texts, in a draft, that YAML has as blocks.
    lists: ClassVar[Sequence[Place]] = ()
    written: ClassVar[Sequence[Place]] = ()
    # Keys that make the units, besides lists: every arm has the same.
    of_units: ClassVar[Sequence[str]] = ()
    # Words of descriptions and remedies that speak of files or keys, and what a form has in their place.
    in_forms: ClassVar[Mapping[str, str]] = {}
    # The order of its own keys in a study file, and the conversions of a draft's values, by key.
    key_order: ClassVar[Sequence[str]] = ()
    tidies: ClassVar[Mapping[str, Tidy]] = {}

    id: Annotated[str, Widget(is_rare=True)] = Field(
        pattern=BLOCK_PATTERN,
        title="Name in the data",
        description="Names the block in the data; lower-case letters, digits and -, at most 40, each block its own.",
    )
    instructions: Annotated[Markdown | None, Widget(rows=6, is_markdown=True)] = Field(
        default=None,
        title="Instructions",
        description=f"The page before the block's trials: {IN_A_TEXT_FILE}.",
    )

    arms: tuple[Annotated[str, Field(pattern=BLOCK_PATTERN)], ...] = Field(
        default=(),
        title="Only in these arms",
        description="The arms whose participants get this block; all of them unless said.",
    )

    @classmethod
    def ways(cls, key: str, keys: Keys) -> Ways | None:
        """The form's alternatives for a key that can be written in several ways; None for others."""
        return None

    @classmethod
    def n_units(cls, keys: Keys) -> int:
        """The number of units in a draft's block, whose keys may have any shape; 0 if not known yet."""
        return 0

    # As a study file is read, in this order

    @classmethod
    def with_lists(cls, keys: Keys, reader: Reader) -> Keys:
        """The keys with those lists read that its model takes as values; others are read by `read_lists`."""
        return keys

    @classmethod
    def broken_rules(cls, place: Place, keys: Keys, asked: Sequence[tuple[Place, Keys]]) -> Iterator[Fault]:
        """The faults that its keys have between them, whatever shape they have; `asked` are its questions."""
        yield from ()

    @classmethod
    def read_lists(cls, keys: Keys, reader: Reader) -> Content:
        """The content of its lists; whatever is wrong with them is refused."""
        return Content()

    def as_run(self, instructions: str | None, asked: Callable[[Asked], Question]) -> "BlockDesign":
        """The block at run time, if its keys determine its content. `asked` converts a question to run time."""
        raise NotImplementedError

    def resolved(
        self, text: Callable[[str], str | None], asked: Callable[[Asked], Question], content: Content
    ) -> "BlockDesign":
        """The block at run time, in place of `as_run` where it has lists or several texts; `text` is that of a key."""
        return self.as_run(text("instructions"), asked)

    # Drafts

    @classmethod
    def comparable(cls, keys: dict[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
        """A draft's keys in the form in which the same block is the same value; defaults are written out already."""
        return {**keys, "questions": by_id(keys["questions"], labels)} if "questions" in keys else keys

    @classmethod
    def corrected(cls, keys: dict[str, Any], change: Sources) -> dict[str, Any]:
        """A draft's keys where what its list says only because of the sources has followed them."""
        return keys

    @classmethod
    def admits(cls, keys: Keys) -> Callable[[StimulusFacts], bool] | None:
        """True for a stimulus that a draft's list names or its draw may take; None where it has neither."""
        return None

    @classmethod
    def texts_in(cls, listed: str) -> Sequence[str]:
        """The texts in its list, as CSV, that participants read; names are none."""
        return ()

    @classmethod
    def whys_in(cls, keys: Keys, listed: str) -> Mapping[str, str]:
        """Texts that its list, as CSV, says after practice, by units; nothing where no page shows it."""
        return {}


class CheckedSettings(BlockSettings):
    """A block without questions of its own, with attention checks between its trials."""

    attention: Attention = Field(
        default=Attention(),
        title="Attention checks",
        description="Questions between the trials that say what to answer, and what failing does.",
    )

    @classmethod
    def comparable(cls, keys: dict[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
        return {**keys, "attention": comparable_attention(keys.get("attention"), labels)}


@dataclass(frozen=True, slots=True)
class UnitSpec:
    """A unit of a block as it is stored: `members` are the names of its stimuli by slot; `sha256` what each shows;
    `sources` whose they are.
    """

    name: str
    condition: str
    kind: Kind
    members: Mapping[Slot, str]
    sha256: Mapping[str, str]
    truth: str | None = None
    group: str | None = None
    sources: Sequence[str] = ()


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
    # True if every trial shows stimuli of the library: without any there is nothing to run.
    of_stimuli: ClassVar[bool] = False
    # The page of a study where its units are edited.
    edited_at: ClassVar[str] = "design"

    id: str
    task: str
    arms: tuple[str, ...] = ()
    instructions: str | None = None
    self_assessment: str | None = None
    per_participant: int | None = None

    def unit_in_words(self, name: str, condition: str) -> tuple[str, str]:
        """The name of one of its units, and its group or condition, as pages show them."""
        return name, condition

    @property
    def attention_checks(self) -> DesignAttention:
        """The questions between its trials that say what to answer, and what failing does."""
        return NO_ATTENTION

    @property
    def has_feedback(self) -> bool:
        """True if a page after each practice trial says whether its answer was right."""
        return False

    @property
    def in_turn(self) -> bool:
        """True if each trial shows its stimuli one after the other."""
        return False

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

    @property
    def has_partners(self) -> bool:
        """True where people may be together with other people."""
        return False

    @property
    def n_together(self) -> int:
        """The most people who do one trial together."""
        return 1

    def keys(self) -> Mapping[str, Any]:
        """The block's own keys in a study file, in addition to those of every block, but for its lists."""
        own = {*type(self).model_fields} - {*BlockDesign.model_fields}
        keys = self.model_dump(mode="json", include=own, exclude_defaults=True)
        keys |= {"questions": [*map(keys_of_question, self.asked)]} if "questions" in keys else {}
        return keys | ({"attention": keys_of_attention(self.attention_checks)} if "attention" in keys else {})

    def rows(self) -> Mapping[str, Any]:
        """The keys of its lists, as CSV, and of how they were drawn."""
        return {}

    def rows_of_draft(self, true_source: str, stimuli: Mapping[str, StimulusFacts]) -> Mapping[str, Any]:
        """The same for a draft that makes this design: what was drawn stays drawn where `stimuli` still make it."""
        return self.rows()

    def means(self) -> Mapping[str, tuple[float, float] | None]:
        """The questions whose mean over participants is a result with two ends, by their ids, each with the lowest and
        the highest answer; None where answers are right or wrong, of which it is the share.
        """
        return {}

    def activity(self) -> str:
        """The participants' activity, as the end of a sentence."""
        asked = "; ".join(f"“{question.ask}”" for question in self.asked)
        return f"were shown {self.nouns.lower()} one at a time" + (f" and asked: {asked}" if asked else "")

    def n_main(self, n_units: int) -> int:
        """The number of main trials for each participant, of so many main units."""
        return min(n_units, self.per_participant or n_units)

    # Before launch

    def names(self) -> Mapping[str, Sequence[str]]:
        """The names that people gave, by what each names: where two look alike, the checklist says so."""
        return {}

    @classmethod
    def checks(cls, blocks: Sequence[Self], study: Checked) -> Iterator[Check]:
        """Lines of the checklist about the blocks of this task in a study."""
        yield from ()

    def leaks(self, clues_of: CluesOf) -> BlockLeaks | None:
        """The clues to the source in the records and texts that it shows; None where it shows none."""
        return None

    # Corrections, while no answer counts

    def with_true_source(self, old: str, new: str) -> Self:
        """The block with the truths that follow from another true source."""
        return self

    def with_sources(self, sources: Mapping[str, str], true_source: str) -> Self:
        """The block with other sources of stimuli, by name, and what follows from them."""
        return self


class CheckedDesign(BlockDesign):
    """A block with attention checks between its trials, at run time."""

    attention: DesignAttention = DesignAttention()

    @property
    def attention_checks(self) -> DesignAttention:
        return self.attention
