"""Rules on what participants wrote in their own words: pasted, repeated, or written by a program."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from analysis.quality.flagged import at_least, counted_flags, reached, share
from analysis.quality.records import SessionRecord
from analysis.quality.rules import Bounds, Cohort, Parameter, Rule, Values

_WORDS = Parameter(
    "words",
    "Words, at least",
    'Shorter texts, such as "more natural", are repeated by honest people and do not count.',
    6,
    "words",
    minimum=1,
    is_whole=True,
)
_NOT_A_LETTER = re.compile(r"[\W_]+")
# Chinese and Japanese put no blanks between words; two characters are about a word.
_NO_BLANKS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def plain_text(text: str) -> str:
    """A text as it is compared: lower case, no punctuation, one blank between words."""
    return _NOT_A_LETTER.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def n_words(plain: str) -> int:
    """The number of words of a `plain_text`."""
    return len(_NO_BLANKS.sub("", plain).split()) + len(_NO_BLANKS.findall(plain)) // 2


def texts_of(session: SessionRecord) -> Iterator[str]:
    """The free texts of a session's trials."""
    return (text for answer in session.answers for text in answer.texts.values())


def _long(session: SessionRecord, words: float | None) -> list[str]:
    plain = (plain_text(text) for text in texts_of(session))
    return [text for text in plain if n_words(text) >= (words or 1)]


def _repeated(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    texts = _long(session, bounds["words"])
    again = sum(n - 1 for n in Counter(texts).values())
    return _named(reached(again, len(texts), bounds), "repeats")


def _shared(session: SessionRecord, bounds: Bounds, cohort: Cohort) -> Values | None:
    texts = _long(session, bounds["words"])
    n = sum(cohort.writers.get(text, 0) > 1 for text in texts)
    return _named(reached(n, len(texts), bounds), "shared")


def _named(found: Values | None, name: str) -> Values | None:
    return None if found is None else {name: found["trials"], "of": found["of"]}


TEXTS = (
    Rule(
        "pasted",
        "Texts pasted",
        "Most of a text's characters were pasted, not typed, in so many trials.",
        counted_flags("pasted"),
        (at_least(2), share(0.2)),
    ),
    Rule(
        "repeated-text",
        "The same text again",
        "Wrote a text again, word for word, that the same person had written in another trial.",
        _repeated,
        (at_least(3), share(0.5), _WORDS),
    ),
    Rule(
        "shared-text",
        "The same text as others",
        "Wrote so many texts that another session of the study has word for word.",
        _shared,
        (at_least(2), share(0.2), _WORDS),
        of_cohort=True,
    ),
)
