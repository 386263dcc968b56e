"""The settings of a block of pairs in a study file, and the block at run time."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.core.widgets import Widget
from app.library.kinds import StimulusKind
from app.questions.base import Question, exactly_one
from app.questions.sides import Side
from app.tasks.pair.pairs import read_pair_file
from app.tasks.pair.terms import IN_A_PAIR_FILE, DesignPair, DesignTrials, Sample, Trials
from app.trials.design import BLOCK, Slot
from app.trials.parts import (
    BlockDesign,
    BlockSettings,
    Count,
    UnitSpec,
)


class PairBlock(BlockSettings, json_schema_extra=exactly_one(pairs="string", sample="object")):
    """A block of trials with two stimuli each: clips, records or texts."""

    begins_with: ClassVar[Mapping[str, Any]] = {
        "trials": {
            "questions": [{"id": "choice", "type": "2afc", "ask": "Which video is more likely to be human?"}]
        }
    }

    task: Literal["pair"] = Field(
        title="Which of two", description="Which of two clips, records or texts: pairs."
    )
    pairs: Annotated[Annotated[str, Field(min_length=1)] | None, Widget(rows=6, is_table=True)] = Field(
        default=None,
        title="List of pairs",
        description=f"The pairs: {IN_A_PAIR_FILE}. Either this or `sample`.",
    )
    sample: Sample | None = Field(
        default=None, title="Draw of pairs", description="Draws the pairs. Either this or `pairs`."
    )
    per_participant: Count | None = Field(
        default=None,
        title="Pairs for each participant",
        description="How many main pairs each participant sees, of every condition its share; all of them unless said.",
    )
    trials: Trials = Field(title="Trials", description="Order, sides, watching and questions.")

    @classmethod
    def n_units(cls, keys: Mapping[str, Any]) -> int:
        """The number of pairs that are listed, or asked for."""
        listed, sample = keys.get("pairs"), keys.get("sample")
        if isinstance(listed, str):
            return len(read_pair_file("", listed, by_row=True).rows)
        asked = sample if isinstance(sample, Mapping) else {}
        parts = [part for key in ("conditions", "practice") if isinstance(part := asked.get(key), Mapping)]
        return sum(n for part in parts for n in part.values() if isinstance(n, int))


class PairDesign(BlockDesign):
    """A block of pairs at run time. `sample` is the draw of the pairs, if there was one; `pairs` are the pairs; `shows`
    is the kind of all its stimuli.
    """

    noun: ClassVar[str] = "Pair"
    nouns: ClassVar[str] = "Pairs"
    sides: ClassVar[tuple[str, ...]] = tuple(Side)
    slot_key: ClassVar[str] = "left"

    id: str = BLOCK
    task: Literal["pair"]
    sample: Sample | None
    pairs: tuple[DesignPair, ...]
    shows: StimulusKind = StimulusKind.CLIP
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
