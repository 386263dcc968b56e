"""Templates to begin studies from, and their placeholders still to be filled in."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from app.core.errors import StudyError
from app.core.problems import Place, listed, quoted
from app.studies.file.items import read_item_file
from app.studies.file.keys import tidied
from app.studies.file.template_files import BLANK, HNTT, PREFERENCE, REAL_OR_FAKE
from app.studies.file.template_play import PLAY, WALK, WHICH_PLAYER
from app.studies.file.template_rubric import RUBRIC
from app.studies.file.template_water import PLAY_AND_RATE, WATER_JUDGES
from app.studies.file.yamlsource import read_yaml

# Lists of names, with no words in them that a participant reads.
_NAMES = ("pairs", "drawn")
# Not links: `[TEXT](address)`, `[TEXT][name]`, and `[TEXT]` with its address on a line of its own.
_BRACKETS = re.compile(r"(?<!\])\[([^\[\]]+)\](?![(\[])")
_DEFINED = re.compile(r"^ {0,3}\[([^\[\]]+)\]: *(?:\w+:|[/#<.])\S*", re.MULTILINE)


STUDY_FILE = "study.yaml"
_PAIRS = """\
pair,a,b,condition,kind
pair-1,[NAME OF A CLIP],[NAME OF ANOTHER CLIP],,main
"""


@dataclass(frozen=True, slots=True)
class Template:
    """A study to begin from."""

    name: str
    title: str
    description: str
    file: str

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


TEMPLATES: Mapping[str, Template] = MappingProxyType(
    {
        template.name: template
        for template in (
            Template(
                "hntt",
                "Human Navigation Turing Test",
                "The published study: 10 pairs that share a goal, which video is more likely to be human, and why.",
                HNTT,
            ),
            Template(
                "real-or-fake",
                "Which one is real?",
                "10 pairs of a real and a fake video (their sources): which one is real, why, how certain.",
                REAL_OR_FAKE,
            ),
            Template(
                "preference",
                "Preference",
                "Which of two videos people prefer, why, and how certain they are; no answer is right or wrong.",
                PREFERENCE,
            ),
            Template(
                "rubric",
                "Rubric rating of records",
                "Records or texts, one at a time, on six criteria from 1 to 5 in words, with reasons.",
                RUBRIC,
            ),
            Template(
                "water-judges",
                "The water auction, judged",
                "The published study: play, rate yourself, then 15 of 30 released records on six criteria.",
                WATER_JUDGES,
            ),
            Template(
                "play-and-rate",
                "Play, rate yourself, rate others",
                "People play a game of bids with reasons, rate their own play, and then records of others.",
                PLAY_AND_RATE,
            ),
            Template(
                "ultimatum",
                "A game played live",
                "Five people, or people and agents, play eight rounds of offers in the browser.",
                PLAY,
            ),
            Template(
                "which-player",
                "Which player is human?",
                "10 pairs of records of a game, side by side: which player is more likely to be human, and why.",
                WHICH_PLAYER,
            ),
            Template(
                "walk-the-map",
                "Walk the map",
                "People walk to goals on a map, in first person; their walks become clips like agents'.",
                WALK,
            ),
            Template("blank", "Blank", "One question and a consent page to be written.", BLANK),
        )
    }
)


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
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Unfilled:
    """A placeholder still standing in a text, such as [NAME OF THE LAB]; `text` is on one line, in its brackets."""

    place: Place
    text: str


def unfilled(keys: object) -> list[Unfilled]:
    """Placeholders, words in capitals and square brackets, not replaced yet, in the order of the file.

    A rated text may contain such words: it counts only if it consists of nothing else.
    """
    return [
        Unfilled(place, f"[{' '.join(found.split())}]")
        for place, text in _texts(tidied(keys), ())
        if "items" not in place or _BRACKETS.fullmatch(text.strip())
        for found in _placeholders(text)
    ]


def _texts(value: object, place: Place) -> Iterator[tuple[Place, str]]:
    match value:
        case str():
            yield place, value
        case dict():
            for key, inner in value.items():
                if key == "items" and isinstance(inner, str):
                    rows = read_item_file("", inner, by_row=True).rows
                    yield from _texts([{"text": row.text} for row in rows], (*place, key))
                elif key not in _NAMES:
                    yield from _texts(inner, (*place, key))
        case list():
            for index, inner in enumerate(value):
                yield from _texts(inner, (*place, index))


def _placeholders(text: str) -> Iterator[str]:
    links = {name.casefold() for name in _DEFINED.findall(text)}
    for words in _BRACKETS.findall(text):
        in_capitals = words == words.upper() != words.lower()
        if in_capitals and sum(map(str.isalpha, words)) > 1 and words.casefold() not in links:
            yield words
