"""Data out through the pages: tables, reports, packages, each the same as the command makes."""

import csv
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import select
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.versions import set_state
from app.trials.tables import ParticipantSession, SessionVerdict, State
from app.worker.worker import drain
from tests.admin.conftest import Once, ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW
from tests.kept import Kept
from tests.sessions.walks import Walk

pytestmark = pytest.mark.usefixtures("few_resamples")

HERE = "/admin/studies/nav"
Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    """A data folder of the test's own, with the library's clips in it."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with one participant's answers, closed: nothing is blinded."""
    kept.once(database, lambda: Walk(client, study).to("end"))
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)
    return study


@pytest.mark.usefixtures("forked")
def test_a_table_in_an_unknown_mode_is_refused_in_words(answered: str, owner: Person) -> None:
    response = owner.get(f"{HERE}/data/labels.csv?mode=dreamt")
    assert response.status_code == 400
    assert "dreamt" in response.text
    assert "Traceback" not in response.text


def test_a_report_is_built_in_the_background_kept_and_opened_by_who_sees_the_study(
    answered: str,
    owner: Person,
    editor: Person,
    share_with: ShareWith,
    settings: Settings,
    database: Database,
) -> None:
    assert "Waiting to begin" in owner.post(f"{HERE}/reports", {"mode": ""}).text
    drain(settings, database)
    page = owner.get(f"{HERE}/data").text
    assert "Open the report" in page
    with database.reading() as session:
        job = session.get(Job, 1)
    assert job is not None
    report = owner.get(f"{HERE}/reports/1/report.html")
    assert report.headers["content-type"].startswith("text/html")
    assert "Which navigation looks natural?" in report.text
    assert owner.get(f"{HERE}/reports/1/report.css").status_code == 200
    for name in ("../../secret", "..%2f..%2fsecret", "missing.html"):
        assert owner.get(f"{HERE}/reports/1/{name}").status_code == 404
    assert editor.get(f"{HERE}/reports/1/report.html").status_code == 404
    share_with(editor)
    assert editor.get(f"{HERE}/reports/1/report.html").status_code == 200


@pytest.fixture
def packed(answered: str, settings: Settings, database: Database, once: Once) -> str:
    """The study with a package, the first job, in which exact times were kept."""

    def pack(before: Person) -> None:
        wish = {"authors": "A. Author\nB. Writer", "license": "CC-BY-4.0", "keeps_links": "1"}
        assert "Waiting to begin" in before.post(f"{HERE}/packages", wish).text
        drain(settings, database)

    once("packages", pack)
    return answered


def test_a_package_is_built_and_downloaded(packed: str, owner: Person) -> None:
    response = owner.get(f"{HERE}/packages/1.zip")
    archive = zipfile.ZipFile(io.BytesIO(response.content))
    [description] = [name for name in archive.namelist() if name.endswith("dataset_description.json")]
    assert "B. Writer" in archive.read(description).decode()
    assert any(name.endswith(".yaml") for name in archive.namelist())


def test_a_failed_build_says_why_and_leaves_nothing(
    owner: Person, study: str, settings: Settings, database: Database
) -> None:
    owner.post(f"{HERE}/reports", {"mode": "preview"})
    drain(settings, database)
    assert "preview" in owner.get(f"{HERE}/data").text
    assert not list((settings.data_dir / "reports").glob("1/*"))


def test_tables_are_downloaded_and_what_is_taken_out_is_in_the_audit_log(
    packed: str,
    owner: Person,
    viewer: Person,
    api: Program,
    share_with: ShareWith,
    request: pytest.FixtureRequest,
) -> None:
    """Tables, packages and the table of clips, by page, by program, and by a viewer too: who, what and when.

    The first by a process as the service starts it.
    """
    share_with(viewer)
    table = viewer.get(f"{HERE}/data/responses.csv")
    assert (table.status_code, "attachment" in table.headers["content-disposition"]) == (200, True)
    assert table.text.startswith("study,version,arm,mode,participant,")
    assert len(table.text.splitlines()) == 12
    request.getfixturevalue("forked")
    labels = api.get("/studies/nav/data/labels.jsonl")
    assert (labels.status_code, len(labels.text.splitlines())) == (200, 10)
    assert viewer.post(f"{HERE}/packages", {"keeps_links": "1"}).status_code == 403
    assert "exact times kept" in owner.get(f"{HERE}/data").text
    assert viewer.get(f"{HERE}/packages/1.zip").status_code == 200
    owner.get("/admin/stimuli.csv")
    log = api.get("/audit?kind=exports").json()
    assert [(entry["actor"], entry["action"], entry["study"], entry["subject"]) for entry in log] == [
        ("owner@example.org", "stimuli.export", None, "stimuli.csv"),
        ("viewer@example.org", "package.download", "nav", "package 1"),
        ("owner@example.org", "data.export", "nav", "labels.jsonl"),
        ("viewer@example.org", "data.export", "nav", "responses.csv"),
    ]
    assert log[1]["after"] == {"pseudonyms": True, "keeps_links": True}
    page = owner.get("/admin/audit?kind=logins").text
    assert "example.org logged in" in page
    assert "exported responses.csv" not in page
    assert "asked for a package of the study" in owner.get("/admin/audit?kind=changes").text
    assert "exported responses.csv" in viewer.get(f"{HERE}/audit?kind=exports").text
    assert api.get("/audit?kind=odd").status_code == 422


def test_programs_get_the_same(packed: str, owner: Person, api: Program) -> None:
    [run] = api.get("/studies/nav/packages").json()
    assert (run["id"], run["status"]) == (1, "done")
    package = api.get("/studies/nav/packages/1.zip").content
    assert package == owner.get(f"{HERE}/packages/1.zip").content
    assert package[:2] == b"PK"
    asked = api.post("/studies/nav/packages", {"pseudonyms": True})
    assert asked.status_code == 202
    runs = {run["id"]: run["status"] for run in api.get("/studies/nav/packages").json()}
    assert runs == {1: "done", asked.json()["id"]: "queued"}


@pytest.mark.usefixtures("forked")
def test_tables_leave_out_what_rules_leave_out_unless_all_is_asked_for(
    answered: str, owner: Person, api: Program, database: Database
) -> None:
    with database.transaction() as session:
        one = session.exec(select(ParticipantSession.id).where(ParticipantSession.mode == "live")).one()
        assert one is not None
        session.add(
            SessionVerdict(
                session_id=one, use=False, pay=True, rules={"same-side": {}}, names="same-side", judged_at=NOW
            )
        )
    page = owner.get(f"{HERE}/data").text
    assert "1 session is not used by the exclusion rules\n  (same-side 1)" in page
    assert "left out of these tables" in page
    assert f'href="{HERE}/data?all=1"' in page
    assert f'href="{HERE}/data/responses.csv?all=1"' in owner.get(f"{HERE}/data?all=1").text
    for who, here in ((owner, HERE), (api, "/studies/nav")):
        tables = [who.get(f"{here}/data/participants.csv{more}").text for more in ("", "?all=1")]
        kept, every = ({row["session"] for row in csv.DictReader(table.splitlines())} for table in tables)
        assert every - kept == {str(one)}
