"""Numbers typed by people: the one parser for forms, files and the command line.

A separator of thousands counts only between groups of three digits; a comma elsewhere is a decimal comma, if decimals
are allowed. Anything else is refused: `12,5` is not 125 and `1_0` is not 10.
"""

import re
from typing import Final

# A comma, an apostrophe, or a blank that does not break, the same throughout.
_GROUPED = re.compile(
    r"([+-]?)([1-9][0-9]{0,2})((?P<mark>[,'’ \u00a0\u2009\u202f])[0-9]{3}(?:(?P=mark)[0-9]{3}){0,4})"
)
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,15}(?:[.,][0-9]{0,15})?|[.,][0-9]{1,15})(?:[eE][+-]?[0-9]{1,2})?")
_EITHER = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_FEWEST_COMMAS = 2
NO_SEPARATORS: Final = "Please write the number without separators, such as 1000 or 1.5."


def whole_number(text: str) -> int:
    """The whole number that a text is: `1000`, `1,000`, `1 000`, `-3`. Raises ValueError for any other text."""
    text = text.strip()
    if grouped := _GROUPED.fullmatch(text):
        sign, first, rest = grouped.group(1, 2, 3)
        return int(sign + first + rest.replace(grouped["mark"], ""))
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{text!r} is no whole number, such as 1000 or 1,000")
    return int(text)


def decimal_number(text: str) -> float:
    """The number that a text is: `1000`, `1.5`, `1,5`. Raises ValueError for any other text, also for `1,000`, which is
    1 in one country and 1000 in the next."""
    text = text.strip()
    # 1,234 may be 1234 or 1.234: it is refused, and not guessed.
    if _EITHER.fullmatch(text) or _GROUPED.fullmatch(text) or ("," in text and "." in text):
        raise ValueError(NO_SEPARATORS)
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text!r} is no number, such as 1000 or 1.5")
    return float(text.replace(",", "."))


def is_plain(text: str) -> bool:
    """True if `int` and `float` read a text unambiguously: no underscores, no digits of other scripts."""
    # int takes 1_0, and the digits of every script.
    return text.isascii() and "_" not in text


def with_points(texts: list[str]) -> list[str]:
    """The distinct cells of a column of numbers, with decimal commas as points: if several have a comma, none a point,
    and not all that have one could be thousands. Otherwise the cells unchanged: one `3,5` may be a 3 and a 5.
    """
    commas = [text for text in texts if "," in text]
    if (
        len(commas) < _FEWEST_COMMAS
        or any("." in text for text in texts)
        or not all(map(_DECIMAL_COMMA.fullmatch, commas))
    ):
        return texts
    # Where every number looks like 1,234 the commas may mark thousands: nothing is changed.
    if all(map(_EITHER.fullmatch, commas)):
        return texts
    return [text.replace(",", ".") for text in texts]
