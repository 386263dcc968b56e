"""Study files: read, checked in one go, and resolved into a design. No database, no web."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ValidationError

from analysis.quality.rules import ChosenRule
from app.core.problems import Fault, Place, Problem, dotted, quoted
from app.core.rowfiles import RowFile, RowText, stands_inline
from app.studies.file.bundle import read_written
from app.studies.file.design import StudyDesign
from app.studies.file.exclusion import ExclusionRules, broken_exclusion
from app.studies.file.explain import faults_of
from app.studies.file.key_places import places_of_files, texts_to_translate, value_at
from app.studies.file.languages import put_words
from app.studies.file.model import StudyFile
from app.studies.file.problems import StudyFileProblems
from app.studies.file.reading import Reading
from app.studies.file.textfiles import Unreadable, read_text
from app.studies.file.yamlpatch import WrittenFile
from app.studies.file.yamlsource import YamlSource, read_yaml
from app.trials.stimuli import StimulusFacts

__all__ = [
    "Problem",
    "StimulusFacts",
    "StudyDesign",
    "StudyFile",
    "StudyFileProblems",
    "check_study",
    "json_schema",
    "load_study",
    "rules_in",
    "written_study",
]

_INSTEAD = "in the study file itself, begin with `|` and a new line"


def load_study(path: Path, stimuli: Mapping[str, StimulusFacts]) -> StudyDesign:
    """Read a study file and the files it names. Raises StudyFileProblems with everything that is wrong."""
    reading = _FileReading(path, stimuli)
    reading.finish()
    return reading.design()


def check_study(path: Path, stimuli: Mapping[str, StimulusFacts] | None = None) -> StudyFile:
    """Like `load_study`; without `stimuli`, their existence and number are not checked."""
    return _FileReading(path, stimuli).finish()


def rules_in(path: Path) -> Sequence[ChosenRule]:
    """The exclusion rules of a study file, whatever else it holds or names. Raises StudyFileProblems."""
    try:
        source = read_yaml(read_text(path))
    except Unreadable as error:
        raise StudyFileProblems([Problem(str(path), error.line, error.message, error.remedy)]) from None
    faults = [*broken_exclusion(source.data)] if isinstance(source.data, dict) else []
    try:
        found = _Rules.model_validate(source.data).exclude
    except ValidationError as error:
        faults += faults_of(error)
    problems = [Problem(str(path), fault.line, fault.message, fault.remedy) for fault in source.faults]
    problems += [
        Problem(str(path), source.line_of(fault.place), fault.message, fault.remedy) for fault in faults
    ]
    if problems:
        raise StudyFileProblems(problems)
    return [rule.chosen() for rule in found]


class _Rules(BaseModel):
    """A study file of which the rules alone are read."""

    exclude: ExclusionRules = ()


def written_study(path: Path) -> WrittenFile:
    """A study file that `load_study` reads, as it was written, with the texts that it names in it."""
    data = read_yaml(read_text(path)).data
    named = (value_at(data, place) for place in places_of_files(data))
    files = {
        name.strip(): path.parent / name.strip()
        for name in named
        if isinstance(name, str) and "\n" not in name
    }
    read = {name: file.read_bytes() for name, file in files.items() if name and file.is_file()}
    return read_written({**read, path.name: path.read_bytes()}, path.name)


def json_schema() -> dict[str, Any]:
    """The study file's JSON Schema, draft 2020-12, for editors that complete and check while one writes."""
    schema = StudyFile.model_json_schema()
    # A word of OpenAPI, which validators of JSON Schema may refuse.
    schema["properties"]["blocks"]["items"].pop("discriminator")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "Likely Human study file",
    }


class _FileReading(Reading):
    """A study file being read, with the files it names."""

    def __init__(self, path: Path, stimuli: Mapping[str, StimulusFacts] | None) -> None:
        super().__init__(stimuli)
        self.path = path
        self.problems: list[Problem] = []
        self.source = self._source()
        if self.source.root is not None:
            self.read(self.source.data)

    def finish(self) -> StudyFile:
        """The file, if nothing was wrong."""
        if self.file is None or self.problems:
            ours = str(self.path)
            raise StudyFileProblems(sorted(self.problems, key=lambda p: (p.file != ours, p.file, p.line)))
        return self.file

    def refuse(self, fault: Fault) -> None:
        line = self.source.line_of(fault.place)
        self.problems.append(Problem(str(self.path), line, fault.message, fault.remedy))

    def has_refused(self, fault: Fault) -> bool:
        line = self.source.line_of(fault.place)
        return Problem(str(self.path), line, fault.message, fault.remedy) in self.problems

    def refuse_rows(self, place: Place, found: RowFile) -> None:
        line = self.source.line_of(place)
        self.problems += [replace(p, line=line) if found.by_row else p for p in found.problems]

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

    def overlay(self, language: str, value: object, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if not isinstance(value, str):
            return super().overlay(language, value, data)
        at, folder, n_before = ("languages", language), value.strip().rstrip("/"), len(self.problems)
        overlay = self._translated_keys(at, f"{folder}/{self.path.name}")
        if len(self.problems) != n_before:
            return None
        for place, name in texts_to_translate(data, overlay):
            text = self._companion(at, f"{folder}/{name}", f"for Markdown {_INSTEAD}")
            # A text whose file is not there was refused just now, and is not missing for a second time.
            put_words(overlay, data, place, name if text is None else text)
        return overlay

    def _translated_keys(self, at: Place, name: str) -> dict[str, Any]:
        """The words that stand in the study file itself, from the file of the same name; none where there is none."""
        if not (self.path.parent / name).is_file():
            return {}
        text = self._companion(at, name, "")
        if text is None:
            return {}
        try:
            source = read_yaml(text)
        except Unreadable as error:
            self.problems.append(Problem(name, error.line, error.message, error.remedy))
            return {}
        self.problems += [Problem(name, fault.line, fault.message, fault.remedy) for fault in source.faults]
        return dict(source.data) if isinstance(source.data, dict) else {}

    def markdown(self, place: Place, value: str) -> str | None:
        if "\n" in value:
            return value
        text = self._companion(place, value, f"for Markdown {_INSTEAD}")
        if text is not None and not text.strip():
            message = f"{dotted(place)}: the file {quoted(value)} is empty"
            self.refuse(Fault(place, message, "write the text"))
            return None
        return text

    def rows_at(self, place: Place, value: str) -> RowText | None:
        if stands_inline(value):
            # In quotes, rows and lines are not the same.
            line = self.source.block_line(place)
            return RowText(str(self.path), value, line or 1, by_row=line is None)
        hint = f"for {place[-1]} {_INSTEAD}" if "," in value else ""
        text = self._companion(place, value, hint)
        return None if text is None else RowText(str(self.path.parent / value.strip()), text)

    def _companion(self, place: Place, value: str, hint: str) -> str | None:
        """The text of a file named in the study file; it lies in that file's folder, so that both travel."""
        name = value.strip()
        key = dotted(place)
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts or "\\" in name:
            message = f"{key}: {quoted(name)} is outside the study file's folder"
            self.refuse(
                Fault(place, message, "put the file next to the study file, and write `/` between folders")
            )
            return None
        try:
            return read_text(self.path.parent / name)
        except Unreadable as error:
            remedy = f"{error.remedy}; {hint}" if hint else error.remedy
            self.refuse(Fault(place, f"{key}: {quoted(name)}: {error.message}", remedy))
            return None
