"""The settings of a block of ratings in a study file, and the block at run time."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.config import JsonDict

from app.core.widgets import Widget
from app.questions.base import Asked, Frozen, Part, Question, QuestionType, different
from app.questions.registry import Models, any_of
from app.trials.design import Kind, Slot
from app.trials.parts import (
    ALLOWED,
    IN_A_TEXT_FILE,
    RULES,
    Allowed,
    BlockDesign,
    BlockSettings,
    Count,
    LeakName,
    Markdown,
    UnitSpec,
)

ItemWatch = Literal["to-end", "free"]
ItemOrder = Literal["random", "fixed"]
ItemRule = Literal["dropped-frames"]  # one clip is in step with itself
ItemRules = Annotated[tuple[ItemRule, ...], AfterValidator(different), Widget(rows=2)]
WhenFull = Literal["refuse", "skip"]
SelfAssessed = Literal["after", "before"]
IN_AN_ITEM_FILE = (
    "a CSV file in the study file's folder, or the CSV itself when it has more than one line, with the columns item, "
    "stimulus (or text), condition, kind and group"
)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _one_or_more(schema: JsonDict) -> None:
    several = {key: schema.pop(key) for key in ("type", "items", "minItems")}
    schema["anyOf"] = [{"type": "string", "minLength": 1}, several]


class When(Part):
    """The items about which a question is asked."""

    group: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=80)], ...],
        BeforeValidator(_as_list),
        AfterValidator(different),
        Widget(rows=2),
    ] = Field(
        min_length=1,
        title="Asked of these groups alone, one per line",
        description="The group, or list of groups, of `items` to which the question applies.",
        json_schema_extra=_one_or_more,
    )


class _OfItems(Part):
    when: When | None = Field(
        default=None, title="When", description="Asks it of some items alone; of all unless said."
    )


@cache
def _criterion(type_: QuestionType) -> type[Asked] | None:
    """The settings of a type of question where it is asked about items."""
    if type_.only_pairs:
        return None
    bases: tuple[type, ...] = (*filter(None, [type_.of_items]), _OfItems, type_.settings)
    name = type_.settings.__name__.replace("Question", "Criterion")
    return type(name, bases, {"__module__": __name__, "__doc__": type_.settings.__doc__})


CRITERIA = Models(_criterion)

if TYPE_CHECKING:
    RatingQuestion = Asked
else:
    RatingQuestion = any_of(CRITERIA)


class RatingBlock(BlockSettings):
    """A block in which one stimulus at a time is rated: a record, a text or a clip."""

    begins_with: ClassVar[Mapping[str, Any]] = {
        "questions": [{"id": "rating", "type": "likert", "labels": ["1", "2", "3", "4", "5"]}]
    }

    task: Literal["rating"] = Field(
        title="Ratings, one item at a time",
        description="One stimulus at a time, on several criteria: ratings.",
    )
    items: Annotated[str, Field(min_length=1), Widget(rows=6, is_table=True)] = Field(
        title="Items", description=f"What is rated: {IN_AN_ITEM_FILE}."
    )
    order: Annotated[
        ItemOrder,
        Widget(words={"random": "Random, counterbalanced", "fixed": "Fixed, as the items are listed"}),
    ] = Field(
        default="random",
        title="Order of the items",
        description="`random` per session, counterbalanced, no two of a group in a row if possible; or "
        "`fixed` as in the file.",
    )
    watch: Annotated[
        ItemWatch, Widget(words={"to-end": "Clips to the end", "free": "As much as they like"})
    ] = Field(
        default="to-end",
        title="Watching",
        description="Of clips: `to-end` opens the questions when the clip was watched, `free` at once.",
    )
    per_participant: Annotated[Count | None, Widget(is_short=True)] = Field(
        default=None,
        title="Items for each participant",
        description="How many main items each participant rates; all of them unless said.",
    )
    per_item: Annotated[Count | None, Widget(is_short=True)] = Field(
        default=None,
        title="Participants for each item",
        description="How many participants rate each main item; when every item has them, no new participants are "
        "admitted.",
    )
    exclude: ItemRules = Field(
        default=(),
        title="Flags that leave a rating of a clip out, one per line",
        description=RULES.format(names="`dropped-frames`"),
    )
    when_full: Annotated[
        WhenFull,
        Widget(words={"refuse": "Takes nobody new", "skip": "Goes on without these items"}),
    ] = Field(
        default="refuse",
        title="When every item has its participants",
        description="`refuse` admits no new participants, `skip` lets them do the study's other blocks "
        "without this one; a study with nothing left to do admits no one either way.",
    )
    allow: Allowed = Field(default=(), title="Clues that are allowed, one per line", description=ALLOWED)
    questions: tuple[RatingQuestion, ...] = Field(
        min_length=1, title="Questions", description="The criteria, and what else is asked about each item."
    )
    self_assessment: Annotated[Markdown | None, Widget(rows=4, is_markdown=True)] = Field(
        default=None,
        title="Self-assessment",
        description="Asks the block's questions once more after it, about the participants themselves, under this "
        f"text: {IN_A_TEXT_FILE}.",
    )
    self_assessed: Annotated[
        SelfAssessed,
        Widget(words={"after": "After the block's items", "before": "Before them, such as after a match"}),
    ] = Field(
        default="after",
        title="When they are asked about themselves",
        description="`after` the block's items, or `before` them: about a match that was played just now, say.",
    )


class DesignItem(Frozen):
    """An item with the hash of its stimulus, empty where that is not kept here. A `text` stands for a stimulus."""

    id: str
    stimulus: str = ""
    text: str = ""
    source: str = ""
    condition: str = ""
    kind: Kind
    group: str = ""
    position: int = Field(ge=1)
    sha256: str = ""


class RatingDesign(BlockDesign):
    """A block of ratings as it is run."""

    noun: ClassVar[str] = "Item"
    nouns: ClassVar[str] = "Items"

    task: Literal["rating"]
    per_item: int | None = None
    when_full: WhenFull = "refuse"
    order: ItemOrder
    watch: ItemWatch = "to-end"
    exclude: tuple[ItemRule, ...] = ()
    allow: tuple[LeakName, ...] = ()
    items: tuple[DesignItem, ...]
    questions: tuple[Question, ...]
    self_assessed: SelfAssessed = "after"

    def units(self) -> tuple[UnitSpec, ...]:
        return tuple(
            UnitSpec(
                name=item.id,
                condition=item.condition,
                kind=item.kind,
                members={Slot.ITEM: item.stimulus} if item.stimulus else {},
                sha256={item.stimulus: item.sha256} if item.stimulus else {},
                group=item.group or None,
            )
            for item in self.items
        )

    @property
    def asked(self) -> tuple[Question, ...]:
        """Every question of its trials."""
        return self.questions

    @property
    def wanted_per_unit(self) -> int | None:
        return self.per_item

    @property
    def skips_when_full(self) -> bool:
        return self.when_full == "skip"

    @property
    def about_self_first(self) -> bool:
        return self.self_assessed == "before"

    @property
    def has_texts(self) -> bool:
        return any(item.text for item in self.items)

    def asked_of(self, item: DesignItem) -> tuple[Question, ...]:
        """The questions that apply to an item."""
        return tuple(q for q in self.questions if not q.groups or item.group in q.groups)
