from collections.abc import Iterator

import pytest

from tests.splits import split_less


@pytest.fixture(scope="module")
def few_splits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        split_less(patch)
        yield
