"""The pages about clips, and the same for programs: over HTTP, with a worker that does what was asked."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL
from sqlmodel import select

from app.accounts.tables import AuditEntry
from app.catalog.rules import FRAME_SIZE_RULE
from app.core.database import Database
from app.core.settings import Settings
from app.library.tables import Upload
from app.library.uploads import UploadRefused
from app.studies.drafts import create_study
from app.worker.worker import drain
from tests.admin.conftest import ShareWith
from tests.admin.persons import Person
from tests.factories import NOW
from tests.library.clips.videos import make_video

pytestmark = pytest.mark.slow

HERE = "/admin/stimuli"


@pytest.fixture
def settings(database_url: URL, tmp_path: Path) -> Settings:
    """A data folder of the test's own: clips come and go here."""
    return Settings(
        LIKELY_HUMAN_DATA=tmp_path / "data", DATABASE_URL=str(database_url), LIKELY_HUMAN_SECRET="test"
    )  # type: ignore[call-arg]


class Worker:
    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings, self.database = settings, database

    def work(self) -> None:
        drain(self.settings, self.database)


@pytest.fixture
def worker(settings: Settings, database: Database) -> Worker:
    return Worker(settings, database)


def upload(person: Person, path: Path, source: str = "human", **more: Any) -> str:
    """As the page's script does it; returns the token."""
    data = path.read_bytes()
    new = {"file_name": path.name, "bytes": len(data), "source": source, "attributes": {}, **more}
    begun = person.send("POST", f"{HERE}/uploads", new)
    assert begun.status_code == 201, begun.text
    token = begun.json()["token"]
    half = len(data) // 2
    for at, piece in ((0, data[:half]), (half, data[half:])):
        sent = person.request("PATCH", f"{HERE}/uploads/{token}?offset={at}", content=piece)
        assert sent.status_code == 200, sent.text
    assert sent.json()["status"] == "waiting"
    return str(token)


@pytest.fixture
def walk(owner: Person, worker: Worker, tmp_path: Path) -> str:
    """The name of the one clip in the library."""
    upload(owner, make_video(tmp_path / "walk.mp4", width=96, height=64), attributes={"goal": "g1"})
    worker.work()
    return "walk"


def test_an_upload_goes_from_the_page_to_the_library(owner: Person, worker: Worker, tmp_path: Path) -> None:
    token = upload(
        owner, make_video(tmp_path / "<b>walk.mp4", width=96, height=64), attributes={"goal": "g<1>"}
    )
    assert "No clips yet" in owner.get(HERE).text
    worker.work()
    state = owner.send("GET", f"{HERE}/uploads/{token}").json()
    assert (state["status"], state["name"], state["offset"]) == ("done", "b-walk", state["bytes"])
    page = owner.get(HERE).text
    assert "b-walk" in page
    assert "goal: g&lt;1&gt;" in page
    upload_page = owner.get(f"{HERE}/upload").text
    assert "&lt;b&gt;walk.mp4" in upload_page
    assert "<b>walk" not in upload_page
    poster = owner.get(re.search(r'poster="([^"]+)"', page)[1])  # type: ignore[index]
    assert (poster.headers["content-type"], poster.content[:3]) == ("image/jpeg", b"\xff\xd8\xff")
    assert owner.get(f"{HERE}/b-walk/frame.jpg").content[:3] == b"\xff\xd8\xff"


def test_a_clip_is_played_in_ranges(owner: Person, walk: str, settings: Settings) -> None:
    whole = owner.get(f"{HERE}/{walk}/clip.mp4")
    assert (whole.status_code, whole.headers["content-type"]) == (200, "video/mp4")
    part = owner.get(f"{HERE}/{walk}/clip.mp4", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole.content)}"
    beyond = owner.get(f"{HERE}/{walk}/clip.mp4", headers={"Range": "bytes=99999999-"})
    assert beyond.status_code == 416
    assert owner.get(f"{HERE}/{walk}/original").headers["content-type"] == "video/mp4"
    assert owner.get(f"{HERE}/nobody/clip.mp4").status_code == 404


def test_bytes_for_the_wrong_place_are_told_where_to_go_on(owner: Person) -> None:
    new = {"file_name": "a.mp4", "bytes": 100, "source": "human"}
    token = owner.send("POST", f"{HERE}/uploads", new).json()["token"]
    address = f"{HERE}/uploads/{token}"
    assert owner.request("PATCH", f"{address}?offset=0", content=b"x" * 40).json()["offset"] == 40
    wrong = owner.request("PATCH", f"{address}?offset=0", content=b"x" * 40)
    assert (wrong.status_code, wrong.json()["offset"]) == (409, 40)
    assert owner.request("PATCH", f"{address}?offset=40", content=b"x" * 61).status_code == 413
    assert owner.request("PATCH", f"{address}?offset=-1", content=b"").status_code == 422
    assert owner.request("PATCH", address, content=b"").status_code == 422
    assert owner.send("GET", address).json()["offset"] == 40
    assert owner.request("DELETE", address).status_code == 200
    assert owner.send("GET", address).json()["status"] == "cancelled"
    assert owner.request("PATCH", f"{address}?offset=40", content=b"x").status_code == 409


ODD_BEGINNINGS: list[tuple[dict[str, Any], int]] = [
    ({"bytes": 0}, 422),
    ({"bytes": -1}, 422),
    ({"bytes": 2**60}, 422),
    ({"bytes": 5_000_000_000}, 422),
    ({"bytes": "10"}, 422),
    ({"source": ""}, 422),
    ({"source": "a b"}, 422),
    ({"attributes": {"name": "x"}}, 422),
    ({"attributes": {f"k{n}": "v" for n in range(60)}}, 422),
    ({"attributes": ["x"]}, 422),
    ({"name": "../x"}, 422),
    ({"file_name": None}, 422),
    ({"surprise": 1}, 422),
    ({"file_name": "\ud800"}, 422),
    ({"file_name": "\x00" + "x" * 15_000}, 201),
    ({"file_name": "../../etc/passwd"}, 201),
]


def test_odd_beginnings_are_refused_in_words(owner: Person, settings: Settings) -> None:
    for change, status in ODD_BEGINNINGS:
        body = json.dumps({"file_name": "a.mp4", "bytes": 10, "source": "human", **change})
        headers = {"Content-Type": "application/json"}
        reply = owner.request("POST", f"{HERE}/uploads", content=body, headers=headers)
        assert (reply.status_code, change) == (status, change)
        assert reply.json()["message" if status == 422 else "token"]
        left = list((settings.data_dir / "incoming" / "uploads").glob("*"))
        assert len(left) == (status == 201), change
        for part in left:
            part.unlink()
    assert {path.name for path in settings.data_dir.parent.iterdir()} <= {
        "data",
        "test.sqlite3",
        "test.sqlite3-shm",
        "test.sqlite3-wal",
    }


def test_ten_thousand_empty_files_leave_nothing(owner: Person, database: Database) -> None:
    for number in range(200):  # the rest differ in their number alone
        body = {"file_name": f"{number}.mp4", "bytes": 0, "source": "human"}
        reply = owner.send("POST", f"{HERE}/uploads", body)
        assert (reply.status_code, reply.json()["message"]) == (422, f"{number}.mp4 is empty.")
    with database.reading() as session:
        assert session.exec(select(Upload)).all() == []
    assert UploadRefused.status_code == 422


def test_small_files_come_in_without_scripts(owner: Person, worker: Worker, tmp_path: Path) -> None:
    good, other = (
        make_video(tmp_path / f"{name}.mp4", seconds=s).read_bytes() for name, s in (("a", 1), ("b", 2))
    )
    fields = {"source": "human", "key.0": "goal", "value.0": "g1", "key.1": "", "value.1": ""}
    sent = owner.post(
        f"{HERE}/upload", fields, files=[("files", ("a.mp4", good)), ("files", ("b.mp4", other))]
    )
    assert "runs in the background" in sent.text
    worker.work()
    assert owner.get(HERE).text.count('class="clip-card"') == 2
    for fields, files, message in (
        ({"source": "a b"}, [("files", ("c.mp4", good))], "The source &#39;a b&#39; is not allowed"),
        ({"source": "human"}, [], "Choose at least one file"),
        ({"source": "human"}, [("files", ("e.mp4", b"")), ("files", ("a.mp4", good))], "e.mp4 is empty."),
    ):
        refused = owner.post(f"{HERE}/upload", fields, files=files or None)
        assert refused.status_code in (400, 422)
        assert message in refused.text


def test_an_interrupted_upload_is_listed_and_can_be_discarded(owner: Person) -> None:
    new = {"file_name": "long walk.mp4", "bytes": 100, "source": "human"}
    token = owner.send("POST", f"{HERE}/uploads", new).json()["token"]
    assert "Not finished" in owner.get(f"{HERE}/upload").text
    page = owner.post(f"{HERE}/uploads/{token}/cancel").text
    assert "Not finished" not in page
    assert "Cancelled." in page


def test_one_rule_of_the_frame_size_is_on_every_page_and_in_the_docs_and_can_be_set_first(
    owner: Person, worker: Worker, tmp_path: Path
) -> None:
    pages = [owner.get(f"{HERE}/{name}").text for name in ("upload", "rules")]
    assert all(FRAME_SIZE_RULE in page for page in pages)
    docs = Path("docs/clips.md").read_text(encoding="utf-8")
    assert FRAME_SIZE_RULE in " ".join(docs.split())
    assert not [page for page in pages if "smallest clip decides" in page or "first clip decides" in page]
    refused = owner.post(f"{HERE}/frame-size", {"width": "64", "height": "six"})
    assert (refused.status_code, "whole numbers of pixels" in refused.text) == (422, True)
    assert (
        "All clips come out at 64 × 48 px."
        in owner.post(f"{HERE}/frame-size", {"width": "64", "height": "48"}).text
    )
    upload(owner, make_video(tmp_path / "walk.mp4", width=160, height=100))
    worker.work()
    assert "64 × 48 px" in owner.get(f"{HERE}/walk/edit").text


def test_waiting_files_keep_their_place_and_a_cancel_after_a_reload(
    owner: Person, worker: Worker, tmp_path: Path
) -> None:
    tokens = [
        upload(owner, make_video(tmp_path / f"w{n}.mp4", width=64, height=48, colour=(n, 1, 1)))
        for n in range(3)
    ]
    page = owner.get(f"{HERE}/upload").text
    assert re.findall(r"data-place>([^<]+)<", page) == ["Next in line", "1 before it", "2 before it"]
    listed = owner.get(f"{HERE}/uploads").json()["uploads"]
    assert {each["token"]: each["place"] for each in listed}[tokens[2]] == "2 before it"
    assert owner.get(f"{HERE}/uploads/{tokens[1]}").json()["place"] == "1 before it"
    owner.post(f"{HERE}/uploads/{tokens[0]}/cancel")
    assert "data-place>Next in line" in owner.get(f"{HERE}/upload").text
    page = owner.post(f"{HERE}/uploads/cancel").text
    assert "data-queue" not in page
    worker.work()
    assert [owner.get(f"{HERE}/uploads/{token}").json()["status"] for token in tokens] == ["cancelled"] * 3


def test_a_clip_is_edited_in_place_and_the_page_comes_back_to_where_it_was(
    owner: Person, walk: str, database: Database
) -> None:
    form = {
        "name": "stroll",
        "source": "hybrid",
        "key.0": "goal",
        "value.0": "",
        "key.1": "level",
        "value.1": "2",
    }
    reply = owner.post(f"{HERE}/{walk}/edit", {**form, "back": f"{HERE}?q=s&page=1"}, follow_redirects=False)
    assert (reply.status_code, reply.headers["location"]) == (
        303,
        f"{HERE}?q=s&page=1&said=saved#clip-stroll",
    )
    page = owner.get(reply.headers["location"]).text
    assert "level: 2" in page
    assert "goal:" not in page
    for back in (
        "https://elsewhere.example/",
        "//elsewhere.example",
        f"{HERE}-elsewhere",
        "javascript:alert(1)",
    ):
        away = owner.post(f"{HERE}/stroll/edit", {**form, "back": back}, follow_redirects=False)
        assert away.headers["location"].startswith(f"{HERE}?said=saved")


def test_a_refused_edit_comes_back_with_what_was_typed(owner: Person, walk: str) -> None:
    form = {"name": walk, "source": "<script>", "key.0": "goal", "value.0": "typed & kept"}
    reply = owner.post(f"{HERE}/{walk}/edit", form)
    assert reply.status_code == 422
    assert "is not allowed" in reply.text
    assert 'value="&lt;script&gt;"' in reply.text
    assert 'value="typed &amp; kept"' in reply.text


def test_a_clip_that_is_used_says_where_and_cannot_be_deleted(
    owner: Person, walk: str, database: Database, settings: Settings, tmp_path: Path
) -> None:
    draft = {"pairs": f"pair,a,b\np1,{walk},other"}
    with database.transaction() as session:
        create_study(session, owner.who, "nav", draft, NOW)
    page = owner.get(f"{HERE}/{walk}/edit").text
    assert "the draft of nav" in page
    assert "Delete this clip" not in page
    refused = owner.post(f"{HERE}/{walk}/delete")
    assert refused.status_code == 409
    assert "is used in the draft of nav" in refused.text
    assert list(settings.data_dir.glob("clips/*/*.mp4"))


def test_an_unused_clip_is_deleted_with_its_files(
    owner: Person, walk: str, database: Database, settings: Settings
) -> None:
    assert "Deleted." in owner.post(f"{HERE}/{walk}/delete").text
    assert not list(settings.data_dir.glob("clips/*/*.mp4"))
    assert not list(settings.data_dir.glob("originals/*/*"))
    assert not list(settings.data_dir.glob("posters/*"))
    with database.reading() as session:
        entry = session.exec(select(AuditEntry).where(AuditEntry.action == "stimulus.delete")).one()
    assert (entry.actor, entry.before["name"]) == (owner.email, walk)


def test_the_table_goes_round_with_a_look_before_anything_changes(owner: Person, walk: str) -> None:
    table = owner.get(f"{HERE}.csv")
    assert table.text == "name,source,goal\r\nwalk,human,g1\r\n"
    edited = table.text.replace("g1", "g<2>").encode()
    look = owner.post(f"{HERE}.csv", {}, files=[("file", ("stimuli.csv", edited))]).text
    assert "g&lt;2&gt;" in look
    assert owner.get(f"{HERE}.csv").text == table.text
    digest = re.search(r'name="digest" value="([0-9a-f]+)"', look)
    assert digest
    confirmation = {"text": edited.decode(), "digest": digest[1]}
    assert "Saved." in owner.post(f"{HERE}.csv", confirmation).text
    assert "g<2>" in owner.get(f"{HERE}.csv").text
    stale = owner.post(f"{HERE}.csv", confirmation)
    assert stale.status_code == 409
    assert "review them again" in stale.text


def test_a_table_that_cannot_be_taken_is_told_so(owner: Person, walk: str) -> None:
    for data in (b"", b"\xff\xfe\x00", b"name,source\nnobody,human\n", b'"'):
        reply = owner.post(f"{HERE}.csv", {}, files=[("file", ("x.csv", data))])
        assert reply.status_code in (200, 400)
        assert "Nothing was changed" in reply.text or "UTF-8" in reply.text
    assert owner.post(f"{HERE}.csv", {}).status_code == 400


def rules_form(**changes: str) -> dict[str, str]:
    usual = {"trim_start_s": "0", "trim_end_s": "0", "width": "96", "height": "64", "fps": "30", "crf": "20"}
    return {"clip": "walk", **usual, **changes}


MASK = {"mask.0.x": "50", "mask.0.y": "0", "mask.0.width": "50", "mask.0.height": "25,5"}


def test_rules_are_tried_on_a_clip_and_then_applied_to_all(owner: Person, walk: str, worker: Worker) -> None:
    page = owner.post(f"{HERE}/rules", rules_form(**MASK, trim_start_s="0,25", action="preview"))
    assert page.url.path == f"{HERE}/rules"
    assert "Waiting to begin" in page.text
    worker.work()
    page = owner.get(str(page.url))
    after = re.search(r'src="([^"]+/after\.mp4)"', page.text)
    assert after
    assert owner.get(after[1]).headers["content-type"] == "video/mp4"
    assert (
        'name="mask.0.height" type="number" inputmode="decimal" step="any" min="0" max="100" value="25.5"'
        in page.text
    )
    assert "1.00 s" in page.text
    assert "0.73 s" in page.text or "0.77 s" in page.text
    started = owner.post(f"{HERE}/rules", rules_form(**MASK, trim_start_s="0.25", action="apply"))
    assert "All clips are being processed again" in started.text
    assert owner.post(f"{HERE}/rules", rules_form(crf="30", action="apply")).status_code == 409
    worker.work()
    assert "1 clip was processed again" in owner.get(f"{HERE}/rules").text
    assert "0.25 s off the start" in owner.get(f"{HERE}/{walk}/edit").text


BAD_RULES: list[tuple[dict[str, str], str]] = [
    ({"trim_start_s": "-1"}, "0 to 1200"),
    ({"trim_start_s": "x"}, "Off the start is not a number"),
    ({"width": "97"}, "even number"),
    ({"height": ""}, "width and height go together"),
    ({"crf": "99"}, "1 (best) to 40"),
    ({"crf": "1.5"}, "1 (best) to 40"),
    ({"fps": "1e400"}, "not a number"),
    ({**MASK, "mask.0.x": "80"}, "reaches beyond the frame"),
    ({**MASK, "mask.0.y": ""}, "y is not a number"),
    ({**MASK, "mask.0.width": "0"}, "above 0"),
]


def test_the_form_keeps_the_preset_of_the_clips_that_are_there(owner: Person, walk: str) -> None:
    """A new library begins with the quick one."""
    assert "<option selected>veryfast</option>" in owner.get(f"{HERE}/rules").text
    reply = owner.post(f"{HERE}/rules", rules_form(preset="medium", action="show"))
    assert "<option selected>medium</option>" in reply.text
    reply = owner.post(f"{HERE}/rules", rules_form(preset="slow", action="apply"))
    assert reply.status_code == 422
    assert "x264&#39;s preset, medium or veryfast" in reply.text


def test_rules_that_cannot_be_come_back_with_the_fault_at_the_field(owner: Person, walk: str) -> None:
    for (changes, message), action in product(BAD_RULES, ("preview", "apply")):
        reply = owner.post(f"{HERE}/rules", rules_form(**changes, action=action))
        assert reply.status_code == 422
        assert message in reply.text
        for value in changes.values():
            assert f'value="{value}"' in reply.text


def test_another_clip_is_shown_with_the_rules_as_typed(owner: Person, walk: str) -> None:
    page = owner.post(f"{HERE}/rules", rules_form(**MASK, crf="33", action="show"))
    assert page.status_code == 200
    assert 'value="33"' in page.text
    assert f"{HERE}/{walk}/original" in page.text
    assert owner.post(f"{HERE}/rules", rules_form(clip="nobody", action="preview")).status_code == 404
    for odd in ("clip=%00", "job=999", "job=x", "clip=" + "x" * 500):
        assert owner.get(f"{HERE}/rules?{odd}").status_code in (200, 404)


def test_a_preview_s_files_are_two_and_no_others(owner: Person, walk: str, worker: Worker) -> None:
    owner.post(f"{HERE}/rules", rules_form(action="preview"))
    worker.work()
    with_job = f"{HERE}/previews/2"
    assert owner.get(f"{with_job}/after.mp4").status_code == 200
    for name in ("before.mp4", "../../secret", "..%2F..%2Fsecret", "x.mp4"):
        assert owner.get(f"{with_job}/{name}").status_code == 404
    assert owner.get(f"{HERE}/previews/1/after.mp4").status_code == 404  # that was the import


def test_a_viewer_looks_and_changes_nothing(
    viewer: Person,
    owner: Person,
    walk: str,
    database: Database,
    worker: Worker,
    share_with: ShareWith,
    tmp_path: Path,
) -> None:
    upload(owner, make_video(tmp_path / "run.mp4", width=96, height=64, colour=(9, 9, 200)), "hybrid")
    worker.work()
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {"pairs": f"pair,a,b\np1,{walk},run\n"}, NOW)
    share_with(viewer)
    for path in (HERE, f"{HERE}/upload", f"{HERE}/rules", f"{HERE}/{walk}/edit", f"{HERE}.csv"):
        page = viewer.get(path)
        assert page.status_code == 200
        assert 'method="post" action="/admin/stimuli' not in page.text.replace("/admin/stimuli/rules", "")
    assert viewer.post(f"{HERE}/{walk}/delete").status_code == 403
    assert viewer.send("POST", f"{HERE}/uploads", {}).status_code == 403


def test_no_bytes_are_taken_without_the_page_s_token(owner: Person) -> None:
    new = {"file_name": "a.mp4", "bytes": 100, "source": "human"}
    token = owner.send("POST", f"{HERE}/uploads", new).json()["token"]
    reply = owner.browser.patch(f"{HERE}/uploads/{token}?offset=0", content=b"x" * 10)
    assert reply.status_code == 403
    assert owner.send("GET", f"{HERE}/uploads/{token}").json()["offset"] == 0
