"""The page of collections, by plain forms, and the same for programs."""

import re

import pytest
from sqlmodel import select

from app.accounts.tables import Role
from app.catalog.rules import set_rules
from app.core.database import Database
from app.jobs.tables import Job
from app.library.clips.rules import Rules
from app.library.collections import collection_ids
from app.library.tables import Stimulus
from app.studies.collections import use_collections
from app.studies.drafts import create_study
from tests.admin.conftest import MakePerson, ProgramOf, ShareWith
from tests.admin.persons import Person, Program
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


def test_whoever_may_start_processing_a_collections_clips_anew_may_cancel_it_and_nobody_else(
    owner: Person, editor: Person, database: Database, program_of: ProgramOf, share_with: ShareWith
) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {}, NOW, None, ())
        ids = collection_ids(session)
        add_clips(session, [("own", "human", {})], ids["nav"])
        add_clips(session, [("shared", "human", {})], ids["library"])
    share_with(editor)
    theirs, all_ = program_of(editor), program_of(owner)
    for slug, may in (("nav", True), ("", False)):
        started = all_.put("/rules", {"crf": 30}, params={"collection": slug}).json()["id"]
        for page in (f"/admin/stimuli?collection={slug}", f"/admin/stimuli/rules?collection={slug}"):
            for person, sees in ((owner, True), (editor, may)):
                shown = person.get(page).text
                assert "being processed again" in shown
                assert (f'action="/admin/jobs/{started}/cancel"' in shown) == sees, (slug, person.email)
        refused = theirs.put("/rules", {"crf": 31}, params={"collection": slug}).status_code
        assert refused == (409 if may else 403)
        assert theirs.post(f"/jobs/{started}/cancel").status_code == (200 if may else 403)
    assert "whoever may start that can cancel it" in editor.post(f"/admin/jobs/{started}/cancel", {}).text
    assert all_.post(f"/jobs/{started}/cancel").status_code == 200
    mine = theirs.put("/rules", {"crf": 32}, params={"collection": "nav"}).json()["id"]
    with database.transaction() as session:
        other = create_study(session, owner.who, "other", {}, NOW, None, ())
        use_collections(session, other.id, [ids["nav"]])
    assert theirs.put("/rules", {"crf": 33}, params={"collection": "nav"}).status_code == 403
    assert theirs.post(f"/jobs/{mine}/cancel").status_code == 200, "who started it can cancel it"


def test_rules_of_programs_that_name_no_quality_or_preset_take_those_of_the_collection(
    api: Program, owner: Person, database: Database
) -> None:
    """In a new collection they are the ones that the browser's form begins with; what is stored stays."""
    for title in ("New", "Old"):
        api.post("/collections", {"title": title})
    with database.transaction() as session:
        old = collection_ids(session)["old"]
        add_clips(session, [("old", "human", {})], old)
        set_rules(session, None, Rules(), NOW, old)
        before = session.exec(select(Stimulus.rules)).one()
    form = owner.get("/admin/stimuli/rules?collection=new").text
    assert "<option selected>veryfast</option>" in form
    assert re.search(r'name="crf"[^>]* value="19"', form)
    for slug, said in (("new", (19, "veryfast")), ("old", (20, "medium"))):
        got = api.get("/rules", params={"collection": slug}).json()["rules"]
        assert (got["crf"], got["preset"]) == said
        job = api.put("/rules", {"trim_start_s": 0.5}, params={"collection": slug}).json()["id"]
        if job is None:
            put = api.get("/rules", params={"collection": slug}).json()["rules"]
        else:
            with database.reading() as session:
                put = Rules.model_validate(session.get_one(Job, job).params["rules"]).model_dump()
        assert (put["trim_start_s"], put["crf"], put["preset"]) == (0.5, *said)
    with database.reading() as session:
        assert session.exec(select(Stimulus.rules)).one() == before
    schema = api.get("/openapi.json").json()["components"]["schemas"]
    for name in ("Rules", "Rules-Input", "Rules-Output"):
        for field in ("crf", "preset"):
            assert "default" not in schema.get(name, {"properties": {field: {}}})["properties"][field]
