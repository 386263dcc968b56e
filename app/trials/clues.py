"""Countable clues in a record or text: lengths, times, names, reasons, numbers of play."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final, Literal

from app.library.kinds import StimulusKind
from app.library.records import Line, Record, Table, parse_record

LeakName = Literal[
    "rounds",
    "message-length",
    "message-count",
    "round-numbers",
    "times",
    "names",
    "typing",
    "automatic",
    "reasons",
    "file-size",
    "page-size",
    "reason-length",
]
CLUE_WORDS: Mapping[LeakName, str] = {
    "rounds": "Number of rounds",
    "message-length": "Length of messages",
    "message-count": "Number of messages",
    "round-numbers": "Round numbers",
    "times": "Times",
    "names": "Names",
    "typing": "Typing errors",
    "automatic": "Automatic moves",
    "reasons": "Reasons that are given",
    "file-size": "Bytes of the file",
    "page-size": "Lines and cells on the page",
    "reason-length": "Length of reasons",
}

_MESSAGE = re.compile(r"\A.{1,300}? writes: (.*)\Z", re.DOTALL)
_CLASS = re.compile(r"\A.{1,300}? writes a (short|medium|long) message\.\Z")
# A length class counts as its upper end (record_rounds.py); `long` has none, and messages end at 400 by default.
_CLASSES = {"short": 40, "medium": 120, "long": 400}
_TIME = re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b|\b\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|secs?|seconds?)\b")
_REASON = re.compile(r"\Areasons?\b", re.IGNORECASE)
# As `game records` writes it, or anybody; a table may have a column of them.
_REASON_LINE = re.compile(r"\Areasons?\b[^:]{0,200}:\s*(.*)\Z", re.IGNORECASE | re.DOTALL)
_REASON_CLASS = re.compile(r"\A\[(short|medium|long)\]\Z")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
_TYPO = re.compile(r"\A[a-z]|[^.!?…\"”)]\Z|  |(\w)\1\1|\s[,.;!?]")
AUTOMATIC: Final = "made automatically"


@dataclass(frozen=True, slots=True)
class Clues:
    """Counts from one record or text. Texts have no rounds and no numbers; `is_ours` if `game records` made it."""

    rounds: int
    measured: Mapping[LeakName, float]
    times: int
    automatic: int
    names: tuple[str, ...]
    lacks_reasons: bool
    is_ours: bool = False


def clues_in(kind: StimulusKind, content: str, sources: re.Pattern[str]) -> Clues:
    """Clues counted in a record (canonical JSON) or a text."""
    if kind is not StimulusKind.RECORD:
        measured: dict[LeakName, float] = {
            "message-length": float(len(content)),
            "typing": float(len(_TYPO.findall(content))),
            "file-size": float(len(content.encode())),
        }
        return Clues(0, measured, len(_TIME.findall(content)), 0, _named(sources, [content]), False)
    return _of_record(parse_record(content), len(content.encode()), sources)


def _of_record(record: Record, n_bytes: int, sources: re.Pattern[str]) -> Clues:
    in_rounds = [part for each in record.rounds for part in each.parts]
    lines = [part.text for part in in_rounds if isinstance(part, Line)]
    cells = [cell for part in in_rounds if isinstance(part, Table) for cell in _cells(part)]
    messages = [found[1] for line in lines if (found := _MESSAGE.match(line))]
    classes = [_CLASSES[found[1]] for line in lines if (found := _CLASS.match(line))]
    reasons = list(_reasons(in_rounds))
    # Numbers in reasons are no amounts of play.
    rest = [line for line in lines if not _MESSAGE.match(line) and not _REASON_LINE.match(line)]
    lengths = [*map(len, messages), *classes]
    numbers = [float(n) for text in (*rest, *cells) for n in _NUMBER.findall(text)]
    texts = [
        record.title,
        *(p.name for p in record.players),
        *(p.about for p in record.players),
        *rest,
        *cells,
        *reasons,
    ]
    written = [*messages, *(each for each in reasons if not _REASON_CLASS.match(each))]
    with_reason = [_has_reason(each.parts) for each in record.rounds]
    measured: dict[LeakName, float] = {
        "message-length": fmean(lengths) if lengths else 0.0,
        "message-count": float(len(lengths)),
        "round-numbers": fmean(n % 5 == 0 for n in numbers) if numbers else 0.0,
        "typing": fmean(bool(_TYPO.search(m)) for m in written) if written else 0.0,
        "file-size": float(n_bytes),
        "page-size": float(len(lines) + len(cells) + len(record.rounds)),
        "reason-length": fmean(map(_length, reasons)) if reasons else 0.0,
    }
    return Clues(
        len(record.rounds),
        measured,
        sum(bool(_TIME.search(text)) for text in (*rest, *cells)),
        sum(AUTOMATIC in line for line in lines),
        _named(sources, texts),
        any(with_reason) and not all(with_reason),
    )


def _cells(table: Table) -> Iterator[str]:
    """The cells that are not reasons."""
    shown = [i for i, name in enumerate(table.columns) if not _REASON.match(name)]
    return (str(row[i]) for row in table.rows for i in shown)


def _reasons(parts: Sequence[object]) -> Iterator[str]:
    """Reasons by themselves: lines that begin so, and the cells of a column that is called so."""
    for part in parts:
        if isinstance(part, Line) and (found := _REASON_LINE.match(part.text)):
            yield found[1]
        if isinstance(part, Table):
            columns = [i for i, name in enumerate(part.columns) if _REASON.match(name)]
            yield from (str(row[i]) for row in part.rows for i in columns if row[i] is not None)


def _length(reason: str) -> int:
    shown = _REASON_CLASS.match(reason)
    return _CLASSES[shown[1]] if shown else len(reason)


def _has_reason(parts: Sequence[object]) -> bool:
    return any(isinstance(p, Line) and _REASON.match(p.text) for p in parts) or any(
        isinstance(p, Table) and any(_REASON.match(name) for name in p.columns) for p in parts
    )


def _named(sources: re.Pattern[str], texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({found.lower() for text in texts for found in sources.findall(text)}))
