"""Exact factors among the parameters of games and agents."""

import re
from fractions import Fraction
from reprlib import repr as shortened
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

# Bounded, as an exponent of a few digits makes a number of millions of them.
_RATIO = re.compile(r"-?\d{1,200}(\.\d{1,40})?([eE][+-]?\d{1,2})?(/\d{1,200})?")


def _exact(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Fraction):
        raise ValueError("must be a number such as 0.9, or a fraction such as 1/3")
    text = str(value).strip()
    try:
        if _RATIO.fullmatch(text):
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise ValueError(f"{shortened(text)} is no number: write 0.9 or 1/3")


Ratio = Annotated[
    Fraction,
    BeforeValidator(_exact),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"type": ["number", "string"]}),
]
"""A factor, kept exact: `0.9`, or text such as `1/3`."""
