"""Clips, rules and clues for programs: the same as the pages, in JSON; and the clues' page."""

import hashlib
import re
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import URL
from sqlmodel import col, update

from analysis.clues.report import clue_report
from app.accounts.tables import Role
from app.admin.stimuli.clues_page import clue_row
from app.core.database import Database
from app.core.settings import Settings
from app.library.tables import Stimulus
from app.studies.drafts import create_study
from app.worker.worker import drain
from tests.admin.conftest import MakePerson, ShareWith
from tests.admin.persons import Person, Program
from tests.factories import NOW
from tests.library.clips.videos import make_video

pytestmark = pytest.mark.slow

CLUES = "/admin/studies/nav/clues"


@pytest.fixture
def settings(database_url: URL, tmp_path: Path) -> Settings:
    """A data folder of the test's own: clips come and go here."""
    return Settings(
        LIKELY_HUMAN_DATA=tmp_path / "data", DATABASE_URL=str(database_url), LIKELY_HUMAN_SECRET="test"
    )  # type: ignore[call-arg]


@pytest.fixture
def clips(api: Program, settings: Settings, database: Database, tmp_path: Path) -> Program:
    """Two clips sent by a program, in pieces of any size."""
    for number, source in enumerate(("human", "hybrid")):
        data = make_video(tmp_path / f"{source}.mp4", colour=(200, 90 * number, 10)).read_bytes()
        new = {
            "file_name": f"{source}.mp4",
            "bytes": len(data),
            "source": source,
            "attributes": {"goal": "g1"},
        }
        token = api.post("/uploads", new).json()["token"]
        for at in range(0, len(data), 1500):
            piece = data[at : at + 1500]
            sent = api.request("PATCH", f"/uploads/{token}?offset={at}", content=piece)
            assert (sent.status_code, sent.json()["offset"]) == (200, at + len(piece))
    drain(settings, database)
    return api


def test_a_program_uploads_lists_edits_and_deletes(clips: Program) -> None:
    assert [each["status"] for each in clips.get("/uploads").json()] == ["done", "done"]
    found = clips.get("/stimuli?source=human&attribute=goal&value=g1").json()
    assert (found["n_found"], found["n_all"]) == (1, 2)
    clip = found["stimuli"][0]
    assert (clip["name"], clip["attributes"], clip["frames"], clip["uses"]) == (
        "human",
        {"goal": "g1"},
        30,
        [],
    )
    edited = clips.patch("/stimuli/human", {"name": "walk", "attributes": {"goal": "g2"}})
    assert (edited.json()["name"], edited.json()["attributes"]) == ("walk", {"goal": "g2"})
    assert clips.get("/stimuli/walk/clip.mp4").headers["content-type"] == "video/mp4"
    assert clips.get("/stimuli/walk/original").status_code == 200
    assert clips.delete("/stimuli/walk").status_code == 204
    assert clips.get("/stimuli/walk").status_code == 404


def test_upload_resumes_and_cancels(api: Program) -> None:
    token = api.post("/uploads", {"file_name": "a.mp4", "bytes": 10, "source": "human"}).json()["token"]
    wrong = api.request("PATCH", f"/uploads/{token}?offset=4", content=b"x")
    assert (wrong.status_code, wrong.json()["offset"]) == (409, 0)
    assert api.get(f"/uploads/{token}").json()["offset"] == 0
    assert api.delete(f"/uploads/{token}").status_code == 204
    assert api.get(f"/uploads/{token}").json()["status"] == "cancelled"


def test_the_table_goes_round(clips: Program) -> None:
    text = clips.get("/stimuli.csv").text
    headers = {"Content-Type": "text/csv"}
    table = text.replace("g1", "g9").encode()
    plan = clips.request("PUT", "/stimuli.csv?dry_run=true", content=table, headers=headers).json()
    assert (len(plan["changes"]), plan["faults"]) == (2, [])
    assert clips.get("/stimuli.csv").text == text
    assert clips.request("PUT", "/stimuli.csv", content=table, headers=headers).status_code == 200
    assert clips.get("/stimuli/human").json()["attributes"] == {"goal": "g9"}
    faulty = clips.request("PUT", "/stimuli.csv", content=b"name,source\nnobody,x\n", headers=headers)
    assert faulty.status_code == 422
    assert "row 2, column name" in faulty.json()["message"]
    for odd in (b"", b"\xff\xfe", b"[1]"):
        assert clips.request("PUT", "/stimuli.csv", content=odd, headers=headers).status_code in (400, 422)
    assert clips.put("/stimuli.csv", [1]).status_code in (400, 422)


def test_rules_are_tried_and_put_in_force(clips: Program, settings: Settings, database: Database) -> None:
    rules = clips.get("/rules").json()["rules"]
    assert (rules["width"], rules["height"]) == (64, 48)
    wanted = {**rules, "masks": [{"x": 0.5, "y": 0, "width": 0.5, "height": 0.25}]}
    tried = clips.post("/rules/previews", {"clip": "human", "rules": wanted}).json()["id"]
    refused = clips.put("/rules", {**rules, "height": None})
    assert refused.status_code == 422
    assert refused.json()["message"].startswith("body: width and height go together")
    applied = clips.put("/rules", wanted)
    assert applied.status_code == 202
    drain(settings, database)
    assert clips.get(f"/rules/previews/{tried}").json()["status"] == "done"
    assert clips.get(f"/rules/previews/{tried}/after.mp4").status_code == 200
    assert clips.get(f"/rules/previews/{applied.json()['id']}").status_code == 404
    assert clips.get("/rules").json()["rules"] == wanted
    for bad in ({"crf": 99}, {"masks": [{"x": 1}]}, {"width": 64}, {"surprise": 1}, {"fps": "30"}):
        assert clips.put("/rules", bad).status_code == 422
        assert clips.post("/rules/previews", {"clip": "human", "rules": bad}).status_code == 422
    assert clips.put("/rules", wanted).status_code == 409


def test_uses_in_studies_that_are_not_shared_are_not_named(
    clips: Program, owner: Person, make_person: MakePerson, database: Database, share_with: ShareWith
) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {"pairs": "pair,a,b\np1,human,hybrid\n"}, NOW)
    assert clips.get("/stimuli/human").json()["uses"][0]["study"] == "nav"
    editor = make_person(Role.EDITOR)
    assert editor.get("/admin/stimuli/human/edit").status_code == 404
    with database.transaction() as session:
        session.execute(
            update(Stimulus).where(col(Stimulus.name) == "human").values(uploaded_by=editor.who.user_id)
        )
    page = editor.get("/admin/stimuli/human/edit").text
    assert "a study that is not shared with you" in page
    assert "of nav" not in page
    refused = editor.post("/admin/stimuli/human/delete")
    assert refused.status_code == 409
    assert "is used in the draft of a study that is not shared with you" in refused.text
    assert "of nav" not in refused.text
    share_with(editor)
    assert "the draft of nav" in editor.get("/admin/stimuli/human/edit").text


def test_clues_are_looked_for_shown_and_marked_as_read(
    clips: Program, owner: Person, settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {"pairs": "pair,a,b\np1,human,hybrid\n"}, NOW)
    assert "2 clips in the main pairs and items of the draft" in owner.get(CLUES).text
    assert "Waiting to begin" in owner.post(CLUES).text
    assert owner.get(CLUES).status_code == 200
    drain(settings, database)
    listed = clips.get("/studies/nav/clues").json()
    assert [(run["status"], run["n_clips"], run["is_current"], run["was_seen"]) for run in listed] == [
        ("done", 2, True, False)
    ]
    page = owner.get(CLUES).text
    assert "<svg" in page
    assert "All clues together" in page
    verdict = "Too few clips to tell whether anything gives the source away (1 human, 1 hybrid)."
    assert f'<h2 id="result">{verdict}</h2>' in page
    assert (listed[0]["verdict"], listed[0]["says"]) == ("too-few", verdict)
    assert len(re.findall(r"<table class=.clues.", page)) == 3
    small, inside = "with small differences or none</summary>", '<h2 id="inside">Inside the files</h2>'
    assert page.index(small) < page.index(inside) < page.rindex("<table class=")
    assert "not tried, " in page[page.index(inside) :]
    assert not re.findall(r"\d\.\d{4}", re.sub("(?s)<svg.*?</svg>", "", page))
    assert "style=" not in page.partition("<main")[2]
    assert clips.get("/studies/nav/clues").json()[0]["was_seen"]
    job_id = listed[0]["id"]
    assert len(clips.get(f"/studies/nav/clues/{job_id}").json()["result"]["plots"]) == 20
    assert owner.get(f"{CLUES}?run={job_id}").status_code == 200
    assert owner.get(f"{CLUES}?run=999").status_code == 404
    clips.post("/studies/nav/clues")
    assert clips.get("/studies/nav/clues").json()[0]["status"] == "queued"


def test_clues_of_a_study_without_pairs_are_refused_in_words(owner: Person, database: Database) -> None:
    with database.transaction() as session:
        create_study(session, owner.who, "nav", {}, NOW)
    assert "There are no pairs and no items yet" in owner.get(CLUES).text
    refused = owner.post(CLUES)
    assert refused.status_code == 409
    assert "make pairs or items first" in refused.text


def test_records_and_texts_are_shown_as_what_people_read(
    clips: Program, owner: Person, settings: Settings, database: Database
) -> None:
    files = {
        "game.json": b'{"title": "A <i>game</i>", "rounds": [{"title": "Day 1", "parts": [{"text": "Bids"}]}]}',
        "letter.md": b"A *letter* <script>alert(1)</script>\n",
    }
    for name, data in files.items():
        new = {"file_name": name, "bytes": len(data), "source": "model", "attributes": {}}
        token = clips.post("/uploads", new).json()["token"]
        assert clips.request("PATCH", f"/uploads/{token}?offset=0", content=data).status_code == 200
    drain(settings, database)

    found = clips.get("/stimuli?kind=record").json()
    assert (found["n_found"], found["n_all"]) == (1, 4)
    of_clip = ("clip_sha256", "clip_bytes", "duration_s", "width", "height", "fps", "frames", "rules")
    assert {key: found["stimuli"][0][key] for key in of_clip} == dict.fromkeys(of_clip)
    game, letter = clips.get("/stimuli/game/content"), clips.get("/stimuli/letter/content")
    assert game.json()["title"] == "A <i>game</i>"
    assert hashlib.sha256(game.content).hexdigest() == found["stimuli"][0]["content_sha256"]
    assert (letter.content, letter.headers["content-type"]) == (
        files["letter.md"],
        "text/markdown; charset=utf-8",
    )
    refused = clips.get("/stimuli/human/content")
    assert (refused.status_code, refused.json()["message"]) == (
        404,
        "human is a clip: it has a video and no content to be read.",
    )
    for missing in ("clip.mp4", "original"):
        assert clips.get(f"/stimuli/game/{missing}").status_code == 404

    library = owner.get("/admin/stimuli").text
    assert "2 clips, 1 record and 1 text" in library
    assert library.count("<video") == 2
    assert owner.get("/admin/stimuli?kind=text").text.count('<li class="clip-card"') == 1
    record = owner.get("/admin/stimuli/game/edit").text
    assert "A &lt;i&gt;game&lt;/i&gt;" in record
    assert "Delete this record" in record
    assert "<video" not in record
    text = owner.get("/admin/stimuli/letter/edit").text
    assert "A <em>letter</em> &lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert clips.request("DELETE", "/stimuli/game").status_code == 204
    assert clips.get("/stimuli/game/content").status_code == 404


def test_the_table_of_clues_has_the_share_of_pairs_beside_the_auc() -> None:
    """A clip that is a little shorter than its partner in each pair: the AUC alone says nothing."""
    lengths_s = [4 + 0.5 * number for number in range(12)]
    clips = [
        {"stimulus": f"{source}{number}", "source": source, "duration_s": length_s - less_s}
        for source, less_s in (("human", 0.2), ("agent", 0.0))
        for number, length_s in enumerate(lengths_s)
    ]
    pairs = [(f"agent{number}", f"human{number}") for number in range(12)]
    report = clue_report(pd.DataFrame(clips), seed=1, pairs=pairs).to_dict()
    row = clue_row(report["clues"][0], "")
    assert (row.finding, row.auc) == ("gives the source away", "0.46")
    # Independent source: the exact limits of 12 of 12 are .025^(1/12) and 1; p is 2 / 2^12.
    assert row.within == "lower in 12 of 12 (0.74 to 1.00), p < .001"
