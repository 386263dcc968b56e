"""Verdicts of a judge of votes on the pairs that it learnt from."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.judges.voted import cross_fitted_rows

pytestmark = pytest.mark.any_database


def test_a_pair_that_was_never_held_out_has_a_problem_and_no_tie() -> None:
    study: Any = SimpleNamespace(
        slug="nav", known=[SimpleNamespace(pair=name) for name in ("p1", "p2", "p3")]
    )
    learnt: Any = SimpleNamespace(chances=np.array([[0.8, np.nan, 0.5], [0.2, 0.6, 0.5]]))
    rows = cross_fitted_rows(study, learnt, "1", datetime(2026, 3, 1, tzinfo=UTC))
    assert [(row.run, row.pair, row.choice, row.score) for row in rows] == [
        ("1", "p1", "a", 0.8), ("1", "p2", None, None), ("1", "p3", None, 0.5),
        ("2", "p1", "b", 0.2), ("2", "p2", "a", 0.6), ("2", "p3", None, 0.5),
    ]  # fmt: skip
    assert [row.problem for row in rows if row.problem] == [
        "too few pairs share no scene with it to learn from"
    ]
    assert rows[1].problem
