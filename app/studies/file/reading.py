"""A study being read, whatever it stands in: each part is looked at, whatever is wrong with the others."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeGuard

from pydantic import ValidationError

from app.studies.file.explain import faults_of
from app.studies.file.model import DEFAULT_MESSAGE, Sample, StudyFile
from app.studies.file.pairs import (
    NO_SOURCE,
    PairFile,
    PairSpec,
    StimulusFacts,
    check_clips,
    resolve_rows,
    true_source_of,
)
from app.studies.file.problems import Fault, Place, listed, nearest, quoted
from app.studies.file.sampling import sample_pairs

TEXTS: tuple[tuple[str, ...], ...] = (("consent", "text"), ("instructions",), ("completion", "message"))
PAIRS: Place = ("pairs",)
TRUE_SOURCE: Place = ("truth", "source")


class Reading(ABC):
    """Everything found in a study file's keys. Kinds of reading differ in where texts and pairs stand."""

    def __init__(self, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        self.stimuli = stimuli
        self.file: StudyFile | None = None
        self.texts: dict[tuple[str, ...], str] = {}
        self.pairs: list[PairSpec] = []

    @abstractmethod
    def refuse(self, fault: Fault) -> None:
        """Keep what is wrong at a place."""

    @abstractmethod
    def refuse_rows(self, found: PairFile) -> None:
        """Keep what is wrong with a list of pairs."""

    @abstractmethod
    def markdown(self, place: tuple[str, ...], value: str) -> str | None:
        """The text that a key stands for; None when it was refused."""

    @abstractmethod
    def pair_list(self, value: str) -> PairFile | None:
        """The pairs that a key stands for; None when it was refused."""

    def read(self, data: object) -> None:
        self.file = self._validated(data)
        if isinstance(data, dict):
            self._read_texts(data)
            self._read_truth(data)
            self._read_pairs(data)

    def _validated(self, data: object) -> StudyFile | None:
        try:
            return StudyFile.model_validate(data)
        except ValidationError as error:
            for fault in faults_of(error):
                self.refuse(fault)
            return None

    def _read_texts(self, data: dict[str, Any]) -> None:
        self.texts["completion", "message"] = DEFAULT_MESSAGE.strip()
        for place in TEXTS:
            value = value_at(data, place)
            text = self.markdown(place, value) if self._says_something(value, place) else None
            if text is not None:
                self.texts[place] = text.strip()

    def _read_truth(self, data: dict[str, Any]) -> None:
        """Refuse a true source that no clip is of, where the study names one."""
        if not isinstance(value_at(data, TRUE_SOURCE), str) or not self.stimuli:
            return
        source, known = true_source_of(data), sorted({clip.source for clip in self.stimuli.values()})
        if source not in (NO_SOURCE, *known):
            remedy = nearest(source, known, f"use {listed([*known, NO_SOURCE])}")
            self.refuse(Fault(TRUE_SOURCE, f"no clip is of the true source {quoted(source)}", remedy))

    def _read_pairs(self, data: dict[str, Any]) -> None:
        rows, drawn, true_source = data.get("pairs"), data.get("sample"), true_source_of(data)
        found = self.pair_list(rows) if self._says_something(rows, PAIRS) else None
        if found is not None:
            check_clips(found, self.stimuli)
            if self.stimuli is not None:
                self.pairs += resolve_rows(found, self.stimuli, true_source)
            self.refuse_rows(found)
        if isinstance(drawn, dict) and self.stimuli is not None:
            self._draw_pairs(drawn, self.stimuli, true_source)

    def _says_something(self, value: object, place: Place) -> TypeGuard[str]:
        """Whether there is a text to read. The model takes a few control characters for one."""
        if isinstance(value, str) and not value.strip() and self.file is not None:
            self.refuse(Fault(place, f"{place[-1]} is empty", "write something, or remove the key"))
        return isinstance(value, str) and bool(value.strip())

    def _draw_pairs(
        self, raw: dict[str, Any], stimuli: Mapping[str, StimulusFacts], true_source: str
    ) -> None:
        try:
            sample = Sample.model_validate(raw)
        except ValidationError:
            return  # named already, with the rest of the file
        drawn = sample_pairs(sample, stimuli, true_source)
        self.pairs += drawn.pairs
        for fault in drawn.faults:
            self.refuse(fault)


def value_at(data: object, place: Place) -> object:
    """What stands at a place, None when there is no such place."""
    for key in place:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data
