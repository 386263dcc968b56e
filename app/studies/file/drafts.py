"""Drafts: a study's keys while it is edited, complete or not, with every text and pair in them.

A text is always Markdown and a list always CSV, even on one line: pages have no files.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from app.core.language import ENGLISH
from app.core.problems import Fault, Place
from app.core.rowfiles import RowFile, RowText
from app.questions.checked import SCREENING
from app.questions.drafted import keys_of_question
from app.studies.file import hypotheses
from app.studies.file.checks import keys_of_comprehension
from app.studies.file.design import StudyDesign
from app.studies.file.devices import keys_of_devices
from app.studies.file.exclusion import keys_of
from app.studies.file.keys import ORDER, UnwieldyDraft, as_written, tidied
from app.studies.file.languages import OWN
from app.studies.file.reading import Reading
from app.studies.file.recruitment import keys_of as keys_of_recruitment
from app.studies.file.stopping import keys_of_stop
from app.tasks.registry import BLOCKS, SHORT
from app.trials.parts import BlockDesign
from app.trials.stimuli import HUMAN, StimulusFacts

# Remedies that speak of the file's keys, in the words of a form.
_IN_FORMS = (
    (re.compile(r"add `type:`, one of (.*)"), r"choose one of \1"),
    (re.compile(r"add `(\w+):`"), r"fill in \1"),
    (re.compile(r"write it under the same keys in the folder of .*"), "translate it"),
    (re.compile(r"write something, or remove the key"), "write something"),
)


@dataclass(frozen=True, slots=True)
class DraftCheck:
    """The result of a draft: a design, or what keeps it from being one, in the order of the form."""

    design: StudyDesign | None
    faults: tuple[Fault, ...]
    # Conditions and groups of its units, as far as they are known.
    groups: tuple[str, ...] = ()

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
    groups = tuple(sorted({name for content in reading.contents for name in content.groups}))
    if faults or reading.file is None or stimuli is None:
        return DraftCheck(None, faults, groups)
    return DraftCheck(reading.design(), (), groups)


class _DraftReading(Reading):
    def __init__(self, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        super().__init__(stimuli)
        self.faults: list[Fault] = []

    def refuse(self, fault: Fault) -> None:
        self.faults.append(fault)

    def has_refused(self, fault: Fault) -> bool:
        return fault in self.faults

    def refuse_rows(self, place: Place, found: RowFile) -> None:
        in_order = sorted(found.problems, key=lambda problem: problem.line)
        self.faults += [Fault(place, problem.message, problem.remedy) for problem in in_order]

    def place_of_words(self, language: str, place: Place) -> Place | None:
        return ("languages", language, *place)

    def markdown(self, place: Place, value: str) -> str:
        return value

    def rows_at(self, place: Place, value: str) -> RowText:
        return RowText("", value, by_row=True)


def _for_forms(fault: Fault) -> Fault:
    own = {words: said for model in BLOCKS.values() for words, said in model.in_forms.items()}
    remedy = own.get(fault.remedy, fault.remedy)
    for pattern, words in _IN_FORMS:
        if pattern.fullmatch(remedy):
            remedy = pattern.sub(words, remedy)
            break
    place = tuple(part for part in fault.place if part != "[key]")
    if (
        len(place) < 2 and fault.remedy in SHORT.in_forms
    ):  # where nothing is listed, though the form has a list
        place = SHORT.lists[0]
    return Fault(place, re.sub(r"^the file( is empty; it)?", "the study", fault.message), remedy)


def _form_order(fault: Fault) -> tuple[int, int]:
    first = fault.place[0] if fault.place else ""
    index = next((part for part in fault.place if isinstance(part, int)), -1)
    return ORDER.index(first) if first in ORDER else -1, index


# From designs, and from other drafts


def draft_of_design(design: StudyDesign, stimuli: Mapping[str, StimulusFacts]) -> dict[str, Any]:
    """The draft that makes this design: pairs that were drawn are kept as drawn where `stimuli` still make them."""
    keys = keys_of_design(design)
    listed = [block.rows_of_draft(design.truth.source, stimuli) for block in design.blocks]
    if "blocks" in keys:
        blocks = [{**block, **rows} for block, rows in zip(keys["blocks"], listed, strict=True)]
        return tidied({**keys, "blocks": blocks})
    return tidied({**keys, **listed[0]})


def keys_of_design(design: StudyDesign) -> dict[str, Any]:
    """A design's keys but for the lists of its blocks."""
    return {
        "study": design.study,
        "title": design.title,
        "consent": design.consent.model_dump(exclude_defaults=True),
        "devices": keys_of_devices(design.devices),
        "screening": [keys_of_question(question, SCREENING) for question in design.screening] or None,
        "background": [keys_of_question(question) for question in design.background] or None,
        "instructions": design.instructions,
        "viewing_conditions": design.viewing_conditions or None,
        "comprehension": keys_of_comprehension(design.comprehension),
        "truth": None if design.truth.source == HUMAN else design.truth.model_dump(),
        **_keys_of_blocks(design),
        **_keys_of_places(design),
        "stop_when": keys_of_stop(design.stop_when),
        "exclude": [keys_of(rule.chosen) for rule in design.exclude] or None,
        "hypotheses": hypotheses.keys_of(design.hypotheses) or None,
        "retention": design.retention.model_dump() if design.retention else None,
        "completion": design.completion.model_dump(exclude_defaults=True),
        "languages": languages_of(design),
        "recruitment": keys_of_recruitment(design.recruitment),
    }


def languages_of(design: StudyDesign) -> dict[str, Any] | None:
    """The languages of a draft, each with its words in it; None where it is English alone."""
    if not design.translations and design.language == ENGLISH:
        return None
    words = {language: _as_in_files(words) for language, words in design.translations.items()}
    return {design.language: OWN, **words}


def _as_in_files(words: Any) -> Any:
    """Words of a design as a study file has them: descriptions of answers by their number."""
    if isinstance(words, Mapping):
        return {
            key: {str(n): text for n, text in enumerate(value, start=1) if text}
            if key == "anchors" and not isinstance(value, Mapping)
            else _as_in_files(value)
            for key, value in words.items()
        }
    return [_as_in_files(each) for each in words] if isinstance(words, (list, tuple)) else words


def _keys_of_blocks(design: StudyDesign) -> dict[str, Any]:
    if design.is_one_block:
        return dict(design.blocks[0].keys())
    order = {} if design.block_order == "fixed" else {"block_order": design.block_order}
    return {"blocks": [_keys_of_block(block) for block in design.blocks], **order}


def _keys_of_places(design: StudyDesign) -> dict[str, Any]:
    """Arms, targets and dates."""
    arms = [arm.model_dump(exclude_defaults=True, exclude={"changes"}) for arm in design.arms]
    own = {key: getattr(design, key) for key in ("target", "idle_minutes", "opens", "ends")}
    return {"arms": arms or None, **own}


def _keys_of_block(block: BlockDesign) -> dict[str, Any]:
    return {
        "id": block.id,
        "task": block.task,
        "arms": list(block.arms) or None,
        "instructions": block.instructions,
        "self_assessment": block.self_assessment,
        "per_participant": block.per_participant,
        **block.keys(),
    }


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
