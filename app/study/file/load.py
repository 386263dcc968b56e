"""Study files: read, checked in one go, and resolved into a design. No database, no web."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from app.study.file.design import DesignPair, Question, StudyDesign, resolve_design
from app.study.file.explain import faults_of
from app.study.file.model import DEFAULT_MESSAGE, Sample, StudyFile
from app.study.file.pairs import PairSpec, StimulusFacts, check_clips, read_pair_file, resolve_rows
from app.study.file.problems import Fault, Place, Problem, StudyFileProblems, quoted
from app.study.file.sampling import sample_pairs
from app.study.file.textfiles import Unreadable, read_text
from app.study.file.yamlsource import YamlSource, read_yaml

__all__ = [
    "DesignPair",
    "PairSpec",
    "Problem",
    "Question",
    "StimulusFacts",
    "StudyDesign",
    "StudyFile",
    "StudyFileProblems",
    "check_study",
    "json_schema",
    "load_study",
]

_TEXTS = (("consent", "text"), ("instructions",), ("completion", "message"))


def load_study(path: Path, stimuli: Mapping[str, StimulusFacts]) -> StudyDesign:
    """Read a study file and the files it names. Raises StudyFileProblems with everything that is wrong."""
    reading = _Reading(path, stimuli)
    file = reading.finish()
    return resolve_design(file, reading.texts, reading.pairs, stimuli)


def check_study(path: Path, stimuli: Mapping[str, StimulusFacts] | None = None) -> StudyFile:
    """As `load_study`; without `stimuli`, whether they exist and suffice is not looked at."""
    return _Reading(path, stimuli).finish()


def json_schema() -> dict[str, Any]:
    """The study file's JSON Schema, draft 2020-12, for editors that complete and check while one writes."""
    schema = StudyFile.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Likely Human study file",
    }


class _Reading:
    """One study file being read. Every part is looked at, whatever is wrong with the others."""

    def __init__(self, path: Path, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        self.path = path
        self.stimuli = stimuli
        self.problems: list[Problem] = []
        self.texts: dict[tuple[str, ...], str] = {}
        self.pairs: list[PairSpec] = []
        self.source = self._source()
        self.file = self._file()
        if isinstance(self.source.data, dict):
            self._read_texts(self.source.data)
            self._read_pairs(self.source.data)

    def finish(self) -> StudyFile:
        """The file, if nothing was wrong."""
        if self.file is None or self.problems:
            ours = str(self.path)
            raise StudyFileProblems(sorted(self.problems, key=lambda p: (p.file != ours, p.file, p.line)))
        return self.file

    def _refuse(self, fault: Fault) -> None:
        line = self.source.line_of(fault.place)
        self.problems.append(Problem(str(self.path), line, fault.message, fault.remedy))

    def _source(self) -> YamlSource:
        try:
            source = read_yaml(read_text(self.path))
        except Unreadable as error:
            self.problems.append(Problem(str(self.path), error.line, error.message, error.remedy))
            return YamlSource(None, ())
        self.problems += [
            Problem(str(self.path), fault.line, fault.message, fault.remedy) for fault in source.faults
        ]
        return source

    def _file(self) -> StudyFile | None:
        if self.source.root is None:
            return None
        try:
            return StudyFile.model_validate(self.source.data)
        except ValidationError as error:
            for fault in faults_of(error):
                self._refuse(fault)
            return None

    def _read_texts(self, data: dict[str, Any]) -> None:
        self.texts["completion", "message"] = DEFAULT_MESSAGE.strip()
        for place in _TEXTS:
            value = _at(data, place)
            if isinstance(value, str) and value.strip():
                self._read_markdown(place, value)

    def _read_markdown(self, place: tuple[str, ...], value: str) -> None:
        if "\n" in value:
            self.texts[place] = value.strip()
            return
        text = self._companion(
            place, value, "for Markdown in the study file itself, begin with `|` and a new line"
        )
        if text is not None:
            self.texts[place] = text.strip()
            if not text.strip():
                self._refuse(
                    Fault(place, f"{'.'.join(place)}: the file {quoted(value)} is empty", "write the text")
                )

    def _companion(self, place: Place, value: str, hint: str = "") -> str | None:
        """The text of a file named in the study file; it lies in that file's folder, so that both travel."""
        name = value.strip()
        key = ".".join(map(str, place))
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name:
            message = f"{key}: {quoted(name)} is outside the study file's folder"
            self._refuse(
                Fault(place, message, "put the file beside the study file, and write `/` between folders")
            )
            return None
        try:
            return read_text(self.path.parent / name)
        except Unreadable as error:
            remedy = f"{error.remedy}; {hint}" if hint else error.remedy
            self._refuse(Fault(place, f"{key}: {quoted(name)}: {error.message}", remedy))
            return None

    def _read_pairs(self, data: dict[str, Any]) -> None:
        named, drawn = data.get("pairs"), data.get("sample")
        if isinstance(named, str) and named.strip():
            self._read_pair_file(named)
        if isinstance(drawn, dict) and self.stimuli is not None:
            self._draw_pairs(drawn, self.stimuli)

    def _read_pair_file(self, named: str) -> None:
        text = self._companion(("pairs",), named)
        if text is not None:
            found = read_pair_file(str(self.path.parent / named.strip()), text)
            check_clips(found, self.stimuli)
            if self.stimuli is not None:
                self.pairs += resolve_rows(found, self.stimuli)
            self.problems += found.problems

    def _draw_pairs(self, raw: dict[str, Any], stimuli: Mapping[str, StimulusFacts]) -> None:
        try:
            sample = Sample.model_validate(raw)
        except ValidationError:
            return  # named already, with the rest of the file
        drawn = sample_pairs(sample, stimuli)
        self.pairs += drawn.pairs
        for fault in drawn.faults:
            self._refuse(fault)


def _at(data: object, place: Place) -> object:
    for key in place:
        data = data.get(key) if isinstance(data, dict) else None
    return data
