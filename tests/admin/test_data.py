"""Data out through the pages: tables, reports, packages, each the same as the command makes."""

import io
import zipfile

import pytest
from starlette.testclient import TestClient

from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job
from app.jobs.worker import drain
from app.studies.tables import State
from app.studies.versions import set_state
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person, Program
from tests.kept import Kept
from tests.sessions.walks import Walk

HERE = "/admin/studies/nav"


@pytest.fixture
def answered(client: TestClient, study: str, database: Database, kept: Kept) -> str:
    """The study with one participant's answers, closed: nothing is blinded."""
    kept.once(database, lambda: Walk(client, study).to("end"))
    with database.transaction() as session:
        set_state(session, study, State.CLOSED)
    return study


def test_a_table_is_downloaded_as_the_export_command_writes_it(owner: Person, answered: str) -> None:
    response = owner.get(f"{HERE}/data/responses.csv")
    assert response.status_code == 200
    assert "attachment" in response.headers["content-disposition"]
    assert response.text.startswith("study,version,arm,mode,participant,")
    assert len(response.text.splitlines()) == 12


def test_a_table_in_an_unknown_mode_is_refused_in_words(owner: Person, answered: str) -> None:
    response = owner.get(f"{HERE}/data/labels.csv?mode=dreamt")
    assert response.status_code == 400
    assert "dreamt" in response.text
    assert "Traceback" not in response.text


def test_a_report_is_built_in_the_background_kept_and_opened(
    owner: Person, answered: str, settings: Settings, database: Database
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


def test_a_report_of_another_study_is_not_opened_through_this_one(
    editor: Person,
    owner: Person,
    answered: str,
    share_with: ShareWith,
    settings: Settings,
    database: Database,
) -> None:
    owner.post(f"{HERE}/reports", {"mode": ""})
    drain(settings, database)
    assert editor.get(f"{HERE}/reports/1/report.html").status_code == 404
    share_with(editor)
    assert editor.get(f"{HERE}/reports/1/report.html").status_code == 200


def test_a_package_is_built_and_downloaded(
    owner: Person, answered: str, settings: Settings, database: Database
) -> None:
    wish = {"authors": "A. Author\nB. Writer", "license": "CC-BY-4.0"}
    assert "Waiting to begin" in owner.post(f"{HERE}/packages", wish).text
    drain(settings, database)
    response = owner.get(f"{HERE}/packages/1.zip")
    names = zipfile.ZipFile(io.BytesIO(response.content)).namelist()
    assert any(name.endswith("dataset_description.json") for name in names)
    assert any(name.endswith(".yaml") for name in names)


def test_a_failed_build_says_why_and_leaves_nothing(
    owner: Person, study: str, settings: Settings, database: Database
) -> None:
    owner.post(f"{HERE}/reports", {"mode": "preview"})
    drain(settings, database)
    assert "preview" in owner.get(f"{HERE}/data").text
    assert not list((settings.data_dir / "reports").glob("1/*"))


def test_what_is_taken_out_is_in_the_audit_log(
    owner: Person,
    viewer: Person,
    api: Program,
    answered: str,
    settings: Settings,
    database: Database,
    share_with: ShareWith,
) -> None:
    """Tables, packages and the table of clips, by page, by program, and by a viewer too: who, what and when."""
    share_with(viewer)
    viewer.get(f"{HERE}/data/responses.csv")
    api.get("/studies/nav/data/labels.jsonl")
    assert viewer.post(f"{HERE}/packages", {"keeps_links": "1"}).status_code == 403
    owner.post(f"{HERE}/packages", {"keeps_links": "1"})
    drain(settings, database)
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
    assert "login</code>" in page
    assert "data.export</code>" not in page
    assert "package.ask</code>" in owner.get("/admin/audit?kind=changes").text
    assert "data.export</code>" in viewer.get(f"{HERE}/audit?kind=exports").text
    assert api.get("/audit?kind=odd").status_code == 422


def test_programs_get_the_same(api: Program, answered: str, settings: Settings, database: Database) -> None:
    asked = api.post("/studies/nav/packages", {"pseudonyms": True})
    assert asked.status_code == 202
    drain(settings, database)
    [run] = api.get("/studies/nav/packages").json()
    assert (run["id"], run["status"]) == (asked.json()["id"], "done")
    assert api.get(f"/studies/nav/packages/{run['id']}.zip").content[:2] == b"PK"
    assert api.get("/studies/nav/data/labels.jsonl").status_code == 200
