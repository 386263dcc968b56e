"""The pairs of a study that are judged, and their files."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import Session, col, select

from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.judges.fidget import Fidget
from app.judges.motion import Motion
from app.judges.runner import run_judge
from app.judges.study import pairs_to_judge, refuse_without_files
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.trials.tables import Mode, ParticipantSession, Study, StudyVersion, Unit, UnitMember
from tests.factories import NOW, load_file

Library = tuple[ClipStore, Sequence[ImportedClip]]


def add_session(session: Session, number: int, mode: Mode) -> None:
    version = session.exec(select(StudyVersion).where(StudyVersion.number == number)).one()
    version.frozen_at = NOW
    session.add(version)
    session.add(ParticipantSession(version_id=version.id or 0, mode=mode, recruiter={}, arrived_at=NOW))
    session.flush()


def test_the_main_pairs_with_the_clips_that_were_shown_and_the_question(
    database: Database, study: str, library: Library
) -> None:
    with database.transaction() as session:
        stimulus = session.exec(select(Stimulus).where(Stimulus.name == "human-g1")).one()
        shown, stimulus.clip_sha256 = stimulus.clip_sha256, "0" * 64  # processed anew since
        session.add(stimulus)
    with database.reading() as session:
        found = pairs_to_judge(session, study, library[0])
        human = session.exec(
            select(Unit.name)
            .join(UnitMember, col(UnitMember.unit_id) == Unit.id)
            .where(UnitMember.slot == "a", UnitMember.sha256 == shown, Unit.condition == "human-hybrid")
        ).one()
    assert (found.slug, found.number, len(found.pairs)) == ("nav", 1, 10)
    assert {pair.question for pair in found.pairs} == {"Which video is more likely to be a person?"}
    files = next(pair.a for pair in found.pairs if pair.pair == human)
    assert files.clip == library[0].clip_path(shown or "")
    assert files.clip.is_file()


def test_the_version_judged_is_the_newest_that_people_have_seen(
    database: Database, study: str, library: Library, tmp_path: Path
) -> None:
    with database.transaction() as session:
        add_session(session, 1, Mode.LIVE)
        assert load_file(session, tmp_path, title="Two").number == 2
        add_session(session, 2, Mode.PREVIEW)
        assert pairs_to_judge(session, study, library[0]).number == 1
        assert pairs_to_judge(session, study, library[0], 2).number == 2
        add_session(session, 2, Mode.PILOT)
        assert pairs_to_judge(session, study, library[0]).number == 2
        with pytest.raises(NotFound, match="no version 3; there is 1, 2"):
            pairs_to_judge(session, study, library[0], 3)


def test_a_version_that_nobody_has_seen_is_judged_where_there_is_no_other(
    database: Database, study: str, library: Library, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_file(session, tmp_path, title="Two")
        assert (
            pairs_to_judge(session, study, library[0]).number == 1
        )  # the first was replaced: nobody had seen it


def test_what_cannot_be_judged_is_refused_in_words(
    database: Database, study: str, library: Library, tmp_path: Path
) -> None:
    with database.transaction() as session:
        with pytest.raises(NotFound, match="no study 'none'"):
            pairs_to_judge(session, "none", library[0])
        session.add(Study(slug="blank", created_at=NOW))
        session.flush()
        with pytest.raises(Conflict, match="no version yet"):
            pairs_to_judge(session, "blank", library[0])
        session.execute(update(UnitMember).values(sha256=None))
        session.flush()
        with pytest.raises(Conflict, match="has no clips"):
            pairs_to_judge(session, study, library[0])


def test_a_judge_of_positions_is_refused_where_no_pair_has_them(
    database: Database, study: str, library: Library
) -> None:
    with database.reading() as session:
        pairs = pairs_to_judge(session, study, library[0]).pairs
    with pytest.raises(Conflict, match=r"'fidget' cannot judge .*: it needs the positions.*column positions"):
        refuse_without_files(Fidget.info, study, pairs)
    refuse_without_files(Motion.info, study, pairs)


def test_a_study_is_judged_from_its_real_clips(database: Database, study: str, library: Library) -> None:
    with database.reading() as session:
        pairs = pairs_to_judge(session, study, library[0]).pairs
    rows = run_judge(Motion(), pairs, lambda *_: None, lambda: NOW)
    assert [row.pair for row in rows] == [pair.pair for pair in pairs]
    assert not any(row.problem for row in rows)
    assert all(row.choice in ("a", "b") and row.score for row in rows)
