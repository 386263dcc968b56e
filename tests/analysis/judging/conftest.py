from collections.abc import Iterator

import pytest

from analysis.judging import ceiling


@pytest.fixture(scope="module")
def few_splits() -> Iterator[None]:
    """Fewer random splits than the fifty of a report, for what does not depend on how many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ceiling, "DRAWS", 8)
        patch.setattr(ceiling, "REPEATED", 3)
        yield
