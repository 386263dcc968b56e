"""A study as it is run: everything that its files say, in one frozen, hashable value."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from pydantic import model_validator

from app.core.language import ENGLISH, gettext
from app.core.problems import Place
from app.questions.base import Asked, Frozen, Question
from app.questions.registry import TYPES, type_of
from app.questions.scales import SCALES
from app.questions.viewing import VIEWING
from app.studies.file import recruitment
from app.studies.file.arms import MAIN, DesignArm, Dumped, changes_of, moment, with_changes
from app.studies.file.checks import DesignComprehension
from app.studies.file.devices import DesignDevices, resolved_devices
from app.studies.file.exclusion import DesignRule, resolved_rules
from app.studies.file.hypotheses import DesignHypothesis, resolved
from app.studies.file.languages import laid_over, overlay_of
from app.studies.file.model import BlockOrder, StudyFile
from app.studies.file.recruitment import DesignRecruitment
from app.studies.file.redirects import is_address
from app.studies.file.retention import DesignRetention
from app.studies.file.stopping import DesignStopWhen, resolved_stop
from app.tasks.listed import SHORT_KEYS, SHORT_TASK, units_in_words
from app.tasks.registry import SHORT, AnyDesign, Block
from app.trials.design import BLOCK, PageKey
from app.trials.ending import Way
from app.trials.lists import Content
from app.trials.parts import BlockDesign
from app.trials.stimuli import HUMAN

AnyBlock = TypeVar("AnyBlock", bound=BlockDesign)
# The keys of the one block, where they stand in the place of blocks.
_OF_ONE_BLOCK = (*SHORT_KEYS, "shows")
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
    failed_checks: str | None = None
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

    def end_of(self, way: str) -> tuple[str, str]:
        """The code of a way out, empty without one or with an address in its place, and the address to go on to."""
        finished = self.codes.finished or self.code or ""
        end = {**self.codes.model_dump(), Way.FINISHED: finished}[way] or ""
        if is_address(end):
            return "", end
        redirect = self.redirect or ""
        # An address without {code} takes all who come by it for finished, so other ways out do not lead there.
        leads = bool(redirect) and (way == Way.FINISHED or (bool(end) and "{code}" in redirect))
        return end, redirect if leads else ""

    @property
    def sends_id(self) -> bool:
        """True if a way back takes the participant's id along."""
        return self.sends("{participant}")

    def sends(self, *names: str) -> bool:
        """True if a way back has one of these in it."""
        ends = [self.redirect, *self.codes.model_dump().values()]
        return any(name in end for end in ends if end for name in names)


class StudyDesign(Frozen):
    """The content of a study version: texts as Markdown, scales as labels, drawn and listed pairs.

    A study of one block of pairs, named `trials` and without settings of its own, is serialized as before blocks
    existed, so that earlier versions keep their hashes.
    """

    study: str
    title: str
    consent: DesignConsent
    devices: DesignDevices = DesignDevices()
    screening: tuple[Question, ...] = ()
    background: tuple[Question, ...]
    instructions: str | None
    comprehension: DesignComprehension = DesignComprehension()
    viewing_conditions: bool = False
    # Where it is as it always was, nothing of it is written.
    truth: DesignTruth = DesignTruth()
    blocks: tuple[AnyDesign, ...]
    block_order: BlockOrder = "fixed"
    arms: tuple[DesignArm, ...] = ()
    target: int | None = None
    idle_minutes: int | None = None
    opens: str | None = None
    ends: str | None = None
    stop_when: DesignStopWhen | None = None
    exclude: tuple[DesignRule, ...] = ()
    completion: DesignCompletion
    recruitment: DesignRecruitment | None = None
    hypotheses: tuple[DesignHypothesis, ...] = ()
    retention: DesignRetention | None = None
    # Its own language, and for each other one the words that stand in place of its own, nested as here.
    language: str = ENGLISH
    translations: Mapping[str, Mapping[str, Any]] = {}

    @model_validator(mode="before")
    @classmethod
    def _from_one_block(cls, raw: Any) -> Any:
        if not isinstance(raw, dict) or "blocks" in raw:
            return raw
        block = {key: raw[key] for key in _OF_ONE_BLOCK if key in raw}
        rest = {key: value for key, value in raw.items() if key not in block}
        return {**rest, "blocks": [{"task": SHORT_TASK, **block}]}

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that its pages are in, its own first."""
        return (self.language, *sorted(self.translations))

    def in_language(self, language: str) -> "StudyDesign":
        """The same design with its words in one of its languages; what answers are called in the data stays."""
        if language not in self.translations:
            return self
        keys = {key: value for key, value in self._keys().items() if key != "translations"}
        laid = laid_over(keys, self.translations[language], answers=True)
        return StudyDesign.model_validate({**laid, "language": language})

    def words(self) -> Mapping[str, Any]:
        """Words for participants, nested as the keys of the design are: what another language lays over them."""
        keys = self._keys()
        keys.pop("translations", None)
        return overlay_of(_with_statements(keys))

    @property
    def true_source(self) -> str:
        return self.truth.source

    @property
    def may_show_play(self) -> bool:
        return self.consent.play_shown

    @property
    def is_one_block(self) -> bool:
        """True for a study that a file without blocks is short for, as all were before blocks existed."""
        (only,) = self.blocks if len(self.blocks) == 1 else (None,)
        return (
            only is not None
            and only.task == SHORT_TASK
            and only.id == BLOCK
            and only.instructions is None
            and only.per_participant is None
            and not only.arms
            and self.block_order == "fixed"
        )

    @property
    def arm_ids(self) -> tuple[str, ...]:
        """The arms by their ids; `main` where there are none."""
        return tuple(arm.id for arm in self.arms) or (MAIN,)

    @property
    def opens_at(self) -> datetime | None:
        return moment(self.opens) if self.opens else None

    @property
    def ends_at(self) -> datetime | None:
        return moment(self.ends) if self.ends else None

    def for_arm(self, arm: str) -> "StudyDesign":
        """The design of an arm: its values, and the blocks that it has. The study's own where there is no such arm."""
        own = next((each for each in self.arms if each.id == arm), None)
        if own is None:
            return self
        keys = with_changes(self.model_dump(mode="json", exclude_defaults=True), own.changes)
        design = StudyDesign.model_validate(keys)
        blocks = tuple(block for block in design.blocks if not block.arms or arm in block.arms)
        return design.model_copy(update={"blocks": blocks})

    def blocks_of(self, kind: type[AnyBlock]) -> tuple[AnyBlock, ...]:
        """The blocks of one task, by the class of its blocks."""
        return tuple(block for block in self.blocks if isinstance(block, kind))

    @property
    def has_partners(self) -> bool:
        """True where people may play with other people."""
        return any(block.has_partners for block in self.blocks)

    def asked_aside(self) -> tuple[tuple[Question, ...], ...]:
        """The questions of the pages before the blocks, and of those between trials."""
        viewing = VIEWING if self.viewing_conditions else ()
        before = (self.screening, viewing, self.background, self.comprehension.questions)
        return (*before, *(block.attention_checks.questions for block in self.blocks))

    def asked_at(self, page: PageKey) -> tuple[Question, ...]:
        """The questions of a page without a trial."""
        if page.kind == "attention":
            block = next(each for each in self.blocks if each.id == page.block)
            return (block.attention_checks.questions[page.position - 1],)
        return self.asked_on(page.kind, page.block)

    def asked_on(self, page: str, block: str = "") -> tuple[Question, ...]:
        """The questions of a page without a trial. Those for some groups of items are not asked about oneself."""
        before = {
            "screening": self.screening,
            "viewing": VIEWING,
            "background": self.background,
            "comprehension": self.comprehension.questions,
        }
        if page in before:
            return before[page]
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
    def n_units(self) -> Mapping[str, int]:
        """The number of units by task."""
        counts = Counter[str]()
        for block in self.blocks:
            counts[block.task] += len(block.units())
        return counts

    @property
    def contents(self) -> str:
        """The number of units in words: `11 pairs`, `6 items`, or both."""
        return units_in_words(self.n_units)

    def with_blocks(self, of_block: Callable[[BlockDesign], BlockDesign]) -> "StudyDesign":
        """The same design with its blocks changed one by one."""
        return self.model_copy(update={"blocks": tuple(map(of_block, self.blocks))})

    def canonical_json(self) -> str:
        """The one way to write this design: keys sorted, no spaces, nothing absent, not escaped."""
        return json.dumps(self._keys(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    def _keys(self) -> dict[str, Any]:
        keys = self.model_dump(mode="json", exclude_defaults=True)
        if self.is_one_block:
            (block,) = keys.pop("blocks")
            keys |= {key: block[key] for key in _OF_ONE_BLOCK if key in block}
        return keys

    def sha256(self) -> str:
        return hashlib.sha256(self.canonical_json().encode()).hexdigest()


# By the place of the key that names each: `("consent", "text")`, `("blocks", 0, "instructions")`.
Texts = Mapping[Place, str]


def resolve_design(file: StudyFile, texts: Texts, contents: Sequence[Content]) -> StudyDesign:
    """Combine a valid study file with its `texts` and the content of each block, joined with known stimuli."""
    scales = {**{name: tuple(map(gettext, labels)) for name, labels in SCALES.items()}, **file.scales}
    blocks = tuple(
        _in_arms(
            block,
            block.resolved(partial(_text_of, texts, at), partial(run_question, scales=scales), content),
        )
        for at, (block, content) in enumerate(zip(blocks_of_file(file), contents, strict=True))
    )
    return StudyDesign(
        study=file.study,
        title=file.title,
        consent=DesignConsent(
            version=file.consent.version,
            text=texts["consent", "text"],
            minimum_age=file.consent.minimum_age,
            play_shown=file.consent.play_shown,
        ),
        devices=resolved_devices(file.devices),
        screening=tuple(run_question(question, scales) for question in file.screening),
        background=tuple(run_question(question, scales) for question in file.background),
        instructions=texts.get(("instructions",)),
        comprehension=DesignComprehension(
            questions=tuple(run_question(question, scales) for question in file.comprehension.questions),
            tries=file.comprehension.tries,
            failed=file.comprehension.failed,
        ),
        viewing_conditions=file.viewing_conditions,
        truth=DesignTruth(source=file.truth.source),
        blocks=blocks,
        block_order=file.block_order,
        target=file.target,
        idle_minutes=file.idle_minutes,
        opens=file.opens,
        ends=file.ends,
        stop_when=resolved_stop(file.stop_when, blocks),
        exclude=resolved_rules(file.exclude),
        hypotheses=resolved(file.hypotheses),
        retention=DesignRetention(days=file.retention.days) if file.retention else None,
        completion=DesignCompletion(
            message=texts["completion", "message"],
            code=file.completion.code,
            redirect=file.completion.redirect,
            contact=file.completion.contact,
            minutes=file.completion.minutes,
            pay=file.completion.pay,
            codes=DesignCodes(**file.completion.codes.model_dump()),
        ),
        recruitment=recruitment.resolved(file.recruitment),
    )


def _with_statements(keys: Any) -> Any:
    """Keys of a design with a matrix's statements where a study file has them."""
    if isinstance(keys, dict):
        found = {key: _with_statements(value) for key, value in keys.items()}
        own = found.pop("own", None)
        statements = own.get("statements") if isinstance(own, dict) else None
        return {**found, "statements": statements} if statements else found
    return [_with_statements(each) for each in keys] if isinstance(keys, list) else keys


def _in_arms(block: Block, design: BlockDesign) -> BlockDesign:
    return design.model_copy(update={"arms": block.arms}) if block.arms else design


def with_arms(design: StudyDesign, arms: Sequence[tuple[DesignArm, StudyDesign]]) -> StudyDesign:
    """A design with its arms, each given with the design that it makes of the file."""
    base = _dumped(design)
    resolved = (arm.model_copy(update={"changes": changes_of(base, _dumped(own))}) for arm, own in arms)
    return design.model_copy(update={"arms": tuple(resolved)})


def _dumped(design: StudyDesign) -> Dumped:
    return Dumped(design.model_dump(mode="json", exclude_defaults=True), design.model_dump(mode="json"))


def blocks_of_file(file: StudyFile) -> tuple[Block, ...]:
    """A study file's blocks, the one that it is short for among them."""
    if file.trials is None:
        return file.blocks
    keys = {key: getattr(file, key) for key in SHORT_KEYS}
    return (SHORT.model_validate({"id": BLOCK, "task": SHORT_TASK, **keys}),)


def _text_of(texts: Texts, at: int, key: str) -> str | None:
    return texts.get(("blocks", at, key))


def run_question(question: Asked, scales: Scales) -> Question:
    type_ = TYPES[str(type_of(question))]
    when = getattr(question, "when", None)
    keys = dict(type_.resolved(question, scales))
    keys.pop("when", None)
    own = {key: keys.pop(key) for key in keys.keys() - Question.model_fields.keys()}
    return Question(**keys, groups=when.group if when else (), own=own)
