"""A second answer by the same person to the same trial: found by group codes, named by its cells."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from analysis.data.codes import Groups, codes_of, crossed
from analysis.errors import SchemaError, shown

Words = npt.NDArray[np.uint64]

# Odd numbers of splitmix64: a product spreads every bit upwards, and the shift folds it back.
_SPREAD = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_FOLD = np.uint64(31)
_WORD = 8
# The bytes of a word that belong to a text of which 0 to 8 are left.
_LEFT = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], dtype=np.uint64)
_ROWS = 1 << 17
_LONGEST = 512
_BYTES_PER_ROW = 16


def refuse_repeats(df: pd.DataFrame, key: list[str], origin: str, first_row: int) -> None:
    """Refuse a second row with the same `key` (an error names the last of its columns)."""
    if not may_repeat([df[name] for name in key]):
        return
    repeated = df.duplicated(key).to_numpy()
    if not repeated.any():
        return
    second = int(repeated.argmax())
    values = df[key].iloc[second]
    same = np.logical_and.reduce(
        [(df[name] == values[name]).to_numpy(dtype=bool, na_value=False) for name in key]
    )
    where = ", ".join(f"{name} {values[name]}" for name in key[:-1])
    problem = (
        f"{shown(values[key[-1]])} was already answered in row {first_row + int(same.argmax())} ({where})"
    )
    raise SchemaError(origin, first_row + second, key[-1], problem, f"one answer for each {', '.join(key)}")


def may_repeat(key: Sequence[pd.Series]) -> bool:
    """False if no two rows have the same cells; True if two may have.

    Equal cells have equal numbers. Different cells have different ones too, except texts that are not stored as codes:
    those are numbered by a hash of 64 bits, and two of ten million rows collide by chance once in some 100,000 tables.
    """
    *groups, last = key
    group = _crossed(groups)
    numbers = text_numbers(last) if last.dtype == "str" else None
    if numbers is None:
        return _any_twice(crossed(group, codes_of(last)))
    for start in range(0, len(numbers), _ROWS):
        rows = slice(start, start + _ROWS)
        numbers[rows] += _spread(group.codes[rows].astype(np.uint64))
    return _has_equals(numbers)


def _crossed(columns: Sequence[pd.Series]) -> Groups:
    first, *others = map(codes_of, columns)
    for other in others:
        first = crossed(first, other)
    return first


def _any_twice(groups: Groups) -> bool:
    """True if a group has two rows. Rows without a group are ignored: they have been refused before."""
    if groups.size > _BYTES_PER_ROW * len(groups.codes):
        return _has_equals(np.array(groups.codes))
    seen = np.zeros(groups.size, dtype=bool)
    seen[groups.codes] = True
    return int(np.count_nonzero(seen)) < len(groups.codes)


def _has_equals(numbers: npt.NDArray[np.integer]) -> bool:
    numbers.sort()
    return bool((numbers[1:] == numbers[:-1]).any())


def text_numbers(texts: pd.Series) -> Words | None:
    """A number for each text, the same for the same text; None where they are too long to be worth it."""
    numbers = np.empty(len(texts), dtype=np.uint64)
    done = 0
    for chunk in pa.chunked_array([pa.array(texts.array)]).cast(pa.large_string()).chunks:
        _, places, letters = chunk.buffers()
        where = np.frombuffer(places, dtype=np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
        for start in range(0, len(chunk), _ROWS):
            block = where[start : start + _ROWS + 1]
            if np.diff(block).max() > _LONGEST:
                return None
            numbers[done : done + len(block) - 1] = _block_numbers(block, letters)
            done += len(block) - 1
    return numbers


def _block_numbers(where: npt.NDArray[np.int64], letters: pa.Buffer | None) -> Words:
    """Eight bytes at a time: text n is the letters from `where[n]` to `where[n + 1]`."""
    first, last = int(where[0]), int(where[-1])
    text = np.zeros(last - first + _WORD, dtype=np.uint8)
    if letters is not None:
        text[:-_WORD] = np.frombuffer(letters, dtype=np.uint8, count=last - first, offset=first)
    # Eight bytes from every letter on, as a view: nothing is copied.
    words = np.ndarray((len(text) - _WORD + 1,), dtype="<u8", buffer=text, strides=(1,))
    starts, lengths = where[:-1] - first, np.diff(where)
    numbers = _spread(lengths.astype(np.uint64))
    for taken in range(0, int(lengths.max()), _WORD):
        left = np.clip(lengths - taken, 0, _WORD)
        word = words[np.minimum(starts + taken, len(words) - 1)] & _LEFT[left]
        numbers = np.where(left > 0, _spread(numbers + word), numbers)
    return numbers


def _spread(numbers: Words) -> Words:
    for factor in _SPREAD:
        numbers = (numbers ^ (numbers >> _FOLD)) * factor
    spread: Words = numbers ^ (numbers >> _FOLD)
    return spread
