"""The published survey, as the template `hntt` asks it of somebody who takes part."""

from pathlib import Path

import pytest

from app.core.database import Database
from app.sessions.where import locate
from app.studies.file.load import load_study
from app.studies.file.templates import write_template
from app.studies.versions import load_version, set_state, stimulus_facts
from app.trials.tables import State
from tests.factories import NOW
from tests.sessions.test_state_machine import TRIAL, arrive, send, stored
from tests.studies.clips import add_clips

BACKGROUND = {"genre_familiarity": "Other", "title_familiarity": "I am aware but have never played it"}


@pytest.mark.any_database
def test_its_pages_come_in_the_published_order(database: Database, tmp_path: Path) -> None:
    """Consent, both familiarity questions, what to do, ten pairs, and the debrief."""
    write_template("hntt", tmp_path / "hntt")
    with database.transaction() as session:
        add_clips(session)
        load_version(session, load_study(tmp_path / "hntt/study.yaml", stimulus_facts(session)), NOW)
        set_state(session, "hntt", State.LIVE)
        token = arrive(session, "hntt")
        send(session, token, "consent", decision="agree", of_age="yes")
        send(session, token, "background", **BACKGROUND)
        send(session, token, "instructions")
        for position in range(1, 11):
            send(session, token, f"trial-{position}", **TRIAL)
        pages = ["consent", "background", "instructions", *(f"trial-{n}" for n in range(1, 11))]
        assert stored(session, token) == pages
        assert locate(session, token).status == "completed"
