"""The list of studies, a new one, a study's overview, sharing."""

import io
import re
import zipfile
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from app.library.collections import collection_ids
from app.studies.access import study_for
from app.studies.drafts import draft_for
from tests.admin.conftest import MakePerson, ShareWith
from tests.admin.persons import Person
from tests.factories import study_file
from tests.sessions.walks import Walk
from tests.studies.clips import add_clips

HERE = "/admin/studies/nav"
NASTY = "<script>alert(1)</script>\"'&"


def draft_keys(database: Database, person: Person, slug: str) -> dict[str, Any]:
    with database.reading() as session:
        return draft_for(session, study_for(session, person.who, slug)).keys


def test_the_list_begins_with_how_to_make_the_first_study(owner: Person, viewer: Person) -> None:
    nothing = owner.get("/admin").text
    assert "Make the first study" in nothing
    assert nothing.count("btn primary") == 1
    assert all(word in nothing for word in ("clips", "records", "rate", "games", "walk"))
    assert "No study is shared with you yet" in viewer.get("/admin").text


def test_the_list_shows_how_each_study_stands(client: TestClient, owner: Person, study: str) -> None:
    Walk(client, study).to("end")
    html = owner.get("/admin").text
    for said in (
        "Which navigation looks natural?",
        '<span class="badge ok">live</span>',
        "1 finished",
        "Open the monitor",
    ):
        assert said in html


@pytest.mark.parametrize(
    "template",
    ["hntt", "real-or-fake", "preference", "rubric", "ultimatum", "which-player", "walk-the-map", "blank"],
)
def test_a_study_begins_from_a_template(owner: Person, database: Database, template: str) -> None:
    with database.transaction() as session:
        add_clips(session)  # of the library, which a new study does not use by itself
    made = owner.post(
        "/admin/studies/new",
        {"start": f"template:{template}", "title": "Which is human?", "slug": ""},
        follow_redirects=False,
    )
    keys = draft_keys(database, owner, "which-is-human")
    # A study of clips in pairs begins with its clips; one of records, a game or walks with its design.
    uploads = "/admin/stimuli/upload?collection=which-is-human&said=created"
    has_pairs = "trials" in keys and "blocks" not in keys
    design = "/admin/studies/which-is-human/design?said=created"
    assert made.headers["location"] == (uploads if has_pairs else design)
    assert keys["completion"]["contact"] == owner.email
    assert re.fullmatch("[A-Z2-9]{8}", keys["completion"]["code"])
    assert (keys["consent"]["minimum_age"], keys["retention"]) == (18, {"days": 365})
    assert "E-MAIL ADDRESS]" not in str(keys)
    assert (keys["study"], keys["title"]) == ("which-is-human", "Which is human?")
    assert keys["consent"]


def test_a_name_that_cannot_be_is_refused_at_its_field_and_nothing_typed_is_lost(
    owner: Person, study: str
) -> None:
    for slug, status, said in [
        ("Bad Name", 422, "lower-case"),
        ("nav", 409, "already"),
        ("new", 422, "choose another"),
    ]:
        page = owner.post(
            "/admin/studies/new", {"start": "template:blank", "title": "My <b>title", "slug": slug}
        )
        assert page.status_code == status
        assert re.search(rf'value="{slug}"[^>]*aria-invalid="true"', page.text, re.S)
        assert re.search(rf'class="error" id="slug-help">[^<]*{said}', page.text)
        assert 'value="My &lt;b&gt;title"' in page.text
        assert re.search(r'value="template:blank" checked', page.text)


def test_a_study_begins_from_a_file_its_texts_and_its_list(owner: Person, database: Database) -> None:
    file = study_file(study="from-file", sample=None, pairs="pairs.csv", instructions="text.md")
    file.pop("sample")
    parts = {
        "study.yaml": yaml.safe_dump(file).encode(),
        "pairs.csv": b"pair,a,b\nq1,human-g1,hybrid-g1\n",
        "text.md": b"# Watch\n",
    }
    several = [("file", (name, data)) for name, data in parts.items()]
    made = owner.post("/admin/studies/new", {"start": "upload"}, files=several, follow_redirects=False)
    assert made.headers["location"] == "/admin/studies/from-file/design?said=created"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in parts.items():
            archive.writestr(f"study/{name}", data)
    form = {"start": "upload", "slug": "from-zip"}
    owner.post(
        "/admin/studies/new", form, files=[("file", ("a.zip", packed.getvalue()))], follow_redirects=False
    )
    one, two = (draft_keys(database, owner, slug) for slug in ("from-file", "from-zip"))
    assert one["instructions"] == "# Watch"
    assert one == {**two, "study": "from-file"}


def test_a_file_that_cannot_be_read_is_refused_with_file_and_line(owner: Person, database: Database) -> None:
    broken = b"study: x\ntitle: y\ntitle: z\nconsent:\n  text: consent.md\n"
    page = owner.post("/admin/studies/new", {"start": "upload"}, files=[("file", ("<b>.yaml", broken))])
    assert page.status_code == 422
    assert re.search(r"<code>&lt;b&gt;\.yaml</code>, line 3: the key &#39;title&#39; comes twice", page.text)
    missing = broken.replace(b"title: z\n", b"")
    page = owner.post("/admin/studies/new", {"start": "upload"}, files=[("file", ("s.yaml", missing))])
    assert "line 4: consent.text: &#39;consent.md&#39; was not uploaded" in page.text
    assert "Choose a study file" in owner.post("/admin/studies/new", {"start": "upload"}).text
    assert "There is no study" in owner.get("/admin").text


def test_a_study_begins_from_another_one_that_one_sees(
    owner: Person, editor: Person, study: str, database: Database, share_with: ShareWith
) -> None:
    form = {"start": "clone", "clone": study, "slug": "nav-2", "title": "Again"}
    assert editor.post("/admin/studies/new", form).status_code == 404
    share_with(editor)
    assert 'value="clone" checked' in editor.get(f"/admin/studies/new?clone={study}&which=1").text
    assert (
        editor.post("/admin/studies/new", {**form, "which": "1"}, follow_redirects=False).status_code == 303
    )
    keys = draft_keys(database, editor, "nav-2")
    sample = study_file()["sample"]
    assert isinstance(sample, dict)
    assert (keys["title"], keys["sample"]) == ("Again", {**sample, "drawn": keys["sample"]["drawn"]})
    assert editor.post("/admin/studies/new", {**form, "slug": "x", "which": "one"}).status_code == 422
    assert editor.post("/admin/studies/new", {**form, "slug": "x", "which": "99"}).status_code == 404


@pytest.mark.parametrize("start", ["", "template:", "template:../etc", "nothing", "clone"])
def test_a_study_begins_from_something(owner: Person, start: str) -> None:
    page = owner.post("/admin/studies/new", {"start": start, "slug": "x"})
    assert page.status_code == 422
    assert 'class="callout bad"' in page.text


def steps(html: str) -> dict[str, str]:
    """Each step of the way with its mark."""
    return dict(
        re.findall(
            r'<li class="\w+[^"]*">\s*<a href="[^"]+">(\w+)</a>\s*<span class="mark">([\w ]+)</span>', html
        )
    )


def test_the_overview_says_what_comes_next_from_an_empty_library_on(
    owner: Person, database: Database
) -> None:
    owner.post("/admin/studies/new", {"start": "template:hntt", "slug": "nav"})
    html = owner.get(HERE).text
    assert list(steps(html)) == [
        "Clips",
        "Pairs",
        "Design",
        "Clues",
        "Preview",
        "Pilot",
        "Launch",
        "Watch",
        "Results",
        "Judges",
        "Data",
    ]
    assert steps(html)["Clips"] == "next"
    assert "<strong>Clips</strong>. No clip yet." in html
    assert '<a class="btn" href="/admin/stimuli/upload?collection=nav">Upload clips</a>' in html
    with database.transaction() as session:
        add_clips(session, [("another-1", "human", {}), ("another-2", "robot", {})])
    assert "<strong>Clips</strong>. No clip yet." in owner.get(HERE).text, "those of others are not its own"
    with database.transaction() as session:
        add_clips(session, collection=collection_ids(session)["nav"])
    html = owner.get(HERE).text
    assert (steps(html)["Clips"], steps(html)["Pairs"], steps(html)["Design"]) == ("done", "done", "next")
    assert "18 clips: 6 human, 6 hybrid and 6 symbolic" in html


def test_the_overview_shows_what_is_done(client: TestClient, owner: Person, study: str) -> None:
    Walk(client, study).to("end")
    Walk(client, study).to("trial-2")
    html = owner.get(HERE).text
    done = {name for name, mark in steps(html).items() if mark == "done"}
    assert done == {"Clips", "Pairs", "Design", "Launch"}
    assert (steps(html)["Preview"], steps(html)["Watch"]) == ("left out", "next")
    assert "http://testserver/s/nav" in html
    assert re.search(r"Live sessions</dt><dd>1 <span[^>]*>completed of 2 that came", html)
    assert '<dd>11 pairs <span class="small">in version 1</span>' in html


def test_a_study_is_shared_and_no_longer_shared(owner: Person, make_person: MakePerson, study: str) -> None:
    ann = make_person(Role.EDITOR, "ann@example.org")
    assert ann.get(HERE).status_code == 404
    page = owner.post(f"{HERE}/shares", {"email": " Ann@example.org"})
    assert "Shared." in page.text
    assert "ann@example.org" in page.text
    assert ann.get(HERE).status_code == 200
    removed = ann.post(f"{HERE}/shares/{ann.who.user_id}/remove", {}, follow_redirects=False)
    assert removed.headers["location"] == "/admin?said=unshared", "one's own page is gone with it"
    assert ann.get(HERE).status_code == 404
    for number in (str(ann.who.user_id), "0", str(2**31), "9" * 30, "x"):
        assert owner.post(f"{HERE}/shares/{number}/remove", {}).status_code == 404


def test_sharing_with_a_stranger_says_so_and_keeps_the_address(owner: Person, study: str) -> None:
    page = owner.post(f"{HERE}/shares", {"email": "stranger@example.org"})
    assert page.status_code == 404
    assert "There is no user" in page.text
    assert 'value="stranger@example.org"' in page.text


READ = ["", "/pairs", "/pairs.csv", "/pairs/pick", "/pairs/csv", "/pairs/draw", "/versions", "/draft.yaml"]
READ += ["/versions/1.yaml", "/versions/compare?before=1&after=draft"]
CHANGE = [
    "/shares",
    "/shares/1/remove",
    "/pairs/rows",
    "/pairs/clear",
    "/pairs/list",
    "/pairs/pick",
    "/pairs/csv",
]
CHANGE += ["/pairs/draw", "/versions", "/versions/1/restore", "/draft/drop", "/draft/file"]


def test_a_viewer_sees_every_page_without_its_buttons_and_changes_nothing(
    viewer: Person, study: str, share_with: ShareWith
) -> None:
    share_with(viewer)
    for path in READ:
        page = viewer.get(f"{HERE}{path}")
        assert page.status_code == 200, path
        posts = re.findall(r'<form method="post" action="([^"]+)"', page.text)
        assert {post for post in posts if "/logout" not in post} <= {
            f"{HERE}/pairs/draw",
            f"{HERE}/pairs/pick",
        }, path
    for path in CHANGE:
        assert viewer.post(f"{HERE}{path}", {}).status_code == 403, path
    assert viewer.post("/admin/studies/new", {"start": "template:blank"}).status_code == 403


def test_an_editor_sees_nothing_of_a_study_that_is_not_shared_with_them(editor: Person, study: str) -> None:
    assert f"studies/{study}" not in editor.get("/admin").text
    for path in READ:
        assert editor.get(f"{HERE}{path}").status_code == 404, path
    for path in CHANGE:
        assert editor.post(f"{HERE}{path}", {}).status_code == 404, path


def test_nothing_that_an_experimenter_types_runs_as_script(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        add_clips(session, [("h", NASTY, {NASTY: NASTY}), ("b", "hybrid", {}), ("c", "hybrid", {})])
    questions = [{"id": "choice", "type": "2afc", "ask": NASTY}]
    file = study_file(study="nasty", title=NASTY, trials={"questions": questions}, pairs="pair,a,b\nq1,h,b\n")
    file.pop("sample")
    upload = [("file", (f"{NASTY}.yaml", yaml.safe_dump(file).encode()))]
    assert owner.post("/admin/studies/new", {"start": "upload"}, files=upload).status_code == 200
    here = "/admin/studies/nasty"
    revision = re.findall(r'name="revision" value="(\d+)"', owner.get(f"{here}/versions").text)[0]
    saved = owner.post(f"{here}/versions", {"revision": revision, "reason": NASTY}, follow_redirects=False)
    assert saved.headers["location"].endswith("said=saved")
    pick = {"a": "h", "b": "c", "condition": NASTY, "revision": "999"}
    pages = {
        path: owner.get(f"{here}{path.replace('nav', 'nasty')}").text for path in READ if "." not in path
    }
    pages |= {
        "list": owner.get("/admin").text,
        "new": owner.get(f"/admin/studies/new?clone={NASTY}&title={NASTY}").text,
        "refused": owner.post(f"{here}/pairs/pick", pick).text,
        "shared": owner.post(f"{here}/shares", {"email": NASTY}).text,
        "csv": owner.post(
            f"{here}/pairs/csv", {"text": f"pair,a,b,{NASTY}\n", "do": "preview", "revision": "1"}
        ).text,
        "draw": owner.post(f"{here}/pairs/draw", {"condition-0": NASTY, "main-0": NASTY, "seed": NASTY}).text,
        "filtered": owner.get(
            f"{here}/pairs/pick?text_a={NASTY}&source_a={NASTY}&kind={NASTY}&condition={NASTY}"
        ).text,
    }
    for name, html in pages.items():
        assert "<script>" not in html, name
        assert "alert(1)</script" not in html, name
    for name in ("", "/versions", "list"):
        assert "&lt;script&gt;alert(1)" in pages[name], name
