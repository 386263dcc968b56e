"""The parts of a block of pairs in a study file, the draw and the trials, and a pair at run time."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.config import JsonDict

from app.core.widgets import Widget
from app.library.kinds import StimulusKind
from app.questions.base import Frozen, Part, Question, different
from app.questions.drafted import one_or_list
from app.questions.registry import TrialQuestion
from app.tasks.pair.design import Member, Order, Sides
from app.tasks.pair.pairings.registry import PAIRINGS, PairingName
from app.trials.attention import Attention, DesignAttention
from app.trials.clues import LeakName
from app.trials.design import Kind
from app.trials.flags import StudyRule
from app.trials.lists import Content
from app.trials.parts import ALLOWED, RULES, Allowed, Count, StudyRules

Watch = Literal["both-to-end", "free"]
Showing = Literal["side-by-side", "sequential", "by-width"]
Use = Literal["even", "free"]
Allocate = Literal["even", "informative"]
IN_A_PAIR_FILE = "a CSV file in the study file's folder, or the CSV itself when it has more than one line"


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _one_or_more(schema: JsonDict) -> None:
    several = {key: schema.pop(key) for key in ("type", "items")}
    schema["anyOf"] = [{"type": "string", "minLength": 1}, several]


class Sample(Part):
    """Pairs drawn at random from the stimuli instead of listed in a file: of clips, or by `pairing` of records."""

    conditions: Annotated[dict[str, Count], Widget(rows=3)] = Field(
        min_length=1,
        title="Pairs of each condition, one per line",
        description="Condition to number of pairs; a condition is two sources joined by `-`, a's first.",
    )
    seed: int = Field(
        ge=0,
        # Readers of JSON that hold numbers as doubles are exact below this (RFC 8259, 6).
        lt=2**53,
        title="Seed",
        description="Makes the draw: the same stimuli and seed give the same pairs.",
    )
    match: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...],
        BeforeValidator(_as_list),
        AfterValidator(different),
        Widget(rows=2),
    ] = Field(
        default=(),
        title="What both clips agree on, one per line",
        description="The attribute, or list of attributes, on which both clips of a pair must agree.",
        json_schema_extra=_one_or_more,
    )
    pairing: Annotated[
        PairingName | None, Widget(words={name: each.title for name, each in PAIRINGS.items()})
    ] = Field(
        default=None,
        title="Records of play",
        description="Pairs records instead of clips: "
        + "; ".join(f"`{name}`, {each.description}" for name, each in PAIRINGS.items())
        + ".",
    )
    practice: Annotated[dict[str, Count], Widget(rows=2)] = Field(
        default={},
        title="Practice pairs of each condition, one per line",
        description="Condition to number of practice pairs, drawn from what `conditions` leaves.",
    )
    use: Annotated[
        Use,
        Widget(words={"even": "Each clip as rarely as possible", "free": "Regardless of clips already used"}),
    ] = Field(
        default="free",
        title="Use of clips",
        description="`even` draws each clip as rarely as possible; `free` draws regardless of clips already "
        "used, as files without this line do.",
    )
    drawn: Annotated[Annotated[str, Field(min_length=1)] | None, Widget(is_unseen=True)] = Field(
        default=None,
        title="The pairs as drawn",
        description="The pairs as drawn, as CSV: they stay the same if clips are added. Without it they are "
        "drawn again whenever the file is read.",
    )

    @property
    def shows(self) -> StimulusKind:
        return StimulusKind.RECORD if self.pairing else StimulusKind.CLIP

    @property
    def agree(self) -> tuple[str, ...]:
        """The attributes on which both stimuli of a pair agree."""
        of_pairing = PAIRINGS[self.pairing].agree if self.pairing else ()
        return tuple(dict.fromkeys((*of_pairing, *self.match)))

    @property
    def differ(self) -> tuple[str, ...]:
        """The attributes in which they differ."""
        return PAIRINGS[self.pairing].differ if self.pairing else ()

    @property
    def without(self) -> tuple[str, ...]:
        """The attributes that no stimulus of a pair has."""
        return PAIRINGS[self.pairing].without if self.pairing else ()


class Trials(Part):
    """The presentation of pairs, and the questions about each."""

    order: Annotated[
        Order,
        Widget(
            words={
                "random": "Random, anew in every session",
                "fixed": "Fixed, as the pairs are listed",
                "blocked": "Blocked by condition",
            }
        ),
    ] = Field(
        default="random",
        title="Order of the pairs",
        description="`random` per session, `fixed` as in the file, or `blocked` by condition.",
    )
    sides: Annotated[
        Sides,
        Widget(
            words={
                "balanced": "Balanced, within and over sessions",
                "random": "Random in every trial",
                "fixed": "Fixed: clip a is always on the left",
            }
        ),
    ] = Field(
        default="balanced",
        title="Sides of the clips",
        description="`balanced` within and over sessions, `random` per trial, or `fixed` with a on the left.",
    )
    watch: Annotated[
        Watch, Widget(words={"both-to-end": "Both clips to the end", "free": "As much as they like"})
    ] = Field(
        default="both-to-end",
        title="Watching",
        description="Of clips: `both-to-end` opens the questions when both were watched, `free` at once.",
    )
    layout: Annotated[
        Showing,
        Widget(
            words={
                "side-by-side": "Both at once, stacked in narrow windows",
                "by-width": "Both at once; in turn in narrow windows",
                "sequential": "One after the other, in every window",
            },
            is_rare=True,
        ),
    ] = Field(
        default="side-by-side",
        title="Layout of the clips",
        description="Of clips: `side-by-side` plays both at once, one above the other in a narrow window; `sequential` "
        "plays the first, then the second, and shows the last picture of both with the questions; `by-width` is "
        "sequential in windows too narrow for two clips side by side.",
    )
    exclude: StudyRules = Field(
        default=(),
        title="Flags that leave an answer out, one per line",
        description=RULES.format(names="`out-of-step`, `dropped-frames`"),
    )
    allow: Allowed = Field(default=(), title="Clues that are allowed, one per line", description=ALLOWED)
    feedback: Annotated[bool, Widget(is_rare=True)] = Field(
        default=False,
        title="Practice with feedback",
        description="After each practice trial a page says whether the answer was right, and why: the column `why` of "
        "the pairs.",
    )
    attention: Attention = Field(
        default=Attention(),
        title="Attention checks",
        description="Questions between the trials that say what to answer, and what failing does.",
    )
    questions: tuple[TrialQuestion, ...] = Field(
        min_length=1,
        title="Questions",
        description="Asked about every pair; exactly one is of type 2afc, the choice between the two.",
    )


class DesignPair(Frozen):
    """A pair with the content hashes of its stimuli, empty if not stored here."""

    id: str
    a: str
    b: str
    source_a: str
    source_b: str
    condition: str
    kind: Kind
    truth: Member | None
    position: int = Field(ge=1)
    clip_a_sha256: str
    clip_b_sha256: str
    why: str = ""


class DesignTrials(Frozen):
    order: Order
    sides: Sides
    watch: Watch
    layout: Showing = "side-by-side"
    exclude: tuple[StudyRule, ...] = ()
    allow: tuple[LeakName, ...] = ()
    feedback: bool = False
    attention: DesignAttention = DesignAttention()
    questions: tuple[Question, ...]


def keys_of_sample(sample: Sample) -> dict[str, Any]:
    keys = sample.model_dump(exclude_defaults=True)
    if "match" in keys:
        keys["match"] = one_or_list(keys["match"])
    return keys


@dataclass(frozen=True, slots=True)
class PairContent(Content):
    """The pairs that a block lists or draws, and the kind that they show."""

    pairs: tuple[DesignPair, ...] = ()
    shows: StimulusKind = StimulusKind.CLIP

    @property
    def groups(self) -> Collection[str]:
        return {pair.condition for pair in self.pairs if pair.kind is Kind.MAIN}

    def saying(self, whys: Mapping[str, str]) -> Self:
        pairs = (pair.model_copy(update={"why": whys.get(pair.id, "")}) for pair in self.pairs)
        return replace(self, pairs=tuple(pairs), whys=whys)
