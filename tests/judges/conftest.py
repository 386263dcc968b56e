"""Files that the tests of judges share."""

from collections.abc import Sequence

import pytest

from app.judges.base import StimulusFiles
from tests.judges.files import make_stimuli


@pytest.fixture(scope="session")
def stimuli(tmp_path_factory: pytest.TempPathFactory) -> Sequence[StimulusFiles]:
    return make_stimuli(tmp_path_factory.mktemp("judged"))
