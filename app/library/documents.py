"""Stimuli that are read, not watched: records and texts, as they come in files. Pure: no database."""

import hashlib
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.errors import StudyError
from app.core.problems import Problem
from app.library.clips.errors import ManifestProblems
from app.library.clips.manifest import POSITIONS, Manifest, ManifestRow, problem_of
from app.library.kinds import StimulusKind, kind_of
from app.library.records import LARGEST_BYTES as LARGEST_RECORD_BYTES
from app.library.records import Chart, Line, Table, canonical_json, parse_record, printable

LARGEST_TEXT_BYTES: Final = 400_000
LONGEST_TEXT: Final = 100_000


LARGEST_BYTES = {StimulusKind.RECORD: LARGEST_RECORD_BYTES, StimulusKind.TEXT: LARGEST_TEXT_BYTES}


class BadText(StudyError):
    """A file that holds no text that can be shown."""

    status_code = 422
    title = "The text has errors"


@dataclass(frozen=True, slots=True)
class Document:
    """A record (`content` is its canonical JSON) or a text (Markdown); `sha256` is of the content in UTF-8."""

    kind: StimulusKind
    content: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content.encode()).hexdigest()

    @property
    def bytes(self) -> int:
        """Length of the content in UTF-8."""
        return len(self.content.encode())


@dataclass(frozen=True, slots=True)
class Measures:
    """Counts in a record or a text, as people read it: without JSON's brackets and keys.

    `lines` are non-empty lines, with a row of a table or a chart as one each; `rounds` is 0 for texts.
    """

    characters: int
    words: int
    lines: int
    rounds: int


def read_out(document: Document) -> tuple[str, ...]:
    """The lines that people read, in their order; numbers of charts and empty cells are left out."""
    if document.kind is StimulusKind.TEXT:
        return tuple(line for line in document.content.splitlines() if line.strip())
    record = parse_record(document.content)
    players = (f"{player.name} {player.about}" for player in record.players)
    rounds = (
        line
        for each in record.rounds
        for line in (each.title, *(x for part in each.parts for x in _read(part)))
    )
    return (record.title, *players, *(line for part in record.parts for line in _read(part)), *rounds)


def measure_document(document: Document) -> Measures:
    lines = read_out(document)
    rounds = len(parse_record(document.content).rounds) if document.kind is StimulusKind.RECORD else 0
    return Measures(sum(map(len, lines)), sum(len(line.split()) for line in lines), len(lines), rounds)


CLUES: Final = ("characters", "words", "lines", "rounds", "source_names", "player_names", "odd_numbers")
_NUMBER = re.compile(r"(?<![\w.,])(?<!\w-)(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w)")


def document_clues(document: Document, sources: Collection[str]) -> dict[str, float]:
    """Countable clues to the source of a record or a text: the keys of `CLUES`, in their order.

    `source_names` is how often it names one of the sources, `player_names` how often it names a player, after the list
    of its players; whole words, in any case. `odd_numbers` is the share of numbers from 10 on, outside titles, that are
    not multiples of 5; 0 if there are none.
    """
    counts, lines = measure_document(document), read_out(document)
    players: Sequence[str] = ()
    if document.kind is StimulusKind.RECORD:
        players = [player.name for player in parse_record(document.content).players]
    said = "\n".join((*lines[:1], *lines[1 + len(players) :]))
    return {
        "characters": counts.characters,
        "words": counts.words,
        "lines": counts.lines,
        "rounds": counts.rounds,
        "source_names": _mentions(said, sources),
        "player_names": _mentions(said, players),
        "odd_numbers": _odd_share(_numbers_of(document)),
    }


def _numbers_of(document: Document) -> list[float]:
    """The numbers from 10 on of a text, or of the parts of a record."""
    if document.kind is StimulusKind.TEXT:
        said = document.content
    else:
        record = parse_record(document.content)
        parts = (*record.parts, *(part for each in record.rounds for part in each.parts))
        said = "\n".join(line for part in parts for line in _read(part))
    found = (float(number.replace(",", "")) for number in _NUMBER.findall(said))
    return [number for number in found if number >= 10]


def _odd_share(numbers: Sequence[float]) -> float:
    return round(sum(number % 5 != 0 for number in numbers) / len(numbers), 3) if numbers else 0.0


def _mentions(text: str, names: Collection[str]) -> int:
    found = "|".join(re.escape(name.strip()) for name in sorted(names, key=len, reverse=True) if name.strip())
    return len(re.findall(rf"(?<!\w)(?:{found})(?!\w)", text, re.IGNORECASE)) if found else 0


def _read(part: Line | Table | Chart) -> Sequence[str]:
    match part:
        case Line():
            return [line for line in part.text.splitlines() if line.strip()]
        case Table():
            rows = (" ".join("" if cell is None else str(cell) for cell in row) for row in part.rows)
            return [" ".join(part.columns), *rows]
    return [part.label]


@dataclass(frozen=True, slots=True)
class ImportedDocument:
    """One stimulus that is a record or a text, as a manifest names it or as it was uploaded."""

    name: str
    source: str
    attributes: dict[str, str]
    document: Document
    original_name: str
    original_bytes: int


def read_document(kind: StimulusKind, data: bytes) -> Document:
    """The content of a file, validated. Raises BadRecord, or BadText for a text."""
    if kind is StimulusKind.RECORD:
        return Document(kind, canonical_json(parse_record(data)))
    return Document(kind, _text(data))


def read_documents(manifest: Manifest) -> list[ImportedDocument]:
    """The records and texts that a manifest names, in its order. Raises ManifestProblems with every bad file."""
    found: list[ImportedDocument] = []
    problems: list[Problem] = []
    for row in manifest.rows:
        if kind_of(row.file.name) is StimulusKind.CLIP:
            continue
        if row.positions:
            message = "positions belong to clips; leave the cell empty for a record or a text"
            problems.append(problem_of(manifest.path, row.row, message, POSITIONS, row.attributes[POSITIONS]))
        try:
            found.append(_imported(row))
        except StudyError as error:
            problems.append(manifest.problem(row, str(error)))
        except OSError as error:
            problems.append(manifest.problem(row, f"cannot be read ({error.strerror or error})"))
    if problems:
        raise ManifestProblems(problems)
    return found


def clip_rows(manifest: Manifest) -> Manifest:
    """The manifest with the rows of clips alone."""
    return Manifest(manifest.path, manifest.attributes, tuple(_clips(manifest.rows)))


def _clips(rows: Sequence[ManifestRow]) -> list[ManifestRow]:
    return [row for row in rows if kind_of(row.file.name) is StimulusKind.CLIP]


def _imported(row: ManifestRow) -> ImportedDocument:
    data = read_some(row.file, LARGEST_BYTES[kind_of(row.file.name)] + 1)
    return ImportedDocument(
        name=row.name,
        source=row.source,
        attributes={key: value for key, value in row.attributes.items() if key != POSITIONS},
        document=read_document(kind_of(row.file.name), data),
        original_name=row.file.name,
        original_bytes=len(data),
    )


def read_some(path: Path, most: int) -> bytes:
    """The beginning of a file, so that a huge one is refused for its size and not read whole."""
    with path.open("rb") as file:
        return file.read(most)


def _text(data: bytes) -> str:
    if len(data) > LARGEST_TEXT_BYTES:
        raise BadText(f"the text is larger than {LARGEST_TEXT_BYTES // 1000} kB; split it")
    try:
        text = printable(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadText(f"line {line} of the text is not UTF-8; save it as UTF-8") from None
    except ValueError as error:
        raise BadText(f"the text {error}") from None
    if not text.strip():
        raise BadText("the text is empty; write what people should read")
    if len(text) > LONGEST_TEXT:
        raise BadText(f"the text has {len(text)} characters; at most {LONGEST_TEXT} are taken")
    return text
