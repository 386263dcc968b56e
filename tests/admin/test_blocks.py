"""The experimenter's pages of a study with blocks: pairs of clips and ratings of texts."""

import html
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.core.database import Database
from app.pairs.draft import IN_BLOCKS
from app.studies.access import study_for
from app.studies.drafts import check_of, draft_for, save_draft
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state, stimulus_facts
from app.tasks.registry import BLOCKS as BLOCKS_BY_TASK
from app.trials.tables import State, Unit
from tests.admin.persons import Person, Program
from tests.admin.test_design import form_on
from tests.factories import NOW, answer_for, page_on, study_file
from tests.sessions.test_blocks import pair_block, rating_block
from tests.tasks.game.people import game_block

HERE = "/admin/studies/parts"
PAIRS = "pair,a,b\nq1,human-g1,hybrid-g1\nq2,hybrid-g2,symbolic-g2\nq3,human-g3,symbolic-g3\n"
ITEMS = (
    "item,stimulus,text,condition,kind,group\nt0,,Practise.,,practice,\n"
    't1,,"I bid <b>3</b>.",long,,persona\nt2,,I waited.,short,,\n'
)
BLOCKS: list[dict[str, Any]] = [
    {
        "id": "watch",
        "task": "pair",
        "instructions": "# Now watch\n",
        "pairs": "pairs.csv",
        "per_participant": 2,
        "trials": {"questions": [{"id": "choice", "type": "2afc", "ask": "Which is a person?"}]},
    },
    {
        "id": "rate",
        "task": "rating",
        "items": "items.csv",
        "per_item": 5,
        "questions": [
            {"id": "logic", "ask": "How logical?", "scale": "mine", "anchors": {1: "none", 3: "all"}},
            {"id": "fit", "ask": "In character?", "scale": "quality", "when": {"group": "persona"}},
            {"id": "reason", "type": "text", "ask": "Why <i>so</i>?", "required": True},
        ],
    },
]


def packed(blocks: list[dict[str, Any]] = BLOCKS) -> bytes:
    """The study as a zip."""
    file = study_file(study="parts", scales={"mine": ["low", "middle", "high"]}, blocks=blocks)
    keys = {key: value for key, value in file.items() if key not in ("sample", "trials")}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("study.yaml", yaml.safe_dump(keys, sort_keys=False))
        archive.writestr("pairs.csv", PAIRS)
        archive.writestr("items.csv", ITEMS)
    return data.getvalue()


def keys_of(database: Database, person: Person) -> dict[str, Any]:
    with database.reading() as session:
        return draft_for(session, study_for(session, person.who, "parts")).keys


def revision(page: str) -> str:
    found = re.search(r'name="revision" value="(\d+)"', page)
    assert found
    return found[1]


@pytest.fixture
def made(owner: Person, study: str) -> Person:
    """A person with the study as a draft, in addition to the open study of the clips."""
    files = [("file", ("parts.zip", packed()))]
    done = owner.post("/admin/studies/new", {"start": "upload"}, files=files, follow_redirects=False)
    assert done.headers["location"] == f"{HERE}/design?said=created"
    return owner


def save_version(person: Person) -> None:
    page = person.get(f"{HERE}/versions").text
    assert "Saved." in person.post(f"{HERE}/versions", {"reason": "", "revision": revision(page)}).text


PAGES = (
    *(
        "",
        "/design",
        "/pairs",
        "/versions",
        "/launch",
        "/monitor",
        "/sessions",
        "/data",
        "/results",
        "/clues",
    ),
    *("/links", "/draft.yaml", "/pairs.csv", "/draft/page/consent", "/draft/page/instructions"),
    *("/draft/page/trial", "/draft/page/debrief", "/draft/page/block-1", "/draft/page/block-2"),
)


@pytest.mark.parametrize("is_saved", [False, True])
def test_every_page_of_the_study_is_there(made: Person, is_saved: bool) -> None:
    if is_saved:
        save_version(made)
    assert {path: made.get(f"{HERE}{path}").status_code for path in PAGES} == dict.fromkeys(PAGES, 200)
    assert made.get(f"{HERE}/draft/page/block-3").status_code == 404
    assert "3 pairs and 3 items" in made.get(HERE).text


def test_pages_speak_of_what_a_study_is_of_and_try_videos_only_where_there_are_some(
    client: TestClient, owner: Person, database: Database, study: str, tmp_path: Path
) -> None:
    """In words of the tasks: a study of matches has neither pairs nor items, and nobody is to play a video there."""
    texts = "item,text,group\na,One.,g1\nb,Another.,g1\n"
    for task, block, says, menu, is_tried in (
        ("game", game_block(), "matches in 1 configuration", "Matches", False),
        ("rating", rating_block(items=texts), "2 items", "Items", False),
        ("clips", rating_block(items="item,stimulus,group\na,human-g1,g1\n"), "1 item", "Items", True),
        ("pair", pair_block(), "11 pairs", "Pairs", True),
    ):
        with database.transaction() as session:
            whole = study_file(study=task, sample=None, trials=None, blocks=[block])
            path = tmp_path / f"{task}.yaml"
            path.write_text(yaml.safe_dump({key: value for key, value in whole.items() if value}))
            load_version(session, load_study(path, stimulus_facts(session)), NOW)
            set_state(session, task, State.LIVE)
        overview = owner.get(f"/admin/studies/{task}").text
        assert f"1 block: {says}" in overview, task
        menus = re.findall(r"<span class=\"t\">(Pairs|Items|Matches)</span>", overview)
        assert set(menus) == {menu}, task
        for page in (
            client.get(f"/s/{task}").text,
            owner.get(f"/admin/studies/{task}/draft/page/consent").text,
        ):
            assert ("data-check" in page) == is_tried, task


def test_the_form_has_a_field_for_everything_in_a_block(made: Person) -> None:
    page = html.unescape(made.get(f"{HERE}/design/all").text)
    assert "Ready to save" in page
    sent = form_on(made.get(f"{HERE}/design/all").text)
    wanted = {
        "block_order": "fixed",
        "blocks.0.id": "watch",
        "blocks.0.task": "pair",
        "blocks.0.instructions": "# Now watch",
        "blocks.0.pairs": PAIRS,
        "blocks.0.sample.conditions": "",
        "blocks.0.sample.use": "free",
        "blocks.0.per_participant": "2",
        "blocks.0.trials.sides": "balanced",
        "blocks.0.trials.questions.0.type": "2afc",
        "blocks.1.items": ITEMS,
        "blocks.1.per_item": "5",
        "blocks.1.self_assessment": "",
        "blocks.1.questions.0.scale": "mine",
        "blocks.1.questions.0.anchors": "1: none\n3: all",
        "blocks.1.questions.1.group": None,
        "blocks.1.questions.1.when.group": "persona",
        "blocks.1.questions.2.required": "yes",
    }
    assert {name: sent.get(name) for name in wanted} == wanted
    assert 'name="trials.order"' not in page
    for words in ("Which of two", "3 rows: 1 for practice, 2 main.", "Participants for each item"):
        assert words in page
    assert "<i>so</i>" not in made.get(f"{HERE}/design/all").text
    assert "I bid <b>3</b>" not in made.get(f"{HERE}/draft/page/block-2").text
    assert "How logical?" in made.get(f"{HERE}/draft/page/block-2").text
    assert "/admin/stimuli/human-g1/clip.mp4" in made.get(f"{HERE}/draft/page/block-1").text


def test_a_form_sent_as_it_came_writes_nothing_and_one_that_is_changed_changes_that_alone(
    made: Person, database: Database
) -> None:
    before, sent = keys_of(database, made), form_on(made.get(f"{HERE}/design/all").text)
    now = sent["revision"]
    made.post(f"{HERE}/design/all", {**sent, "action": "save"})
    assert (keys_of(database, made), revision(made.get(f"{HERE}/design/all").text)) == (before, now)
    changes = {
        "title": "Another title",
        "scales.0.name": "yours",
        "block_order": "random",
        "blocks.0.per_participant": "",
        "blocks.1.items": "item,text\r\nx,One\r\n",
        "blocks.1.questions.1.when.group": "",
        "blocks.1.questions.0.anchors": "2: some",
        "blocks.1.questions.2.type": "number",
    }
    assert made.post(f"{HERE}/design/all", {**sent, **changes, "action": "save"}).status_code == 200
    first, second = before["blocks"]
    logic, fit, reason = second["questions"]
    assert keys_of(database, made) == {
        **before,
        "title": "Another title",
        "scales": {"yours": ["low", "middle", "high"]},
        "block_order": "random",
        "blocks": [
            {key: value for key, value in first.items() if key != "per_participant"},
            {
                **second,
                "items": "item,text\nx,One",
                "questions": [
                    {**logic, "scale": "yours", "anchors": {"2": "some"}},
                    {key: value for key, value in fit.items() if key != "when"},
                    {**reason, "type": "number"},
                ],
            },
        ],
    }


def test_blocks_are_added_ordered_and_removed_by_buttons_alone(made: Person, database: Database) -> None:
    def press(action: str, **typed: str) -> str:
        form = form_on(made.get(f"{HERE}/design/all").text)
        done = made.post(f"{HERE}/design/all", {**form, **typed, "action": action}, follow_redirects=False)
        assert done.status_code == 303, done.text
        return str(done.headers["location"]).partition("#")[2]

    def ids() -> list[str]:
        return [block["id"] for block in keys_of(database, made)["blocks"]]

    assert press("up:blocks.1") == "blocks.0.up"
    assert ids() == ["rate", "watch"]
    for task in BLOCKS_BY_TASK:
        assert press("add:blocks", **{"add.blocks": task}).startswith("blocks.")
    assert ids() == ["rate", "watch", *BLOCKS_BY_TASK]
    assert (
        press("add:blocks.0.questions", **{"add.blocks.0.questions": "slider"}) == "blocks.0.questions.3.ask"
    )
    assert press("down:blocks.0.questions.0") == "blocks.0.questions.1.down"
    assert [q["id"] for q in keys_of(database, made)["blocks"][0]["questions"]] == [
        "fit",
        "logic",
        "reason",
        "slider",
    ]
    for at in range(len(ids()) - 1, -1, -1):
        press(f"remove:blocks.{at}")
    assert "blocks" not in keys_of(database, made)
    assert 'name="trials.order"' in made.get(f"{HERE}/design/all").text


def test_a_study_of_pairs_becomes_one_with_blocks_and_keeps_what_it_had(
    owner: Person, study: str, database: Database
) -> None:
    here, files = (
        "/admin/studies/nav",
        [("file", ("nav.yaml", yaml.safe_dump(study_file(study="nav")).encode()))],
    )
    owner.post(f"{here}/draft/file", files=files)
    form = form_on(owner.get(f"{here}/design/all").text)
    owner.post(f"{here}/design/all", {**form, "action": "add:blocks", "add.blocks": "rating"})
    with database.reading() as session:
        keys = draft_for(session, study_for(session, owner.who, "nav")).keys
    first, second = keys["blocks"]
    assert (first["id"], first["task"], second["task"]) == ("trials", "pair", "rating")
    assert first["trials"] == study_file(study="nav")["trials"]
    assert {"trials", "pairs", "sample"} & set(keys) == set()


def test_what_a_form_saves_is_the_version_that_the_file_makes(made: Person, database: Database) -> None:
    def sha256() -> str:
        with database.reading() as session:
            study = study_for(session, made.who, "parts")
            design = check_of(session, study, draft_for(session, study).keys).design
            assert design
            return design.sha256()

    from_file, form = sha256(), form_on(made.get(f"{HERE}/design/all").text)
    seen = []
    for title in ("Another", form["title"]):
        form["revision"] = revision(made.get(f"{HERE}/design/all").text)
        made.post(f"{HERE}/design/all", {**form, "title": title, "action": "save"})
        seen.append(sha256() == from_file)
    assert seen == [False, True]


def test_what_is_wrong_in_a_block_is_listed_at_it(made: Person) -> None:
    wrong = [{**BLOCKS[0], "per_participant": 9}, {**BLOCKS[1], "typo": 1}]
    wrong[1]["per_item"] = 0
    spoilt = packed(wrong)
    done = made.post(f"{HERE}/draft/file", files=[("file", ("parts.zip", spoilt))])
    assert done.status_code == 200
    page = html.unescape(made.get(f"{HERE}/design/all").text)
    assert "3 problems to correct" in page
    too_many = "“Pairs for each participant”: 9 asked for, but the block has 3 main pairs"
    assert f'href="#blocks.0.per_participant">{too_many}</a>' in page
    assert re.search(
        r'id="blocks.1.per_item-error" data-error>“Participants for each item”: .* is too small', page
    )
    assert "Blocks, block 2" in page
    drops = re.findall(r'value="(drop:[^"]+)"', page)
    assert len(drops) == 1
    assert "first trial of this block is shown here" in made.get(f"{HERE}/draft/page/block-1").text
    assert "Blocks" in html.unescape(made.get(HERE).text)
    assert made.get(f"{HERE}/versions").status_code == 200


def test_the_pairs_of_a_block_are_picked_drawn_listed_and_edited_and_all_else_stays(
    made: Person, database: Database
) -> None:
    before, here = keys_of(database, made), f"{HERE}/blocks/watch/pairs"
    assert f'href="{here}"' in made.get(f"{HERE}/pairs").text

    def post(path: str, form: dict[str, str]) -> dict[str, Any]:
        page = made.get(here).text
        done = made.post(f"{here}{path}", {"revision": revision(page), **form}, follow_redirects=False)
        assert (done.status_code, done.headers["location"].startswith(here)) == (303, True), path
        keys = keys_of(database, made)
        assert {**keys, "blocks": None} == {**before, "blocks": None}
        watch, rate = keys["blocks"]
        assert rate == before["blocks"][1]
        kept = {key: value for key, value in watch.items() if key not in ("pairs", "sample")}
        assert kept == {key: value for key, value in before["blocks"][0].items() if key != "pairs"}
        return dict(watch)

    page = made.get(here).text
    assert "of the block watch" in page
    assert "every participant sees all of them" not in page, "two of three"
    assert f'href="{here}/pick"' in page
    assert post("/pick", {"a": "human-g4", "b": "hybrid-g4"})["pairs"].splitlines()[4] == (
        "human-hybrid-01,human-g4,hybrid-g4,,,"
    )
    assert "q2" not in post("/rows", {"do": "remove 2"})["pairs"]
    drawn = post(
        "/draw",
        {
            "do": "save",
            "condition-0": "human-hybrid",
            "main-0": "2",
            "practice-0": "",
            "seed": "7",
            "match": "goal",
        },
    )
    assert (drawn["sample"]["conditions"], "pairs" in drawn) == ({"human-hybrid": 2}, False)
    assert len(drawn["sample"]["drawn"].splitlines()) == 3
    assert "Change the draw" in made.get(here).text
    assert "human-hybrid-01" in made.get(f"{here}.csv").text
    assert "sample" not in post("/list", {})
    assert post("/csv", {"do": "save", "text": PAIRS})["pairs"] == PAIRS
    assert "pairs" not in post("/clear", {})
    for block in ("rate", "none"):
        for path in ("", "/pick", "/csv", "/draw"):
            assert made.get(f"{HERE}/blocks/{block}/pairs{path}").status_code == 404


def test_a_pair_picked_for_a_block_takes_no_id_of_another_block(made: Person, database: Database) -> None:
    here = f"{HERE}/blocks/watch/pairs"
    keys = keys_of(database, made)
    items = keys["blocks"][1]["items"].replace("t2,", "human-hybrid-01,")
    assert items != keys["blocks"][1]["items"]
    with database.transaction() as session:
        study = study_for(session, made.who, "parts")
        seen = draft_for(session, study)
        watch, rate = seen.keys["blocks"]
        changed = {**seen.keys, "blocks": [watch, {**rate, "items": items}]}
        save_draft(session, made.who, study, changed, seen.revision, NOW)
    form = {"revision": revision(made.get(here).text), "a": "human-g4", "b": "hybrid-g4"}
    assert made.post(f"{here}/pick", form, follow_redirects=False).status_code == 303
    assert "human-hybrid-02,human-g4,hybrid-g4" in keys_of(database, made)["blocks"][0]["pairs"]


def test_pairs_of_all_blocks_are_shown_and_refused_to_be_edited(
    made: Person, api: Program, database: Database
) -> None:
    before = keys_of(database, made)
    page = made.get(f"{HERE}/pairs").text
    assert "its pairs belong to them" in page
    assert "q1" in page
    assert "Pick two clips" not in page
    assert made.get(f"{HERE}/pairs.csv").text.splitlines()[1] == "q1,human-g1,hybrid-g1,human-hybrid,a,main"
    at = {"revision": revision(page)}
    for path, form in [
        ("/pairs/clear", {}),
        ("/pairs/list", {}),
        ("/pairs/again", {}),
        ("/pairs/rows", {"do": "remove 1"}),
        ("/pairs/pick", {"a": "human-g1", "b": "hybrid-g1"}),
        ("/pairs/csv", {"do": "save", "text": PAIRS}),
        ("/pairs/draw", {"do": "look"}),
    ]:
        refused = made.post(f"{HERE}{path}", {**at, **form})
        assert (path, refused.status_code) == (path, 409)
        assert IN_BLOCKS in html.unescape(refused.text)
    for path in ("/pairs/pick", "/pairs/csv", "/pairs/draw"):
        assert made.get(f"{HERE}{path}").status_code == 409
    now = int(at["revision"])
    put = api.put("/studies/parts/pairs", {"pairs": PAIRS, "revision": now})
    tried = api.post("/studies/parts/pairs/preview", {"pairs": PAIRS})
    assert (put.status_code, tried.status_code) == (409, 409)
    seen = api.get("/studies/parts/pairs").json()
    assert (seen["way"], [pair["id"] for pair in seen["pairs"]]) == ("blocks", ["q1", "q2", "q3"])
    assert keys_of(database, made) == before


def test_another_true_source_reaches_pairs_in_blocks(made: Person, database: Database) -> None:
    save_version(made)
    page = made.get(f"{HERE}/pairs").text
    assert "2 of 3 main pairs have a truth" in page
    made.post(f"{HERE}/pairs/truth", {"source": "symbolic", "revision": revision(page)})
    with database.reading() as session:
        units = session.exec(select(Unit).where(Unit.block == "watch").order_by(col(Unit.position))).all()
        assert [(unit.name, unit.truth) for unit in units] == [("q1", None), ("q2", "b"), ("q3", "b")]


def test_a_study_with_blocks_is_checked_launched_previewed_and_walked(
    made: Person, client: TestClient
) -> None:
    save_version(made)
    page = html.unescape(made.get(f"{HERE}/launch").text)
    assert "Main pairs: 1 human-hybrid" in page
    assert "Main items: 1 long and 1 short." in page
    opened = made.post(f"{HERE}/launch", {"to": "pilot"}).text
    assert "kept apart from the live data for ever" in opened
    preview = made.post(f"{HERE}/preview", {})
    assert page_on(preview.text) == "consent"
    text, seen = client.get("/s/parts").text, []
    while page_on(text) != "end":
        seen.append(page_on(text))
        fields = {"logic": "2", "fit": "2", "reason": "because"} if "How logical?" in text else {}
        token = re.search(r'action="(/p/[^"]+)"', text)
        assert token
        done = client.post(token[1], data={**answer_for(text), **fields})
        assert done.status_code == 200
        text = done.text
    assert "DONE42" in text
    kinds = [name.partition("-")[0] for name in seen]
    assert kinds == ["consent", "background", "instructions", "instructions", *["trial"] * 5]
    for path in ("", "/monitor", "/sessions", "/data", "/results", "/launch"):
        assert made.get(f"{HERE}{path}").status_code == 200


def test_versions_are_compared_block_by_block_and_downloads_are_the_study(
    made: Person, database: Database
) -> None:
    save_version(made)
    downloaded = made.get(f"{HERE}/versions/1.yaml").content
    changed = [{**BLOCKS[0], "per_participant": 3}, BLOCKS[1]]
    made.post(f"{HERE}/draft/file", files=[("file", ("parts.zip", packed(changed)))])
    page = html.unescape(made.get(f"{HERE}/versions").text)
    assert "1 change since version 1" in page
    assert "Blocks › watch › Pairs for each participant" in page
    made.post(f"{HERE}/draft/file", files=[("file", ("parts.yaml", downloaded))])
    saved = made.get(f"{HERE}/versions").text
    assert "Nothing differs from version 1 any more." in saved


def test_a_study_of_texts_alone_needs_no_clips(made: Person) -> None:
    made.post("/admin/studies/new", {"start": "template:rubric", "slug": "rubric", "title": "Rubric"})
    here = "/admin/studies/rubric"
    design = html.unescape(made.get(f"{here}/design/all").text)
    assert "[REPLACE THIS BY THE FIRST TEXT]" in design
    assert "Goal: does the player" in design
    page = made.get(f"{here}/versions").text
    made.post(f"{here}/versions", {"reason": "", "revision": revision(page)})
    launch = html.unescape(made.get(f"{here}/launch").text)
    assert "There are no clips to show" not in launch
    assert "Clue report" not in launch
    assert "Still to be filled in" in launch
    overview = made.get(here).text
    assert "Upload the videos" not in overview
    assert made.get(f"{here}/pairs").status_code == 200
    for slug, pairs, items in (("rubric", False, True), ("parts", True, True), ("nav", True, False)):
        pages = [made.get(f"/admin/studies/{slug}{path}").text for path in ("", "/versions", "/monitor")]
        menu = [('/pairs"' in page, ">Items</span>" in page) for page in pages]
        assert (slug, menu) == (slug, [(pairs, items)] * 3)
