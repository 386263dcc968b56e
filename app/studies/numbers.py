"""Texts for participants that name another number than the design has."""

import re
from collections.abc import Iterator
from typing import Any

from app.core.problems import Place, listed, quoted
from app.studies.file.design import StudyDesign
from app.studies.file.placeholders import n_main, numbers_of
from app.studies.file.words import texts_in, words_in_text
from app.tasks.listed import SHORT_TASK
from app.trials.checks import Check
from app.trials.design import Kind

_UNTIL_TWELVE = (
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_BY_WORD = {word: n for n, word in enumerate(_UNTIL_TWELVE, start=1)} | {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
}
_NUMBER = rf"(?<![\d.,–-])(\d+|{'|'.join(_BY_WORD)})"
# Not of a range, whose ends are both no number of the design.
_PAIRS = re.compile(rf"(?<!to )\b{_NUMBER}\s+(?:pairs|Paare|Paaren|pares)\b", re.IGNORECASE)
# How long it takes, and not how long one has for something.
_MINUTES = re.compile(
    rf"\b(?:takes?|lasts?|dauert|dura)\s+(?:\w+\s+){{0,2}}{_NUMBER}\s+(?:minutes?|min|Minuten?|minutos?)\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"(?:[£$€]|\b(?:EUR|GBP|USD) ?)\d+(?:[.,]\d+)?")
# Where people are told what they agree to, and not what a game or a question is about.
_OF_PAY = (("consent", "text"), ("completion", "message"))


def number_checks(design: StudyDesign) -> Iterator[Check]:
    """A warning where a text contradicts the design, or has a word for a number that the design does not have."""
    keys = design.model_dump(mode="json", exclude_defaults=True)
    found = [each for place, text in _texts(keys) for each in _contradictions(design, place, text)]
    if not found:
        return
    said = "; ".join(f"{words} in {_named(place)}" for place, words in found[:5])
    detail = (
        f"{said[:1].upper()}{said[1:]}. Correct the text, or write {{pairs}}, {{minutes}} or {{pay}} in it."
    )
    at = ".".join(map(str, found[0][0]))
    yield Check("numbers", "Numbers in texts", "warning", detail, f"design?at={at}")


def _texts(keys: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    yield from texts_in(keys)
    for language, words in keys.get("translations", {}).items():
        yield from texts_in(words, ("languages", language))


def _contradictions(design: StudyDesign, place: Place, text: str) -> Iterator[tuple[Place, str]]:
    numbers, where = numbers_of(design), place[2:] if place[0] == "languages" else place
    for word in dict.fromkeys(words_in_text(text)):
        if word not in (*numbers, "minutes", "pay"):  # these two are to be filled in, as what is in brackets
            yield place, f"{{{word}}} stands, of which the design says nothing,"
    if where[-1] == "ask":
        return
    planned = _planned(design)
    for found in _PAIRS.finditer(text) if planned else ():
        if (n := _value(found[1])) not in planned:
            yield place, f"{quoted(found[0])} stands and {numbers['pairs']} are planned,"
            planned = {*planned, n}
    minutes = design.completion.minutes
    for found in _MINUTES.finditer(text) if minutes else ():
        if _value(found[1]) != minutes:
            yield place, f"{quoted(found[0])} stands and {minutes} minutes are set,"
    amounts = set(_MONEY.findall(design.completion.pay or ""))
    others = [each for each in _MONEY.findall(text) if each not in amounts]
    if amounts and others and where in _OF_PAY:
        yield place, f"{listed(others, 'and')} stands and the pay is {quoted(design.completion.pay or '')},"


def _planned(design: StudyDesign) -> set[int]:
    """The numbers of pairs that a text may name: all that a participant sees, of one block, and without practice."""
    return set().union(*(_planned_in(design.for_arm(arm)) for arm in design.arm_ids))


def _planned_in(design: StudyDesign) -> set[int]:
    blocks = [block for block in design.blocks if block.task == SHORT_TASK]
    main = [n_main(block) for block in blocks]
    practice = [sum(unit.kind is Kind.PRACTICE for unit in block.units()) for block in blocks]
    every = [m + p for m, p in zip(main, practice, strict=True)]
    return {*main, *practice, *every, sum(main), sum(every)} if blocks else set()


def _value(text: str) -> int:
    return _BY_WORD.get(text.lower()) or int(text)


def _named(place: Place) -> str:
    """A text as a sentence names it: `the consent text`."""
    names = {
        "text": "the consent text",
        "message": "the last page",
        "ask": "a question",
        "title": "the title",
    }
    key = str(place[-1])
    name = names.get(key, f"the {key.replace('_', ' ')}")
    return f"{name} ({place[1]})" if place[0] == "languages" else name
