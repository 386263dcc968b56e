"""The settings of a block of ratings in a study file, and the block at run time."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, Field

from app.core.problems import Place, listed
from app.core.widgets import Widget
from app.questions.base import Asked, Question, different
from app.questions.drafted import by_id, keys_of_question
from app.questions.registry import NUMBERED, TYPES
from app.tasks.rating.criteria import CRITERIA, RatingQuestion, When
from app.tasks.rating.items import (
    DesignItem,
    followed,
    items_as_csv,
    items_by_id,
    read_item_file,
    resolve_items,
    unmatched_groups,
)
from app.tasks.rating.leaks import leaks_of_items
from app.tasks.rating.reference import check_references
from app.trials.attention import TIDIES as ATTENTION
from app.trials.attention import (
    Attention,
    DesignAttention,
    comparable_attention,
    keys_of_attention,
    resolved_attention,
)
from app.trials.checks import Check, Checked
from app.trials.clues import LeakName
from app.trials.design import Kind, Slot
from app.trials.leaks import BlockLeaks, CluesOf
from app.trials.lists import Content, Keys, Reader, cells_in, too_many
from app.trials.parts import (
    ALLOWED,
    IN_A_TEXT_FILE,
    RULES,
    Allowed,
    BlockDesign,
    BlockSettings,
    Count,
    Markdown,
    UnitSpec,
)
from app.trials.stimuli import Sources, StimulusFacts
from app.trials.tidying import Tidy, as_is, whole, yes_or_no

LISTED: Place = ("items",)
ItemWatch = Literal["to-end", "free"]
ItemOrder = Literal["random", "fixed"]
ItemRule = Literal["dropped-frames"]  # one clip is in step with itself
ItemRules = Annotated[
    tuple[ItemRule, ...],
    AfterValidator(different),
    Widget(rows=2, words={"dropped-frames": "Dropped frames"}, is_rare=True),
]
WhenFull = Literal["refuse", "skip"]
SelfAssessed = Literal["after", "before"]
IN_AN_ITEM_FILE = (
    "a CSV file in the study file's folder, or the CSV itself when it has more than one line, with the columns item, "
    "stimulus (or text), condition, kind and group"
)


class RatingBlock(BlockSettings):
    """A block in which one stimulus at a time is rated: a record, a text or a clip."""

    begins_with: ClassVar[Mapping[str, Any]] = {
        "questions": [{"id": "rating", "type": "likert", "labels": ["1", "2", "3", "4", "5"]}]
    }

    sections: ClassVar[Mapping[str, type[BaseModel]]] = {"when": When}
    question_types: ClassVar[Mapping[str, type[BaseModel]]] = CRITERIA
    lists: ClassVar[Sequence[Place]] = (("items",),)
    written: ClassVar[Sequence[Place]] = (("items",),)
    key_order: ClassVar[Sequence[str]] = (
        *("items", "per_participant", "per_item", "when_full", "self_assessment", "self_assessed"),
        *("order", "watch", "exclude", "feedback", "attention", "questions"),
    )
    tidies: ClassVar[Mapping[str, Tidy]] = {
        "items": as_is,
        "per_item": whole,
        "feedback": yes_or_no,
        **ATTENTION,
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
        Widget(
            words={"random": "Random, counterbalanced", "fixed": "Fixed, as the items are listed"},
            is_short=True,
        ),
    ] = Field(
        default="random",
        title="Order of the items",
        description="`random` per session, counterbalanced, no two of a group in a row if possible; or "
        "`fixed` as in the file.",
    )
    watch: Annotated[
        ItemWatch, Widget(words={"to-end": "Clips to the end", "free": "As much as they like"}, is_short=True)
    ] = Field(
        default="to-end",
        title="Watching",
        description="Of clips: `to-end` opens the questions when the clip was watched, `free` at once.",
    )
    per_participant: Annotated[Count | None, Widget(unit="items", is_short=True)] = Field(
        default=None,
        title="Items for each participant",
        description="How many main items each participant rates; all of them unless said.",
    )
    per_item: Annotated[Count | None, Widget(unit="people", is_short=True)] = Field(
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
        Widget(words={"refuse": "Takes nobody new", "skip": "Goes on without these items"}, is_rare=True),
    ] = Field(
        default="refuse",
        title="When every item has its participants",
        description="`refuse` admits no new participants, `skip` lets them do the study's other blocks "
        "without this one; a study with nothing left to do admits no one either way.",
    )
    allow: Allowed = Field(default=(), title="Clues that are allowed, one per line", description=ALLOWED)
    feedback: Annotated[bool, Widget(is_rare=True)] = Field(
        default=False,
        title="Practice with feedback",
        description="After each practice item a page says whether the answers were right, by the column `right` of the "
        "items, and why: the column `why`.",
    )
    attention: Attention = Field(
        default=Attention(),
        title="Attention checks",
        description="Questions between the trials that say what to answer, and what failing does.",
    )
    questions: tuple[RatingQuestion, ...] = Field(
        min_length=1, title="Questions", description="The criteria, and what else is asked about each item."
    )
    self_assessment: Annotated[Markdown | None, Widget(rows=4, is_markdown=True, is_rare=True)] = Field(
        default=None,
        title="Self-assessment",
        description="Asks the block's questions once more after it, about the participants themselves, under this "
        f"text: {IN_A_TEXT_FILE}.",
    )
    self_assessed: Annotated[
        SelfAssessed,
        Widget(
            words={"after": "After the block's items", "before": "Before them, such as after a match"},
            is_rare=True,
        ),
    ] = Field(
        default="after",
        title="When they are asked about themselves",
        description="`after` the block's items, or `before` them: about a match that was played just now, say.",
    )

    @classmethod
    def n_units(cls, keys: Mapping[str, Any]) -> int:
        items = keys.get("items")
        return len(read_item_file("", items, by_row=True).rows) if isinstance(items, str) else 0

    @classmethod
    def whys_in(cls, keys: Keys, listed: str) -> Mapping[str, str]:
        if yes_or_no(keys.get("feedback")) is not True:
            return {}
        rows = read_item_file("", listed, by_row=True).rows
        return {row.id: row.why for row in rows if row.kind is Kind.PRACTICE and row.why}

    @classmethod
    def read_lists(cls, keys: Keys, reader: Reader) -> "ItemContent":
        stands = reader.rows_at(LISTED, keys.get("items"))
        if stands is None:
            return ItemContent()
        found = read_item_file(stands.file, stands.text, stands.first_line, by_row=stands.by_row)
        check_references(found, keys.get("questions"))
        items = [] if reader.stimuli is None else resolve_items(found, reader.stimuli)
        reader.refuse_rows(LISTED, found)
        if not found.problems:
            kinds = [row.kind for row in found.rows]
            for fault in (
                *too_many(keys, "item", kinds),
                *unmatched_groups(keys.get("questions"), found.rows),
            ):
                reader.refuse(fault)
        return ItemContent([item.id for item in items], cls.whys_in(keys, stands.text), tuple(items))

    def resolved(
        self, text: Callable[[str], str | None], asked: Callable[[Asked], Question], content: Content
    ) -> "RatingDesign":
        return RatingDesign(
            id=self.id,
            instructions=text("instructions"),
            self_assessment=text("self_assessment"),
            per_participant=self.per_participant,
            task="rating",
            per_item=self.per_item,
            when_full=self.when_full,
            order=self.order,
            watch=self.watch,
            exclude=self.exclude,
            allow=self.allow,
            feedback=self.feedback,
            items=content.items if isinstance(content, ItemContent) else (),
            attention=resolved_attention(self.attention, asked),
            questions=tuple(map(asked, self.questions)),
            self_assessed=self.self_assessed,
        )

    @classmethod
    def comparable(cls, keys: dict[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
        """Items by their ids."""
        items = keys.get("items")
        own = {"questions": by_id(keys["questions"], labels, CRITERIA)} if "questions" in keys else {}
        own |= {"attention": comparable_attention(keys.get("attention"), labels)}
        return {**keys, **own, **({"items": items_by_id(items)} if isinstance(items, str) else {})}

    @classmethod
    def corrected(cls, keys: dict[str, Any], change: Sources) -> dict[str, Any]:
        items = keys.get("items")
        if not isinstance(items, str) or not items.strip():
            return keys
        return {**keys, "items": followed(items, change)}

    @classmethod
    def admits(cls, keys: Keys) -> Callable[[StimulusFacts], bool] | None:
        names = cells_in(keys.get("items"))
        return (lambda one: one.name in names) if names else None

    @classmethod
    def texts_in(cls, listed: str) -> Sequence[str]:
        return [row.text for row in read_item_file("", listed, by_row=True).rows]


@dataclass(frozen=True, slots=True)
class ItemContent(Content):
    """The items that a block lists."""

    items: tuple[DesignItem, ...] = ()

    @property
    def groups(self) -> Collection[str]:
        main = [item for item in self.items if item.kind is Kind.MAIN]
        return {name for item in main for name in (item.condition, item.group) if name}

    def saying(self, whys: Mapping[str, str]) -> Self:
        items = (item.model_copy(update={"why": whys.get(item.id, "")}) for item in self.items)
        return replace(self, items=tuple(items), whys=whys)


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
    feedback: bool = False
    items: tuple[DesignItem, ...]
    attention: DesignAttention = DesignAttention()
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
                sources=(item.source,),
            )
            for item in self.items
        )

    @property
    def asked(self) -> tuple[Question, ...]:
        """Every question of its trials."""
        return self.questions

    def means(self) -> Mapping[str, tuple[float, float] | None]:
        ends = {q.id: _ends(q) for q in self.questions if (q.level or TYPES[q.type].level) in NUMBERED}
        with_both = {id_: each for id_, each in ends.items() if each is not None}
        return {**with_both, **{q.id: None for q in self.questions if q.yes_no}}

    @property
    def attention_checks(self) -> DesignAttention:
        return self.attention

    @property
    def has_feedback(self) -> bool:
        return self.feedback

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

    def keys(self) -> Mapping[str, Any]:
        return {
            "per_item": self.per_item,
            "when_full": None if self.when_full == "refuse" else self.when_full,
            "self_assessed": None if self.self_assessed == "after" else self.self_assessed,
            "order": self.order,
            "watch": self.watch,
            "exclude": list(self.exclude) or None,
            "allow": list(self.allow) or None,
            "feedback": self.feedback or None,
            "attention": keys_of_attention(self.attention),
            "questions": [*map(keys_of_question, self.questions)],
        }

    def rows(self) -> Mapping[str, Any]:
        return {"items": items_as_csv(self.items)}

    def names(self) -> Mapping[str, Sequence[str]]:
        return {
            "item": [item.id for item in self.items],
            "condition": [item.condition for item in self.items if item.condition],
        }

    @classmethod
    def checks(cls, blocks: Sequence[Self], study: Checked) -> Iterator[Check]:
        """The number of main items of each condition."""
        counts = Counter(item.condition for block in blocks for item in block.main_items)
        if not counts:
            yield Check(
                "items", "Items", "blocker", "There is no main item: nothing would count.", "design?at=blocks"
            )
            return
        words = listed(
            [f"{n} {condition or 'without a condition'}" for condition, n in sorted(counts.items())], "and"
        )
        yield Check("items", "Items", "ok", f"Main items: {words}.", "design?at=blocks")

    @property
    def main_items(self) -> tuple[DesignItem, ...]:
        """The items that count."""
        return tuple(item for item in self.items if item.kind is Kind.MAIN)

    def leaks(self, clues_of: CluesOf) -> BlockLeaks | None:
        return leaks_of_items(self.id, self.main_items, self.allow, clues_of)

    def with_sources(self, sources: Mapping[str, str], true_source: str) -> Self:
        return self.model_copy(update={"items": tuple(_of_source(item, sources) for item in self.items)})


def _ends(question: Question) -> tuple[float, float] | None:
    low, high = TYPES[question.type].scale(question)
    return None if low is None or high is None else (low, high)


def _of_source(item: DesignItem, sources: Mapping[str, str]) -> DesignItem:
    now = sources.get(item.stimulus, item.source)
    condition = now if item.condition == item.source else item.condition
    return item.model_copy(update={"source": now, "condition": condition})
