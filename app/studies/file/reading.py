"""Reading of a study from any source: each part is checked, even if others have faults."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from pydantic import ValidationError

from app.core.markdown import LONGEST
from app.core.problems import Fault, Place, counted, dotted, listed, nearest, quoted
from app.core.rowfiles import RowFile, RowText
from app.questions.base import finite_number
from app.studies.file.design import BlockContent
from app.studies.file.explain import faults_of
from app.studies.file.items import read_item_file, resolve_items, unmatched_groups
from app.studies.file.model import DEFAULT_MESSAGE, StudyFile
from app.studies.file.pairs import (
    NO_SOURCE,
    PairSpec,
    StimulusFacts,
    check_clips,
    read_pair_file,
    resolve_rows,
    true_source_of,
)
from app.studies.file.sampling import kept_apart, sample_pairs
from app.tasks.game.terms import read_checks
from app.tasks.pair.settings import Sample
from app.tasks.rating.settings import DesignItem
from app.tasks.registry import BLOCKS
from app.trials.design import Kind

TEXTS: tuple[Place, ...] = (("consent", "text"), ("instructions",), ("completion", "message"))
OF_BLOCK = ("instructions", "self_assessment")
PAIRS: Place = ("pairs",)
CHECKS: Place = ("comprehension", "questions")
TRUE_SOURCE: Place = ("truth", "source")


class Reading(ABC):
    """Collects everything in a study file's keys. Subclasses differ in the location of texts, pairs and items."""

    def __init__(self, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        self.stimuli = stimuli
        self.file: StudyFile | None = None
        self.texts: dict[Place, str] = {}
        self.contents: list[BlockContent] = []

    @abstractmethod
    def refuse(self, fault: Fault) -> None:
        """Record a fault at a place."""

    @abstractmethod
    def refuse_rows(self, place: Place, found: RowFile) -> None:
        """Record the problems of a list of pairs or items named at a place."""

    @abstractmethod
    def markdown(self, place: Place, value: str) -> str | None:
        """The text that a key stands for; None when it was refused."""

    @abstractmethod
    def rows_at(self, place: Place, value: str) -> RowText | None:
        """The CSV that a key stands for; None when it was refused."""

    def read(self, data: object) -> None:
        data = self._with_checks(data)
        self.file = self._validated(data)
        if isinstance(data, dict):
            blocks = _blocks_in(data)
            self._read_texts(data, [(*place, key) for place, _ in blocks if place for key in OF_BLOCK])
            self._read_truth(data)
            for place, raw in blocks:
                self.contents.append(self._read_block(place, raw, true_source_of(data)))
            self._refuse_twice(blocks)

    def _with_checks(self, data: object) -> object:
        """The keys with a game's comprehension questions read from a file, or from CSV in the study file."""
        for place in _places_of_checks(data):
            value = value_at(data, place)
            stands = self.rows_at(place, value) if isinstance(value, str) and value.strip() else None
            if stands is None:
                continue
            found, questions = read_checks(stands.file, stands.text, stands.first_line, by_row=stands.by_row)
            self.refuse_rows(place, found)
            data = _put(data, place, questions)
        return data

    def _validated(self, data: object) -> StudyFile | None:
        try:
            return StudyFile.model_validate(data)
        except ValidationError as error:
            for fault in faults_of(error):
                self.refuse(fault)
            return None

    def _read_texts(self, data: dict[str, Any], of_blocks: Iterable[Place]) -> None:
        self.texts["completion", "message"] = DEFAULT_MESSAGE.strip()
        for place in (*TEXTS, *of_blocks):
            value = value_at(data, place)
            text = self.markdown(place, value) if self._says_something(value, place) else None
            if text is not None and len(text) > LONGEST:
                message = f"{dotted(place)} has {len(text)} characters, and at most {LONGEST} are laid out"
                self.refuse(Fault(place, message, "shorten the text"))
            elif text is not None:
                self.texts[place] = text.strip()

    def _read_truth(self, data: dict[str, Any]) -> None:
        """Refuse a true source that nothing in the library is of, where the study names one."""
        if not isinstance(value_at(data, TRUE_SOURCE), str) or not self.stimuli:
            return
        source, known = true_source_of(data), sorted({clip.source for clip in self.stimuli.values()})
        if source not in (NO_SOURCE, *known):
            remedy = nearest(source, known, f"use {listed([*known, NO_SOURCE])}")
            self.refuse(
                Fault(TRUE_SOURCE, f"nothing in the library is of the true source {quoted(source)}", remedy)
            )

    def _read_block(self, place: Place, raw: Mapping[str, Any], true_source: str) -> BlockContent:
        model = BLOCKS.get(str(raw.get("task"))) if place else None
        if model is not None and "items" in model.model_fields:
            return BlockContent(items=self._read_items(place, raw))
        if model is not None and "pairs" not in model.model_fields:
            return BlockContent()
        return BlockContent(pairs=self._read_pairs(place, raw, true_source))

    def _read_pairs(self, place: Place, raw: Mapping[str, Any], true_source: str) -> list[PairSpec]:
        rows, drawn, at = raw.get("pairs"), raw.get("sample"), (*place, *PAIRS)
        stands = self.rows_at(at, rows) if self._says_something(rows, at) else None
        pairs: list[PairSpec] = []
        if stands is not None:
            found = read_pair_file(stands.file, stands.text, stands.first_line, by_row=stands.by_row)
            check_clips(found, self.stimuli)
            if self.stimuli is not None:
                pairs += resolve_rows(found, self.stimuli, true_source)
            self.refuse_rows(at, found)
            if not found.problems:
                self._refuse_too_many(place, raw, "pair", [row.kind for row in found.rows])
        if isinstance(drawn, dict) and self.stimuli is not None:
            sampled = self._draw_pairs(place, drawn, self.stimuli, true_source)
            if sampled:
                self._refuse_too_many(place, raw, "pair", [pair.kind for pair in sampled])
            taken = {pair.id for content in self.contents for pair in content.pairs}
            taken |= {item.id for content in self.contents for item in content.items}
            pairs += kept_apart(sampled, taken, raw.get("id"))
        return pairs

    def _read_items(self, place: Place, raw: Mapping[str, Any]) -> list[DesignItem]:
        value, at = raw.get("items"), (*place, "items")
        stands = self.rows_at(at, value) if self._says_something(value, at) else None
        if stands is None:
            return []
        found = read_item_file(stands.file, stands.text, stands.first_line, by_row=stands.by_row)
        items = [] if self.stimuli is None else resolve_items(found, self.stimuli)
        self.refuse_rows(at, found)
        if not found.problems:
            self._refuse_too_many(place, raw, "item", [row.kind for row in found.rows])
            for fault in unmatched_groups(raw.get("questions"), found.rows):
                self.refuse(replace(fault, place=(*place, *fault.place)))
        return items

    def _refuse_too_many(
        self, place: Place, raw: Mapping[str, Any], noun: str, kinds: Sequence[Kind]
    ) -> None:
        """Refuse more units for each participant than the block has."""
        wanted, there = finite_number(raw.get("per_participant")), kinds.count(Kind.MAIN)
        if place and wanted is not None and wanted > there:
            message = (
                f"per_participant: {wanted:g} asked for, but the block has {counted(there, f'main {noun}')}"
            )
            remedy = (
                f"use {there} or less, or remove `per_participant`: then every participant gets all of them"
            )
            self.refuse(Fault((*place, "per_participant"), message, remedy))

    def _refuse_twice(self, blocks: Sequence[tuple[Place, Mapping[str, Any]]]) -> None:
        """Refuse an id of a pair or item that another block has: the data tell them apart by it."""
        first: dict[str, int] = {}
        for at, content in enumerate(self.contents):
            ids = [pair.id for pair in content.pairs] + [item.id for item in content.items]
            taken = next((id_ for id_ in ids if first.setdefault(id_, at) != at), None)
            if taken is not None:
                message = f"{quoted(taken)} is in two blocks"
                self.refuse(Fault(blocks[at][0], message, "give each pair and item its own id"))

    def _says_something(self, value: object, place: Place) -> TypeGuard[str]:
        """True if there is a text to read. The model accepts a few control characters as one."""
        if isinstance(value, str) and not value.strip() and self.file is not None:
            self.refuse(Fault(place, f"{place[-1]} is empty", "write something, or remove the key"))
        return isinstance(value, str) and bool(value.strip())

    def _draw_pairs(
        self, place: Place, raw: dict[str, Any], stimuli: Mapping[str, StimulusFacts], true_source: str
    ) -> Sequence[PairSpec]:
        try:
            sample = Sample.model_validate(raw)
        except ValidationError:
            return ()  # named already, with the rest of the file
        drawn = sample_pairs(sample, stimuli, true_source)
        for fault in drawn.faults:
            self.refuse(replace(fault, place=(*place, *fault.place)))
        return drawn.pairs


def _blocks_in(data: Mapping[str, Any]) -> list[tuple[Place, Mapping[str, Any]]]:
    """The blocks of a study file's keys with their places; a file without `blocks:` is one itself."""
    blocks = data.get("blocks")
    if not isinstance(blocks, list) or not blocks:
        return [((), data)]
    return [(("blocks", at), raw if isinstance(raw, dict) else {}) for at, raw in enumerate(blocks)]


def _places_of_checks(data: object) -> Iterator[Place]:
    """The places of comprehension questions in blocks of matches."""
    for place, raw in _blocks_in(data) if isinstance(data, dict) else ():
        if place and raw.get("task") == "game":
            yield (*place, *CHECKS)


def _put(data: Any, place: Place, value: object) -> Any:
    """A copy of the data with another value at a place that it has."""
    if not place:
        return value
    copy = data.copy()
    copy[place[0]] = _put(data[place[0]], place[1:], value)
    return copy


def places_of_files(data: object) -> Iterator[Place]:
    """The places where a study file names a text or list that may be in a separate file."""
    yield from TEXTS
    for place, _ in _blocks_in(data if isinstance(data, dict) else {}):
        if place:
            yield from ((*place, key) for key in OF_BLOCK)
            yield (*place, "items")
        yield (*place, *PAIRS)
    yield from _places_of_checks(data)


def is_list(place: Place) -> bool:
    """True if a place holds a list of pairs, items or comprehension questions, and not a text."""
    return place[-1] in ("pairs", "items", CHECKS[-1])


def value_at(data: object, place: Place) -> object:
    """The value at a place, None if there is no such place."""
    for key in place:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data
