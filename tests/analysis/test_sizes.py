"""The whole analysis around the sizes at which codes take another type, with any optional column empty.

128 participants without sources once overflowed an 8-bit code.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis import analyze
from tests.analysis.tables import person, table

pytestmark = pytest.mark.slow

OPTIONAL = ("source_a", "source_b", "truth", "condition", "left", "uncertainty", "rationale", "rt_ms")
TEMPLATE = person("p0", "aab")
EDGES = st.sampled_from([127, 128]).flatmap(lambda edge: st.integers(edge - 2, edge + 2))


def of_size(people: int, pairs: int, empty: frozenset[str]) -> pd.DataFrame:
    """As many rows as the larger number; each person has an answer, and so has each pair."""
    at = np.arange(max(people, pairs))
    rows = table(*TEMPLATE).iloc[at % len(TEMPLATE)].reset_index(drop=True)
    rows["participant"] = [f"p{number}" for number in at % people]
    rows["session"] = rows["participant"]
    rows["pair"] = [f"q{number}" for number in at % pairs]
    for member in ("a", "b"):
        rows[f"stimulus_{member}"] = rows["pair"] + f"-{member}"
    rows["trial"] = [f"t{number}" for number in at]
    rows["position"] = at + 1
    return rows.assign(**dict.fromkeys(empty, ""))


def counted(people: int, pairs: int, empty: frozenset[str]) -> tuple[int, int]:
    """The people and the pairs that an analysis of so many finds."""
    result = analyze(of_size(people, pairs, empty), resamples=0)
    [study] = result.studies
    return study.selection.n_participants, len(result.labels)


@pytest.mark.parametrize(("people", "pairs"), [(127, 129), (128, 128)])
def test_every_person_and_every_pair_counts(people: int, pairs: int) -> None:
    assert counted(people, pairs, frozenset(OPTIONAL)) == (people, pairs)


@pytest.mark.exhaustive
@settings(max_examples=10)
@given(EDGES, EDGES, st.frozensets(st.sampled_from(OPTIONAL)))
@example(32_767, 32_768, frozenset(OPTIONAL))
def test_whatever_is_empty_every_person_and_every_pair_counts(
    people: int, pairs: int, empty: frozenset[str]
) -> None:
    assert counted(people, pairs, empty) == (people, pairs)
