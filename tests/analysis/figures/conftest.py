from collections.abc import Mapping, Sequence

import pytest

from analysis import Analysis, analyze, hntt_responses, read_hntt
from tests.analysis.tables import HNTT, hntt_rows


@pytest.fixture(scope="session")
def hntt() -> Analysis:
    return analyze(hntt_responses(read_hntt(HNTT)), resamples=200)


@pytest.fixture(scope="session")
def answers() -> Mapping[tuple[str, str], Sequence[Mapping[str, str]]]:
    """The published answers by study and participant, as the file has them."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in hntt_rows():
        found.setdefault((f"hntt-{row['studyno']}", row["subjno"]), []).append(row)
    return found
