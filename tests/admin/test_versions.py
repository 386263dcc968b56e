"""The pages of a study's versions, and studies, drafts and versions for programs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlmodel import select
from starlette.testclient import TestClient

from app.accounts.tables import AuditEntry
from app.core.database import Database
from app.reports.export import rows_of
from app.studies.access import study_for
from app.studies.drafts import draft_for, save_draft
from app.studies.file.load import load_study
from app.studies.versions import stimulus_facts
from app.trials.tables import StudyVersion
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW, study_file
from tests.sessions.walks import Walk

HERE = "/admin/studies/nav"


def change(database: Database, person: Person, **keys: Any) -> None:
    """As the design's form saves."""
    with database.transaction() as session:
        study = study_for(session, person.who, "nav")
        draft = draft_for(session, study)
        save_draft(session, person.who, study, {**draft.keys, **keys}, draft.revision, NOW)


def keys_now(database: Database, person: Person) -> dict[str, Any]:
    with database.reading() as session:
        return draft_for(session, study_for(session, person.who, "nav")).keys


def save(person: Person, reason: str = "") -> Any:
    found = re.search(r'name="revision" value="(\d+)"', person.get(f"{HERE}/versions").text)
    return person.post(f"{HERE}/versions", {"reason": reason, "revision": found[1] if found else "0"})


def test_a_change_is_seen_saved_with_its_reason_and_told_apart_in_the_data(
    client: TestClient, owner: Person, study: str, database: Database
) -> None:
    Walk(client, study).to("end")
    assert "None: the design is that of version 1" in owner.get(f"{HERE}/versions").text
    change(database, owner, title="Another <title>")
    html = owner.get(f"{HERE}/versions").text
    assert "1 change since version 1" in html
    assert "<del>Which navigation looks natural?</del>" in html
    assert "<ins>Another &lt;title&gt;</ins>" in html
    refused = save(owner)
    assert refused.status_code == 422
    assert re.search(r'class="error" id="reason-help">Version 1 has data', refused.text)
    html = save(owner, "typo & more").text
    assert "Saved." in html
    assert "typo &amp; more" in html
    assert re.search(r"Version 1\s*<span[^>]*>frozen", html)
    Walk(client, study, participant="second").to("end")
    with database.reading() as session:
        rows = rows_of(session, study, "participants")
        assert sorted(row["version"] for row in rows) == [1, 2]


def test_what_is_wrong_is_listed_with_links_to_its_place(
    owner: Person, study: str, database: Database
) -> None:
    sample = {**study_file()["sample"], "seed": "x"}  # type: ignore[dict-item]
    change(database, owner, title="", consent={"version": "1"}, sample=sample)
    for html in (owner.get(f"{HERE}/versions").text, save(owner).text):
        assert "3 problems to correct" in html
        problem = html.partition("problems to correct")[2].partition("</ul>")[0]
        links = re.findall(r'<li><a href="([^"]+)">', problem)
        assert links == [
            f"{HERE}/design/study#title",
            f"{HERE}/design/consent#consent.text",
            f"{HERE}/pairs/draw",
        ]
    for link in links:
        page, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in owner.get(page).text or not anchor
    with database.reading() as session:
        assert len(session.exec(select(StudyVersion)).all()) == 1


def test_concurrent_changes_are_not_overwritten_unseen(owner: Person, study: str, database: Database) -> None:
    change(database, owner, title="Seen")
    seen = re.search(r'name="revision" value="(\d+)"', owner.get(f"{HERE}/versions").text)
    assert seen is not None
    change(database, owner, title="Unseen")
    for path in ("/versions", "/draft/drop"):
        page = owner.post(f"{HERE}{path}", {"revision": seen[1]})
        assert page.status_code == 409
        assert "Unseen" in page.text
    assert owner.post(f"{HERE}/versions", {"revision": "x"}).status_code == 422
    assert keys_now(database, owner)["title"] == "Unseen"
    assert owner.post(f"{HERE}/versions", {}, follow_redirects=False).status_code == 303, (
        "the design's own button"
    )


def test_changes_are_given_up_versions_restored_and_nothing_to_save_is_said(
    client: TestClient, owner: Person, study: str, database: Database
) -> None:
    Walk(client, study).to("end")
    change(database, owner, title="Second")
    save(owner, "second")
    change(database, owner, title="Third")
    page = owner.post(f"{HERE}/versions/1/restore", {})
    assert "Which navigation looks natural?" in page.text
    assert keys_now(database, owner)["title"] == study_file()["title"]
    revision = re.search(r'name="revision" value="(\d+)"', page.text)
    assert revision is not None
    assert "discarded" in owner.post(f"{HERE}/draft/drop", {"revision": revision[1]}).text
    assert keys_now(database, owner)["title"] == "Second"
    change(database, owner, title="Fourth")
    owner.post(f"{HERE}/versions/2/restore", {})
    assert "nothing to save" in save(owner).text
    for number in ("3", "0", str(2**31), "9" * 40, "x"):
        assert owner.post(f"{HERE}/versions/{number}/restore", {}).status_code == 404


def test_any_two_designs_are_compared(owner: Person, study: str, database: Database) -> None:
    change(database, owner, title="Second", instructions="# Instructions\n\nWatch well.\n")
    html = owner.get(f"{HERE}/versions/compare?before=1&after=draft").text
    assert "From version 1 to the design as it stands now" in html
    assert re.search(r"<del><span[^>]*>−</span> Watch both videos\.</del>", html)
    assert re.search(r"<ins><span[^>]*>\+</span> Watch well\.</ins>", html)
    assert "Nothing: both are the same design" in owner.get(f"{HERE}/versions/compare?before=1&after=1").text
    for query in ("before=x", "before=7&after=1", f"before={'9' * 50}", "before=-1", "before=²"):
        assert owner.get(f"{HERE}/versions/compare?{query}").status_code in (404, 422), query


def test_a_design_is_downloaded_as_a_file_that_is_the_same_study(
    owner: Person, study: str, database: Database, tmp_path: Path
) -> None:
    change(database, owner, title="Being written: <b>")
    for path, name in (("/versions/1.yaml", "nav-version-1.yaml"), ("/draft.yaml", "nav-draft.yaml")):
        reply = owner.get(f"{HERE}{path}")
        assert reply.headers["content-disposition"] == f'attachment; filename="{name}"'
        assert reply.headers["content-type"].startswith("application/yaml")
        (tmp_path / name).write_text(reply.text)
    with database.reading() as session:
        facts = stimulus_facts(session)
        stored = session.exec(select(StudyVersion.sha256)).one()
    assert load_study(tmp_path / "nav-version-1.yaml", facts).sha256() == stored
    assert load_study(tmp_path / "nav-draft.yaml", facts).title == "Being written: <b>"
    assert owner.get(f"{HERE}/versions/2.yaml").status_code == 404


def test_a_file_takes_the_designs_place_and_the_log_keeps_what_was_there(
    owner: Person, study: str, database: Database
) -> None:
    change(database, owner, title="Being written")
    file = yaml.safe_dump(study_file(study="another-name", title="From a file")).encode()
    page = owner.post(f"{HERE}/draft/file", {}, files=[("file", ("new.yaml", file))])
    assert "as unsaved changes" in page.text
    keys = keys_now(database, owner)
    assert (keys["study"], keys["title"]) == ("nav", "From a file")
    with database.reading() as session:
        entry = session.exec(select(AuditEntry).where(AuditEntry.action == "draft.replace")).one()
    assert (entry.actor, entry.subject) == (owner.email, "from the file new.yaml")
    assert (entry.before["title"], entry.after["title"]) == ("Being written", "From a file")
    for files in (
        [("file", ("a.yaml", b"a: [b"))],
        [("file", ("a.zip", b"PK\x03\x04"))],
        [("file", ("x", b"\x00"))],
        [],
    ):
        page = owner.post(f"{HERE}/draft/file", {}, files=files or None)
        assert page.status_code == 422
        assert 'class="callout bad"' in page.text
    assert keys_now(database, owner)["title"] == "From a file"


# For programs


def test_a_program_makes_a_study_of_every_start(api: Program, study: str) -> None:
    template = {"template": "blank", "title": "Mine"}
    assert api.post("/studies", template).json() == {"slug": "mine"}
    assert api.post("/studies", template).json() == {"slug": "mine-2"}
    file = {"study.yaml": "study: from-file\nconsent: {version: 1, text: c.md}\n", "c.md": "# Consent\n"}
    assert api.post("/studies", {"files": file}).json() == {"slug": "from-file"}
    assert api.get("/studies/from-file/draft").json()["keys"]["consent"]["text"] == "# Consent"
    clone = api.post("/studies", {"clone": "nav", "version": 1, "slug": "nav-2"})
    assert clone.status_code == 201
    assert api.post("/studies", {"keys": study_file(), "slug": "by-keys"}).status_code == 201
    assert {each["slug"] for each in api.get("/studies").json()} == {
        "nav",
        "mine",
        "mine-2",
        "from-file",
        "nav-2",
        "by-keys",
    }
    for wrong, status in [
        ({}, 422),
        ({"template": "none"}, 422),
        ({"template": "blank", "keys": {}}, 422),
        ({"keys": {}, "slug": "nav"}, 409),
        ({"keys": {}, "slug": "N\ud800"}, 422),
        ({"clone": "nobody"}, 404),
        ({"files": {"\ud800.yaml": "a: [\udfff"}}, 422),
        ({"keys": {"title": {"a": {"b": {}}}}, "slug": "odd"}, 201),
    ]:
        headers = {"Content-Type": "application/json"}
        reply = api.post("/studies", content=json.dumps(wrong), headers=headers)
        assert reply.status_code == status, (wrong, reply.text)
        assert status == 201 or reply.json()["message"]


def test_a_program_writes_checks_and_saves_a_draft(api: Program, study: str) -> None:
    draft = api.get("/studies/nav/draft").json()
    assert not draft["is_unsaved"]
    keys = {**draft["keys"], "title": ""}
    saved = api.put("/studies/nav/draft", {"keys": keys, "revision": draft["revision"]})
    assert (
        api.put(
            "/studies/nav/draft", {"keys": keys | {"title": "x"}, "revision": draft["revision"]}
        ).status_code
        == 409
    )
    [fault] = api.get("/studies/nav/draft/check").json()["faults"]
    assert fault["place"] == ["title"]
    assert api.post("/studies/nav/versions", {}).status_code == 422
    put = api.put("/studies/nav/draft", {"keys": {**keys, "title": "Next"}, **saved.json()})
    compared = api.get("/studies/nav/versions/compare?before=1&after=draft").json()
    assert [change["place"] for change in compared["differences"]] == ["title"]
    made = api.post("/studies/nav/versions", {"reason": "why not", **put.json()})
    assert (made.status_code, made.json()) == (
        201,
        {"number": 1, "change": "replaced", "pairs": 11, "items": 0},
    )
    [version] = api.get("/studies/nav/versions").json()
    assert (version["number"], version["reason"]) == (1, "why not")
    assert api.get("/studies/nav/versions/1").json()["title"] == "Next"
    text = api.get("/studies/nav/versions/1.yaml")
    assert text.headers["content-type"].startswith("application/yaml")
    headers = {"Content-Type": "application/yaml"}
    changed = text.text.replace("Next", "By YAML")
    assert api.put("/studies/nav/draft.yaml", content=changed.encode(), headers=headers).status_code == 200
    assert yaml.safe_load(api.get("/studies/nav/draft.yaml").text)["title"] == "By YAML"
    assert api.post("/studies/nav/versions/1/restore").status_code == 200
    assert api.delete("/studies/nav/draft").status_code == 204
    assert api.delete("/studies/nav/draft").status_code == 409
    assert api.get("/studies/nav").json()["title"] == "Next"


def test_the_comments_of_a_study_file_outlive_the_form_versions_and_copies(
    api: Program, owner: Person, study: str, database: Database, tmp_path: Path
) -> None:
    headers = {"Content-Type": "application/yaml"}
    plain = yaml.safe_dump({**study_file(), "study": "nav"}, sort_keys=False)
    written = "# By Ann.\n" + plain.replace("title:", "# agreed with Bob\ntitle:").replace(
        "consent:", "consent: # v1"
    )

    def file(address: str) -> str:
        return api.get(f"/studies/{address}.yaml").text

    assert api.put("/studies/nav/draft.yaml", content=written.encode(), headers=headers).status_code == 200
    assert file("nav/draft") == written
    change(database, owner, title="By the form")
    by_form = file("nav/draft")
    title = next(line for line in written.splitlines() if line.startswith("title:"))
    assert by_form == written.replace(title, "title: By the form")
    assert api.post("/studies/nav/versions", {"reason": "another title"}).status_code == 201
    newest = api.get("/studies/nav/versions").json()[0]["number"]
    version = file(f"nav/versions/{newest}")
    assert {"# By Ann.", "# agreed with Bob", "title: By the form"} <= set(version.splitlines())
    assert file("nav/draft") == version, "a version opened again"
    with database.reading() as session:
        facts = stimulus_facts(session)
        sha256 = session.exec(select(StudyVersion.sha256).where(StudyVersion.number == newest)).one()
    (tmp_path / "study.yaml").write_text(version)
    assert load_study(tmp_path / "study.yaml", facts).sha256() == sha256
    change(database, owner, title="Once more")
    assert file("nav/draft") == version.replace("By the form", "Once more")
    assert api.post("/studies", {"slug": "copy", "clone": "nav", "version": newest}).status_code == 201
    assert file("copy/draft") == version.replace("study: nav", "study: copy")
    assert api.post(f"/studies/nav/versions/{newest}/restore").status_code == 200
    assert file("nav/draft") == version
    assert (
        api.put(
            "/studies/nav/draft.yaml", content=version.replace("Bob", "Eve").encode(), headers=headers
        ).status_code
        == 200
    )
    assert api.post("/studies/nav/versions", {}).json()["change"] == "unchanged"
    assert "# agreed with Eve" in file(f"nav/versions/{newest}"), "comments are no part of the design"


def test_a_program_shares_a_study_and_no_more(api: Program, editor: Person, study: str) -> None:
    assert api.post("/studies/nav/shares", {"email": editor.email}).status_code == 204
    [person] = api.get("/studies/nav/shares").json()
    assert (person["email"], person["role"]) == (editor.email, "editor")
    assert api.delete(f"/studies/nav/shares/{person['user_id']}").status_code == 204
    assert api.get("/studies/nav/shares").json() == []
    assert api.delete(f"/studies/nav/shares/{person['user_id']}").status_code == 404


def test_a_program_reads_templates_and_the_schema(api: Program) -> None:
    assert [each["name"] for each in api.get("/study-templates").json()] == [
        "hntt",
        "hntt-arms",
        "real-or-fake",
        "preference",
        "rubric",
        "water-judges",
        "play-and-rate",
        "ultimatum",
        "which-player",
        "walk-the-map",
        "blank",
    ]
    schema = api.get("/study-file-schema").json()
    assert schema["properties"]["title"]["maxLength"] == 200


def test_a_viewers_program_reads_everything_and_changes_nothing(
    viewer: Person, study: str, share_with: ShareWith, program_of: Any
) -> None:
    share_with(viewer)
    program = program_of(viewer)
    reads = ["", "/draft", "/draft.yaml", "/draft/check", "/versions", "/versions/1", "/versions/1.yaml"]
    reads += ["/versions/compare", "/shares", "/pairs"]
    for path in reads:
        assert program.get(f"/studies/nav{path}").status_code == 200, path
    changes = [("PUT", "/draft"), ("DELETE", "/draft"), ("PUT", "/draft.yaml"), ("POST", "/versions")]
    changes += [
        ("POST", "/versions/1/restore"),
        ("POST", "/shares"),
        ("DELETE", "/shares/1"),
        ("PUT", "/pairs"),
    ]
    for method, path in changes:
        assert program.request(method, f"/studies/nav{path}", json={}).status_code in (403, 422), path
    assert program.post("/studies", {"template": "blank"}).status_code == 403


@pytest.mark.parametrize(
    "body", ['{"keys": {"n": NaN}, "revision": 1}', '{"keys": {"n": 1e999}, "revision": 1}']
)
def test_numbers_that_json_does_not_know_are_no_error_of_ours(api: Program, study: str, body: str) -> None:
    reply = api.put("/studies/nav/draft", content=body, headers={"Content-Type": "application/json"})
    assert reply.status_code in (200, 409, 422)
