"""A study archived and brought back; a study deleted: no row, no file, nothing in memory is left of it."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, SQLModel, col, select
from starlette.testclient import TestClient

from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import AuditEntry, Role
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, JobStatus, Kind
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.places import report_folder, sent_verdicts
from app.library.stimuli import add_stimuli
from app.studies.access import StudyHere
from app.studies.archiving import archive
from app.studies.deleting import WrongName, delete_study
from app.studies.drafts import create_study
from app.studies.launch import study_here
from app.studies.tables import ResultsLink, StudyNote, StudyShare
from app.studies.versions import set_state
from app.tasks.game.tables import Decision, Entry, EntryStatus, Exchange, GameEvent, Match, Occupant, Seat
from app.tasks.walk.tables import Walk as MapWalk
from app.tasks.walk.tables import WalkSteps
from app.trials.tables import (
    Mode,
    ParticipantIdentity,
    ParticipantSession,
    Registration,
    SessionVerdict,
    State,
    Study,
    StudyArm,
    StudyVersion,
    Trial,
)
from app.worker.context import Work
from app.worker.tidying import EVERY, tidy
from app.worker.worker import drain
from tests.admin.persons import Person, Program, make_api_token, make_login, make_user
from tests.factories import NOW, load_file
from tests.jobs.test_worker import handle as handle
from tests.sessions.walks import Walk

Library = tuple[ClipStore, Sequence[ImportedClip]]
HERE = "/admin/studies/nav"
SECRETS = ("P77-secret", "why I leave them out", "a note on them", "moves like my uncle", "Which navigation")
PAGES = (
    "",
    "/design",
    "/pairs",
    "/versions",
    "/clues",
    "/launch",
    "/monitor",
    "/sessions",
    "/data",
    "/judges",
)
PLAYED = {"watched": True, "plays": 1, "played": [[0, 1]], "duration_s": 1, "stalls": 0, "stall_ms": 0,
          "dropped_frames": 0, "frames": 30, "drift_ms_max": 5, "failed": False, "errors": []}  # fmt: skip
PLAYBACK = json.dumps(
    {
        "v": 1,
        "hidden_ms": 0,
        "page_loads": 1,
        "layout": "side",
        "opened_ms": 1000,
        "left": PLAYED,
        "right": PLAYED,
    }
)


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def owner(client: TestClient, database: Database, library: Library) -> Person:
    """An owner, and clips in the library, before there is a study."""
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        make_user(session, Role.EDITOR, "ann@example.org")
        who = make_user(session, Role.OWNER, "owner@example.org")
        return Person(client, make_login(session, who), who)


def open_study(database: Database, folder: Path) -> StudyHere:
    with database.transaction() as session:
        load_file(session, folder)
        set_state(session, "nav", State.LIVE)
        return study_here(session, "nav")


def put(database: Database, state: State) -> None:
    with database.transaction() as session:
        set_state(session, "nav", state)


def rows(database: Database) -> dict[str, set[str]]:
    """Every row of every table but the audit log and what says when somebody was last here."""
    with database.reading() as session:
        return {
            table.name: {str(tuple(row)) for row in session.execute(table.select())}
            for table in SQLModel.metadata.sorted_tables
            if table.name not in ("audit_entry", "login")
        }


def files(settings: Settings) -> set[Path]:
    kept = ("clips", "secret", ".tidied")
    found = settings.data_dir.rglob("*")
    return {path for path in found if path.is_file() and not set(kept) & set(path.parts)}


def of_a_study() -> set[str]:
    """The tables that refer to a study, directly or not."""
    found = {"study"}
    for table in SQLModel.metadata.sorted_tables:
        if found & {key.column.table.name for key in table.foreign_keys}:
            found.add(table.name)
    return found


def add_match(session: Session) -> None:
    """One match of the study with what belongs to it, as the task of games stores it."""
    trial = session.exec(select(Trial).order_by(col(Trial.id))).first()
    assert trial is not None
    assert trial.id is not None
    version_id = session.get_one(ParticipantSession, trial.session_id).version_id
    about: dict[str, Any] = {"version_id": version_id, "mode": Mode.LIVE, "arm": "main", "block": "play"}
    session.add(
        match := Match(
            **about,
            unit_id=trial.unit_id,
            game="sug",
            game_version="1",
            config={},
            config_hash="c",
            seed="1",
            formed_at=NOW,
            opened_at=NOW,
        )
    )
    session.flush()
    of_match: dict[str, Any] = {
        "match_id": match.id,
        "session_id": trial.session_id,
        "occupant": Occupant.HUMAN,
    }
    session.add(Seat(**of_match, seat=1, role="player", trial_id=trial.id, from_seq=1))
    session.add(Decision(match_id=of_match["match_id"], phase_id="1.offer", seat=2))
    session.add(Exchange(match_id=of_match["match_id"], at=NOW, line={}))
    told: dict[str, Any] = {"move": {}, "received_at": NOW, "state_hash": "h"}
    session.add(GameEvent(**of_match, **told, seq=1, round=1, phase="offer", phase_id="1.offer", kind="note"))
    session.add(
        Entry(
            **about, session_id=trial.session_id, trial_id=trial.id, status=EntryStatus.MATCHED, seen_at=NOW
        )
    )


def add_walk(session: Session) -> None:
    """A walk of the study, as the task of walks stores it."""
    trial = session.exec(select(Trial).order_by(col(Trial.id))).first()
    assert trial is not None
    told: dict[str, Any] = {"frames": 60, "drawn_ms": 2_000, "input": "keys"}
    of_trial: dict[str, Any] = {"trial_id": trial.id, "session_id": trial.session_id}
    session.add(
        walk := MapWalk(
            **told,
            **of_trial,
            tick=1,
            walker=[1, 2, 3, 4, 5],
            length_um=6,
            began_at=NOW,
            slow_ms=0,
        )
    )
    session.flush()
    told["walk_id"] = walk.id
    session.add(WalkSteps(**told, from_tick=0, n=1, steps=[[1, 0]], received_at=NOW))


def add_recruitment(session: Session, study_id: int, session_id: int) -> None:
    """An identity, a verdict, an arm that was changed and a registration."""
    version_id = session.exec(select(StudyVersion.id).where(StudyVersion.study_id == study_id)).first() or 0
    session.add(ParticipantIdentity(session_id=session_id, external_id="P77-secret", parameters={}))
    session.merge(
        SessionVerdict(session_id=session_id, use=True, pay=True, rules={}, names="", judged_at=NOW)
    )
    session.add(StudyArm(study_id=study_id, arm="main", target=9))
    session.add(
        Registration(version_id=version_id, sha256="0" * 64, text="moves like my uncle", registered_at=NOW)
    )


def fill(client: TestClient, owner: Person, database: Database, settings: Settings, folder: Path) -> None:
    """A study with something in every table and place that a study may have something in."""
    study = open_study(database, folder)
    walk = Walk(client, participant="P77-secret").to("trial-2")
    walk.answer(rationale="moves like my uncle", playback=PLAYBACK)
    Walk(client, participant="P78").to("end")
    with database.reading() as session:
        id_ = session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).first()
    here = f"{HERE}/sessions/{id_}"
    for path, form in (
        (f"{here}/exclude", {"reason": "why I leave them out"}),
        (f"{here}/notes", {"note": "a note on them"}),
        (f"{HERE}/shares", {"email": "ann@example.org"}),
        (f"{HERE}/packages", {}),
        (f"{HERE}/tags", {"tags": "faces"}),
    ):
        assert owner.post(path, form).status_code == 200, path
    keys = owner.get(f"{HERE}/draft.yaml").text.replace("looks natural?", "is it now?")
    made = owner.post(f"{HERE}/draft/file", {}, files=[("file", ("s.yaml", keys.encode()))])
    assert made.status_code == 200, made.text
    with database.transaction() as session:
        queue.ask(session, Kind.JUDGES, {"slug": "nav", "file": "t" * 24}, now=NOW, study_id=study.id)
        add_match(session)
        add_walk(session)
        add_recruitment(session, study.id, id_ or 0)
        session.add(StudyNote(study_id=study.id, text="a note on them", written_at=NOW))
        session.add(
            ResultsLink(
                study_id=study.id, token_sha256="0" * 64, mode="live", name="", made_at=NOW, expires_at=NOW
            )
        )
    drain(settings, database)
    for file in (
        sent_verdicts(settings.data_dir, "t" * 24),
        report_folder(settings.data_dir, 2) / "report.html",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("verdicts")


def test_nothing_is_left_of_a_deleted_study_and_its_name_begins_anew(
    client: TestClient, owner: Person, database: Database, settings: Settings, tmp_path: Path
) -> None:
    before, files_before = rows(database), files(settings)
    fill(client, owner, database, settings, tmp_path)
    filled = rows(database)
    lacking = {name for name in of_a_study() - {"upload"} if not filled[name] - before[name]}
    assert lacking == set(), "the test has to put something into every table"
    assert len(files(settings) - files_before) >= 3
    shown = "".join(owner.get(f"{HERE}{page}").text for page in (*PAGES, "/audit", "/sessions/1"))
    assert [secret for secret in SECRETS if secret not in shown] == []

    live = owner.post(f"{HERE}/delete", {"name": "nav"})
    assert (live.status_code, "pause or close it first" in live.text) == (409, True)
    put(database, State.CLOSED)
    wrong = owner.post(f"{HERE}/delete", {"name": "nov"})
    assert (wrong.status_code, "type its name, nav" in wrong.text) == (422, True)
    assert {name: n for name, n in rows(database).items() if name != "study"} == {
        name: n for name, n in filled.items() if name != "study"
    }
    gone = owner.post(f"{HERE}/delete", {"name": " nav "})
    assert (gone.status_code, "The study is deleted" in gone.text) == (200, True)

    assert rows(database) == before
    assert files(settings) == files_before
    assert client.get("/s/nav").status_code == owner.get(HERE).status_code == 404
    with database.reading() as session:
        log = session.exec(select(AuditEntry).order_by(col(AuditEntry.id).desc())).all()
        assert [entry for entry in log if entry.study] == []
        last = log[0]
        assert (last.action, last.actor, last.subject) == ("study.delete", "owner@example.org", "nav")
        assert [str(entry) for entry in log if any(secret in str(entry) for secret in SECRETS)] == []
    whole = owner.get("/admin/audit").text
    assert ("with all its data" in whole, [secret for secret in SECRETS if secret in whole]) == (True, [])

    with database.transaction() as session:
        create_study(session, owner.who, "nav", {}, NOW)
    for page in (*PAGES, "/audit"):
        html = owner.get(f"{HERE}{page}").text
        assert "500" not in html[:200], page
        assert [secret for secret in SECRETS if secret in html] == [], page
    open_study(database, tmp_path)
    monitor = owner.get(f"{HERE}/monitor").text
    assert ("P77" in monitor, "2 sessions" in monitor) == (False, False)
    Walk(client, participant="P77-secret").to("trial-1")
    listed = owner.get(f"{HERE}/sessions").text
    assert listed.count(f"{HERE}/sessions/") >= 1
    assert "why I leave them out" not in listed
    with database.reading() as session:
        [one] = session.exec(select(ParticipantSession)).all()
        assert one.id == 3, "no id is given again"


@pytest.mark.any_database
def test_of_a_study_that_is_deleted_under_a_job_no_file_stays(
    owner: Person,
    database: Database,
    settings: Settings,
    tmp_path: Path,
    handle: Any,
) -> None:
    study = open_study(database, tmp_path)
    put(database, State.PAUSED)

    def make(job: Work) -> dict[str, Any]:
        with database.transaction() as session:
            assert delete_study(session, COMMAND_LINE, study, "nav", NOW).jobs == [job.job.id]
        report_folder(settings.data_dir, job.job.id).mkdir(parents=True)
        return {"files": []}

    handle(Kind.REPORT, make)
    with database.transaction() as session:
        first = queue.ask(session, Kind.REPORT, {}, now=NOW, study_id=study.id)
    drain(settings, database)
    assert not report_folder(settings.data_dir, first).exists()
    with database.transaction() as session:
        second = queue.ask(session, Kind.CLUES, {}, now=NOW)
        queue.cancel(session, second, NOW)
    assert second > first, "the worker would take the new one for its own"

    for job_id in (first, second):  # as if the service had ended between the commit and the removal
        report_folder(settings.data_dir, job_id).mkdir(parents=True)
    tidy(settings.data_dir, database, NOW.fromtimestamp(time.time(), NOW.tzinfo) + 2 * EVERY)
    assert [report_folder(settings.data_dir, job_id).exists() for job_id in (first, second)] == [False, True]
    with database.reading() as session:
        assert queue.view(session.get_one(Job, second)).status is JobStatus.CANCELLED


@pytest.mark.any_database
def test_a_study_is_deleted_once_by_its_name_and_not_while_it_takes_participants(
    owner: Person, database: Database, tmp_path: Path
) -> None:
    study = open_study(database, tmp_path)
    for state in (State.LIVE, State.PILOT):
        put(database, state)
        for change in (lambda s: archive(s, COMMAND_LINE, study, NOW),
                       lambda s: delete_study(s, COMMAND_LINE, study, "nav", NOW)):  # fmt: skip
            with pytest.raises(Conflict, match="takes participants"), database.transaction() as session:
                change(session)
    put(database, State.PAUSED)
    with pytest.raises(WrongName), database.transaction() as session:
        delete_study(session, COMMAND_LINE, study, "", NOW)
    for refusal in (None, NotFound):
        if refusal is None:
            with database.transaction() as session:
                delete_study(session, COMMAND_LINE, study, "nav", NOW)
            continue
        for change in (lambda s: archive(s, COMMAND_LINE, study, NOW),
                       lambda s: delete_study(s, COMMAND_LINE, study, "nav", NOW)):  # fmt: skip
            with pytest.raises(refusal), database.transaction() as session:
                change(session)


@pytest.mark.both_databases
def test_an_archived_study_is_closed_to_participants_and_comes_back_as_it_was(
    client: TestClient, owner: Person, database: Database, tmp_path: Path
) -> None:
    open_study(database, tmp_path)
    walk = Walk(client).to("trial-1")
    clip = f"{walk.address}/clips/1-left.mp4"
    refused = owner.post(f"{HERE}/archive")
    assert (refused.status_code, "pause or close it first" in refused.text) == (409, True)
    put(database, State.PAUSED)
    assert walk.look() == "trial-1", "paused, those under way go on"

    gone = owner.post(f"{HERE}/archive")
    assert (
        gone.status_code,
        'Archived <span class="count">1<span class="vh"> study</span></span>' in gone.text,
        f'"{HERE}"' in gone.text,
    ) == (200, True, False)
    listed = owner.get("/admin?archived=1").text
    assert ("Archived studies" in listed, f'"{HERE}"' in listed) == (True, True)
    client.cookies.clear()
    assert client.get("/s/nav").status_code == 403
    html = walk.html
    assert walk.look() == "end"
    assert "This study has ended" in walk.html
    assert client.get(clip).status_code == 404
    walk.html = html
    walk.answer()
    assert "This study has ended" in walk.html
    for page in PAGES:
        assert owner.get(f"{HERE}{page}").status_code == 200, page
    opening = owner.post(f"{HERE}/launch", {"to": "live"})
    assert (opening.status_code, "is archived; bring it back first" in opening.text) == (409, True)

    back = owner.post(f"{HERE}/unarchive")
    assert "restored to the list" in back.text
    assert f'"{HERE}"' in owner.get("/admin").text
    assert walk.look() == "trial-1"
    with database.reading() as session:
        row = session.exec(select(Study)).one()
        assert (row.state, row.archived_at) == (State.PAUSED, None)
        noted = select(AuditEntry.action).where(
            col(AuditEntry.action).in_(["study.archive", "study.unarchive"])
        )
        assert sorted(session.exec(noted)) == ["study.archive", "study.unarchive"]


@pytest.mark.any_database
def test_programs_archive_and_owners_programs_delete(
    client: TestClient, owner: Person, database: Database, tmp_path: Path
) -> None:
    study = open_study(database, tmp_path)
    put(database, State.PAUSED)
    with database.transaction() as session:
        editor = make_user(session, Role.EDITOR, "editor@example.org")
        session.add(StudyShare(study_id=study.id, user_id=editor.user_id))
        theirs, ours = (Program(client, make_api_token(session, who)) for who in (editor, owner.who))
    assert theirs.post("/studies/nav/archive").status_code == 204
    assert theirs.get("/studies").json() == []
    [line] = theirs.get("/studies?archived=true").json()
    assert (line["slug"], bool(line["archived_at"])) == ("nav", True)
    assert theirs.post("/studies/nav/unarchive").status_code == 204
    assert [line["archived_at"] for line in theirs.get("/studies").json()] == [None]
    assert theirs.delete("/studies/nav?name=nav").status_code == 403
    unnamed = ours.delete("/studies/nav")
    assert (unnamed.status_code, "type its name" in unnamed.json()["message"]) == (422, True)
    assert ours.delete("/studies/nav?name=nav").status_code == 204
    assert ours.get("/studies/nav").status_code == 404
