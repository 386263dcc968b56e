"""A preview is filled in by itself, page by page or to its end; a participant's session is not."""

import random
import re
from pathlib import Path

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.questions.base import Limits
from app.sessions.filling import _number
from app.sessions.previews import start_preview
from app.studies.launch import study_here
from app.trials.responses import Response
from app.trials.tables import Mode, ParticipantSession, Status
from tests.factories import NOW, load_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database


def begun(database: Database) -> str:
    with database.transaction() as session:
        return start_preview(session, study_here(session, "nav"), NOW)


def test_a_preview_fills_in_one_page_and_then_all_to_the_last(
    client: TestClient, database: Database, study: str, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_file(
            session,
            tmp_path,
            background=[
                {"id": "age", "type": "number", "ask": "How old are you?", "minimum": 18, "maximum": 99},
                {"id": "games", "type": "choice", "ask": "Do you play?", "options": ["yes", "no"]},
            ],
        )
    token = begun(database)
    first = client.get(f"/p/{token}").text
    assert f'action="/p/{token}/fill"' in first
    assert "Fill in to the end" in first
    second = client.post(f"/p/{token}/fill", data={"to": "next"}).text
    assert "How old are you?" in second
    last = client.post(f"/p/{token}/fill", data={"to": "end"}).text
    assert "/fill" not in last
    with database.reading() as session:
        [one] = session.exec(select(ParticipantSession))
        assert (one.mode, one.status) == (Mode.PREVIEW, Status.COMPLETED)
        assert session.exec(select(Response)).first() is not None


def test_a_participants_page_is_not_filled_in(client: TestClient, database: Database, study: str) -> None:
    walk = Walk(client, study)
    assert "/fill" not in client.get(walk.address).text
    for to in ("next", "end"):
        refused = client.post(f"{walk.address}/fill", data={"to": to})
        assert refused.status_code == 409
        assert "Only a preview is filled in by itself" in re.sub(r"\s+", " ", refused.text)
    with database.reading() as session:
        assert session.exec(select(Response)).first() is None


def test_a_number_is_within_its_bounds_and_on_a_step() -> None:
    rng = random.Random(1)
    for _ in range(50):
        assert _number(Limits(0, 10, 4), rng) in ("0", "4", "8")
        assert 0.2 <= float(_number(Limits(0.2, 0.8, None), rng)) <= 0.8
