"""Drafts: a study's keys while it is edited, complete or not, with every text and pair in them.

A text is always Markdown and `pairs` always CSV, even on one line: pages have no files.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from app.core.problems import Fault, Place
from app.core.rowfiles import RowFile, RowText
from app.questions.base import Question
from app.questions.registry import QUESTIONS
from app.studies.file.design import StudyDesign, design_pair, resolve_design
from app.studies.file.items import COLUMNS as ITEM_COLUMNS
from app.studies.file.items import ItemRow
from app.studies.file.keys import ORDER, UnwieldyDraft, as_written, tidied
from app.studies.file.pairs import COLUMNS, HUMAN, PairSpec, StimulusFacts
from app.studies.file.reading import PAIRS, Reading
from app.studies.file.sampling import sample_pairs
from app.tasks.pair.settings import DesignPair, DesignTrials, PairDesign, Sample
from app.tasks.rating.settings import DesignItem, RatingDesign
from app.trials.parts import BlockDesign

# Remedies that speak of the file's keys, in the words of a form.
_IN_FORMS = (
    (re.compile(r"add `pairs: pairs\.csv` or a `sample:`"), "list the pairs, or have them drawn"),
    (re.compile(r"add `\{id: choice, type: 2afc, ask: \.\.\.\}`"), "add one, with the id choice"),
    (re.compile(r"add `type:`, one of (.*)"), r"choose one of \1"),
    (re.compile(r"add `(\w+):`"), r"fill in \1"),
    (re.compile(r"write something, or remove the key"), "write something"),
)


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """The result of a draft: a design, or what keeps it from being one, in the order of the form."""

    design: StudyDesign | None
    faults: tuple[Fault, ...]

    def at(self, *place: str | int) -> tuple[Fault, ...]:
        """The faults of one field."""
        return tuple(fault for fault in self.faults if fault.place == place)

    def within(self, *place: str | int) -> tuple[Fault, ...]:
        """The faults of a part of the form."""
        return tuple(fault for fault in self.faults if fault.place[: len(place)] == place)


def check_draft(keys: object, stimuli: Mapping[str, StimulusFacts] | None) -> DraftCheck:
    """Check a draft and return every fault at its field. Accepts arbitrary keys.

    Without `stimuli`, their existence and number are not checked, and there is no design.
    """
    try:
        written = as_written(keys)
        # A form has fields where the study has not yet a section: these, too, are to be filled in.
        data = (
            ({"consent": {}} if written.get("blocks") else {"consent": {}, "trials": {}})
            | as_written(tidied(written))
            if isinstance(written, dict)
            else written
        )
    except UnwieldyDraft as error:
        return DraftCheck(None, (Fault((), str(error), "begin again from a template"),))
    reading = _DraftReading(stimuli)
    reading.read(data)
    faults = tuple(sorted(map(_for_forms, reading.faults), key=_form_order))
    if faults or reading.file is None or stimuli is None:
        return DraftCheck(None, faults)
    return DraftCheck(resolve_design(reading.file, reading.texts, reading.contents, stimuli), ())


class _DraftReading(Reading):
    def __init__(self, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        super().__init__(stimuli)
        self.faults: list[Fault] = []

    def refuse(self, fault: Fault) -> None:
        self.faults.append(fault)

    def refuse_rows(self, place: Place, found: RowFile) -> None:
        in_order = sorted(found.problems, key=lambda problem: problem.line)
        self.faults += [Fault(place, problem.message, problem.remedy) for problem in in_order]

    def markdown(self, place: Place, value: str) -> str:
        return value

    def rows_at(self, place: Place, value: str) -> RowText:
        return RowText("", value, by_row=True)


def _for_forms(fault: Fault) -> Fault:
    remedy = fault.remedy
    for pattern, words in _IN_FORMS:
        if pattern.fullmatch(remedy):
            remedy = pattern.sub(words, remedy)
            break
    place = tuple(part for part in fault.place if part != "[key]")
    if place in ((), ("sample",)) and fault.message.startswith("neither `pairs`"):
        place = PAIRS
    return Fault(place, re.sub(r"^the file( is empty; it)?", "the study", fault.message), remedy)


def _form_order(fault: Fault) -> tuple[int, int]:
    first = fault.place[0] if fault.place else ""
    index = next((part for part in fault.place if isinstance(part, int)), -1)
    return ORDER.index(first) if first in ORDER else -1, index


# From designs, and from other drafts


def draft_of_design(design: StudyDesign, stimuli: Mapping[str, StimulusFacts]) -> dict[str, Any]:
    """The draft that makes this design: pairs that were drawn are kept as drawn where `stimuli` still make them."""
    keys = keys_of_design(design)
    listed = [_listed(block, design.truth.source, stimuli) for block in design.blocks]
    if "blocks" in keys:
        blocks = [{**block, **rows} for block, rows in zip(keys["blocks"], listed, strict=True)]
        return tidied({**keys, "blocks": blocks})
    return tidied({**keys, **listed[0]})


def _listed(block: BlockDesign, true_source: str, stimuli: Mapping[str, StimulusFacts]) -> dict[str, Any]:
    """A block's pairs or items, as its keys say which they are."""
    if isinstance(block, RatingDesign):
        return {"items": items_as_csv(block.items)}
    if not isinstance(block, PairDesign):
        return {}
    kept = block.sample and block.sample.model_copy(update={"drawn": drawn_as_csv(block.pairs)})
    if kept is not None and _draws(block, kept, true_source, stimuli):
        return {"sample": keys_of_sample(kept)}
    return {"pairs": pairs_as_csv(block.pairs)}


def keys_of_design(design: StudyDesign) -> dict[str, Any]:
    """A design's keys but for its pairs and items."""
    return {
        "study": design.study,
        "title": design.title,
        "consent": design.consent.model_dump(exclude_defaults=True),
        "background": [_keys_of_question(question) for question in design.background] or None,
        "instructions": design.instructions,
        "truth": None if design.truth.source == HUMAN else design.truth.model_dump(),
        **_keys_of_blocks(design),
        "completion": design.completion.model_dump(exclude_defaults=True),
    }


def _keys_of_blocks(design: StudyDesign) -> dict[str, Any]:
    if design.is_one_block:
        return {"trials": _keys_of_trials(design.pair_blocks[0].trials)}
    order = {} if design.block_order == "fixed" else {"block_order": design.block_order}
    return {"blocks": [_keys_of_block(block) for block in design.blocks], **order}


def _keys_of_block(block: BlockDesign) -> dict[str, Any]:
    keys: dict[str, Any] = {
        "id": block.id,
        "task": block.task,
        "instructions": block.instructions,
        "self_assessment": block.self_assessment,
        "per_participant": block.per_participant,
    }
    if isinstance(block, PairDesign):
        return {**keys, "trials": _keys_of_trials(block.trials)}
    if not isinstance(block, RatingDesign):
        own = dict(block.keys())
        if "questions" in own:
            own["questions"] = [_keys_of_criterion(question) for question in block.asked]
        return {**keys, **own}
    return {
        **keys,
        "per_item": block.per_item,
        "when_full": None if block.when_full == "refuse" else block.when_full,
        "self_assessed": None if block.self_assessed == "after" else block.self_assessed,
        "order": block.order,
        "watch": block.watch,
        "exclude": list(block.exclude) or None,
        "allow": list(block.allow) or None,
        "questions": [_keys_of_criterion(question) for question in block.questions],
    }


def _keys_of_trials(trials: DesignTrials) -> dict[str, Any]:
    return {
        **trials.model_dump(include={"order", "sides", "watch"}),
        **{key: list(names) for key in ("exclude", "allow") if (names := getattr(trials, key))},
        "questions": [_keys_of_question(question) for question in trials.questions],
    }


def _keys_of_criterion(question: Question) -> dict[str, Any]:
    anchors = {str(n): anchor for n, anchor in enumerate(question.anchors, start=1) if anchor}
    return {
        **_keys_of_question(question),
        **({"anchors": anchors} if anchors else {}),
        **({"yes_no": True} if question.yes_no else {}),
        **({"when": {"group": _one_or_list(question.groups)}} if question.groups else {}),
    }


def keys_of_sample(sample: Sample) -> dict[str, Any]:
    keys = sample.model_dump(exclude_defaults=True)
    if "match" in keys:
        keys["match"] = _one_or_list(keys["match"])
    return keys


def _one_or_list(values: Sequence[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


def _keys_of_question(question: Question) -> dict[str, Any]:
    """The question's keys that differ from its type's defaults."""
    fields = QUESTIONS[question.type].model_fields
    keys = {
        key: _plain(value)
        for key, value in {**question.model_dump(exclude={"own"}), **question.own}.items()
        if key in fields and value != () and (key == "type" or value != fields[key].default)
    }
    if question.type == "2afc":
        keys.pop("required", None)  # answers that were published may lack it; a study's own may not
    return keys


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    return list(value) if isinstance(value, tuple) else value


def _draws(block: PairDesign, sample: Sample, true_source: str, stimuli: Mapping[str, StimulusFacts]) -> bool:
    pairs = block.pairs
    drawn = sample_pairs(sample, stimuli, true_source).pairs
    same = [design_pair(pair, stimuli) for pair in drawn]
    hashes = {"clip_a_sha256": "", "clip_b_sha256": ""}
    return [p.model_copy(update=hashes) for p in same] == [p.model_copy(update=hashes) for p in pairs]


def pairs_as_csv(pairs: tuple[DesignPair, ...]) -> str:
    """The pairs as `pairs:` takes them, with everything said."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pair in pairs:
        writer.writerow((pair.id, pair.a, pair.b, pair.condition, pair.truth or "", pair.kind))
    return text.getvalue()


def items_as_csv(items: Iterable[DesignItem | ItemRow]) -> str:
    """The items as `items:` takes them, with everything said."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ITEM_COLUMNS)
    for item in items:
        writer.writerow((item.id, item.stimulus, item.text, item.condition, item.kind, item.group))
    return text.getvalue()


def drawn_as_csv(pairs: Iterable[DesignPair | PairSpec]) -> str:
    """The pairs as `sample.drawn` keeps them: their truth is always that of the clips' sources."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("pair", "a", "b", "condition", "kind"))
    writer.writerows((pair.id, pair.a, pair.b, pair.condition, pair.kind) for pair in pairs)
    return text.getvalue()


def with_slug(keys: object, slug: str, title: str | None = None) -> dict[str, Any]:
    """A copy of the draft under another name."""
    named = {"study": slug} | ({} if title is None else {"title": title})
    return tidied({**tidied(keys), **named})


def slug_of(title: str, taken: Collection[str] = ()) -> str:
    """A name for addresses made of a title, different from those taken."""
    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:56].strip("-") or "study"
    numbered = (f"{slug}-{n}" for n in count(2))
    return slug if slug not in taken else next(name for name in numbered if name not in taken)
