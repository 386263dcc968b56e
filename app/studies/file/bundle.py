"""A study file as it is uploaded: alone, with the files it names, or all of them in one zip."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from app.core.problems import Place, Problem, dotted, listed, quoted
from app.core.rowfiles import stands_inline
from app.studies.file.key_places import is_list, places_of_files, texts_to_translate, value_at
from app.studies.file.keys import UnwieldyDraft, tidied
from app.studies.file.languages import OWN, put_words
from app.studies.file.problems import StudyFileProblems
from app.studies.file.textfiles import Unreadable, decoded
from app.studies.file.yamlpatch import WrittenFile, in_one_file
from app.studies.file.yamlsource import YamlSource, read_yaml

MOST_BYTES = 5_000_000
MOST_FILES = 100
MOST_YAML_BYTES = 1_000_000
COLLECTIONS = "collections.json"
_YAML = (".yaml", ".yml")
_PACKAGE, _MATERIALS = "datapackage.json", re.compile(r"materials/version-(\d{1,6})/study\.yaml")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# Other ways to pack may ask for any amount of memory.
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,  # encrypted
    ValueError,
    OverflowError,
)


def read_bundle(files: Mapping[str, bytes], main: str | None = None) -> dict[str, Any]:
    """The draft in the files uploaded, by their names; `main` is the study file where there is a choice.

    Names are only looked up among the files given. Raises StudyFileProblems where there is no study to be read, or a
    file that it names was not uploaded; broken rules are left to `check_draft`.
    """
    return _bundle(files, main).keys()


def read_written(files: Mapping[str, bytes], main: str | None = None) -> WrittenFile:
    """Like `read_bundle`, with the study file as written, including the texts that it names."""
    bundle = _bundle(files, main)
    keys = bundle.keys()
    return WrittenFile(in_one_file(decoded(bundle.files[bundle.main]), keys), keys)


def file_in(files: Mapping[str, bytes], name: str) -> bytes | None:
    """The uploaded file of that name, in any folder. Raises StudyFileProblems for what is no zip."""
    found = _all_of(files)
    return next((found[path] for path in sorted(found, key=_depth) if PurePosixPath(path).name == name), None)


def _bundle(files: Mapping[str, bytes], main: str | None) -> "_Bundle":
    files = _all_of(files)
    return _Bundle(files, _main(files) if main is None else clean_name(main))


def _all_of(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files uploaded by their clean names, those of a zip in its place."""
    files = {clean_name(name): data for name, data in files.items()}
    _refuse_too_much(files)
    if len(files) == 1:
        [(name, data)] = files.items()
        return dict(_unzipped(name, data)) if data.startswith(_ZIP) else files
    return files


def refusal(file: str, message: str, remedy: str, line: int = 1) -> StudyFileProblems:
    return StudyFileProblems([Problem(file, line, message, remedy)])


def clean_name(name: str) -> str:
    """A file's name on one line, with `/` between folders."""
    name = "".join(character if character.isprintable() else "?" for character in name)
    return str(PurePosixPath(name.replace("\\", "/").strip()))


def _refuse_too_much(files: Mapping[str, bytes]) -> None:
    size = sum(map(len, files.values()))
    if size > MOST_BYTES or len(files) > MOST_FILES:
        raise _too_much("the upload")
    if not files:
        raise refusal("the upload", "there is no file in it", "upload a study file")


def _too_much(file: str) -> StudyFileProblems:
    message = f"this is more than {MOST_FILES} files or {MOST_BYTES // 1_000_000} MB"
    return refusal(
        file, message, "upload the study file and the texts it names; clips are uploaded elsewhere"
    )


def _unzipped(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """The files of a zip. Reading stops at the limit, whatever size an entry claims."""
    left = MOST_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = study_entries(named_entries(name, packed))
            if len(entries) > MOST_FILES:
                raise _too_much(name)
            refuse_other_packing(name, entries)
            for entry in entries:
                with packed.open(entry) as file:
                    # One byte more than may come tells that there is too much.
                    content = file.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise _too_much(name)
                yield clean_name(entry.filename), content
    except BROKEN_ZIP:
        raise refusal(
            name, "not readable as a zip file", "pack it again as a plain zip, without a password"
        ) from None


def named_entries(name: str, packed: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The files of a zip, without what file managers leave there. Raises StudyFileProblems for names that are none."""
    # zipfile cuts a name at a zero byte, so the name that is looked at would not be the one given.
    if any("\0" in entry.orig_filename or not entry.filename for entry in packed.infolist()):
        message = "a file in it has no name, or a name with a zero byte in it"
        raise refusal(name, message, "pack the zip again, with plain file names")
    return [entry for entry in packed.infolist() if not _is_clutter(entry)]


def refuse_other_packing(name: str, entries: list[zipfile.ZipInfo]) -> None:
    """Raises StudyFileProblems for the first file that is packed by another method than Deflate."""
    other = next((entry for entry in entries if entry.compress_type not in PACKED), None)
    if other is not None:
        message = "this file is packed in a way that is not read here, such as Deflate64 or LZMA"
        remedy = "pack everything again as a plain zip, whose method is Deflate"
        raise refusal(f"{name}: {clean_name(other.filename)}", message, remedy, line=0)


def study_entries(entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Files to read: of a package the study file of the newest version that has one, and its collections; else all."""
    names = [clean_name(entry.filename) for entry in entries]
    # A package that was unpacked and packed again, as file managers do it, has a folder around all of it.
    tops = {name.partition("/")[0] for name in names}
    around = f"{tops.pop()}/" if len(tops) == 1 and "/" in names[0] else ""
    inner = {name.removeprefix(around) for name in names}
    numbers = [int(found[1]) for name in inner if (found := _MATERIALS.fullmatch(name))]
    if _PACKAGE not in inner or not numbers:
        return entries
    wanted = {f"{around}materials/version-{max(numbers)}/study.yaml", f"{around}materials/{COLLECTIONS}"}
    return [entry for entry, name in zip(entries, names, strict=True) if name in wanted]


def _is_clutter(entry: zipfile.ZipInfo) -> bool:
    """Folders, and what file managers leave in a zip."""
    parts = PurePosixPath(clean_name(entry.filename)).parts
    is_folder = entry.filename.endswith(("/", "\\"))
    return is_folder or not parts or parts[0] == "__MACOSX" or parts[-1].startswith(".")


def _main(files: Mapping[str, bytes]) -> str:
    """The study file: the only YAML file, the one nearest to the top, or `study.yaml`."""
    named = [name for name in files if name.lower().endswith(_YAML)] or (
        list(files) if len(files) == 1 else []
    )
    if not named:
        raise refusal("the upload", "there is no YAML file in it", "upload a study file, such as study.yaml")
    top = min(_depth(name) for name in named)
    highest = sorted(name for name in named if _depth(name) == top)
    usual = [name for name in highest if PurePosixPath(name).stem.lower() == "study"]
    if len(highest) > 1 and len(usual) != 1:
        message = f"which one is the study file: {listed(map(quoted, highest[:5]))}?"
        raise refusal("the upload", message, "upload one study file, with the texts it names")
    return usual[0] if usual else highest[0]


def _depth(name: str) -> int:
    return len(PurePosixPath(name).parts)


class _Bundle:
    """The files uploaded, the study file being read."""

    def __init__(self, files: Mapping[str, bytes], main: str) -> None:
        self.files = files
        self.main = main
        self.problems: list[Problem] = []
        self.source = self._source()

    def keys(self) -> dict[str, Any]:
        """The study file's keys, with every file that they name put in."""
        try:
            keys = tidied(self.source.data)
        except UnwieldyDraft as error:
            raise refusal(self.main, str(error), "write the study without aliases (*)") from None
        for place in places_of_files(self.source.data):
            value = value_at(self.source.data, place)
            if isinstance(value, str) and value.strip() and not _stands_in_the_file(place, value):
                _put(keys, place, self._companion(place, value.strip()))
        self._put_languages(keys)
        if self.problems:
            raise StudyFileProblems(sorted(self.problems, key=lambda problem: problem.line))
        return tidied(keys)

    def _source(self) -> YamlSource:
        if self.main not in self.files:
            raise refusal(self.main, "there is no such file in the upload", "upload it too")
        if len(self.files[self.main]) > MOST_YAML_BYTES:
            message = f"a study file has at most {MOST_YAML_BYTES // 1_000_000} MB"
            raise refusal(self.main, message, "put long lists of pairs into a CSV file next to it")
        try:
            source = read_yaml(decoded(self.files[self.main]))
        except Unreadable as error:
            raise refusal(self.main, error.message, error.remedy, error.line) from None
        if source.faults:
            raise StudyFileProblems(Problem(self.main, f.line, f.message, f.remedy) for f in source.faults)
        if not isinstance(source.data, dict):
            raise refusal(
                self.main, "this is no study file: no keys with values", "start with `study: my-study`"
            )
        return source

    def _put_languages(self, keys: dict[str, Any]) -> None:
        """The words of each language, with the texts of its folder, in place of the folder's name."""
        languages = keys.get("languages")
        if not isinstance(languages, dict):
            return
        for tag, folder in languages.items():
            if not isinstance(folder, str) or folder == OWN:
                continue
            overlay = self._words_in(f"{folder}/{PurePosixPath(self.main).name}")
            at = ("languages", tag)
            for place, name in texts_to_translate(self.source.data, overlay):
                put_words(overlay, self.source.data, place, self._companion(at, f"{folder}/{name}"))
            languages[tag] = overlay

    def _words_in(self, name: str) -> dict[str, Any]:
        """The words that stand in the study file itself, from the file of the same name; none where there is none."""
        found = str(PurePosixPath(self.main).parent / clean_name(name))
        if found not in self.files:
            return {}
        try:
            source = read_yaml(decoded(self.files[found]))
        except Unreadable as error:
            raise refusal(name, error.message, error.remedy, error.line) from None
        if source.faults:
            raise StudyFileProblems(Problem(name, f.line, f.message, f.remedy) for f in source.faults)
        return dict(source.data) if isinstance(source.data, dict) else {}

    def _companion(self, place: Place, name: str) -> str:
        """The text of a file that the study file names; empty, and a problem, where it cannot be had."""
        key, line = dotted(place), self.source.line_of(place)
        found = self._find(name)
        if found is None:
            instead = "; a text in the study file itself begins with `|` and a new line"
            remedy = f"upload it together with the study file{'' if is_list(place) else instead}"
            self.problems.append(Problem(self.main, line, f"{key}: {quoted(name)} was not uploaded", remedy))
            return ""
        try:
            return decoded(self.files[found])
        except Unreadable as error:
            message = f"{key}: {quoted(name)}: {error.message}"
            self.problems.append(Problem(self.main, line, message, error.remedy))
            return ""

    def _find(self, name: str) -> str | None:
        """The uploaded file of this name next to the study file; browsers send files without their folders."""
        beside = str(PurePosixPath(self.main).parent / clean_name(name))
        if beside in self.files:
            return beside
        called = PurePosixPath(clean_name(name)).name
        same = [file for file in self.files if PurePosixPath(file).name == called and file != self.main]
        return same[0] if len(same) == 1 else None


def _stands_in_the_file(place: Place, value: str) -> bool:
    return stands_inline(value) if is_list(place) else "\n" in value


def _put(keys: dict[str, Any], place: Place, value: str) -> None:
    *section, key = place
    at: Any = keys
    for name in section:
        at = at[name]
    at[key] = value
