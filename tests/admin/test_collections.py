"""The page of collections, by plain forms, and the same for programs."""

import re

import pytest

from app.accounts.tables import Role
from app.core.database import Database
from app.library.collections import collection_ids
from app.studies.drafts import create_study
from tests.admin.conftest import MakePerson, ProgramOf
from tests.admin.persons import Person
from tests.factories import NOW
from tests.studies.clips import add_clips

pytestmark = pytest.mark.slow

HERE = "/admin/stimuli/collections"


def words(html: str) -> str:
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def test_a_shared_collection_is_made_opened_renamed_and_removed_by_buttons(
    owner: Person, editor: Person, database: Database
) -> None:
    made = editor.post(HERE, {"title": "Walks of May"})
    assert made.url.fragment == "walks-of-may"
    assert "its editors" in made.text
    assert "Open it to every user" not in made.text, "an owner decides that"
    for do, seen in (("open", "every user"), ("close", "its editors")):
        page = owner.post(f"{HERE}/walks-of-may/change", {"do": do}).text
        row = words(
            page[page.index('<tr id="walks-of-may">') : page.index("</tr>", page.index("walks-of-may"))]
        )
        assert f"shared {seen} 0" in row
    assert (
        "Walks of June"
        in editor.post(f"{HERE}/walks-of-may/change", {"do": "rename", "title": "Walks of June"}).text
    )
    with database.transaction() as session:
        add_clips(session, [("one", "human", {})], collection_ids(session)["walks-of-may"])
    refused = editor.post(f"{HERE}/walks-of-may/change", {"do": "remove"})
    assert (refused.status_code, "Walks of June stays: there are clips in it." in refused.text) == (409, True)
    assert "<details open>" in refused.text
    assert "Remove this empty collection" not in refused.text
    owner.post("/admin/stimuli/one/delete")
    assert "Deleted." in editor.post(f"{HERE}/walks-of-may/change", {"do": "remove"}).text
    log = owner.get("/admin/audit").text
    for sentence in (
        "made the collection",
        "opened the collection",
        "renamed the collection",
        "removed the empty collection",
    ):
        assert sentence in log


def test_what_a_collection_cannot_be_is_said_and_what_was_typed_stays(
    owner: Person, editor: Person, make_person: MakePerson
) -> None:
    refused = owner.post(HERE, {"title": "\u200b", "is_open": "on"})
    assert (refused.status_code, "1 to 100 printable characters" in refused.text) == (422, True)
    assert "checked" in refused.text
    assert editor.post(HERE, {"title": "Mine", "is_open": "on"}).status_code == 403
    editor.post(HERE, {"title": "Mine"})
    again = editor.post(f"{HERE}/mine/change", {"do": "rename", "title": " "})
    assert (again.status_code, "<details open>" in again.text) == (422, True)
    assert editor.post(f"{HERE}/mine/change", {"do": "sell"}).status_code == 400
    assert editor.post(f"{HERE}/mine/change", {"do": "open"}).status_code == 403
    assert editor.post(f"{HERE}/nowhere/change", {"do": "remove"}).status_code == 404
    viewer = make_person(Role.VIEWER)
    page = viewer.get(HERE).text
    assert "New shared collection" not in page
    assert viewer.post(HERE, {"title": "Mine"}).status_code == 403


def test_empty_collections_of_studies_are_behind_a_link_and_a_long_list_has_pages(
    owner: Person, database: Database
) -> None:
    with database.transaction() as session:
        for n in range(18):
            create_study(session, owner.who, f"study-{n}", {"title": f"Study {n:02}"}, NOW, None, ())
    assert "The collections that you see are studies' own, and empty." in words(owner.get(HERE).text)
    with database.transaction() as session:
        add_clips(session, [("one", "human", {})], collection_ids(session)["study-3"])
    owner.post(HERE, {"title": "Empty and shared"})
    page = words(owner.get(HERE).text)
    assert "Shared, or with clips 2 collections Empty, each of a study 17 collections" in page
    assert ("Study 03" in page, "Empty and shared" in page, "Study 04" in page) == (True, True, False)
    first, last = (owner.get(f"{HERE}?empty=1&page={page}").text for page in (1, 9))
    assert [len(re.findall(r"<tr id=", html)) for html in (first, last)] == [15, 2]
    assert f'<a href="{HERE}?empty=1&amp;page=2"><span class="vh">Page </span>2</a>' in first
    # What was changed is shown on whichever page it is.
    renamed = owner.post(f"{HERE}/study-17/change", {"do": "rename", "title": "Study 17"})
    assert '<tr id="study-17">' in renamed.text
    refused = owner.post(f"{HERE}/study-17/change", {"do": "remove"})
    assert (refused.status_code, '<tr id="study-17">' in refused.text) == (409, True)
    found = words(owner.get(f"{HERE}?q=study 17").text)
    assert "Shared, or with clips 0 collections Empty, each of a study 1 collection " in found
    assert "No collection is found that is shared or has clips. Show all collections" in found
    assert "Study 17" in words(owner.get(f"{HERE}?q=study 17&empty=1").text)
    assert "No empty collection is found." in owner.get(f"{HERE}?q=nothing&empty=1&page=x").text


def test_programs_make_change_and_remove_collections(
    owner: Person, editor: Person, program_of: ProgramOf
) -> None:
    mine, all_ = program_of(editor), program_of(owner)
    assert mine.post("/collections", {"title": "Lab"}).json() == {"slug": "lab"}
    assert mine.patch("/collections/lab", {"title": "The lab"}).status_code == 204
    assert mine.patch("/collections/lab", {"is_open": True}).status_code == 403
    assert all_.patch("/collections/lab", {"is_open": True}).status_code == 204
    assert [(each["title"], each["is_open"]) for each in mine.get("/collections").json()] == [
        ("The lab", True)
    ]
    assert all_.patch("/collections/lab", {"colour": "red"}).status_code == 422
    assert mine.delete("/collections/lab").status_code == 204
    assert mine.delete("/collections/lab").status_code == 404
