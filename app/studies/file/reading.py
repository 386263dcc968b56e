"""Reading of a study from any source: each part is checked, even if others have faults."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from pydantic import ValidationError

from app.core.language import speaking
from app.core.markdown import LONGEST
from app.core.problems import Fault, Place, dotted, listed, nearest, quoted
from app.core.rowfiles import RowFile, RowText
from app.studies.file import hypotheses
from app.studies.file.arms import Applied, DesignArm, alone, with_values
from app.studies.file.design import StudyDesign, resolve_design, with_arms
from app.studies.file.explain import faults_of
from app.studies.file.key_places import (
    OF_BLOCK,
    TEXTS,
    blocks_at,
    by_ids,
    indexed,
    model_of,
    put,
    value_at,
    with_whys,
)
from app.studies.file.languages import (
    OWN,
    UNITS,
    Untranslatable,
    faults_of_languages,
    laid_over,
    missing_in,
    own_language,
    said_of,
    with_scales_named,
    words_in,
)
from app.studies.file.model import DEFAULT_MESSAGE, StudyFile
from app.trials.lists import Content
from app.trials.stimuli import NO_SOURCE, StimulusFacts, true_source_of

TRUE_SOURCE: Place = ("truth", "source")


class Reading(ABC):
    """Collects everything in a study file's keys. Subclasses differ in the location of texts and lists."""

    def __init__(self, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        self.stimuli = stimuli
        self.file: StudyFile | None = None
        self.texts: dict[Place, str] = {}
        self.contents: list[Content] = []
        # For each language but its own, the file, texts and content as they are in it.
        self.translated: dict[str, tuple[StudyFile, dict[Place, str], Sequence[Content]]] = {}
        self.arms: list[_ArmReading] = []

    @abstractmethod
    def refuse(self, fault: Fault) -> None:
        """Record a fault at a place."""

    @abstractmethod
    def has_refused(self, fault: Fault) -> bool:
        """True if this fault was recorded."""

    @abstractmethod
    def refuse_rows(self, place: Place, found: RowFile) -> None:
        """Record the problems of a list named at a place."""

    @abstractmethod
    def markdown(self, place: Place, value: str) -> str | None:
        """The text that a key stands for; None when it was refused."""

    @abstractmethod
    def rows_at(self, place: Place, value: str) -> RowText | None:
        """The CSV that a key stands for; None when it was refused."""

    def read(self, data: object) -> None:
        data = self._with_lists(data)
        self.file = self._validated(data)
        if isinstance(data, dict):
            blocks = blocks_at(data)
            self._read_texts(data, [(*place, key) for place, _ in blocks if place for key in OF_BLOCK])
            self._read_truth(data)
            for place, raw in blocks:
                reader = _BlockReader(self, place, true_source_of(data))
                self.contents.append(model_of(place, raw).read_lists(raw, reader))
            self._refuse_twice(blocks)
            self._read_arms(data)
            self._refuse_unknown_names()
            self._read_languages(data)

    def _read_arms(self, data: dict[str, Any]) -> None:
        """Read the study once more for each arm, with that arm's values in it."""
        arms = data.get("arms")
        for at, arm in enumerate(arms if isinstance(arms, list) else ()):
            changed = arm.get("set") if isinstance(arm, dict) else None
            if isinstance(arm, dict) and (changed is None or isinstance(changed, dict)):
                reading = _ArmReading(self, at, str(arm.get("id", "")), with_values(data, at, changed or {}))
                self.arms.append(reading)
                reading.refuse_other_units()

    def design(self) -> StudyDesign:
        """The study as it is run, in all its languages; only where nothing was refused."""
        assert self.file is not None
        own = own_language(self.file.languages)
        with speaking(own):  # built-in scales are in the language of the study
            design = resolve_design(self.file, self.texts, self.contents).model_copy(update={"language": own})
        design = with_arms(design, [(arm.as_stored(), arm.design()) for arm in self.arms])
        words = {}
        for language, (file, texts, contents) in self.translated.items():
            with speaking(language):
                words[language] = resolve_design(file, texts, contents).words()
        return design.model_copy(update={"translations": words})

    def overlay(self, language: str, value: object, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The words of a language, with every text in them; None when they were refused."""
        if isinstance(value, Mapping):
            return value
        message = f"`languages` has no words in {quoted(language)}"
        self.refuse(
            Fault(("languages", language), message, "upload the folder with the translated files too")
        )
        return None

    def _read_languages(self, data: dict[str, Any]) -> None:
        languages = data.get("languages")
        for fault in faults_of_languages(languages):
            self.refuse(fault)
        if not isinstance(languages, Mapping) or self.file is None:
            return
        for language, value in languages.items():
            if value != OWN and (overlay := self.overlay(str(language), value, data)) is not None:
                self._read_language(str(language), data, overlay)

    def _refuse_words_of_arms(self, data: dict[str, Any]) -> None:
        """Refuse words that an arm sets: they would be in one language alone."""
        for at, arm in enumerate(data.get("arms") or ()):
            for path, value in arm["set"].items() if isinstance(arm.get("set"), dict) else ():
                if any(words_in({str(path).rpartition(".")[2]: value})):
                    fault = Fault(
                        ("arms", at, "set", path),
                        f"{quoted(str(path))} holds words, which an arm can set only where the study has one language",
                        "give each arm a block of its own, with `arms: [...]` in it, and translate both",
                    )
                    if not self.has_refused(fault):
                        self.refuse(fault)

    def _read_language(self, language: str, data: dict[str, Any], overlay: Mapping[str, Any]) -> None:
        at = ("languages", language)
        self._refuse_words_of_arms(data)
        keys = {key: value for key, value in data.items() if key != "languages"}
        whys = self._whys(keys)
        written = with_whys(keys, whys)
        for place in missing_in(written, overlay):
            message = f"{dotted(place)} has no translation in {quoted(language)}"
            remedy = f"write it under the same keys in the folder of {quoted(language)}"
            self.refuse(
                Fault(self.place_of_words(language, place) or indexed(data, place) or at, message, remedy)
            )
        try:
            laid = with_scales_named(written, laid_over(written, overlay))
            contents = self._saying(laid, whys)
            for at_list in whys:
                laid = put(laid, at_list, value_at(keys, at_list))
            file = StudyFile.model_validate(laid)
        except Untranslatable as error:
            place = self.place_of_words(language, error.fault.place) or at
            self.refuse(Fault(place, f"{quoted(language)}: {error.fault.message}", error.fault.remedy))
            return
        except ValidationError as error:
            for fault in faults_of(error):
                place = self.place_of_words(language, by_ids(laid, fault.place)) or at
                message = f"{quoted(language)}: {dotted(fault.place)}: {fault.message}"
                self.refuse(Fault(place, message, fault.remedy))
            return
        # Texts are in the overlay; where the study has none of its own, its default is translated with the pages.
        texts = {place: str(value_at(laid, place) or text).strip() for place, text in self.texts.items()}
        self.translated[language] = file, texts, contents

    def _whys(self, keys: Mapping[str, Any]) -> Mapping[Place, Mapping[str, str]]:
        """Texts said after practice, by the places of the lists that are CSV."""
        return {
            (*place, *at): content.whys
            for (place, raw), content in zip(blocks_at(keys), self.contents, strict=True)
            for at in model_of(place, raw).lists
            if at[-1] in UNITS and isinstance(value_at(raw, at), str)
        }

    def _saying(self, laid: Mapping[str, Any], whys: Mapping[Place, Mapping[str, str]]) -> Sequence[Content]:
        """The content of each block with what a translation says after practice, where that is not the same."""
        found = []
        for (place, _), content in zip(blocks_at(laid), self.contents, strict=True):
            units = [each for at in whys if at[:-1] == place for each in said_of(value_at(laid, at))]
            said = {each["id"]: str(each["why"]).strip() for each in units}
            found.append(content.saying({id_: why for id_, why in said.items() if why != content.whys[id_]}))
        return found

    def place_of_words(self, language: str, place: Place) -> Place | None:
        """The place of a translation, where it can be told of there; entries of lists are named by their ids."""
        return None

    def _with_lists(self, data: object) -> object:
        """The keys with those lists read that the model takes as values."""
        for place, raw in blocks_at(data) if isinstance(data, dict) else ():
            read = model_of(place, raw).with_lists(raw, _BlockReader(self, place, true_source_of(data)))
            if place and read is not raw:
                data = put(data, place, read)
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
            text = self.markdown(place, value) if self.says_something(value, place) else None
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
            offered = sorted({clip.source for clip in self.stimuli.values() if clip.is_own}) or known
            remedy = nearest(source, offered, f"use {listed([*offered, NO_SOURCE])}")
            self.refuse(
                Fault(TRUE_SOURCE, f"nothing in the library is of the true source {quoted(source)}", remedy)
            )

    def _refuse_twice(self, blocks: Sequence[tuple[Place, Mapping[str, Any]]]) -> None:
        """Refuse an id of a unit that another block has: the data tell them apart by it."""
        first: dict[str, int] = {}
        for at, content in enumerate(self.contents):
            taken = next((id_ for id_ in content.ids if first.setdefault(id_, at) != at), None)
            if taken is not None:
                message = f"{quoted(taken)} is in two blocks"
                self.refuse(Fault(blocks[at][0], message, "give each pair and item its own id"))

    def _refuse_unknown_names(self) -> None:
        """Refuse hypotheses about conditions, groups and arms that the study has not, where its units are known."""
        if self.file is not None and self.stimuli is not None and not isinstance(self, _ArmReading):
            known = frozenset(name for content in self.contents for name in content.groups)
            for fault in hypotheses.unknown_names(
                self.file.hypotheses, known, [arm.id for arm in self.file.arms]
            ):
                self.refuse(fault)

    def says_something(self, value: object, place: Place) -> TypeGuard[str]:
        """True if there is a text to read. The model accepts a few control characters as one."""
        if isinstance(value, str) and not value.strip() and self.file is not None:
            self.refuse(Fault(place, f"{place[-1]} is empty", "write something, or remove the key"))
        return isinstance(value, str) and bool(value.strip())


class _ArmReading(Reading):
    """A study with the values of one arm. Its faults are told of at the arm, where the study has them not itself."""

    def __init__(self, study: Reading, at: int, arm: str, applied: Applied) -> None:
        super().__init__(study.stimuli)
        self.study, self.at, self.arm, self.applied = study, at, arm, applied
        self.set: dict[str, Any] = dict(applied.paths)
        self.n_faults = len(applied.faults)
        for fault in applied.faults:
            study.refuse(fault)
        if not applied.faults:
            self.read(alone(applied.data))

    def _read_languages(self, data: dict[str, Any]) -> None:
        """Read none: the study reads them."""

    def as_stored(self) -> DesignArm:
        assert self.study.file is not None
        return DesignArm(id=self.arm.strip(), target=self.study.file.arms[self.at].target, set=self.set)

    def refuse_other_units(self) -> None:
        """Refuse other units than the study has: units are stored once for all arms."""
        if self.n_faults or self.file is None or self.study.file is None:
            return
        ours, theirs = (
            resolve_design(each.file, each.texts, each.contents).blocks
            for each in (self, self.study)
            if each.file
        )
        for at, (block, of_study) in enumerate(zip(ours, theirs, strict=True)):
            if block.units() != of_study.units():
                message = f"the block {quoted(block.id)} has other units than in the study"
                remedy = "give each arm a block of its own, with `arms: [...]` in it"
                self.refuse(Fault(("blocks", at), message, remedy))

    def refuse(self, fault: Fault) -> None:
        if self.study.has_refused(fault):
            return
        self.n_faults += 1
        below = self.applied.place_to(fault.place)
        place: Place = ("arms", self.at) if below is None else ("arms", self.at, "set", *below)
        self.study.refuse(
            replace(fault, place=place, message=f"in the arm {quoted(self.arm)}: {fault.message}")
        )

    def has_refused(self, fault: Fault) -> bool:
        return self.study.has_refused(fault)

    def refuse_rows(self, place: Place, found: RowFile) -> None:
        self.n_faults += bool(found.problems)  # an arm changes no list, so that the study has told of them

    def markdown(self, place: Place, value: str) -> str | None:
        path = self.applied.places.get(place)
        if path is None:
            return self.study.texts.get(place)
        text = self.study.markdown(("arms", self.at, "set", path), value)
        self.set[path] = (text or "").strip()
        return text

    def rows_at(self, place: Place, value: str) -> RowText | None:
        return self.study.rows_at(place, value)


@dataclass(frozen=True, slots=True)
class _BlockReader:
    """A reading as one of its blocks sees it."""

    reading: Reading
    place: Place
    true_source: str

    @property
    def stimuli(self) -> Mapping[str, StimulusFacts] | None:
        return self.reading.stimuli

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(id_ for content in self.reading.contents for id_ in content.ids)

    def rows_at(self, place: Place, value: object) -> RowText | None:
        at = (*self.place, *place)
        return self.reading.rows_at(at, value) if self.reading.says_something(value, at) else None

    def refuse(self, fault: Fault) -> None:
        self.reading.refuse(replace(fault, place=(*self.place, *fault.place)))

    def refuse_rows(self, place: Place, found: RowFile) -> None:
        self.reading.refuse_rows((*self.place, *place), found)
