"""The monitor's funnel of the questions on the instructions: pages of tries that were not needed are passed over."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.monitor.progress import snapshot
from app.monitor.snapshots import Choice
from app.studies.launch import study_here
from tests.factories import NOW
from tests.sessions.test_checks import RIGHT, WRONG, begin, load
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database


def test_the_funnel_counts_a_further_try_only_of_who_was_asked_again(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    load(database, tmp_path)
    begin(Walk(client)).answer(**RIGHT)
    again = begin(Walk(client))
    again.answer(**WRONG)  # is on the second try's page, and goes on from it below
    assert reached(database, study) == {"comprehension-1": 2, "comprehension-2": 1, "trial-1": 1}
    again.answer(**RIGHT)
    begin(Walk(client)).answer(**RIGHT)
    begin(Walk(client))
    assert reached(database, study) == {"comprehension-1": 4, "comprehension-2": 1, "trial-1": 3}


def reached(database: Database, study: str) -> Mapping[str, int]:
    with database.reading() as session:
        funnel = snapshot(session, study_here(session, study), Choice(), NOW, None, sees_live=True).funnel
    pages = ("comprehension-1", "comprehension-2", "trial-1")
    return {step.page: step.reached for step in funnel if step.page in pages}
