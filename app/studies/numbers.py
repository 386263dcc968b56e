"""Texts for participants that name another number than the design has."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from app.core.problems import Place, listed, quoted
from app.studies.file.design import StudyDesign
from app.studies.file.placeholders import n_main, numbers_of
from app.studies.file.words import texts_in, words_in_text
from app.tasks.listed import SHORT_TASK
from app.trials.checks import Check
from app.trials.design import Kind

# fmt: off
_UNTIL_NINETEEN = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
# fmt: on
_BY_WORD = (
    {word: n for n, word in enumerate(_UNTIL_NINETEEN, start=1)}
    | {
        f"{tens}-{word}": n + one
        for tens, n in _TENS.items()
        for one, word in enumerate(_UNTIL_NINETEEN[:9], 1)
    }
    | _TENS
)
_LONGEST_FIRST = sorted(_BY_WORD, key=len, reverse=True)
_NUMBER = rf"(?<![\w.,–-])(\d+|{'|'.join(_LONGEST_FIRST)})"
# Not of a range, whose ends are both no number of the design. The languages are those of our catalogues.
_PAIRS = re.compile(
    rf"(?<!to )(?:{_NUMBER}\s+(?:(?:video|clip)\s+)?(?:pairs|Paare|Paaren|pares)\b"
    r"|(?<![\d–~〜-])(\d+)\s*(?:組|ペア)|(?<![\d–-])(\d+)\s+(?:زوج|أزواج))",
    re.IGNORECASE,
)
_UNIT = r"(?:minutes?|min|Minuten?|minutos?)\b"
# How long it takes, and not how long one has for something.
_MINUTES = re.compile(
    rf"\b(?:takes?|lasts?|dauert|dura)\s+(?:\w+\.?\s+){{0,2}}{_NUMBER}\s+{_UNIT}"
    rf"|{_NUMBER}[ -](?:minute|minütige[nrs]?)\s+(?:study|session|experiment|survey|Studie|Sitzung)\b"
    r"|(?:所要時間は?|時間は)\s*約?\s*(\d+)\s*分|(?<![\d–~〜-])(\d+)\s*分(?:ほど|程度|くらい|ぐらい)?かか"
    r"|(?:يستغرق|تستغرق)\s+(?:\w+\s+){0,2}(\d+)\s+(?:دقيقة|دقائق)",
    re.IGNORECASE,
)
# A sign or code before the number, or these and words after it: `£3`, `EUR 2.50`, `2,50 €`, `3 pounds`.
_CURRENCIES = {
    "£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "pfund": "GBP", "libras": "GBP", "ポンド": "GBP",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "ユーロ": "EUR", "يورو": "EUR",
    "$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "dólares": "USD", "ドル": "USD", "دولار": "USD",
    "¥": "JPY", "jpy": "JPY", "yen": "JPY", "円": "JPY",
}  # fmt: skip
_SIGN = "|".join(map(re.escape, sorted(_CURRENCIES, key=len, reverse=True)))
_AMOUNT = r"(\d+(?:[.,]\d+)*)"
_MONEY = re.compile(
    rf"([£€$¥]|\b(?:GBP|EUR|USD|JPY))\s?{_AMOUNT}|{_AMOUNT}\s?({_SIGN})(?![a-z])", re.IGNORECASE
)
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")
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
        if (n := _value(found)) not in planned:
            yield place, f"{quoted(found[0])} stands and {numbers['pairs']} are planned,"
            planned = {*planned, n}
    minutes = design.completion.minutes
    for found in _MINUTES.finditer(text) if minutes else ():
        if _value(found) != minutes:
            yield place, f"{quoted(found[0])} stands and {minutes} minutes are set,"
    amounts = {amount for _, amount in _amounts(design.completion.pay or "")}
    others = [words for words, amount in _amounts(text) if amount not in amounts]
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


def _value(found: re.Match[str]) -> int:
    """The number of a match, in digits of any script or in English words."""
    text = next(filter(None, found.groups()))
    return _BY_WORD.get(text.lower()) or int(text)


def _amounts(text: str) -> Iterator[tuple[str, tuple[str, Decimal]]]:
    """Each amount of money as it is written, with its currency and value: `2,50 €` is `EUR 2.50`."""
    for found in _MONEY.finditer(text):
        sign, number = (found[1], found[2]) if found[1] else (found[4], found[3])
        value = Decimal(_THOUSANDS.sub("", number).replace(",", "."))
        yield found[0].strip(), (_CURRENCIES[sign.lower()], value)


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
