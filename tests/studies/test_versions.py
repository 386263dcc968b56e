"""Versions, states and what a study may be made of."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlmodel import Session, select

from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.studies.queries import study_named
from app.studies.summaries import summaries
from app.studies.versions import set_state
from app.trials.tables import State, StudyVersion
from tests.factories import NOW, load_file

Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def session(database: Database, library: Library) -> Iterator[Session]:
    """A library and no study yet."""
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        yield session


def test_a_study_of_clips_processed_by_different_rules_is_refused(session: Session, tmp_path: Path) -> None:
    odd = session.exec(select(Stimulus).where(Stimulus.name == "human-g2")).one()
    usual = odd.rules
    for other in ({"crf": 30}, {"preset": "veryfast"}):
        odd.rules = {**usual, **other}
        session.flush()
        with pytest.raises(Conflict, match=r"'human-g2'|different rules"):
            load_file(session, tmp_path)
    assert session.exec(select(StudyVersion)).all() == []


def test_all_clips_of_a_study_get_one_size_with_room_for_the_largest(
    session: Session, tmp_path: Path
) -> None:
    load_file(session, tmp_path)
    padded = session.exec(select(StudyVersion.padded_bytes)).one()
    largest = max(session.exec(select(Stimulus.clip_bytes)).all(), key=lambda n: n or 0) or 0
    assert padded % 4096 == 0
    assert largest <= padded < largest + 8 + 4096


def test_states_and_the_list(session: Session, tmp_path: Path) -> None:
    load_file(session, tmp_path)
    assert study_named(session, "nav").state == State.DRAFT
    for state in (State.LIVE, State.PAUSED, State.CLOSED, State.LIVE):
        set_state(session, "nav", state)
        assert [(s.slug, s.state, s.version, s.units) for s in summaries(session)] == [
            ("nav", state, 1, {"pair": 11})
        ]
    with pytest.raises(NotFound, match=r"no study 'x'; there is nav"):
        set_state(session, "x", State.LIVE)


@pytest.mark.both_databases
def test_the_design_comes_back_from_the_database_as_it_was_hashed(session: Session, tmp_path: Path) -> None:
    from app.studies.file.load import StudyDesign

    load_file(session, tmp_path)
    version = session.exec(select(StudyVersion)).one()
    assert StudyDesign.model_validate_json(version.design).sha256() == version.sha256


def test_the_list_of_studies_takes_as_many_statements_for_twenty_as_for_one(
    session: Session, tmp_path: Path
) -> None:
    def n_statements() -> int:
        statements: list[str] = []

        def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            statements.append(statement)

        engine = session.get_bind()
        event.listen(engine, "before_cursor_execute", note)
        try:
            summaries(session)
        finally:
            event.remove(engine, "before_cursor_execute", note)
        return len(statements)

    load_file(session, tmp_path, study="one")
    of_one = n_statements()
    for number in range(19):
        load_file(session, tmp_path, study=f"more-{number}")
    assert n_statements() == of_one
    assert len(summaries(session)) == 20
