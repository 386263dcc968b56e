"""Cells from elsewhere into ours: values by the mapping, members from sides and names, one pair one way round."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from analysis.data.checking import categorical
from analysis.data.codes import Codes, Counts, Mask, recoded, same_codes, small_type
from analysis.data.columns import CHOICES, MEMBERS, TIE
from analysis.data.rating_table import as_number

SIDES = ("left", "right")
_PERCENT = re.compile(r"\s*%$")


def texts_of(column: pd.Series, values: Mapping[str, str]) -> pd.Categorical:
    """The cells as texts, replaced as listed in `values` (an empty cell is listed as ``""``)."""
    cells = categorical(column)
    given = [str(text) for text in cells.categories]
    return _coded(cells.codes, [*(values.get(text, text) for text in given), values.get("", "")])


def _coded(codes: Codes, texts: Sequence[str]) -> pd.Categorical:
    """Codes into `texts`, which may repeat and of which the last is that of code -1; an empty text is missing."""
    categories = sorted(set(texts) - {""})
    place = {text: code for code, text in enumerate(categories)}
    mapping = np.array([place.get(text, -1) for text in texts], dtype=small_type(len(categories) + 1))
    return pd.Categorical.from_codes(recoded(codes, mapping), categories=pd.Index(categories, dtype="str"))


def constant(text: str, n: int) -> pd.Categorical:
    """The same text in all `n` rows; an empty one is missing."""
    return _coded(np.zeros(n, dtype=np.int8), [text, ""])


def with_ending(cells: pd.Categorical, ending: str) -> pd.Categorical:
    """Every text with `ending` behind it."""
    return _coded(cells.codes, [*(f"{text}{ending}" for text in cells.categories), ""])


def joined_texts(first: pd.Categorical, second: pd.Categorical) -> pd.Categorical:
    """The texts of both joined by a hyphen; the first's alone if the second has none."""
    n = len(second.categories) + 1
    used, codes = np.unique(first.codes.astype(np.int64) * n + second.codes + 1, return_inverse=True)
    texts = []
    for code in used.tolist():
        one, two = divmod(code, n)
        text = "" if one < 0 else str(first.categories[one])
        texts.append(f"{text}-{second.categories[two - 1]}" if text and two else text)
    return _coded(codes.astype(np.int64), [*texts, ""])


def numbers_of(cells: pd.Categorical, scale: tuple[float, float] | None) -> tuple[pd.Categorical, Mask]:
    """Numbers as texts without a percent sign, and the rows that are off the scale.

    A scale with the larger end first is reversed, so that more is more certain; cells that are no numbers are kept.
    """
    texts = [_PERCENT.sub("", str(text).strip()) for text in cells.categories]
    numbers = np.array([as_number(text) for text in texts], dtype=float)
    if scale is None:
        return _coded(cells.codes, [*texts, ""]), np.zeros(len(cells), dtype=bool)
    low, high = sorted(scale)
    off: Mask = np.append((numbers < low) | (numbers > high), False)[cells.codes]
    if scale[0] > scale[1]:
        texts = [
            repr(low + high - number) if number == number else text
            for number, text in zip(numbers.tolist(), texts, strict=True)
        ]
    return _coded(cells.codes, [*texts, ""]), off


def members_by_name(
    names: pd.Categorical, a: pd.Categorical, b: pd.Categorical
) -> tuple[pd.Categorical, Mask]:
    """The member that each name is the source or the clip of, and the rows where it is neither's or both's."""
    _, (name, of_a, of_b) = same_codes(names, a, b)
    is_a, is_b = (name >= 0) & (name == of_a), (name >= 0) & (name == of_b)
    member = np.where(is_a & ~is_b, 0, np.where(is_b & ~is_a, 1, -1)).astype(np.int8)
    return pd.Categorical.from_codes(member, categories=pd.Index(MEMBERS, dtype="str")), (name >= 0) & (
        member < 0
    )


def with_ties(cells: pd.Categorical, members: pd.Categorical) -> tuple[pd.Categorical, Mask]:
    """`members` with a tie where the cell says so and names no member, and those rows."""
    tie: Mask = _is(cells, CHOICES[TIE]) & (members.codes < 0)
    codes = np.where(tie, TIE, members.codes).astype(np.int8)
    return pd.Categorical.from_codes(codes, categories=pd.Index(CHOICES, dtype="str")), tie


def members_by_side(cells: pd.Categorical, left: pd.Categorical) -> tuple[pd.Categorical, Mask]:
    """`left` and `right` as the member that was there, other cells as they are; and the rows that lack a `left`."""
    texts = [str(text) for text in cells.categories]
    final = [*MEMBERS, *sorted(set(texts) - {*MEMBERS, *SIDES})]
    place = [final.index(text) if text in final else -1 for text in texts]
    codes = recoded(cells.codes, np.array([*place, -1], dtype=small_type(len(final))))
    is_left, is_right = (_is(cells, side) for side in SIDES)
    left_is_a, left_is_b = (_is(left, member) for member in MEMBERS)
    codes[(is_left & left_is_a) | (is_right & left_is_b)] = 0
    codes[(is_left & left_is_b) | (is_right & left_is_a)] = 1
    lacking: Mask = (is_left | is_right) & ~left_is_a & ~left_is_b
    return pd.Categorical.from_codes(codes, categories=pd.Index(final, dtype="str")), lacking


def _is(cells: pd.Categorical, text: str) -> Mask:
    taken = [str(category) == text for category in cells.categories]
    is_text: Mask = recoded(cells.codes, np.array([*taken, False], dtype=np.int8)) == 1
    return is_text


def flipped(pair: Codes, n_pairs: int, a: pd.Categorical, b: pd.Categorical) -> Mask:
    """Rows whose members are the other way round than in most rows of their pair; a tie goes to the alphabet."""
    _, (of_a, of_b) = same_codes(a, b)
    ascending, descending = of_a < of_b, of_a > of_b
    known = (of_a >= 0) & (of_b >= 0) & (pair >= 0)
    up = np.bincount(pair[known & ascending], minlength=n_pairs)
    down = np.bincount(pair[known & descending], minlength=n_pairs)
    mostly_up = np.append(up >= down, True)[pair]
    turned: Mask = known & np.where(mostly_up, descending, ascending)
    return turned


def first_other(pair: Codes, n_pairs: int, a: pd.Categorical, b: pd.Categorical) -> tuple[int, int] | None:
    """Two rows of one pair that show different clips, in any order: the earlier and the later; or None."""
    texts, (of_a, of_b) = same_codes(a, b)
    shows = np.minimum(of_a, of_b).astype(np.int64) * (len(texts) + 1) + np.maximum(of_a, of_b)
    shows[(of_a < 0) | (of_b < 0) | (pair < 0)] = -1
    rows: Counts = np.flatnonzero(shows >= 0)
    # Written from the last row to the first: the earliest row of each pair stays.
    earliest = np.full(n_pairs, -1, dtype=np.int64)
    earliest[pair[rows][::-1]] = rows[::-1]
    differs = shows[rows] != shows[earliest[pair[rows]]]
    if not differs.any():
        return None
    later = int(rows[int(differs.argmax())])
    return int(earliest[pair[later]]), later
