"""Links to results: read only, without names, until they end or are taken back; nothing else opens by them."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select, update
from starlette.testclient import TestClient

from app.accounts.tables import AuditEntry
from app.accounts.wrong_links import PER_NETWORK
from app.core.database import Database
from app.core.settings import Settings
from app.jobs.tables import Job, JobStatus, Kind
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.studies.tables import ResultsLink
from app.studies.versions import set_state
from app.trials.tables import State
from app.verdicts.judging import ask_again
from app.worker.worker import drain
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person, fresh_client
from tests.admin.test_results import walk

pytestmark = pytest.mark.usefixtures("few_resamples")
HERE = "/admin/studies/nav/results"
Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def settings(settings: Settings, library: Library, tmp_path: Path) -> Settings:
    data = tmp_path / "data"
    data.mkdir()
    (data / "clips").symlink_to(library[0].root / "clips")
    return settings.model_copy(update={"data": data})


@pytest.fixture
def answered(client: TestClient, study: str, database: Database) -> str:
    for sides in ("left", "right"):
        walk(client, sides, rationale="my own words", uncertainty="2")
    return study


def make_link(person: Person, name: str = "Reviewer 2", mode: str = "live", ends: str = "") -> str:
    page = person.post(f"{HERE}/links", {"name": name, "mode": mode, "ends": ends})
    assert page.status_code == 200, page.text
    (address,) = re.findall(r'<code class="shown breaks">([^<]+)</code>', page.text)
    return str(address.removeprefix("http://testserver"))


def close(database: Database) -> None:
    with database.transaction() as session:
        set_state(session, "nav", State.CLOSED)


def test_a_link_shows_results_to_outsiders_and_nothing_else(
    answered: str,
    owner: Person,
    stranger: TestClient,
    database: Database,
    settings: Settings,
) -> None:
    address = make_link(owner)
    running = stranger.get(address)
    assert (running.status_code, "Not open yet" in running.text) == (200, True)
    assert "You can say" not in running.text, "live results stay closed while the study runs"
    close(database)
    assert "being computed" in stranger.get(address).text
    drain(settings, database)
    own = owner.get(HERE).text
    drain(settings, database)
    page = stranger.get(address)
    assert "You can say" in page.text
    for header, value in (
        ("cache-control", "no-store"), ("x-robots-tag", "noindex, nofollow"), ("referrer-policy", "no-referrer"),
    ):  # fmt: skip
        assert page.headers[header] == value
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "set-cookie" not in page.headers
    # Nobody is named, no free text is shown, and no link leads to a page of experimenters.
    assert len(set(re.findall(r"p-[0-9a-f]{8}", own))) == 2
    assert re.findall(r"p-[0-9a-f]{8}", page.text) == []
    assert {"person 1", "person 2"} <= set(re.findall(r"person \d", page.text))
    assert "my own words" not in page.text
    assert re.findall(r'(?:href|action|src)="(/admin[^"]*|/api[^"]*)"', page.text) == []
    assert "<form" not in page.text
    token = address.removeprefix("/r/")
    for path, wanted in (
        (f"{address}.json", 404), (f"{address}/results", 404), (f"{address}/accuracy.csv", 404), (HERE, 303),
        ("/api/v1/studies/nav/results", 401), (f"/api/v1/studies/nav/results?token={token}", 401),
    ):  # fmt: skip
        reply = stranger.get(path, follow_redirects=False)
        assert reply.status_code in (wanted, 404), path
    bearer = {"Authorization": f"Bearer {token}"}
    assert stranger.get("/api/v1/account", headers=bearer).status_code == 401
    assert stranger.post(address).status_code == 405 or stranger.post(address).status_code == 404
    with database.reading() as session:
        (link,) = session.exec(select(ResultsLink)).all()
        entries = session.exec(select(AuditEntry).where(AuditEntry.action == "results.share")).all()
    assert token not in str(link.model_dump()) + str([entry.model_dump() for entry in entries])
    assert link.opened_at is not None
    assert token not in owner.get(HERE).text, "shown once"


def test_a_link_says_that_its_numbers_may_change_or_could_not_be_computed(
    answered: str,
    owner: Person,
    client: TestClient,
    stranger: TestClient,
    database: Database,
    settings: Settings,
) -> None:
    address = make_link(owner)
    close(database)
    stranger.get(address)
    with database.transaction() as session:
        session.execute(update(Job).where(Job.kind == Kind.RESULTS).values(status=JobStatus.FAILED))  # type: ignore[arg-type]
    failed = stranger.get(address).text
    assert "could not be computed" in failed
    assert "being computed" not in failed, "nothing computes them until somebody asks again"
    owner.post(f"{HERE}/again", {"mode": "live"})
    drain(settings, database)
    may_change = ("numbers may change", "Answers have changed")
    assert [said in stranger.get(address).text for said in may_change] == [False, False]
    with database.transaction() as session:
        ask_again(session, "nav", datetime.now(UTC))
    assert "The exclusion rules are being applied again; numbers may change." in stranger.get(address).text
    with database.transaction() as session:
        set_state(session, "nav", State.LIVE)
    walk(client, "left", rationale="later", uncertainty="2")
    assert "may change" not in stranger.get(address).text, "nothing is told of a study that runs"
    close(database)
    assert "Answers have changed since these numbers were computed." in stranger.get(address).text


def test_a_cut_table_of_a_link_names_no_csv_which_is_not_there(
    answered: str,
    owner: Person,
    stranger: TestClient,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.reports.page.drawn.MOST_ROWS", 1)
    address = make_link(owner)
    close(database)
    stranger.get(address)
    owner.get(HERE)
    drain(settings, database)
    page, own = stranger.get(address).text, owner.get(HERE).text
    assert re.search(r"The first 1 of \d+ rows\.", page)
    assert "in the CSV" not in page
    assert re.search(r"\d+ more rows are in the CSV\.", own)


def test_pictures_of_a_link_are_those_of_the_studys_pairs(
    answered: str, owner: Person, stranger: TestClient, database: Database
) -> None:
    address = make_link(owner)
    picture = f"{address}/results/clips/{'0' * 64}.jpg"
    assert stranger.get(picture).status_code == 404
    close(database)
    assert stranger.get(picture).status_code == 404


def test_a_link_ends_on_its_day_and_when_it_is_taken_back(
    answered: str,
    owner: Person,
    editor: Person,
    stranger: TestClient,
    database: Database,
    share_with: ShareWith,
) -> None:
    close(database)
    share_with(editor)
    first, second = make_link(editor, "a <b>colleague</b>"), make_link(owner, "the journal", "simulated")
    page = editor.get(HERE).text
    assert "a &lt;b&gt;colleague&lt;/b&gt;" in page
    with database.reading() as session:
        links = session.exec(select(ResultsLink).order_by(ResultsLink.id)).all()  # type: ignore[arg-type]
    assert links[0].expires_at.date() == (datetime.now(UTC) + timedelta(days=30)).date()
    assert (stranger.get(first).status_code, stranger.get(second).status_code) == (200, 200)
    done = editor.post(f"{HERE}/links/{links[0].id}/revoke", follow_redirects=False)
    assert done.status_code == 303
    assert editor.post(f"{HERE}/links/{links[0].id}/revoke").status_code == 404
    with database.transaction() as session:
        session.execute(
            update(ResultsLink)
            .where(ResultsLink.id == links[1].id)  # type: ignore[arg-type]
            .values(expires_at=datetime.now(UTC) - timedelta(seconds=1))
        )
    said = {stranger.get(address).text for address in (first, second)}
    assert len(said) == 1, "taken back or over: the same words"
    assert "This link has ended" in said.pop()
    assert stranger.get(first).status_code == 410
    assert "the journal" not in editor.get(HERE).text
    log = owner.get("/admin/studies/nav/audit?kind=results").text
    assert (
        "editor@example.org made the link a &lt;b&gt;colleague&lt;/b&gt; to the live results of the study"
        in log
    )
    assert "editor@example.org took back the link" in log


def test_who_may_make_links_and_what_is_refused(
    answered: str, owner: Person, viewer: Person, share_with: ShareWith
) -> None:
    share_with(viewer)
    assert viewer.post(f"{HERE}/links", {"name": "me", "mode": "live"}).status_code == 403
    assert "Share these results" not in viewer.get(HERE).text
    today = datetime.now(UTC).date()
    for form in (
        {"name": "", "mode": "live"},
        {"name": "x" * 81, "mode": "live"},
        {"name": "x", "mode": "preview"},
        {"name": "x", "mode": "live", "ends": "soon"},
        {"name": "x", "mode": "live", "ends": str(today - timedelta(days=1))},
        {"name": "x", "mode": "live", "ends": str(date(today.year + 2, 1, 1))},
    ):
        assert owner.post(f"{HERE}/links", form).status_code == 422, form


def test_wrong_links_are_counted(
    answered: str, owner: Person, stranger: TestClient, client: TestClient
) -> None:
    right = make_link(owner)
    replies = [stranger.get(f"/r/{'x' * 43}{n}").status_code for n in range(PER_NETWORK + 1)]
    assert replies == [404] * PER_NETWORK + [429]
    assert fresh_client(client).get(right).status_code == 429
