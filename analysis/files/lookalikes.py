"""Names with invisible differences: invisible letters, normalization, width, blanks, case."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from analysis.files.faults import note

_BLANKS = re.compile(r"\s+")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Lookalikes:
    """Different texts that look alike; `differ_in` is the difference in words."""

    texts: tuple[str, ...]
    differ_in: str

    def __str__(self) -> str:
        shown = [
            ascii(text) if len(set(map(_one_width, self.texts))) == 1 else _escaped(text)
            for text in self.texts
        ]
        return f"{' and '.join(shown)} differ only in {self.differ_in}"


def lookalikes(texts: Iterable[str]) -> list[Lookalikes]:
    """The texts that look alike, in the order of their first."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(_alike(text), []).append(text)
    return [Lookalikes(tuple(group), _differ_in(group)) for group in groups.values() if len(group) > 1]


def note_lookalikes(origin: str, columns: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Note, for each column of names, those that look alike; they stay different."""
    for said in lookalike_notes(columns):
        note(f"{origin}: {said}")


def lookalike_notes(columns: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    """A sentence for each column that has names that look alike."""
    for name, texts in columns:
        found = lookalikes(texts)
        if found:
            listed = "; ".join(map(str, found[:_SHOWN])) + ("; and more" if len(found) > _SHOWN else "")
            yield f"column {name}: {listed}. They count as different"


def _escaped(text: str) -> str:
    """The text in quotes, with invisible characters escaped."""
    return f"'{''.join(c if c.isprintable() and not _is_invisible(c) else ascii(c)[1:-1] for c in text)}'"


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cf", "Cc") or 0xFE00 <= ord(letter) <= 0xFE0F


def _visible(text: str) -> str:
    return (
        text
        if text.isascii() and text.isprintable()
        else "".join(c for c in text if c in "\t\n\r" or not _is_invisible(c))
    )


def _one_blank(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _one_width(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


_STEPS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("invisible letters", _visible),
    ("blanks", _one_blank),
    ("how accents are written (NFC, NFD)", _composed),
    ("the width or form of letters", _one_width),
    ("upper and lower case", str.casefold),
)


def _alike(text: str, without: str = "") -> str:
    if not without and text.isascii() and text.isprintable():
        return _one_blank(text).casefold() if " " in text else text.casefold()
    for words, step in _STEPS:
        text = text if words == without else step(text)
    return text


def _differ_in(group: Sequence[str]) -> str:
    """The steps without which the texts do not become equal; the first that makes them so, where several would."""
    needed = [words for words, _ in _STEPS if len({_alike(text, words) for text in group}) > 1]
    return " and ".join(needed) or next(w for w, step in _STEPS if len({step(text) for text in group}) == 1)
