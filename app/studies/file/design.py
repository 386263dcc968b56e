"""A study as it is run: everything that its files say, in one frozen, hashable value."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import model_validator

from app.core.problems import Place
from app.library.kinds import StimulusKind
from app.questions.base import Asked, Frozen, Question
from app.questions.registry import TYPES, type_of
from app.questions.scales import SCALES
from app.studies.file.model import BlockOrder, StudyFile
from app.studies.file.pairs import HUMAN, PairSpec, StimulusFacts
from app.tasks.game.settings import GameDesign
from app.tasks.listed import units_in_words
from app.tasks.pair.settings import DesignPair, DesignTrials, PairBlock, PairDesign, Sample
from app.tasks.rating.settings import DesignItem, RatingBlock, RatingDesign
from app.tasks.registry import AnyDesign, Block
from app.tasks.walk.settings import WalkDesign
from app.trials.design import BLOCK
from app.trials.parts import BlockDesign

Scales = Mapping[str, tuple[str, ...]]


class DesignConsent(Frozen):
    version: str
    text: str
    minimum_age: int | None = None
    play_shown: bool = False


class DesignTruth(Frozen):
    """The true source; `NO_SOURCE` if there is none."""

    source: str = HUMAN


class DesignCodes(Frozen):
    """A code or an address for each way out."""

    finished: str | None = None
    no_consent: str | None = None
    screened_out: str | None = None
    full: str | None = None
    partial: str | None = None
    failed: str | None = None


class DesignCompletion(Frozen):
    message: str
    code: str | None = None
    redirect: str | None = None
    contact: str | None = None
    minutes: int | None = None
    pay: str | None = None
    codes: DesignCodes = DesignCodes()


class StudyDesign(Frozen):
    """The content of a study version: texts as Markdown, scales as labels, drawn and listed pairs.

    A study of one block of pairs, named `trials` and without settings of its own, is serialized as before blocks
    existed, so that earlier versions keep their hashes.
    """

    study: str
    title: str
    consent: DesignConsent
    background: tuple[Question, ...]
    instructions: str | None
    # Where it is as it always was, nothing of it is written.
    truth: DesignTruth = DesignTruth()
    blocks: tuple[AnyDesign, ...]
    block_order: BlockOrder = "fixed"
    completion: DesignCompletion

    @model_validator(mode="before")
    @classmethod
    def _from_one_block(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or "blocks" in raw:
            return raw
        block = {key: raw[key] for key in (*_OF_ONE_BLOCK, "shows") if key in raw}
        rest = {key: value for key, value in raw.items() if key not in block}
        return {**rest, "blocks": [{"task": "pair", **block}]}

    @property
    def true_source(self) -> str:
        return self.truth.source

    @property
    def may_show_play(self) -> bool:
        return self.consent.play_shown

    @property
    def is_one_block(self) -> bool:
        """True for a study of pairs only, as all were before blocks existed."""
        (only,) = self.blocks if len(self.blocks) == 1 else (None,)
        return (
            isinstance(only, PairDesign)
            and only.id == BLOCK
            and only.instructions is None
            and only.per_participant is None
            and self.block_order == "fixed"
        )

    @property
    def pair_blocks(self) -> tuple[PairDesign, ...]:
        return tuple(block for block in self.blocks if isinstance(block, PairDesign))

    @property
    def rating_blocks(self) -> tuple[RatingDesign, ...]:
        return tuple(block for block in self.blocks if isinstance(block, RatingDesign))

    @property
    def game_blocks(self) -> tuple[GameDesign, ...]:
        return tuple(block for block in self.blocks if isinstance(block, GameDesign))

    @property
    def has_partners(self) -> bool:
        """True where people may play with other people."""
        return any(block.has_partners for block in self.game_blocks)

    @property
    def walk_blocks(self) -> tuple[WalkDesign, ...]:
        return tuple(block for block in self.blocks if isinstance(block, WalkDesign))

    @property
    def trials(self) -> DesignTrials | None:
        """The trials of the first block of pairs; None if there is none."""
        return self.pair_blocks[0].trials if self.pair_blocks else None

    @property
    def pair_questions(self) -> tuple[Question, ...]:
        """The questions about pairs, in any block."""
        asked = {q.id: q for block in reversed(self.pair_blocks) for q in reversed(block.trials.questions)}
        return tuple(reversed(asked.values()))

    def asked_on(self, page: str, block: str = "") -> tuple[Question, ...]:
        """The questions of a page without a trial. Those for some groups of items are not asked about oneself."""
        if page == "background":
            return self.background
        return tuple(
            q
            for each in self.blocks
            if page == "self" and each.id == block
            for q in each.asked
            if not q.groups
        )

    def instructions_of(self, block: str) -> str | None:
        """A block's own instructions, or those of the study."""
        return next((each.instructions for each in self.blocks if each.id == block), self.instructions)

    @property
    def pairs(self) -> tuple[DesignPair, ...]:
        """The pairs of all blocks."""
        return tuple(pair for block in self.pair_blocks for pair in block.pairs)

    @property
    def n_items(self) -> int:
        return sum(len(block.items) for block in self.rating_blocks)

    @property
    def sample(self) -> Sample | None:
        """The sample from which the pairs were drawn, for a study of one block of pairs."""
        return self.pair_blocks[0].sample if len(self.pair_blocks) == 1 else None

    @property
    def stimuli(self) -> frozenset[str]:
        """The names of all stimuli shown."""
        return frozenset(self.hashes)

    @property
    def hashes(self) -> dict[str, str]:
        """The content hash of each stimulus, by name; empty if it is not stored here."""
        return {
            name: sha256
            for block in self.blocks
            for unit in block.units()
            for name, sha256 in unit.sha256.items()
        }

    @property
    def contents(self) -> str:
        """The number of units in words: `11 pairs`, `6 items`, or both."""
        counts = Counter[str]()
        for block in self.blocks:
            counts[block.task] += len(block.units())
        return units_in_words(counts)

    def with_units(
        self, of_pair: Callable[[DesignPair], DesignPair], of_item: Callable[[DesignItem], DesignItem]
    ) -> "StudyDesign":
        """The same design with its pairs and items changed one by one."""
        changed: list[BlockDesign] = []
        for block in self.blocks:
            if isinstance(block, PairDesign):
                changed.append(block.model_copy(update={"pairs": tuple(map(of_pair, block.pairs))}))
            elif isinstance(block, RatingDesign):
                changed.append(block.model_copy(update={"items": tuple(map(of_item, block.items))}))
            else:
                changed.append(block)
        return self.model_copy(update={"blocks": tuple(changed)})

    def canonical_json(self) -> str:
        """The one way to write this design: keys sorted, no spaces, nothing absent, not escaped."""
        return json.dumps(self._keys(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def _keys(self) -> dict[str, Any]:
        keys = self.model_dump(mode="json", exclude_defaults=True)
        if self.is_one_block:
            (block,) = keys.pop("blocks")
            keys |= {key: block[key] for key in _OF_ONE_BLOCK}
            keys |= {"shows": block["shows"]} if "shows" in block else {}
        return keys

    def sha256(self) -> str:
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()


_OF_ONE_BLOCK = ("sample", "pairs", "trials")
# By the place of the key that names each: `("consent", "text")`, `("blocks", 0, "instructions")`.
Texts = Mapping[Place, str]


@dataclass(frozen=True, slots=True)
class BlockContent:
    """The content read for one block of a study file: its pairs, or its items."""

    pairs: Sequence[PairSpec] = ()
    items: Sequence[DesignItem] = ()


def resolve_design(
    file: StudyFile, texts: Texts, contents: Sequence[BlockContent], stimuli: Mapping[str, StimulusFacts]
) -> StudyDesign:
    """Combine a valid study file with its `texts` and the content of each block."""
    scales = {**SCALES, **file.scales}
    return StudyDesign(
        study=file.study,
        title=file.title,
        consent=DesignConsent(
            version=file.consent.version,
            text=texts["consent", "text"],
            minimum_age=file.consent.minimum_age,
            play_shown=file.consent.play_shown,
        ),
        background=tuple(run_question(question, scales) for question in file.background),
        instructions=texts.get(("instructions",)),
        truth=DesignTruth(source=file.truth.source),
        blocks=tuple(
            _block(block, partial(_text_of, texts, at), content, stimuli, scales)
            for at, (block, content) in enumerate(zip(blocks_of(file), contents, strict=True))
        ),
        block_order=file.block_order,
        completion=DesignCompletion(
            message=texts["completion", "message"],
            code=file.completion.code,
            redirect=file.completion.redirect,
            contact=file.completion.contact,
            minutes=file.completion.minutes,
            pay=file.completion.pay,
            codes=DesignCodes(**file.completion.codes.model_dump()),
        ),
    )


def blocks_of(file: StudyFile) -> tuple[Block, ...]:
    """A study file's blocks, the one that `trials` is short for among them."""
    if file.trials is None:
        return file.blocks
    return (PairBlock(id=BLOCK, task="pair", pairs=file.pairs, sample=file.sample, trials=file.trials),)


def _text_of(texts: Texts, at: int, key: str) -> str | None:
    return texts.get(("blocks", at, key))


def _block(
    block: Block,
    text: Callable[[str], str | None],
    content: BlockContent,
    stimuli: Mapping[str, StimulusFacts],
    scales: Scales,
) -> BlockDesign:
    asked = partial(run_question, scales=scales)
    if not isinstance(block, (PairBlock, RatingBlock)):
        return block.as_run(text("instructions"), asked)
    own: dict[str, Any] = {
        "id": block.id,
        "instructions": text("instructions"),
        "self_assessment": text("self_assessment"),
        "per_participant": block.per_participant,
    }
    if isinstance(block, RatingBlock):
        return RatingDesign(
            **own,
            task="rating",
            per_item=block.per_item,
            when_full=block.when_full,
            order=block.order,
            watch=block.watch,
            exclude=block.exclude,
            allow=block.allow,
            items=tuple(content.items),
            questions=tuple(map(asked, block.questions)),
            self_assessed=block.self_assessed,
        )
    trials = block.trials
    return PairDesign(
        **own,
        task="pair",
        sample=block.sample and block.sample.model_copy(update={"drawn": None}),
        pairs=tuple(design_pair(pair, stimuli) for pair in content.pairs),
        shows=next((stimuli[pair.a].kind for pair in content.pairs), StimulusKind.CLIP),
        trials=DesignTrials(
            order=trials.order,
            sides=trials.sides,
            watch=trials.watch,
            exclude=trials.exclude,
            allow=trials.allow,
            questions=tuple(map(asked, trials.questions)),
        ),
    )


def run_question(question: Asked, scales: Scales) -> Question:
    type_ = TYPES[str(type_of(question))]
    when = getattr(question, "when", None)
    keys = dict(type_.resolved(question, scales))
    keys.pop("when", None)
    own = {key: keys.pop(key) for key in keys.keys() - Question.model_fields.keys()}
    return Question(**keys, groups=when.group if when else (), own=own)


def design_pair(pair: PairSpec, stimuli: Mapping[str, StimulusFacts]) -> DesignPair:
    return DesignPair(
        id=pair.id,
        a=pair.a,
        b=pair.b,
        source_a=pair.source_a,
        source_b=pair.source_b,
        condition=pair.condition,
        kind=pair.kind,
        truth=pair.truth,
        position=pair.position,
        clip_a_sha256=stimuli[pair.a].clip_sha256,
        clip_b_sha256=stimuli[pair.b].clip_sha256,
    )
