"""The true source: said, shown, and put right while no answer counts; on both databases."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, Role
from app.catalog.editing import Edit, InUse, edit_stimulus
from app.catalog.sheet import apply_sheet, sheet
from app.core.database import Database
from app.core.errors import Conflict
from app.library.clips.store import ClipStore
from app.pairs.draft import pairs_here
from app.pairs.view import find_pairs
from app.studies.access import StudyHere
from app.studies.checklist import ChecklistContext, checklist
from app.studies.drafts import create_study, draft_for, save_draft
from app.studies.file.design import StudyDesign
from app.studies.file.drafts import check_draft
from app.studies.saving import save_version
from app.studies.seeing import facts_for
from app.studies.truth import BadTruth, set_truth
from app.tasks.pair.settings import pairs_of
from app.tasks.pair.truth import truth_view
from app.trials.responses import Response
from app.trials.stimuli import NO_SOURCE
from app.trials.tables import Mode, ParticipantSession, Status, StudyVersion, Unit
from tests.factories import NOW, study_file
from tests.studies.clips import Clip, add_clips, facts
from tests.studies.test_drafts import add_person
from tests.studies.test_launch import FakeClues

LATER = NOW + timedelta(hours=1)
CLIPS: list[Clip] = [(f"{source}-{i}", source, {}) for source in ("fake", "real") for i in range(1, 5)]
LIST = (
    "pair,a,b,condition,truth,kind\nq1,fake-1,real-1,,,\nq2,real-2,fake-2,,,\nq3,fake-3,real-3,odd ones,,\n"
)


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.transaction() as session:
        add_clips(session, CLIPS)
        yield session


@pytest.fixture
def ann(session: Session) -> Who:
    return add_person(session, Role.OWNER, "ann@example.org")


def study_of(session: Session, who: Who, **keys: Any) -> StudyHere:
    """A study of a list of pairs in which nobody has said which source is the true one."""
    given = {key: value for key, value in study_file().items() if key != "sample"}
    return create_study(session, who, "nav", {**given, "pairs": LIST, **keys}, NOW)


def truths(session: Session, study: StudyHere) -> list[tuple[str, str]]:
    keys = draft_for(session, study).keys
    return [(pair.condition, pair.truth or "") for pair in find_pairs(keys, facts_for(session, study)).pairs]


def newest(session: Session) -> StudyVersion:
    found = session.exec(select(StudyVersion).order_by(col(StudyVersion.id).desc())).first()
    assert found is not None
    return found


def stored(session: Session) -> list[tuple[str, str]]:
    """Conditions and truths of the newest version's pairs, the same in its design and in its rows."""
    version = newest(session)
    rows = session.exec(select(Unit).where(Unit.version_id == version.id).order_by(col(Unit.position))).all()
    design = StudyDesign.model_validate_json(version.design)
    assert design.sha256() == version.sha256
    found = [(pair.condition, pair.truth or "") for pair in rows]
    assert [(pair.condition, pair.truth or "") for pair in pairs_of(design.blocks)] == found
    return found


def answered(session: Session, mode: Mode) -> None:
    """The newest version with an answer."""
    version = newest(session)
    version.frozen_at = NOW
    session.add(version)
    run = ParticipantSession(
        version_id=version.id or 0,
        mode=mode,
        recruiter={},
        status=Status.ACTIVE,
        arrived_at=NOW,
    )
    session.add(run)
    session.flush()
    session.add(
        Response(session_id=run.id or 0, page="consent", submit_id="1", answers={}, flags=[], answered_at=NOW)
    )
    session.flush()


TRUE = [("real-fake", "b"), ("real-fake", "a"), ("odd ones", "b")]
NONE = [("fake-real", ""), ("fake-real", ""), ("odd ones", "")]


def test_a_said_source_gives_pairs_their_truth_and_a_wrong_name_is_refused(
    session: Session, ann: Who
) -> None:
    study = study_of(session, ann)
    assert truths(session, study) == NONE
    assert truth_view("human", pairs_here(session, ann, study).found.pairs).is_missing
    for wrong in ("reel", "", "human"):
        with pytest.raises(BadTruth, match="choose fake, real or none"):
            set_truth(session, ann, study, wrong, None, LATER)
    done = set_truth(session, ann, study, " real ", draft_for(session, study).revision, LATER)
    assert (done.version, done.kept) == (None, None)
    assert truths(session, study) == TRUE
    assert draft_for(session, study).keys["truth"] == {"source": "real"}
    with pytest.raises(Conflict, match="changed this design"):
        set_truth(session, ann, study, "fake", done.revision - 1, LATER)


def test_written_out_conditions_and_truths_follow_and_what_was_said_by_hand_stays(
    session: Session, ann: Who
) -> None:
    rows = (
        "pair,a,b,condition,truth,kind\n"
        "q1,fake-1,real-1,real-fake,b,main\nq2,real-2,fake-2,mine,a,main\nq3,real-3,real-4,,a,main\n"
    )
    study = study_of(session, ann, pairs=rows, truth={"source": "real"})
    assert truths(session, study) == [("real-fake", "b"), ("mine", "a"), ("real-real", "a")]
    set_truth(session, ann, study, "fake", None, LATER)
    assert truths(session, study) == [("fake-real", "a"), ("mine", "b"), ("real-real", "a")]
    set_truth(session, ann, study, NO_SOURCE, None, LATER)
    assert truths(session, study) == [("fake-real", ""), ("mine", ""), ("real-real", "a")]
    view = truth_view(NO_SOURCE, pairs_here(session, ann, study).found.pairs)
    assert not view.is_missing
    assert "no answer is right or wrong" in view.says


@pytest.mark.parametrize("drawn", [False, True])
def test_a_correction_reaches_a_version_that_nobody_has_answered(
    session: Session, ann: Who, drawn: bool
) -> None:
    sample = {"seed": 1, "use": "even", "conditions": {"fake-real": 3}}
    study = study_of(session, ann, **({"pairs": None, "sample": sample} if drawn else {}))
    save_version(session, ann, study, "", NOW)
    answered(session, Mode.SIMULATED)
    was = [pair.name for pair in session.exec(select(Unit).order_by(col(Unit.id)))]
    done = set_truth(session, ann, study, "real", None, LATER)
    assert (done.version, done.kept) == (1, None)
    assert {truth for _, truth in stored(session)} == ({"b"} if drawn else {"a", "b"})
    assert drawn or stored(session) == TRUE
    assert [pair.name for pair in session.exec(select(Unit).order_by(col(Unit.id)))] == was, "the same pairs"
    assert not draft_for(session, study).is_unsaved, "the version has it"
    assert truths(session, study) == stored(session)
    entry = session.exec(select(AuditEntry).where(AuditEntry.action == "version.correct")).one()
    assert (entry.before["truth"], entry.after["truth"]) == ("human", "real")


@pytest.mark.parametrize("mode", [Mode.PILOT, Mode.LIVE])
def test_answers_keep_the_truth_that_they_were_given_with(session: Session, ann: Who, mode: Mode) -> None:
    study = study_of(session, ann)
    save_version(session, ann, study, "", NOW)
    answered(session, mode)
    before = newest(session).design
    done = set_truth(session, ann, study, "real", None, LATER)
    assert (done.version, done.kept) == (None, 1)
    assert newest(session).design == before
    assert stored(session) == NONE
    assert save_version(session, ann, study, "the true source was not said", LATER).number == 2
    assert stored(session) == TRUE


@pytest.mark.both_databases
def test_a_clips_wrong_source_is_corrected_in_drafts_and_versions_without_answers(
    session: Session, ann: Who
) -> None:
    study = study_of(session, ann, truth={"source": "real"})
    save_version(session, ann, study, "", NOW)
    draft = draft_for(session, study)
    save_draft(session, ann, study, {**draft.keys, "title": "Another"}, draft.revision, NOW)
    edit_stimulus(session, ann, "fake-1", Edit(source="real"), LATER)
    turned = [("real-real", ""), *TRUE[1:]]
    assert stored(session) == turned
    assert truths(session, study) == turned, "written out as it was, the list would contradict the clip"
    assert draft_for(session, study).title == "Another"
    apply_sheet(session, ann, sheet(session, ann).replace("fake-1,real", "fake-1,fake"), None, LATER)
    assert stored(session) == truths(session, study) == TRUE
    answered(session, Mode.PILOT)
    with pytest.raises(InUse, match=r"version 1 of nav has answers.*another name"):
        edit_stimulus(session, ann, "fake-1", Edit(source="real"), LATER)
    assert stored(session) == TRUE


def test_the_checklist_says_which_source_is_true_and_warns_where_no_pair_has_a_truth(
    session: Session, ann: Who, tmp_path: Path
) -> None:
    study = study_of(session, ann)
    save_version(session, ann, study, "", NOW)

    def line() -> tuple[str, str]:
        around = ChecklistContext(ClipStore(tmp_path), lambda *_: FakeClues())
        [check] = [check for check in checklist(session, study, around) if check.code == "truth"]
        return check.verdict, check.detail

    verdict, says = line()
    assert verdict == "warning"
    assert "No pair has a truth: the true source is human" in says
    set_truth(session, ann, study, "real", None, LATER)
    assert line() == ("ok", "The true source is real: 3 of 3 main pairs have a truth.")
    set_truth(session, ann, study, NO_SOURCE, None, LATER)
    assert line()[0] == "ok"


def test_a_file_names_its_true_source_and_old_files_are_what_they_were() -> None:
    given = {key: value for key, value in study_file().items() if key != "sample"}
    keys = {**given, "study": "nav", "pairs": LIST}
    stimuli = facts(CLIPS)
    old, same = (
        check_draft({**keys, **more}, stimuli).design for more in ({}, {"truth": {"source": "human"}})
    )
    assert old is None or same is None or old.sha256() == same.sha256()
    plain = check_draft(keys, stimuli).design
    assert plain is not None
    assert '"truth":{' not in plain.canonical_json(), "hashes of earlier versions hold"
    new = check_draft({**keys, "truth": {"source": "real"}}, stimuli).design
    assert new is not None
    assert [(pair.condition, pair.truth or "") for pair in pairs_of(new.blocks)] == TRUE
    [fault] = check_draft({**keys, "truth": {"source": "rael"}}, stimuli).faults
    assert (fault.place, fault.remedy) == (("truth", "source"), "did you mean 'real'?")
