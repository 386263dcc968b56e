"""Fewer examples of Hypothesis than each test names: the rest of them is left to `make test-all`."""

from collections.abc import Iterable

import pytest
from hypothesis import settings

A_THIRD, FEWEST = 3, 6


def try_fewer(items: Iterable[pytest.Item]) -> None:
    """A third of what a test says of itself, or of the profile, but no fewer than six where it says as many."""
    for test in {getattr(item, "obj", None) for item in items}:
        if own := getattr(test, "_hypothesis_internal_use_settings", None):
            fewer = min(own.max_examples, max(FEWEST, own.max_examples // A_THIRD))
            test._hypothesis_internal_use_settings = settings(own, max_examples=fewer)  # type: ignore[union-attr]
