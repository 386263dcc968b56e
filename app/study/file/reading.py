"""A study being read, whatever it stands in: each part is looked at, whatever is wrong with the others."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeGuard

from pydantic import ValidationError

from app.study.file.explain import faults_of
from app.study.file.model import DEFAULT_MESSAGE, Sample, StudyFile
from app.study.file.pairs import PairFile, PairSpec, StimulusFacts, check_clips, resolve_rows
from app.study.file.problems import Fault, Place
from app.study.file.sampling import sample_pairs

TEXTS: tuple[tuple[str, ...], ...] = (("consent", "text"), ("instructions",), ("completion", "message"))
PAIRS: Place = ("pairs",)


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

    def _read_pairs(self, data: dict[str, Any]) -> None:
        listed, drawn = data.get("pairs"), data.get("sample")
        found = self.pair_list(listed) if self._says_something(listed, PAIRS) else None
        if found is not None:
            check_clips(found, self.stimuli)
            if self.stimuli is not None:
                self.pairs += resolve_rows(found, self.stimuli)
            self.refuse_rows(found)
        if isinstance(drawn, dict) and self.stimuli is not None:
            self._draw_pairs(drawn, self.stimuli)

    def _says_something(self, value: object, place: Place) -> TypeGuard[str]:
        """Whether there is a text to read. The model takes a few control characters for one."""
        if isinstance(value, str) and not value.strip() and self.file is not None:
            self.refuse(Fault(place, f"{place[-1]} is empty", "write something, or remove the key"))
        return isinstance(value, str) and bool(value.strip())

    def _draw_pairs(self, raw: dict[str, Any], stimuli: Mapping[str, StimulusFacts]) -> None:
        try:
            sample = Sample.model_validate(raw)
        except ValidationError:
            return  # named already, with the rest of the file
        drawn = sample_pairs(sample, stimuli)
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
