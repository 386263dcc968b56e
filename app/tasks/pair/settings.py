"""The settings of a block of pairs in a study file, and the block at run time."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, Field, ValidationError

from app.core.problems import Fault, Place
from app.core.widgets import Widget
from app.library.kinds import StimulusKind
from app.questions.base import Asked, Question, exactly_one
from app.questions.drafted import by_id, keys_of_question, with_defaults
from app.questions.registry import type_of
from app.questions.sides import Side
from app.tasks.pair.allocating import CHOOSE_SOME, RANK_THREE, cannot_rank
from app.tasks.pair.checks import of_blocks
from app.tasks.pair.leaks import leaks_of_pairs
from app.tasks.pair.pairs import (
    PairSpec,
    check_clips,
    design_pair,
    drawn_as_csv,
    has_source,
    pairs_as_csv,
    read_pair_file,
    resolve_rows,
    rows_by_id,
)
from app.tasks.pair.sampling import DRAWN, draws, kept_apart, sample_pairs
from app.tasks.pair.terms import (
    IN_A_PAIR_FILE,
    Allocate,
    DesignPair,
    DesignTrials,
    PairContent,
    Sample,
    Trials,
    keys_of_sample,
)
from app.tasks.pair.truth import followed, of_sources, turned, with_rows
from app.trials.attention import TIDIES as ATTENTION
from app.trials.attention import (
    DesignAttention,
    comparable_attention,
    keys_of_attention,
    resolved_attention,
)
from app.trials.checks import Check, Checked
from app.trials.design import BLOCK, Kind, Slot
from app.trials.leaks import BlockLeaks, CluesOf
from app.trials.lists import Content, Keys, Reader, cells_in, too_many
from app.trials.parts import BlockDesign, BlockSettings, Count, UnitSpec
from app.trials.stimuli import Sources, StimulusFacts
from app.trials.tidying import Tidy, as_is, counts, questions, section, whole, yes_or_no

LISTED: Place = ("pairs",)
LIST_OR_DRAW = "add `pairs: pairs.csv` or a `sample:`"
ADD_A_CHOICE = "add `{id: choice, type: 2afc, ask: ...}`"
_SAMPLE = ("match", "seed", "use", "conditions", "practice", "drawn")
_OF_SAMPLE = {"seed": whole, "conditions": counts, "practice": counts, "drawn": as_is}
_TRIALS = ("order", "sides", "watch", "layout", "exclude", "feedback", "attention", "questions")


class PairBlock(BlockSettings, json_schema_extra=exactly_one(pairs="string", sample="object")):
    """A block of trials with two stimuli each: clips, records or texts."""

    begins_with: ClassVar[Mapping[str, Any]] = {
        "trials": {
            "questions": [{"id": "choice", "type": "2afc", "ask": "Which video is more likely to be human?"}]
        }
    }

    sections: ClassVar[Mapping[str, type[BaseModel]]] = {"sample": Sample, "trials": Trials}
    questions_at: ClassVar[Place] = ("trials", "questions")
    attention_at: ClassVar[Place] = ("trials", "attention")
    of_two: ClassVar[bool] = True
    lists: ClassVar[Sequence[Place]] = (("pairs",),)
    written: ClassVar[Sequence[Place]] = (("pairs",), DRAWN)
    in_forms: ClassVar[Mapping[str, str]] = {
        f": {IN_A_PAIR_FILE}": ", as CSV",
        LIST_OR_DRAW: "list the pairs, or have them drawn",
        ADD_A_CHOICE: "add one, with the id choice",
        RANK_THREE: "compare three sources or more, or choose pairs evenly",
        CHOOSE_SOME: "give fewer pairs for each participant than the block has, or choose them evenly",
    }
    key_order: ClassVar[Sequence[str]] = ("pairs", "sample", "per_participant", "allocate", "trials")
    tidies: ClassVar[Mapping[str, Tidy]] = {
        "pairs": as_is,  # problems name its rows, so that none may be lost
        "sample": lambda value: section(value, _SAMPLE, _OF_SAMPLE),
        "trials": lambda value: section(
            value, _TRIALS, {"questions": questions, "feedback": yes_or_no, **ATTENTION}
        ),
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
    per_participant: Annotated[Count | None, Widget(unit="pairs")] = Field(
        default=None,
        title="Pairs for each participant",
        description="How many main pairs each participant sees, of every condition its share; all of them unless said.",
    )
    allocate: Annotated[
        Allocate,
        Widget(
            words={
                "even": "Even: those shown least often come first",
                "informative": "Informative: sources whose order is least known come first",
            }
        ),
    ] = Field(
        default="even",
        title="Choice of each participant's pairs",
        description="Of `per_participant` pairs: `even` shows every pair equally often; `informative` prefers pairs of "
        "sources whose order the answers so far leave open, for studies that rank three sources or more.",
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

    @classmethod
    def broken_rules(cls, place: Place, keys: Keys, asked: Sequence[tuple[Place, Keys]]) -> Iterator[Fault]:
        """A list or a draw, and one choice between the two."""
        given = [key for key in ("pairs", "sample") if keys.get(key) is not None]
        if len(given) == 2:
            yield Fault((*place, "sample"), "both `pairs` and `sample` are given", "keep one of the two")
        elif not given:
            where = next(((*place, key) for key in ("pairs", "sample") if key in keys), place)
            yield Fault(where, "neither `pairs` nor `sample` is given", LIST_OR_DRAW)
        choices = [at for at, question in asked if type_of(question) == "2afc"]
        if asked and not choices:
            where = asked[0][0][:-1]
            yield Fault(where, "no question of type 2afc: there is nothing to choose", ADD_A_CHOICE)
        if keys.get("allocate") == "informative" and keys.get("per_participant") is None:
            message = "allocate: everybody sees all pairs, so there are none to be chosen"
            yield Fault((*place, "allocate"), message, CHOOSE_SOME)
        for at in choices[1:]:
            yield Fault(at, "a second question of type 2afc", "keep one; ask the rest as choice or likert")

    @classmethod
    def whys_in(cls, keys: Keys, listed: str) -> Mapping[str, str]:
        trials = keys.get("trials")
        if not isinstance(trials, Mapping) or yes_or_no(trials.get("feedback")) is not True:
            return {}
        rows = read_pair_file("", listed, by_row=True).rows
        return {row.id: row.why for row in rows if row.kind is Kind.PRACTICE and row.why}

    @classmethod
    def read_lists(cls, keys: Keys, reader: Reader) -> "PairContent":
        stimuli, drawn = reader.stimuli, keys.get("sample")
        stands = reader.rows_at(LISTED, keys.get("pairs"))
        pairs: list[PairSpec] = []
        if stands is not None:
            found = read_pair_file(stands.file, stands.text, stands.first_line, by_row=stands.by_row)
            check_clips(found, stimuli)
            if stimuli is not None:
                pairs += resolve_rows(found, stimuli, reader.true_source)
            reader.refuse_rows(LISTED, found)
            if not found.problems:
                _refuse_too_many(keys, reader, [row.kind for row in found.rows])
        if isinstance(drawn, dict) and stimuli is not None:
            sampled = _drawn(drawn, reader, stimuli)
            if sampled:
                _refuse_too_many(keys, reader, [pair.kind for pair in sampled])
            pairs += kept_apart(sampled, reader.taken, keys.get("id"))
        if pairs:
            for fault in cannot_rank(keys, pairs):
                reader.refuse(fault)
        shows = (
            next((stimuli[pair.a].kind for pair in pairs), StimulusKind.CLIP)
            if stimuli
            else StimulusKind.CLIP
        )
        return PairContent(
            ids=[pair.id for pair in pairs],
            whys=cls.whys_in(keys, stands.text) if stands else {},
            pairs=tuple(design_pair(pair, stimuli or {}) for pair in pairs),
            shows=shows,
        )

    def resolved(
        self, text: Callable[[str], str | None], asked: Callable[[Asked], Question], content: Content
    ) -> "PairDesign":
        own, trials = content if isinstance(content, PairContent) else PairContent(), self.trials
        return PairDesign(
            id=self.id,
            instructions=text("instructions"),
            self_assessment=text("self_assessment"),
            per_participant=self.per_participant,
            allocate=self.allocate,
            task="pair",
            sample=self.sample and self.sample.model_copy(update={"drawn": None}),
            pairs=own.pairs,
            shows=own.shows,
            trials=DesignTrials(
                order=trials.order,
                sides=trials.sides,
                watch=trials.watch,
                layout=trials.layout,
                exclude=trials.exclude,
                allow=trials.allow,
                feedback=trials.feedback,
                attention=resolved_attention(trials.attention, asked),
                questions=tuple(map(asked, trials.questions)),
            ),
        )

    @classmethod
    def comparable(cls, keys: dict[str, Any], labels: Mapping[str, Any]) -> dict[str, Any]:
        """Pairs by their ids, listed or drawn."""
        listed, sample = keys.get("pairs"), keys.get("sample")
        if isinstance(sample, dict):
            drawn, sample = sample.get("drawn"), {key: sample[key] for key in sample if key != "drawn"}
            listed = drawn if listed is None and isinstance(drawn, str) else listed
            if isinstance(sample.get("match"), str):
                sample["match"] = [sample["match"]]
        trials = with_defaults(Trials, keys.get("trials"))
        if isinstance(trials, dict):
            trials["questions"] = by_id(trials.get("questions"), labels)
            trials["attention"] = comparable_attention(trials.get("attention"), labels)
        rest = {key: value for key, value in keys.items() if key != "pairs"}
        pairs = rows_by_id(listed) if isinstance(listed, str) else listed
        own = {"sample": with_defaults(Sample, sample), "trials": trials}
        return {**rest, **own, **({"pairs": pairs} if pairs else {})}

    @classmethod
    def corrected(cls, keys: dict[str, Any], change: Sources) -> dict[str, Any]:
        return with_rows(keys, lambda row: followed(row, change))

    @classmethod
    def admits(cls, keys: Keys) -> Callable[[StimulusFacts], bool] | None:
        names, sample = cells_in(keys.get("pairs")), keys.get("sample")
        asked = sample if isinstance(sample, Mapping) else {}
        parts = [part for key in ("conditions", "practice") if isinstance(part := asked.get(key), Mapping)]
        conditions = {str(condition) for part in parts for condition in part}
        drawn = StimulusKind.RECORD if asked.get("pairing") else StimulusKind.CLIP

        def takes(one: StimulusFacts) -> bool:
            of_draw = one.is_own and one.kind is drawn
            return one.name in names or (of_draw and any(has_source(c, one.source) for c in conditions))

        return takes if names or conditions else None


def _refuse_too_many(keys: Keys, reader: Reader, kinds: Sequence[Kind]) -> None:
    for fault in too_many(keys, "pair", kinds):
        reader.refuse(fault)


def _drawn(keys: dict[str, Any], reader: Reader, stimuli: Mapping[str, StimulusFacts]) -> Sequence[PairSpec]:
    try:
        sample = Sample.model_validate(keys)
    except ValidationError:
        return ()  # named already, with the rest of the file
    drawn = sample_pairs(sample, stimuli, reader.true_source)
    for fault in drawn.faults:
        reader.refuse(fault)
    return drawn.pairs


class PairDesign(BlockDesign):
    """A block of pairs at run time. `sample` is the draw of the pairs, if there was one; `pairs` are the pairs; `shows`
    is the kind of all its stimuli; `allocate` says how the pairs of each participant are chosen.
    """

    noun: ClassVar[str] = "Pair"
    nouns: ClassVar[str] = "Pairs"
    sides: ClassVar[tuple[str, ...]] = tuple(Side)
    slot_key: ClassVar[str] = "left"
    of_stimuli: ClassVar[bool] = True
    edited_at: ClassVar[str] = "pairs"

    id: str = BLOCK
    task: Literal["pair"]
    sample: Sample | None
    pairs: tuple[DesignPair, ...]
    shows: StimulusKind = StimulusKind.CLIP
    allocate: Allocate = "even"
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
                sources=(pair.source_a, pair.source_b),
            )
            for pair in self.pairs
        )

    @property
    def asked(self) -> tuple[Question, ...]:
        """Every question of its trials."""
        return self.trials.questions

    @property
    def main_pairs(self) -> tuple[DesignPair, ...]:
        """The pairs that count."""
        return tuple(pair for pair in self.pairs if pair.kind is Kind.MAIN)

    @property
    def in_turn(self) -> bool:
        return self.trials.layout == "sequential"

    @property
    def attention_checks(self) -> DesignAttention:
        return self.trials.attention

    def pair(self, id_: str) -> DesignPair:
        """The pair of an id. Raises StopIteration."""
        return next(pair for pair in self.pairs if pair.id == id_)

    @property
    def has_feedback(self) -> bool:
        return self.trials.feedback

    def keys(self) -> Mapping[str, Any]:
        trials = self.trials
        return {
            **({} if self.allocate == "even" else {"allocate": self.allocate}),
            "trials": {
                **trials.model_dump(include={"order", "sides", "watch"}),
                **({} if trials.layout == "side-by-side" else {"layout": trials.layout}),
                **{key: list(names) for key in ("exclude", "allow") if (names := getattr(trials, key))},
                **({"feedback": True} if trials.feedback else {}),
                **({"attention": attention} if (attention := keys_of_attention(trials.attention)) else {}),
                "questions": [*map(keys_of_question, trials.questions)],
            },
        }

    def rows(self) -> Mapping[str, Any]:
        drawn = {"sample": keys_of_sample(self.sample)} if self.sample else {}
        return {"pairs": pairs_as_csv(self.pairs), **drawn}

    def rows_of_draft(self, true_source: str, stimuli: Mapping[str, StimulusFacts]) -> Mapping[str, Any]:
        kept = self.sample and self.sample.model_copy(update={"drawn": drawn_as_csv(self.pairs)})
        if kept is not None and draws(self.pairs, kept, true_source, stimuli):
            return {"sample": keys_of_sample(kept)}
        return {"pairs": pairs_as_csv(self.pairs)}

    def names(self) -> Mapping[str, Sequence[str]]:
        return {
            "pair": [pair.id for pair in self.pairs],
            "source": [source for pair in self.pairs for source in (pair.source_a, pair.source_b)],
            "condition": [pair.condition for pair in self.pairs],
        }

    @classmethod
    def checks(cls, blocks: Sequence[Self], study: Checked) -> Iterator[Check]:
        yield from of_blocks(blocks, study.true_source)

    def leaks(self, clues_of: CluesOf) -> BlockLeaks | None:
        if self.shows is StimulusKind.CLIP:
            return None
        return leaks_of_pairs(self.id, self.main_pairs, self.shows, self.trials.allow, clues_of)

    def with_true_source(self, old: str, new: str) -> Self:
        keeps = self.sample is not None
        pairs = tuple(turned(pair, (pair.source_a, pair.source_b), old, new, keeps) for pair in self.pairs)
        return self.model_copy(update={"pairs": pairs})

    def with_sources(self, sources: Mapping[str, str], true_source: str) -> Self:
        """Pairs of other sources than the draw asked for are no longer what it drew."""
        pairs = tuple(of_sources(pair, sources, true_source) for pair in self.pairs)
        return self if pairs == self.pairs else self.model_copy(update={"pairs": pairs, "sample": None})


def pairs_of(blocks: Iterable[BlockDesign]) -> tuple[DesignPair, ...]:
    """The pairs of all blocks of pairs."""
    return tuple(pair for block in blocks if isinstance(block, PairDesign) for pair in block.pairs)


def pair_questions(blocks: Sequence[BlockDesign]) -> tuple[Question, ...]:
    """The questions about pairs, in any block; the same one once."""
    of_pairs = [block for block in blocks if isinstance(block, PairDesign)]
    asked = {q.id: q for block in reversed(of_pairs) for q in reversed(block.trials.questions)}
    return tuple(reversed(asked.values()))
