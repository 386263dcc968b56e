"""A study as it is run: everything that its files say, in one frozen, hashable value."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from app.sessions.design import Kind, Member, Order, Sides
from app.studies.file.model import Sample, StudyFile, Watch
from app.studies.file.pairs import HUMAN, PairSpec, StimulusFacts
from app.studies.file.questions import LikertQuestion, Part, QuestionType
from app.studies.file.scales import SCALES


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(Frozen):
    """A question of any type. Answer n of a likert is `labels[n - 1]`; a slider has two labels, those of its
    ends; `max_length` is for texts alone, `step` for sliders."""

    id: str
    type: QuestionType
    ask: str
    required: bool
    labels: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    max_length: int = 0
    minimum: float | None = None
    maximum: float | None = None
    allow_tie: bool = False
    step: float | None = None


class DesignConsent(Frozen):
    version: str
    text: str
    minimum_age: int | None = None


class DesignTruth(Frozen):
    """Which source is the true one; `NO_SOURCE` where none is."""

    source: str = HUMAN


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


class DesignCompletion(Frozen):
    message: str
    code: str | None = None
    redirect: str | None = None
    contact: str | None = None


class StudyDesign(Frozen):
    """What a version of a study is made of: texts as Markdown, scales as labels, pairs drawn and listed.

    `sample` says how the pairs were drawn, where they were; which they are, `pairs` says.
    """

    study: str
    title: str
    consent: DesignConsent
    background: tuple[Question, ...]
    instructions: str | None
    # Where it is as it always was, nothing of it is written: hashes of earlier versions hold.
    truth: DesignTruth = DesignTruth()
    sample: Sample | None
    pairs: tuple[DesignPair, ...]
    trials: DesignTrials
    completion: DesignCompletion

    def canonical_json(self) -> str:
        """The one way to write this design: keys sorted, no spaces, nothing absent, not escaped."""
        keys = self.model_dump(mode="json", exclude_defaults=True)
        return json.dumps(keys, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def sha256(self) -> str:
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()


Texts = Mapping[tuple[str, ...], str]


def resolve_design(
    file: StudyFile, texts: Texts, pairs: Iterable[PairSpec], stimuli: Mapping[str, StimulusFacts]
) -> StudyDesign:
    """Put a valid study file together with its `texts` (by the key that names each) and its pairs."""
    scales = {**SCALES, **file.scales}
    return StudyDesign(
        study=file.study,
        title=file.title,
        consent=DesignConsent(
            version=file.consent.version,
            text=texts["consent", "text"],
            minimum_age=file.consent.minimum_age,
        ),
        background=tuple(_question(question, scales) for question in file.background),
        instructions=texts.get(("instructions",)),
        truth=DesignTruth(source=file.truth.source),
        sample=file.sample and file.sample.model_copy(update={"drawn": None}),
        pairs=tuple(design_pair(pair, stimuli) for pair in pairs),
        trials=DesignTrials(
            order=file.trials.order,
            sides=file.trials.sides,
            watch=file.trials.watch,
            questions=tuple(_question(question, scales) for question in file.trials.questions),
        ),
        completion=DesignCompletion(
            message=texts["completion", "message"],
            code=file.completion.code,
            redirect=file.completion.redirect,
            contact=file.completion.contact,
        ),
    )


def _question(question: Part, scales: Mapping[str, tuple[str, ...]]) -> Question:
    keys: dict[str, Any] = question.model_dump(exclude={"scale"}, exclude_none=True)
    if isinstance(question, LikertQuestion) and question.scale is not None:
        keys["labels"] = scales[question.scale]
    return Question(**keys)


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
