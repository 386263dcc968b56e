"""Converts frames with arbitrary times to a constant rate."""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")


def at_constant_rate(frames: Iterable[tuple[Fraction, T]], rate: Fraction, count: int) -> Iterator[T]:
    """Yield `count` frames, `rate` a second: for each moment the last frame that has begun by then.

    Times are seconds from the first moment; frames before it count as begun. A frame begins at the moment
    nearest to its time, so that times rounded to milliseconds, as in WebM, neither drop nor double one.
    """
    held: T | None = None
    produced = 0
    for time, frame in frames:
        begins = math.floor(time * rate + Fraction(1, 2))
        if held is not None:
            while produced < min(begins, count):
                yield held
                produced += 1
        if produced >= count:
            return
        held = frame
    if held is not None:
        for _ in range(produced, count):
            yield held
