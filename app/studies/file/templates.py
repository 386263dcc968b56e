"""Studies to begin from (`app/studies/templates`), and the placeholders still to be filled in in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.core.errors import StudyError
from app.core.problems import Place, listed, quoted
from app.studies.file.bundle import read_written
from app.studies.file.keys import tidied
from app.studies.file.words import texts_in, words_in_text
from app.studies.file.yamlsource import read_yaml
from app.tasks.registry import BLOCKS
from app.trials.parts import BlockSettings

# Lists of names, with no words in them that a participant reads.
# Not links: `[TEXT](address)`, `[TEXT][name]`, and `[TEXT]` with its address on a line of its own.
_BRACKETS = re.compile(r"(?<!\])\[([^\[\]]+)\](?![(\[])")
_DEFINED = re.compile(r"^ {0,3}\[([^\[\]]+)\]: *(?:\w+:|[/#<.])\S*", re.MULTILINE)


STUDY_FILE = "study.yaml"
_FOLDER = Path(__file__).parents[1] / "templates"
_SHARED = "shared/"
# Includes the texts that several templates share. The output is Markdown, YAML and CSV, so nothing is escaped for HTML.
_texts_of = Environment(
    loader=FileSystemLoader(_FOLDER),
    autoescape=False,  # noqa: S701
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_PAIRS = """\
pair,a,b,condition,kind
pair-1,[NAME OF A CLIP],[NAME OF ANOTHER CLIP],,main
"""


@dataclass(frozen=True, slots=True)
class Template:
    """A study to begin from: a folder with a study file and its texts.

    For a gallery: the purpose (`use`), the time that it `takes` a participant, the `paper` whose study it is, and the
    name of a `picture` of the participant's page.
    """

    name: str
    title: str
    description: str
    use: str
    picture: str
    takes: str = ""
    paper: str = ""

    @property
    def file(self) -> str:
        """The template's study file, with its texts in it."""
        return _in_one_file(self.name)

    def keys(self) -> dict[str, Any]:
        """A fresh draft."""
        return tidied(read_yaml(self.file).data)

    def files(self) -> Mapping[str, str]:
        """The study file, and a list of pairs if pairs are still to be chosen."""
        keys = self.keys()
        if "trials" not in keys or "sample" in keys:
            return {STUDY_FILE: self.file}
        with_pairs = re.sub(r"^trials:", "pairs: pairs.csv\ntrials:", self.file, count=1, flags=re.MULTILINE)
        return {STUDY_FILE: with_pairs, "pairs.csv": _PAIRS}


def _index() -> Iterator[Template]:
    for entry in yaml.safe_load((_FOLDER / "index.yaml").read_text(encoding="utf-8")):
        yield Template(**entry)


TEMPLATES: Mapping[str, Template] = MappingProxyType({template.name: template for template in _index()})


@cache
def _in_one_file(name: str) -> str:
    """The study file of a template's folder, with the texts and lists that it names in it."""
    own = f"{name}/"
    paths = _texts_of.list_templates(filter_func=lambda path: path.startswith((own, _SHARED)))
    files = {path.removeprefix(own): _texts_of.get_template(path).render().encode() for path in paths}
    return read_written(files, STUDY_FILE).text


def write_template(name: str, folder: Path) -> tuple[str, ...]:
    """Write a template's files into a new folder; returns its placeholders to be filled in, in order, each once.

    Raises StudyError for an unknown template, and a folder that exists or cannot be written.
    """
    if name not in TEMPLATES:
        raise StudyError(f"there is no template {quoted(name)}; use {listed(TEMPLATES)}")
    files = TEMPLATES[name].files()
    try:
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    except FileExistsError:
        raise StudyError(f"{folder} is there already; name another folder with --out") from None
    except OSError as error:
        raise StudyError(f"cannot write {folder}: {error.strerror}") from None
    found = (f"[{' '.join(words.split())}]" for text in files.values() for words in _placeholders(text))
    numbers = (each.text for each in _without_number(TEMPLATES[name].keys()))
    return tuple(dict.fromkeys((*found, *numbers)))


@dataclass(frozen=True, slots=True)
class Unfilled:
    """A placeholder still standing in a text, such as [NAME OF THE LAB]; `text` is on one line, in its brackets."""

    place: Place
    text: str


def unfilled(keys: object) -> list[Unfilled]:
    """Placeholders, words in capitals and square brackets, not replaced yet, in the order of the file; after them
    `{minutes}` and `{pay}` where texts have them and the study has no such number.

    A text of a list may contain such words: it counts only if it consists of nothing else.
    """
    tables = _tables()
    written = tidied(keys)
    return [
        *_in_brackets(written, tables),
        *_without_number(written),
    ]


def _without_number(keys: object) -> Iterator[Unfilled]:
    """The words for numbers of the last page that texts have and the study does not."""
    completion = keys.get("completion") if isinstance(keys, Mapping) else None
    given = completion if isinstance(completion, Mapping) else {}
    used = {word for _, text in texts_in(keys) for word in words_in_text(text)}
    for word in ("minutes", "pay"):
        if word in used and not given.get(word):
            yield Unfilled(("completion", word), f"{{{word}}}")


def _in_brackets(keys: object, tables: "Tables") -> list[Unfilled]:
    return [
        Unfilled(place, f"[{' '.join(found.split())}]")
        for place, text in _texts(keys, (), tables)
        if not any(part in tables for part in place) or _BRACKETS.fullmatch(text.strip())
        for found in _placeholders(text)
    ]


Tables = Mapping[str | int, type[BlockSettings]]


def _tables() -> Tables:
    """The keys of lists, each with the block that reads it."""
    return {place[-1]: model for model in BLOCKS.values() for place in model.written}


def _texts(value: object, place: Place, tables: Tables) -> Iterator[tuple[Place, str]]:
    match value:
        case str():
            yield place, value
        case dict():
            for key, inner in value.items():
                if key in tables:
                    listed = _listed(inner, tables[key])
                    yield from (((*place, key, at, "text"), text) for at, text in enumerate(listed))
                else:
                    yield from _texts(inner, (*place, key), tables)
        case list():
            for index, inner in enumerate(value):
                yield from _texts(inner, (*place, index), tables)


def _listed(value: object, model: type[BlockSettings]) -> Sequence[str]:
    """The texts of a list, as CSV or as it is run; all else in it are names."""
    if isinstance(value, str):
        return model.texts_in(value)
    rows = value if isinstance(value, list) else []
    return [str(row["text"]) for row in rows if isinstance(row, Mapping) and "text" in row]


def _placeholders(text: str) -> Iterator[str]:
    links = {name.casefold() for name in _DEFINED.findall(text)}
    for words in _BRACKETS.findall(text):
        in_capitals = words == words.upper() != words.lower()
        if in_capitals and sum(map(str.isalpha, words)) > 1 and words.casefold() not in links:
            yield words
