"""Records and texts in the library: taken in, listed, left out where only clips can be, deleted."""

import json
from pathlib import Path

import pytest
from sqlmodel import col, select

from app.accounts.tables import Role
from app.catalog.catalog import catalog, content_for, names_with_original, stimulus_for
from app.catalog.editing import InUse, delete_stimulus, drop_files
from app.catalog.rules import rules_view
from app.catalog.search import CatalogFilter
from app.catalog.sheet import sheet
from app.catalog.uses import uses_of
from app.core.errors import NotFound
from app.jobs.tables import JobStatus
from app.library.clips.errors import ManifestProblems
from app.library.clips.manifest import read_manifest
from app.library.clips.store import ClipStore
from app.library.contents import add_documents, content_of, contents_named
from app.library.documents import (
    CLUES,
    LARGEST_TEXT_BYTES,
    BadText,
    Document,
    Measures,
    clip_rows,
    document_clues,
    measure_document,
    read_document,
    read_documents,
)
from app.library.kinds import StimulusKind, kind_of
from app.library.stimuli import list_stimuli
from app.library.tables import LIBRARY, Content, Stimulus, StudyClip, UploadStatus
from app.library.uploads import UploadRefused
from app.outputs.clues import ask_clues, clips_of, clue_run
from app.pairs.draft import clip_cards, with_pair
from app.pairs.view import find_pairs
from app.studies.drafts import create_study, draft_for
from app.studies.seeing import facts_for
from app.tasks.pair.rows import BadRow, Row
from app.tasks.pair.sampling import sample_pairs
from app.tasks.pair.terms import Sample
from tests.admin.persons import make_user
from tests.library.desk import NOW, Desk

RECORD = {
    "title": "A game",
    "players": [{"name": "A", "about": "a teacher"}],
    "rounds": [
        {"title": "Day 1", "parts": [{"text": "A bids 40.\nA wins."}]},
        {
            "title": "Day 2",
            "parts": [
                {"columns": ["who", "bid"], "rows": [["A", 3], ["B", None]]},
                {"label": "Balance", "values": [1, 2]},
            ],
        },
    ],
}
TEXT = "# A letter\n\nDear reader, this is *it*.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "game.json").write_text(json.dumps(RECORD, indent=2))
    (tmp_path / "letter.md").write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    (tmp_path / "manifest.csv").write_text(
        "file,name,source,group\ngame.json,g1,model,persona\nletter.md,l1,human,\ngame.json,g2,human,persona\n"
    )
    return tmp_path


def fill(desk: Desk, folder: Path) -> None:
    documents = read_documents(read_manifest(folder / "manifest.csv"))
    desk.write(add_documents, documents, NOW)


@pytest.mark.any_database
def test_the_ending_of_a_name_says_what_a_file_is() -> None:
    kinds = {
        name: kind_of(name).value for name in ("a.json", "b.MD", "c.txt", "d.mp4", "json", "e.json.webm")
    }
    assert kinds == {
        "a.json": "record", "b.MD": "text", "c.txt": "text", "d.mp4": "clip", "json": "clip", "e.json.webm": "clip"
    }  # fmt: skip


@pytest.mark.any_database
def test_what_people_read_is_measured_without_keys_and_brackets() -> None:
    record = read_document(StimulusKind.RECORD, json.dumps(RECORD).encode())
    lines = [
        "A game",
        "A a teacher",
        "Day 1",
        "A bids 40.",
        "A wins.",
        "Day 2",
        "who bid",
        "A 3",
        "B ",
        "Balance",
    ]
    assert measure_document(record) == Measures(
        characters=sum(map(len, lines)), words=20, lines=len(lines), rounds=2
    )
    text = Document(StimulusKind.TEXT, TEXT)
    assert measure_document(text) == Measures(characters=10 + 26, words=8, lines=2, rounds=0)


@pytest.mark.any_database
def test_names_of_sources_and_of_players_are_counted_as_whole_words() -> None:
    record = {
        "title": "A model game of Ann and Annabel",
        "players": [{"name": "Ann", "about": "a Model player"}, {"name": "Bo (B)"}],
        "parts": [{"text": "Ann trusts BO (B). The gpt-4 modelled it; Anna and gpt-4x did not."}],
    }
    found = read_document(StimulusKind.RECORD, json.dumps(record).encode())
    clues = document_clues(found, ["human", "model", "gpt-4"])
    assert tuple(clues) == CLUES
    assert (clues["source_names"], clues["player_names"], clues["rounds"]) == (2, 3, 0)
    text = Document(StimulusKind.TEXT, "A human, says Ann. Human!")
    assert {name: n for name, n in document_clues(text, ["human"]).items() if n} == {
        "characters": 25, "words": 5, "lines": 1, "source_names": 2
    }  # fmt: skip
    assert document_clues(text, [])["source_names"] == 0


@pytest.mark.any_database
def test_odd_numbers_are_a_share_of_those_from_ten_on_and_titles_do_not_count() -> None:
    rounds = [
        {"title": "Round 11", "parts": [{"columns": ["Bid 17"], "rows": [["1,003"], [20], [7], [12.5]]}]}
    ]
    record = {
        "title": "Game 13",
        "parts": [{"text": "Of 10,000 points, gpt-41 and r2d22 keep 35."}],
        "rounds": rounds,
    }
    found = read_document(StimulusKind.RECORD, json.dumps(record).encode())
    # 17, 1,003 and 12.5 of 17, 1,003, 20, 12.5, 10,000, 35.
    assert document_clues(found, [])["odd_numbers"] == 0.5
    assert document_clues(Document(StimulusKind.TEXT, "From 3 to 9."), [])["odd_numbers"] == 0


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" \n\t", "the text is empty"),
        (b"a\n\xff", "line 2 of the text is not UTF-8"),
        (b"a\x00b", r"the text holds the control character '\x00'"),
        (b"a" * (LARGEST_TEXT_BYTES + 1), "larger than 400 kB"),
        (b"a" * 100_001, "has 100001 characters"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadText) as refusal:
        read_document(StimulusKind.TEXT, data)
    assert message in str(refusal.value)


def test_a_manifest_takes_records_and_texts_each_content_once(desk: Desk, folder: Path) -> None:
    fill(desk, folder)
    found = desk.read(contents_named, ["g1", "g2", "l1", "nobody"])
    assert set(found) == {"g1", "g2", "l1"}
    assert (found["g1"].kind, found["g1"].source, found["g1"].attributes) == (
        StimulusKind.RECORD,
        "model",
        {"group": "persona"},
    )
    assert found["g1"].sha256 == found["g2"].sha256
    assert json.loads(found["g1"].content or "") == RECORD
    assert found["l1"].content == TEXT
    assert desk.read(content_of, found["l1"].sha256) == TEXT
    with pytest.raises(NotFound, match="no such record or text"):
        desk.read(content_of, "0" * 64)
    with desk.database.reading() as session:
        assert len(session.exec(select(Content)).all()) == 2


@pytest.mark.any_database
def test_a_manifest_with_one_bad_record_is_refused_whole(folder: Path) -> None:
    (folder / "bad.json").write_text('{"title": "x"}')
    (folder / "bad.txt").write_text("")
    (folder / "manifest.csv").write_text(
        "file,name,source,positions\ngame.json,g1,model,\nbad.json,b1,model,\nbad.txt,b2,model,game.json\n"
    )
    with pytest.raises(ManifestProblems) as refusal:
        read_documents(read_manifest(folder / "manifest.csv"))
    said = [(problem.row, problem.column, problem.message) for problem in refusal.value.problems]
    assert [(row, column) for row, column, _ in said] == [(3, "file"), (4, "positions"), (4, "file")]
    assert "neither parts nor rounds" in said[0][2]
    assert "positions belong to clips" in said[1][2]
    assert "the text is empty" in said[2][2]


@pytest.mark.any_database
def test_clips_of_a_manifest_are_processed_without_its_records(folder: Path) -> None:
    (folder / "walk.mp4").touch()
    with (folder / "manifest.csv").open("a") as file:
        file.write("walk.mp4,w1,human,\n")
    manifest = read_manifest(folder / "manifest.csv")
    assert [row.name for row in clip_rows(manifest).rows] == ["w1"]
    assert [each.name for each in read_documents(manifest)] == ["g1", "l1", "g2"]


def test_an_upload_becomes_a_record_or_a_text(desk: Desk, folder: Path) -> None:
    done = desk.add(folder / "game.json", "model", attributes={"group": "x"})
    assert (done.status, done.name, done.message) == (UploadStatus.DONE, "game", "")
    row = desk.stimulus("game")
    assert (row.kind, row.source, row.attributes, row.uploaded_by) == (
        "record",
        "model",
        {"group": "x"},
        desk.who.user_id,
    )
    assert (row.clip_sha256, row.original_sha256, row.duration_s, row.rules) == (None, None, None, {})
    assert desk.add(folder / "letter.md").status is UploadStatus.DONE
    assert desk.stimulus("letter").kind == "text"
    assert not list((desk.data_dir / "incoming" / "uploads").iterdir())
    again = desk.add(folder / "game.json", file_name="copy.json")
    assert again.status is UploadStatus.REFUSED
    assert again.message == (
        "copy.json has the same content as the record game, which is in the library already."
    )


def test_what_cannot_be_read_is_refused_with_its_place(desk: Desk, folder: Path) -> None:
    (folder / "bad.json").write_text('{"title": "x", "rounds": [{"title": "1", "parts": [{"txt": "x"}]}]}')
    done = desk.add(folder / "bad.json")
    assert done.status is UploadStatus.REFUSED
    assert done.message.startswith("bad.json was not taken: not a record: round 1, part 1: is no line, table")
    with pytest.raises(UploadRefused, match=r"big\.txt has 401 kB; a text has at most 400"):
        desk.begin("big.txt", 401_000)
    with desk.database.reading() as session:
        assert session.exec(select(Stimulus)).all() == []


def test_the_library_lists_them_without_what_only_clips_have(desk: Desk, folder: Path) -> None:
    fill(desk, folder)
    found = desk.read(catalog, desk.who, CatalogFilter())
    assert [each.name for each in found.stimuli] == ["g1", "g2", "l1"]
    assert found.kinds == {"record": 2, "text": 1}
    assert [each.name for each in desk.read(catalog, desk.who, CatalogFilter(kind="text")).stimuli] == ["l1"]
    assert [each.name for each in desk.read(catalog, desk.who, CatalogFilter(sort="-duration_s")).stimuli] == [
        "g1", "g2", "l1"
    ]  # fmt: skip
    one = desk.read(stimulus_for, desk.who, "g1")
    assert (one.kind, one.clip, one.original_name) == ("record", None, "game.json")
    assert desk.read(content_for, desk.who, "l1") == (StimulusKind.TEXT, TEXT)
    assert "l1,human" in desk.read(sheet, desk.who)
    assert [each.name for each in desk.read(list_stimuli)] == ["g1", "g2", "l1"]


def test_what_is_made_of_clips_leaves_them_out_and_pairs_show_two_of_one_kind(
    desk: Desk, folder: Path
) -> None:
    fill(desk, folder)
    assert desk.read(clip_cards, desk.who) == []
    assert desk.read(names_with_original, desk.who, LIBRARY) == []
    view = desk.read(rules_view)
    assert (view.n_clips, view.n_other) == (0, 0)
    study = desk.write(create_study, desk.who, "other", {"pairs": "pair,a,b\np1,g1,l1"}, NOW)
    facts = desk.read(facts_for, study)
    assert {name: each.kind for name, each in facts.items()} == {"g1": "record", "l1": "text", "g2": "record"}
    found = desk.read(lambda session: find_pairs(draft_for(session, study).keys, facts))
    assert found.pairs == ()
    assert [(fault.message, fault.remedy) for fault in found.faults] == [
        ("row 2: 'g1' is a record, and 'l1' is a text", "pair two of one kind"),
    ]
    with pytest.raises(BadRow, match="g1 is a record and l1 a text; a pair shows two of one kind"):
        desk.read(with_pair, desk.who, study, Row("p2", "g1", "l1"))
    drawn = sample_pairs(Sample(seed=1, conditions={"human-model": 1}), facts)
    assert drawn.pairs == ()
    assert drawn.faults[0].message == "'human-model': there are no clips yet"


def test_a_list_of_items_uses_them_and_lets_its_study_see_them(desk: Desk, folder: Path) -> None:
    fill(desk, folder)
    blocks = [{"id": "rate", "task": "rating", "items": "item,stimulus,group\ni1,g1,x\ni2,l1,\n"}]
    study = desk.write(create_study, desk.who, "rated", {"blocks": blocks}, NOW)
    with desk.database.reading() as session:
        used = {
            name: [(use.place, use.pairs) for use in uses]
            for name, uses in uses_of(session, ["g1", "g2"]).items()
        }
        admitted = session.exec(select(StudyClip.stimulus_id).where(StudyClip.study_id == study.id)).all()
        named = session.exec(select(Stimulus.id).where(col(Stimulus.name).in_(["g1", "l1"]))).all()
    assert used == {"g1": [("the draft of rated", ("i1",))], "g2": []}
    assert sorted(admitted) == sorted(id_ for id_ in named if id_ is not None)
    with pytest.raises(InUse, match="g1 is used in the draft of rated"):
        desk.write(delete_stimulus, desk.who, "g1", NOW)


@pytest.mark.both_databases
def test_a_content_goes_with_the_last_that_holds_it(desk: Desk, folder: Path) -> None:
    fill(desk, folder)
    sha256 = desk.stimulus("g1").content_sha256 or ""
    for name, is_kept in (("g1", True), ("g2", False)):
        deleted = desk.write(delete_stimulus, desk.who, name, NOW)
        desk.write(drop_files, ClipStore(desk.data_dir), deleted)
        with desk.database.reading() as session:
            assert (session.get(Content, sha256) is not None) is is_kept
    with pytest.raises(NotFound, match="There is no clip, record or text called 'g1'"):
        desk.read(stimulus_for, desk.who, "g1")


def test_editors_see_only_those_that_they_may(desk: Desk, folder: Path) -> None:
    fill(desk, folder)
    with desk.database.transaction() as session:
        editor = make_user(session, Role.EDITOR, "ann@example.org")
    assert desk.read(catalog, editor, CatalogFilter()).n_all == 0
    with pytest.raises(NotFound):
        desk.read(content_for, editor, "g1")


def test_the_clue_report_says_that_length_and_names_give_the_source_away(desk: Desk, tmp_path: Path) -> None:
    lines = ["file,name,source"]
    for number in range(12):
        source = "human" if number < 6 else "model"
        said = "Well, I bid " if source == "human" else "As a careful model I reason at length before I bid "
        (tmp_path / f"{number}.md").write_text(f"{said * (1 + number % 6)}{number}.\n")
        lines.append(f"{number}.md,t{number},{source}")
    (tmp_path / "manifest.csv").write_text("\n".join(lines) + "\n")
    fill(desk, tmp_path)
    items = "item,stimulus\n" + "".join(f"i{n},t{n}\n" for n in range(12))
    blocks = [{"id": "rate", "task": "rating", "items": items}]
    study = desk.write(create_study, desk.who, "rated", {"blocks": blocks}, NOW)
    found = desk.read(clips_of, study)
    assert (found.says, {clip.kind for clip in found.clips}) == ("12 texts", {"text"})
    job_id = desk.write(ask_clues, desk.who, study, NOW)
    desk.drain()
    job = desk.read(clue_run, study, job_id)
    assert job.status is JobStatus.DONE, job.message
    report = job.result["report"]
    clues = {clue["clue"]: clue for clue in report["clues"]}
    assert tuple(clues) == CLUES
    # The human texts name none, the model's all.
    assert (clues["source_names"]["against_others"]["auc"], clues["source_names"]["finding"]) == (
        0.0,
        "telling",
    )
    assert clues["source_names"]["advice"]["remedy"].startswith("Put neutral names in their place")
    lengths = [len((tmp_path / f"{n}.md").read_text().rstrip("\n")) for n in range(12)]
    wins = [(a > b) + (a == b) / 2 for a in lengths[:6] for b in lengths[6:]]
    assert clues["characters"]["against_others"]["auc"] == pytest.approx(sum(wins) / 36)
    assert clues["rounds"]["finding"] == "same"
    assert clues["player_names"]["advice"]["difference"] == "The same for all items: 0 times."
    assert report["verdict"] == "telling"
    assert report["summary"][0] == "7 clues of 12 texts were looked at: 6 human, 6 model."
    assert set(job.result["plots"]) == set(CLUES)
