"""The pages of a study's pairs: picked, listed, drawn; each plain form works without script."""

import re
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import select

from app.accounts.logins import Who
from app.admin.studies.pairs.frame import rows_found
from app.core.database import Database
from app.library.collections import make_collection
from app.library.kinds import StimulusKind
from app.library.tables import Stimulus
from app.pairs.draft import pairs_here
from app.pairs.view import advice_on
from app.studies.access import StudyHere, study_for
from app.studies.collections import choose_collections, have_own_collection
from app.studies.drafts import create_study, draft_for, save_draft
from app.tasks.pair.design import Member
from app.tasks.pair.pairs import PairSpec, shown_in
from app.trials.design import Kind
from app.trials.stimuli import StimulusFacts
from tests.admin.persons import Person, Program, share_study
from tests.factories import NOW, study_file
from tests.studies.clips import Clip, add_clips

HERE = "/admin/studies/nav/pairs"
LIST = "pair,a,b,condition,truth,kind\nq1,human-g1,hybrid-g1,,,\nq2,hybrid-g2,human-g2,,,\nq3,human-g3,hybrid-g3,,,\n"
SAMPLE = study_file()["sample"]


@pytest.fixture
def made(owner: Person, database: Database) -> Person:
    """The owner, with clips and a study that has no pairs yet."""
    keys = study_file()
    keys.pop("sample")
    with database.transaction() as session:
        add_clips(session)
        create_study(session, owner.who, "nav", keys, NOW)
    return owner


def here(database: Database, who: Who) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """The draft's pairs keys, and the pairs that they make."""
    with database.reading() as session:
        study: StudyHere = study_for(session, who, "nav")
        keys = draft_for(session, study).keys
        found = pairs_here(session, who, study).found
    given: dict[str, Any] = {key: keys[key] for key in ("pairs", "sample") if key in keys}
    return given, [(pair.id, pair.a, pair.b) for pair in found.pairs]


def revision_on(html: str) -> str:
    return str(re.findall(r'name="revision" value="(\d+)"', html)[0])


def post(person: Person, path: str, fields: dict[str, str], seen: str = "", **more: Any) -> Any:
    """A form as it stands on the page at `seen`."""
    revision = revision_on(person.get(f"{HERE}{seen or path}").text)
    return person.post(f"{HERE}{path}", {"revision": revision, **fields}, **more)


def put_list(person: Person, text: str = LIST) -> None:
    assert post(person, "/csv", {"text": text, "do": "save"}, follow_redirects=False).status_code == 303


def test_a_new_study_is_offered_nothing_of_collections_that_it_does_not_use(
    owner: Person, database: Database
) -> None:
    with database.transaction() as session:
        add_clips(session)
    owner.post("/admin/studies/new", {"title": "Mine", "start": "template:hntt", "slug": "mine"})
    for page in ("", "/draw", "/pick"):
        html = owner.get(f"/admin/studies/mine/pairs{page}").text
        assert "There are no clips in this study yet" in html, page
        assert '<option value="hybrid"' not in html, page
        assert not re.search(r'<td class="num">\d+ of [1-9]', html), page
        assert not re.search(r"\(\d+ of [1-9]\d* clips\)", html), page


def test_a_study_without_pairs_says_the_three_ways_to_make_them(made: Person) -> None:
    html = made.get(HERE).text
    for way in ("draw", "pick", "csv"):
        assert f'href="{HERE}/{way}"' in html
    assert "0 main pairs" in html


def test_pairs_are_picked_one_after_the_other(made: Person, database: Database) -> None:
    assert "human-g1" in made.get(f"{HERE}/pick").text
    picked = {"a": "human-g1", "b": "hybrid-g2", "source_a": "human", "text_b": "g2", "kind": "main"}
    page = post(made, "/pick", picked)
    assert re.search(
        r"Added <strong>human-hybrid-01</strong>.*?condition\s+human-hybrid, truth a", page.text, re.S
    )
    assert re.search(r'name="source_a" value="human" data-find aria-pressed="true"', page.text), (
        "the filter stays"
    )
    assert "in 1 pair already" in page.text
    post(made, "/pick", {"a": "hybrid-g3", "b": "human-g3", "kind": "practice", "condition": "my own"})
    given, pairs = here(database, made.who)
    assert pairs == [("human-hybrid-01", "human-g1", "hybrid-g2"), ("my-own-p01", "hybrid-g3", "human-g3")]
    assert given["pairs"].splitlines()[1:] == [
        "human-hybrid-01,human-g1,hybrid-g2,,,main",
        "my-own-p01,hybrid-g3,human-g3,my own,,practice",
    ]


def test_the_lists_of_clips_are_filtered_by_source_and_words_without_script(made: Person) -> None:
    html = made.get(f"{HERE}/pick?source_a=human&text_a=G2&text_b=hybrid+g5&a=human-g2").text
    lists = re.findall(r'data-list="[ab]".*?</fieldset>', html, re.S)
    clips = [re.findall(r'type="radio" name="[ab]" value="([^"]+)"', each) for each in lists]
    assert clips == [["human-g2"], ["hybrid-g5"]]
    assert re.search(r'name="a" value="human-g2" required checked', html)


def test_a_long_library_is_shown_in_part_with_the_chosen_clip_first(made: Person, database: Database) -> None:
    with database.transaction() as session:
        add_clips(session, [(f"z{n:03d}", "other", {}) for n in range(200)])
    html = made.get(f"{HERE}/pick?a=z199").text
    first = re.search(r'data-list="a".*?name="a" value="([^"]+)"', html, re.S)
    assert first is not None
    assert first[1] == "z199"
    assert "1 to 20 of 218" in html
    assert re.search(r'name="show_a" value="60" data-find>Show 40 more', html)
    assert re.search(r'name="page_a" value="11" data-find>11<', html)
    last = made.get(f"{HERE}/pick?a=z199&page_a=11&q_b=z19&source_b=other").text
    assert "201 to 218 of 218" in last
    assert "1 to 10 of 10" in last


def test_a_study_s_own_collection_is_looked_through_first_and_all_others_by_choice(
    made: Person, database: Database
) -> None:
    with database.transaction() as session:
        study = study_for(session, made.who, "nav")
        own = have_own_collection(session, study.id, "Nav", NOW)
        for name in ("human-g1", "hybrid-g1"):
            session.exec(select(Stimulus).where(Stimulus.name == name)).one().collection_id = own.id or 0
    html = made.get(f"{HERE}/pick").text
    assert html.count("1 to 2 of 2") == 2
    # The sources of other collections are not offered, until all collections are looked through.
    assert re.findall(r'name="source_a" value="(\w*)"', html) == ["", "human", "hybrid"]
    everywhere = made.get(f"{HERE}/pick?collection_a=&collection_b=").text
    assert re.findall(r'name="source_a" value="(\w*)"', everywhere) == ["", "human", "hybrid", "symbolic"]
    assert 'name="collection_a" value="" data-find>All collections' in html
    assert "1 to 18 of 18" in made.get(f"{HERE}/pick?collection_a=&collection_b=").text


BAD_PICKS = [
    ({"a": "human-g1"}, "Choose a clip b"),
    ({"a": "human-g1", "b": "human-g1"}, "two different clips"),
    ({"a": "human-g1", "b": "nobody"}, "There is no clip &#39;nobody&#39;"),
    ({"a": "human-g1", "b": "hybrid-g1", "kind": "odd"}, "kind: &#39;odd&#39; is not allowed"),
    ({"a": "human-g1", "b": "hybrid-g1", "revision": "x"}, "incomplete"),
]


def test_a_pick_that_makes_no_pair_is_refused_and_kept(made: Person, database: Database) -> None:
    for fields, said in BAD_PICKS:
        page = post(made, "/pick", {"condition": "mine", **fields})
        assert page.status_code == 422
        assert said in page.text
        assert re.search(r'name="a" value="human-g1" required checked', page.text)
        assert 'value="mine"' in page.text
        assert here(database, made.who) == ({}, [])


def test_rows_are_moved_turned_changed_and_removed(made: Person, database: Database) -> None:
    put_list(made)
    for do, expected in [
        ("down 1", ["q2", "q1", "q3"]),
        ("up 3", ["q2", "q3", "q1"]),
        ("swap 1", ["q2", "q3", "q1"]),
        ("remove 2", ["q2", "q1"]),
    ]:
        page = post(made, "/rows", {"do": do}, seen="?")
        assert "Saved." in page.text
        assert [pair[0] for pair in here(database, made.who)[1]] == expected
    assert here(database, made.who)[1][0] == ("q2", "human-g2", "hybrid-g2")
    open_row = made.get(f"{HERE}?edit=2").text
    assert re.search(r'id="edit-pair" name="pair" value="q1"', open_row)
    post(
        made,
        "/rows",
        {"do": "change 2", "pair": "first", "a": "human-g5", "b": "hybrid-g5", "position": "1"},
        seen="?",
    )
    assert here(database, made.who)[1][0] == ("first", "human-g5", "hybrid-g5")


def test_a_row_with_something_wrong_is_marked_and_mended_in_place(made: Person, database: Database) -> None:
    put_form = {"text": LIST + "q4,human-g9,hybrid-g4,,,\n", "do": "save", "anyhow": "1"}
    assert post(made, "/csv", put_form, follow_redirects=False).status_code == 303
    html = made.get(HERE).text
    assert "row 5: column &#39;a&#39;: there is no clip &#39;human-g9&#39;" in html
    assert len(re.findall('<tr[^>]*class="bad-row"', html)) == 1
    post(made, "/rows", {"do": "change 4", "a": "human-g4"}, seen="?")
    assert len(here(database, made.who)[1]) == 4
    assert "to correct" not in made.get(HERE).text


def test_an_edit_that_is_refused_keeps_what_was_typed(made: Person, database: Database) -> None:
    put_list(made)
    page = post(made, "/rows", {"do": "change 2", "pair": "typed", "position": "99"}, seen="?")
    assert page.status_code == 422
    assert "not a place in the list" in page.text
    assert 'name="pair" value="typed"' in page.text
    for do in ("", "up", "up x", "up 0", "up 99", "burn 1", "up 99999999999"):
        assert post(made, "/rows", {"do": do}, seen="?").status_code == 422
    assert [pair[0] for pair in here(database, made.who)[1]] == ["q1", "q2", "q3"]


def test_an_old_page_changes_nothing(made: Person, database: Database) -> None:
    put_list(made)
    old = revision_on(made.get(HERE).text)
    post(made, "/rows", {"do": "remove 1"}, seen="?")
    for path, fields in [
        ("/rows", {"do": "remove 1"}),
        ("/pick", {"a": "human-g4", "b": "hybrid-g4"}),
        ("/csv", {"text": LIST, "do": "save"}),
        ("/draw", {"do": "save", "condition-0": "human-hybrid", "main-0": "2", "seed": "1"}),
        ("/clear", {}),
    ]:
        page = made.post(f"{HERE}{path}", {"revision": old, **fields})
        assert page.status_code == 409, path
        assert "changed this design since you opened it" in page.text
    assert [pair[0] for pair in here(database, made.who)[1]] == ["q2", "q3"]


def test_a_list_is_looked_at_before_it_replaces_anything(made: Person, database: Database) -> None:
    page = post(made, "/csv", {"text": LIST, "do": "preview"})
    assert "This list is fine" in page.text
    assert here(database, made.who) == ({}, [])
    file = [("file", ("pairs.csv", b"\xef\xbb\xbf" + LIST.replace("\n", "\r\n").encode()))]
    page = post(made, "/csv", {"text": "ignored", "do": "preview"}, files=file)
    assert "What the list says: 3 pairs" in page.text
    sent = re.search(r'<textarea name="text" hidden[^>]*>\n(.*?)</textarea>', page.text, re.S)
    assert sent is not None
    assert sent[1] == LIST


def test_a_list_is_read_as_excel_saves_text_and_one_in_windows_own_letters_is_refused_with_its_row(
    made: Person,
) -> None:
    def looked_at(data: bytes) -> str:
        page = post(made, "/csv", {"do": "preview"}, files=[("file", ("pairs.txt", data))])
        return " ".join(page.text.split())

    assert "What the list says: 3 pairs" in looked_at(LIST.replace(",", "\t").encode("utf-16"))
    refused = looked_at(LIST.replace("q2", "q-ü").encode("cp1252"))
    assert "row 3, column pair: &#39;q-ü&#39; is not UTF-8 but, it seems, Windows-1252" in refused
    assert "save it as CSV in UTF-8" in refused
    assert "CSV (UTF-8) or as Unicode text (UTF-16)" in refused


def test_names_of_a_list_that_look_alike_are_said_before_and_after(made: Person) -> None:
    assert "Some names look alike" not in post(made, "/csv", {"text": LIST, "do": "preview"}).text
    said = "column pair: &#39;q1&#39; and &#39;Q1&#39; differ only in upper and lower case. They count as different."
    text = LIST.replace("q3", "Q1")
    assert post(made, "/csv", {"text": text, "do": "preview"}).text.count(said) == 1
    put_list(made, text)
    assert made.get(HERE).text.count(said) == 1


BAD_LISTS = [
    ("pair,a,b\nq1,human-g1,hybrid-g1\nq1,human-g2,hybrid-gg\n", "row 3: column &#39;b&#39;"),
    ("pair;a;b\nq1;human-g1;hybrid-gg\n", "row 2: column &#39;b&#39;"),
    ('pair,a,b\n"q1,x\n', "is never closed"),
    ("pair,a,b\n", "there is no main pair"),
    ("pair,a,b,extra\nq1,human-g1,hybrid-g1,x\n", "unknown column &#39;extra&#39;"),
]


def test_a_list_that_does_not_hold_is_refused_row_by_row_and_replaces_nothing(
    made: Person, database: Database
) -> None:
    for text, said in BAD_LISTS:
        put_list(made)
        for do in ("preview", "save"):
            page = post(made, "/csv", {"text": text, "do": do})
            assert page.status_code == (200 if do == "preview" else 422)
            assert "This list cannot be used yet" in page.text
            assert said in page.text
        assert len(here(database, made.who)[1]) == 3


BAD_FILES = [b"", b"\x00\x01", "é,ü".encode("latin-1"), "pair,a,b".encode("utf-16")]


def test_a_file_that_is_no_list_is_refused_in_words(made: Person) -> None:
    for data in BAD_FILES:
        page = post(made, "/csv", {"do": "save"}, files=[("file", ("<i>x.csv", data))])
        assert page.status_code == 422
        assert 'class="callout bad"' in page.text
        assert "<i>" not in page.text
    empty = post(made, "/csv", {"do": "preview"}, files=[("file", ("x.csv", b" \n"))])
    assert "x.csv is empty: choose another file" in empty.text


def test_a_list_of_pairs_is_not_said_to_want_a_mapping_file(made: Person) -> None:
    said = post(made, "/csv", {"text": 'pair,a,b\n"q1,x\n', "do": "preview"}).text
    assert "those within it doubled)" in said
    assert "mapping file" not in said


def test_the_list_is_downloaded_with_everything_said_and_can_be_put_back(
    made: Person, database: Database
) -> None:
    put_list(made)
    reply = made.get(f"{HERE}.csv")
    assert reply.headers["content-disposition"] == 'attachment; filename="nav-pairs.csv"'
    assert reply.text.splitlines()[1:3] == [
        "q1,human-g1,hybrid-g1,human-hybrid,a,main",
        "q2,hybrid-g2,human-g2,human-hybrid,b,main",
    ]
    before = here(database, made.who)[1]
    put_list(made, reply.text)
    assert here(database, made.who)[1] == before


DRAW = {
    "use": "even",
    "condition-0": "human-hybrid",
    "main-0": "5",
    "practice-0": "1",
    "condition-1": "hybrid-symbolic",
    "main-1": "0",
    "match-1": "goal",
    "seed": "7",
}


def test_a_draw_is_looked_at_and_then_saved(made: Person, database: Database) -> None:
    assert 'name="condition-0" value="human-hybrid"' in made.get(f"{HERE}/draw").text
    page = post(made, "/draw", {**DRAW, "do": "preview"})
    assert "6 pairs, seed 7" in page.text
    assert "What would be drawn" in page.text
    assert re.search(r'name="match-\d" value="goal" checked', page.text)
    assert here(database, made.who) == ({}, [])
    post(made, "/draw", {**DRAW, "do": "save"})
    given, pairs = here(database, made.who)
    drawn = given["sample"].pop("drawn")
    assert [line.split(",")[0] for line in drawn.splitlines()[1:]] == [name for name, *_ in pairs]
    assert given == {
        "sample": {
            "match": "goal",
            "seed": 7,
            "use": "even",
            "conditions": {"human-hybrid": 5},
            "practice": {"human-hybrid": 1},
        }
    }
    assert [name for name, *_ in pairs] == ["human-hybrid-p01", *(f"human-hybrid-0{n}" for n in range(1, 6))]
    assert "The pairs drawn" in made.get(f"{HERE}/draw").text


def test_a_long_table_of_pairs_is_folded_and_open_where_a_row_is_to_be_corrected(made: Person) -> None:
    many = {name: value for name, value in DRAW.items() if name != "match-1"} | {"main-0": "12"}
    page = post(made, "/draw", {**many, "do": "preview"}).text
    assert '<details class="rest" id="rest"><summary>All 13 pairs: 10 more</summary>' in page
    assert len(re.findall(r'data-label="Clip a"', page)) == 13
    rows = [f"q{n},human-g{1 + n % 2},hybrid-g{1 + n % 2}" for n in range(11)]
    text = "\n".join(["pair,a,b", *rows, "q11,human-g1,nobody"])
    page = post(made, "/csv", {"do": "preview", "text": text}).text
    assert '<details class="rest" id="rest" open><summary>All 12 pairs: 4 more</summary>' in page


def test_drawn_pairs_are_kept_until_drawn_again(made: Person, database: Database) -> None:
    post(made, "/draw", {**DRAW, "do": "save"})
    was = here(database, made.who)
    assert "data-drawing" not in made.get(HERE).text, "nothing to say while a draw would give the same"
    more = [
        (f"{source}-x{n}", source, {"goal": f"g{n}"}) for source in ("human", "hybrid") for n in range(1, 7)
    ]
    with database.transaction() as session:
        add_clips(session, more)
    assert here(database, made.who) == was
    assert "They stay until you draw again. Clips were added or changed since" in made.get(HERE).text
    shown = made.get(f"{HERE}/draw").text
    assert re.search(r"Draw \d+ pairs again", shown)
    assert "Replaces the 6 pairs here. Nobody has answered them yet." in shown
    assert shown.index("Pairs within one source") < shown.index('value="human-human"')
    rare = shown.index("Pairs of two other sources")
    assert shown.index('value="human-hybrid"') < rare < shown.index('value="hybrid-symbolic"')
    post(made, "/draw", {**DRAW, "do": "save"})
    assert here(database, made.who) == was, "saved as it stands, it is no other draw"
    post(made, "/again", {}, seen="/draw")
    anew = here(database, made.who)
    assert {name for _, *names in anew[1] for name in names} & {name for name, *_ in more}
    assert "data-drawing" not in made.get(HERE).text


def test_a_draw_of_the_studys_own_sources_is_offered_while_there_are_no_pairs(
    made: Person, database: Database
) -> None:
    shown = made.get(HERE).text
    assert "Draw these pairs" in shown
    fields = dict(
        re.findall(r'<input type="hidden" name="((?:condition|main)-\d+|seed|use)" value="([^"]*)">', shown)
    )
    post(made, "/draw", {**fields, "do": "save"})
    pairs = here(database, made.who)[1]
    assert pairs
    assert all("human" in name for name, *_ in pairs), "each is held against the true source"
    shown = made.get(HERE).text
    assert "Draw these pairs" not in shown
    assert "They stay until you draw again." in shown
    assert shown.count('class="btn primary"') == 1


def test_a_draw_that_nobody_has_kept_says_that_it_changes(made: Person, database: Database) -> None:
    with database.transaction() as session:
        study = study_for(session, made.who, "nav")
        draft = draft_for(session, study)
        save_draft(session, made.who, study, {**draft.keys, "sample": SAMPLE}, draft.revision, NOW)
    assert "they change as clips are added or removed" in made.get(HERE).text
    was = here(database, made.who)[1]
    post(made, "/again", {}, seen="/draw")
    assert "they change as clips are added or removed" not in made.get(HERE).text
    given, kept = here(database, made.who)
    assert kept == was
    assert "drawn" in given["sample"]


def test_the_true_source_is_asked_for_where_it_is_not_known(owner: Person, database: Database) -> None:
    clips: list[Clip] = [(f"{source}-{i}", source, {}) for source in ("fake", "real") for i in (1, 2)]
    rows = "pair,a,b\nq1,fake-1,real-1\nq2,real-2,fake-2\n"
    with database.transaction() as session:
        add_clips(session, clips)
        create_study(session, owner.who, "nav", {"title": "Which is real?", "pairs": rows}, NOW)
    for path in ("", "/pick", "/csv", "/draw"):
        page = owner.get(f"{HERE}{path}").text
        assert "Which source is the true one?" in page
        assert "No pair has a truth" in page
    assert post(owner, "/truth", {"source": "human"}, seen="/draw").status_code == 422
    page = post(owner, "/truth", {"source": "real"}, seen="/draw")
    assert "The true source is real: 2 of 2 main pairs have a truth." in page.text
    assert re.findall(r"true: ([ab])", page.text) == ["b", "a"]
    assert "no truth<" not in page.text


def test_another_seed_draws_other_pairs_and_saves_nothing(made: Person, database: Database) -> None:
    page = post(made, "/draw", {**DRAW, "match-1": "", "do": "seed"})
    found = re.search(r'id="seed" name="seed" value="(\d+)"', page.text)
    assert found is not None
    assert found[1] != "7"
    assert f"6 pairs, seed {found[1]}" in page.text
    assert here(database, made.who) == ({}, [])


BAD_DRAWS = [
    ({"main-0": "6"}, "main-0", "7 pairs (1 for practice) asked for"),
    ({"main-0": "many"}, "main-0", "is not a whole number"),
    ({"main-0": "-1"}, "main-0", "is too small"),
    ({"seed": "x"}, "seed", "is not a whole number"),
    ({"seed": ""}, "seed", "is not a whole number"),
    # Nothing is asked for yet: that is no fault, the seed is.
    ({"main-0": "", "practice-0": "", "seed": "x"}, "seed", "is not a whole number"),
    ({"condition-0": "human-nobody"}, "main-0", "does not name two sources"),
    ({"match-0": "wind"}, "match", "no clip has the attribute &#39;wind&#39;"),
]


def test_a_draw_that_does_not_hold_is_refused_at_its_field(made: Person, database: Database) -> None:
    for fields, field, said in BAD_DRAWS:
        for do, status in (("preview", 200), ("save", 422)):
            page = post(made, "/draw", {**DRAW, **fields, "do": do})
            assert page.status_code == status
            assert re.search(rf'class="error"[^>]*>[^<]*{re.escape(said)}', page.text)
            if field != "match":
                assert re.search(rf'name="{field}"[^>]*aria-invalid="true"', page.text)
        assert here(database, made.who) == ({}, [])


def test_a_draw_becomes_a_list_of_the_same_pairs_and_back(made: Person, database: Database) -> None:
    post(made, "/draw", {**DRAW, "do": "save"})
    drawn = here(database, made.who)[1]
    assert "turn them" in made.get(f"{HERE}/pick").text
    refused = post(made, "/pick", {"a": "human-g1", "b": "symbolic-g1"})
    assert refused.status_code == 409
    page = post(made, "/list", {}, seen="?")
    assert "now a list" in page.text
    given, listed = here(database, made.who)
    assert (list(given), listed) == (["pairs"], drawn)
    assert "The audit log keeps the list of pairs, and" in made.get(f"{HERE}/draw").text
    assert post(made, "/list", {}, seen="?").status_code == 409
    post(made, "/draw", {**DRAW, "do": "save"})
    assert list(here(database, made.who)[0]) == ["sample"]
    assert post(made, "/clear", {}, seen="/draw").status_code == 200
    assert here(database, made.who) == ({}, [])


def test_use_balance_and_warnings_stand_beside_every_way(made: Person, database: Database) -> None:
    put_list(made, LIST + "q4,human-g1,symbolic-g1,,,practice\n")
    for path in ("", "/pick", "/csv"):
        html = made.get(f"{HERE}{path}").text
        assert "<strong>3 main pairs</strong>" in html
        assert "1 clip comes in practice and again in a main pair" in html
        assert "True member left in 1 or 2 of 3, in turn" in html
        assert re.search(r'<th scope="row">human</th><td class="num">3 of 6</td><td class="num">4</td>', html)
        assert re.search(r'<th scope="row">human-g1</th><td>human</td><td class="num">2</td>', html)


def test_a_program_does_what_the_pages_do(made: Person, database: Database, api: Program) -> None:
    empty = api.get("/studies/nav/pairs").json()
    assert (empty["way"], empty["pairs"]) == ("none", [])
    tried = api.post("/studies/nav/pairs/preview", {"sample": SAMPLE}).json()
    assert len(tried["pairs"]) == 11
    assert tried["sources"][0] == {"source": "human", "n_clips": 6, "n_used": 6, "n": 7}
    faulty = api.post(
        "/studies/nav/pairs/preview", {"sample": {"conditions": {"human-hybrid": 99}, "seed": 1}}
    ).json()
    assert faulty["faults"][0]["place"] == ["sample", "conditions", "human-hybrid"]
    revision = api.get("/studies/nav/draft").json()["revision"]
    put = api.put("/studies/nav/pairs", {"sample": SAMPLE, "revision": revision})
    assert put.status_code == 200
    again = api.put("/studies/nav/pairs", {"pairs": LIST, "revision": revision})
    assert again.status_code == 409
    revision = api.post("/studies/nav/pairs/list", put.json()).json()["revision"]
    revision = api.post(
        "/studies/nav/pairs", {"a": "human-g1", "b": "human-g2", "revision": revision}
    ).json()["revision"]
    edit = {"do": "change", "cells": {"pair": "mine"}, "position": 1, "revision": revision}
    assert api.patch("/studies/nav/pairs/12", edit).status_code == 200
    assert here(database, made.who)[1][0] == ("mine", "human-g1", "human-g2")
    neither = api.put("/studies/nav/pairs", {"revision": revision + 1})
    assert (neither.status_code, "Give either" in neither.json()["message"]) == (422, True)


def test_pairs_of_texts_are_not_reported_missing() -> None:
    """No clip has the name of a text; the pair that was read knows the sources."""
    pair = PairSpec("q1", "real1", "model1", "real", "model", "real-model", Kind.MAIN, Member.A, 1)
    (row,) = rows_found([pair], {})
    assert (row.source_a, row.source_b) == ("real", "model")


def test_the_table_of_pairs_is_headed_by_what_they_are_of(made: Person) -> None:
    texts = {
        name: StimulusFacts(name, "model", {}, "", kind=StimulusKind.TEXT) for name in ("real1", "model1")
    }
    pair = PairSpec("q1", "real1", "model1", "real", "model", "real-model", Kind.MAIN, Member.A, 1)
    assert shown_in([pair], texts) is StimulusKind.TEXT
    assert shown_in([], texts) is StimulusKind.CLIP
    again = [pair, replace(pair, id="q2")]
    assert advice_on(again, "balanced", "text")[0].message.startswith(
        "2 texts are shown to every participant more than once"
    )
    put_list(made)
    page = made.get(HERE).text
    assert ">Clip a<" in page
    assert 'data-label="Clip b"' in page


def test_both_pages_of_a_draft_count_the_same_clips(made: Person, editor: Person, database: Database) -> None:
    """Those of the study, of the kind that is drawn, that the draft's author sees: whoever looks, on each page."""
    asked = {"conditions": {"human-hybrid": 3}, "match": "goal", "seed": 1}
    clips: list[Clip] = [(f"{source}-own", source, {"goal": "1"}) for source in ("human", "hybrid")]
    with database.transaction() as session:
        share_study(session, "nav", editor.who)
        study = study_for(session, made.who, "nav")
        own = have_own_collection(session, study.id, "Nav", NOW)
        add_clips(session, [*clips, ("human-bare", "human", {})], own.id or 0)
        elsewhere = make_collection(session, "Elsewhere", NOW)
        add_clips(session, [("human-elsewhere", "human", {"goal": "1"})], elsewhere.id or 0)
        choose_collections(session, made.who.actor, study.id, "nav", (), NOW)
        draft = draft_for(session, study)
        save_draft(session, editor.who, study, {**draft.keys, "sample": asked}, draft.revision, NOW)
    pages = [made.get(HERE).text, made.get(f"{HERE}/draw").text]
    for page in pages:
        assert set(re.findall(r"(\d+) human and (\d+) hybrid clips make only (\d+)", page)) == {
            ("2", "1", "1")
        }
        assert '<th scope="row">human</th><td class="num">0 of 2</td>' in page
    assert "2 of 3 clips" in pages[1], "of the study's own clips those that have a goal"
