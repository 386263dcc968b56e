"""What a study file says of a block of pairs, and what such a block is when it is run."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.config import JsonDict

from app.sessions.design import BLOCK, Kind, Member, Order, Sides, Slot
from app.studies.file.questions import Frozen, Part, Question, TrialQuestion, different, exactly_one
from app.tasks.parts import BlockDesign, BlockSettings, Count, UnitSpec

Watch = Literal["both-to-end", "free"]
Use = Literal["even", "free"]
IN_A_PAIR_FILE = "a CSV file in the study file's folder, or the CSV itself when it has more than one line"


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _one_or_more(schema: JsonDict) -> None:
    several = {key: schema.pop(key) for key in ("type", "items")}
    schema["anyOf"] = [{"type": "string", "minLength": 1}, several]


class Sample(Part):
    """Pairs drawn at random from the stimuli instead of listed in a file."""

    conditions: dict[str, Count] = Field(
        min_length=1,
        description="Condition to number of pairs; a condition is two sources joined by `-`, a's first.",
    )
    seed: int = Field(
        ge=0, lt=2**53, description="Makes the draw: the same stimuli and seed give the same pairs."
    )
    match: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_as_list), AfterValidator(different)
    ] = Field(
        default=(),
        description="The attribute, or list of attributes, on which both clips of a pair must agree.",
        json_schema_extra=_one_or_more,
    )
    practice: dict[str, Count] = Field(
        default={}, description="Condition to number of practice pairs, drawn from what `conditions` leaves."
    )
    use: Use = Field(
        default="free",
        description="`even` draws each clip as seldom as can be; `free` draws whatever clips are used already, "
        "as files without this line always did.",
    )
    drawn: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="The pairs as they were drawn, as CSV: they stay, whatever clips come. Without it they are drawn "
        "anew wherever the file is read.",
    )


class Trials(Part):
    """How the pairs are shown, and what is asked about each."""

    questions: tuple[TrialQuestion, ...] = Field(
        min_length=1, description="The questions of every trial; exactly one is of type 2afc."
    )
    order: Order = Field(
        default="random",
        description="`random` per session, `fixed` as in the file, or `blocked` by condition.",
    )
    sides: Sides = Field(
        default="balanced",
        description="`balanced` within and over sessions, `random` per trial, or `fixed` with a on the left.",
    )
    watch: Watch = Field(
        default="both-to-end",
        description="`both-to-end` opens the questions when both clips were watched, `free` at once.",
    )


class PairBlock(BlockSettings, json_schema_extra=exactly_one(pairs="string", sample="object")):
    """A block of trials with two clips each."""

    task: Literal["pair"] = Field(description="Which of two clips: pairs.")
    pairs: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description=f"The pairs: {IN_A_PAIR_FILE}. Either this or `sample`."
    )
    sample: Sample | None = Field(default=None, description="Draws the pairs. Either this or `pairs`.")
    trials: Trials = Field(description="The trials.")
    per_participant: Count | None = Field(
        default=None,
        description="How many main pairs each participant sees, of every condition its share; all of them unless said.",
    )


class DesignPair(Frozen):
    """A pair with the hashes of its clips, empty where the clips are not kept here."""

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


class DesignTrials(Frozen):
    order: Order
    sides: Sides
    watch: Watch
    questions: tuple[Question, ...]


class PairDesign(BlockDesign):
    """A block of pairs as it is run. `sample` says how the pairs were drawn, where they were; which they are, `pairs`
    says."""

    noun: ClassVar[str] = "Pair"

    id: str = BLOCK
    task: Literal["pair"]
    sample: Sample | None
    pairs: tuple[DesignPair, ...]
    trials: DesignTrials

    def units(self) -> tuple[UnitSpec, ...]:
        return tuple(
            UnitSpec(
                name=pair.id,
                condition=pair.condition,
                kind=pair.kind,
                members={Slot.A: pair.a, Slot.B: pair.b},
                sha256={pair.a: pair.clip_a_sha256, pair.b: pair.clip_b_sha256},
                truth=pair.truth,
            )
            for pair in self.pairs
        )

    @property
    def asked(self) -> tuple[Question, ...]:
        """Every question of its trials."""
        return self.trials.questions
