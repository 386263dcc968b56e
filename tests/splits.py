"""Fewer random splits of people than the fifty of a report, for what does not depend on how many."""

import pytest

from analysis.judging import ceiling
from analysis.judging.items import numbers


def split_less(patch: pytest.MonkeyPatch) -> None:
    """Let the ceilings of pairs and of items be means over eight splits."""
    for module in (ceiling, numbers):
        patch.setattr(module, "DRAWS", 8)
        patch.setattr(module, "REPEATED", 3)
