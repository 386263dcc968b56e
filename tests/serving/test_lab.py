"""`make lab` makes a data folder with studies in every state, clips and sessions, and no other folder anew."""

from collections import Counter
from pathlib import Path

import pytest
from sqlmodel import func, select

from app.core.migrating import open_database
from app.core.settings import Settings
from app.library.tables import Stimulus
from app.trials.tables import ParticipantSession, State, Study
from tools.lab import MARK, main
from tools.lab_plan import planned

pytestmark = [pytest.mark.any_database, pytest.mark.slow]


def test_a_small_lab_has_its_studies_clips_and_sessions_and_is_made_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    for name in (MARK, "old"):
        (folder / name).touch()
    assert main([f"--folder={folder}", "--studies=3", "--clips=102", "--sessions=5"]) == 0
    assert not (folder / "old").exists()
    said = capsys.readouterr().out
    assert "likely-human serve" in said
    assert "owner@example.org, password" in said
    database = open_database(Settings(LIKELY_HUMAN_DATA=folder, DATABASE_URL=""))  # type: ignore[call-arg]
    with database.reading() as session:
        states = Counter(session.exec(select(Study.state)))
        assert states == {State.LIVE: 1, State.DRAFT: 1, State.CLOSED: 1}
        assert session.exec(select(func.count()).select_from(Stimulus)).one() == 102
        assert session.exec(select(func.count()).select_from(ParticipantSession)).one() >= 10
    database.close()


def test_a_folder_that_it_did_not_make_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answers.csv").write_text("mine")
    assert main([f"--folder={tmp_path}"]) == 1
    assert "remove it, or name another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]


def test_sixty_studies_have_names_of_their_own_every_state_and_owners() -> None:
    studies = planned(60, 400, 1)
    assert len({study.slug for study in studies}) == 60
    assert {study.state for study in studies} == {*State}
    assert any(study.is_archived for study in studies)
    assert len({study.owner for study in studies}) > 3
    assert max(study.came for study in studies) == 400
    assert studies == planned(60, 400, 1)
