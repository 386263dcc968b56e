"""The library looked through, changed and tidied, on both databases."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, Role
from app.catalog.catalog import catalog, row_of, stimulus_for
from app.catalog.editing import Deleted, Edit, InUse, delete_stimulus, drop_files, edit_stimulus
from app.catalog.search import CatalogFilter, natural
from app.catalog.sheet import BadSheet, apply_sheet, plan_sheet, sheet
from app.catalog.uses import UNSEEN, uses_for, uses_of
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.names import BadStimulus
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus, Upload
from app.studies.drafts import create_study
from app.trials.tables import Mode, StudyVersion, UnitMember
from tests.admin.persons import make_user, share_study
from tests.factories import NOW, load_file
from tests.studies.test_truth import answered

OWNER = Who(0, "owner@example.org", Role.OWNER)
Library = tuple[ClipStore, Sequence[ImportedClip]]
SAMPLE = {"match": "goal", "seed": 7, "conditions": {"human-hybrid": 2}}


@pytest.fixture
def stocked(database: Database, library: Library) -> Database:
    """Eighteen clips: three sources of six goals."""
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
    return database


def names(database: Database, **wanted: object) -> list[str]:
    with database.reading() as session:
        return [each.name for each in catalog(session, OWNER, CatalogFilter(**wanted)).stimuli]  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_clips_are_found_by_name_source_and_attributes_and_sorted(stocked: Database) -> None:
    assert len(names(stocked)) == 18
    assert names(stocked, source="human", attributes={"goal": "g2"}) == ["human-g2"]
    assert names(stocked, text="BRID-G3") == ["hybrid-g3"]
    assert names(stocked, attributes={"goal": "g1", "player": ""}) == ["human-g1", "hybrid-g1", "symbolic-g1"]
    assert names(stocked, attributes={"nothing": "x"}) == []
    assert names(stocked, sort="source")[:7] == [*(f"human-g{n}" for n in range(1, 7)), "hybrid-g1"]
    assert names(stocked, sort="goal")[:3] == ["human-g1", "hybrid-g1", "symbolic-g1"]
    assert sorted(["walk-10", "walk-9", "Walk-1"], key=natural) == ["Walk-1", "walk-9", "walk-10"]


def test_a_page_at_a_time_and_what_there_is_to_choose_from(stocked: Database) -> None:
    with stocked.reading() as session:
        pages = [catalog(session, OWNER, CatalogFilter(page=page), per_page=7) for page in (1, 2, 3, 99)]
    assert [len(page.stimuli) for page in pages] == [7, 7, 4, 4]
    assert len({each.name for page in pages[:3] for each in page.stimuli}) == 18
    assert (pages[3].page, pages[3].n_pages, pages[3].n_found, pages[3].n_all) == (3, 3, 18, 18)
    assert pages[0].sources == {"human": 6, "hybrid": 6, "symbolic": 6}
    assert pages[0].values["goal"] == ["g1", "g2", "g3", "g4", "g5", "g6"]


def test_stimuli_without_a_clip_are_not_in_the_library(stocked: Database) -> None:
    with stocked.transaction() as session:
        session.add(Stimulus(name="answers-only", source="human", attributes={}, rules={}, imported_at=NOW))
    assert "answers-only" not in names(stocked)
    with stocked.reading() as session, pytest.raises(NotFound):
        stimulus_for(session, OWNER, "answers-only")
    with stocked.reading() as session, pytest.raises(NotFound):
        row_of(session, OWNER, "nul\x00")


def pair_up(session: Session, who: Who, folder: Path) -> None:
    """A version of `nav` that shows four clips, and a draft of `other` that lists two more."""
    load_file(session, folder, sample=SAMPLE)
    create_study(session, who, "other", {"pairs": "pair,a,b\np1,human-g6,symbolic-g6\nbroken"}, NOW)


def shown(session: Session) -> list[str]:
    found = uses_of(session, session.exec(select(Stimulus.name)).all())
    return sorted(name for name, uses in found.items() if any(use.study == "nav" for use in uses))


@pytest.mark.both_databases
def test_uses_are_found_in_versions_and_in_the_lists_of_drafts(
    stocked: Database, who: Who, tmp_path: Path
) -> None:
    with stocked.transaction() as session:
        pair_up(session, who, tmp_path)
        session.exec(select(StudyVersion)).one().frozen_at = NOW
    with stocked.reading() as session:
        used = shown(session)
        found = uses_of(session, ["human-g6", "symbolic-g6", used[0]])
        stranger = make_stranger(stocked)
        assert len(used) == 4
        assert [(use.place, use.pairs, use.is_frozen) for use in found["symbolic-g6"]] == [
            ("the draft of other", ("p1",), False)
        ]
        assert [(use.study, use.version, use.is_frozen) for use in found[used[0]] if use.version] == [
            ("nav", 1, True)
        ]
        assert [use.study for use in uses_for(session, stranger, found["symbolic-g6"])] == [UNSEEN]
        assert uses_for(session, who, found["symbolic-g6"])[0].study == "other"


def make_stranger(database: Database) -> Who:
    with database.transaction() as session:
        return make_user(session, Role.EDITOR, "stranger@example.org")


def test_clip_attributes_are_changed_and_recorded(stocked: Database, who: Who) -> None:
    wish = Edit(name="walker", source="replay", attributes={"goal": "g9", "player": "", "note": "ok"})
    with stocked.transaction() as session:
        assert edit_stimulus(session, who, "human-g1", wish, NOW) == "walker"
        edit_stimulus(session, who, "walker", Edit(source="replay"), NOW)  # nothing differs: no entry
    with stocked.reading() as session:
        row = row_of(session, OWNER, "walker")
        entries = session.exec(
            select(AuditEntry).where(AuditEntry.action == "stimulus.edit").order_by(col(AuditEntry.id))
        ).all()
    assert (row.source, row.attributes) == ("replay", {"goal": "g9", "note": "ok"})
    assert [(entry.before, entry.after) for entry in entries] == [
        (
            {"name": "human-g1", "source": "human", "attributes": {"goal": "g1", "player": "secret-player"}},
            {"name": "walker", "source": "replay", "attributes": {"goal": "g9", "note": "ok"}},
        )
    ]


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        (Edit(name="human-g2"), Conflict),
        (Edit(name="../x"), BadStimulus),
        (Edit(source=""), BadStimulus),
        (Edit(attributes={"name": "x"}), BadStimulus),
    ],
)
def test_a_bad_edit_changes_nothing(stocked: Database, who: Who, wish: Edit, error: type[Exception]) -> None:
    with pytest.raises(error), stocked.transaction() as session:
        edit_stimulus(session, who, "human-g1", wish, NOW)
    with stocked.reading() as session:
        assert row_of(session, OWNER, "human-g1").source == "human"


def test_what_designs_rest_on_stays(stocked: Database, who: Who, tmp_path: Path) -> None:
    with stocked.transaction() as session:
        pair_up(session, who, tmp_path)
        share_study(session, "nav", who)
        used = shown(session)[0]
    for name, wish, message in (
        (used, Edit(name="other"), "version 1 of nav"),
        ("symbolic-g6", Edit(name="other"), "the draft of other"),
    ):
        with pytest.raises(InUse, match=message), stocked.transaction() as session:
            edit_stimulus(session, who, name, wish, NOW)
    with stocked.transaction() as session:
        edit_stimulus(session, who, "symbolic-g6", Edit(source="planner"), NOW)  # a draft has no truth yet
        edit_stimulus(session, who, used, Edit(attributes={"goal": "changed"}), NOW)
    for name in (used, "human-g6"):
        with pytest.raises(InUse, match="cannot be deleted"), stocked.transaction() as session:
            delete_stimulus(session, who, name, NOW)


def test_a_deleted_clip_s_files_go_where_nobody_else_needs_them(
    stocked: Database, who: Who, tmp_path: Path
) -> None:
    store = ClipStore(tmp_path / "store")
    (tmp_path / "a.mp4").write_bytes(b"original")
    (tmp_path / "b.mp4").write_bytes(b"clip")
    original, clip = store.keep_original(tmp_path / "a.mp4"), store.keep_clip(tmp_path / "b.mp4")
    with stocked.transaction() as session:
        for name in ("human-g1", "human-g2"):
            row = row_of(session, OWNER, name)
            row.original_sha256, row.clip_sha256 = original.sha256, clip.sha256
        session.add(
            Upload(
                token="t" * 32,
                user_id=who.user_id,
                file_name="a",
                bytes=1,
                name="a",
                source="human",
                attributes={},
                status="done",
                stimulus_id=row_of(session, OWNER, "human-g1").id,
                created_at=NOW,
            )
        )
    for name, is_kept in (("human-g1", True), ("human-g2", False)):
        with stocked.transaction() as session:
            deleted = delete_stimulus(session, who, name, NOW)
        with stocked.transaction() as session:
            drop_files(session, store, deleted)
        assert deleted == Deleted(clip.sha256, original.sha256)
        assert store.clip_path(clip.sha256).exists() is is_kept
        assert store.has_original(original.sha256) is is_kept
    with stocked.reading() as session:
        assert session.exec(select(Upload)).one().stimulus_id is None


def test_a_clip_that_an_old_version_shows_keeps_its_file(stocked: Database, tmp_path: Path) -> None:
    store = ClipStore(tmp_path / "store")
    (tmp_path / "b.mp4").write_bytes(b"clip")
    clip = store.keep_clip(tmp_path / "b.mp4")
    with stocked.transaction() as session:
        load_file(session, tmp_path, sample=SAMPLE)
        session.exec(select(UnitMember)).all()[0].sha256 = clip.sha256
        drop_files(session, store, Deleted(clip.sha256, None))
    assert store.clip_path(clip.sha256).exists()


def edited(database: Database, *changes: tuple[str, str]) -> str:
    with database.reading() as session:
        text = sheet(session, OWNER)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


def test_the_table_handed_back_unchanged_changes_nothing(stocked: Database, who: Who) -> None:
    with stocked.transaction() as session:
        row_of(session, OWNER, "human-g1").attributes = {
            "goal": "g1",
            "say": 'a "quoted", =1+1\nline',
            "gap": "",
        }
    text = edited(stocked)
    header = text.splitlines()[0].split(",")
    assert header[:2] == ["name", "source"]
    assert sorted(header[2:]) == ["gap", "goal", "player", "say"]  # in whatever order the database keeps them
    with stocked.reading() as session:
        for variant in (text, "\ufeff" + text, text.replace("\r\n", "\n"), text.replace("\n", "\r\n")):
            plan = plan_sheet(session, who, variant)
            assert (plan.changes, plan.faults, plan.n_rows) == ((), (), 18)


def test_an_edited_table_is_shown_then_applied_whole_and_recorded(stocked: Database, who: Who) -> None:
    text = edited(
        stocked,
        ("name,source,goal,player", "name,source,goal,player,level"),
        ("human-g1,human,g1,secret-player", "human-g1,person,g1,,easy"),
        (",secret-player\r\n", ",secret-player,\r\n"),
    )
    with stocked.reading() as session:
        plan = plan_sheet(session, who, text)
    assert [(c.name, c.column, c.before, c.after) for c in plan.changes] == [
        ("human-g1", "source", "human", "person"),
        ("human-g1", "player", "secret-player", ""),
        ("human-g1", "level", "", "easy"),
    ]
    with stocked.transaction() as session:
        apply_sheet(session, who, text, plan.digest, NOW)
    with stocked.reading() as session:
        row = row_of(session, OWNER, "human-g1")
        entry = session.exec(select(AuditEntry).where(AuditEntry.action == "stimuli.edit")).one()
    assert (row.source, row.attributes) == ("person", {"goal": "g1", "level": "easy"})
    assert (entry.before["human-g1"]["source"], entry.after["human-g1"]["source"]) == ("human", "person")
    with pytest.raises(Conflict, match="have changed since"), stocked.transaction() as session:
        apply_sheet(session, who, text, plan.digest, NOW)


def test_formulas_go_out_defused_and_come_back_as_they_were(stocked: Database, who: Who) -> None:
    with stocked.transaction() as session:
        row_of(session, OWNER, "human-g1").attributes = {"=x": "=1+1", "say": "'=2", "n": "-0.5", "m": "- a"}
    with stocked.transaction() as session:
        text = sheet(session, OWNER)
        lines = text.split("\r\n")
        first = dict(zip(lines[0].split(","), lines[1].split(","), strict=True))
        assert (
            first.items()
            >= {"name": "human-g1", "'=x": "'=1+1", "say": "''=2", "n": "-0.5", "m": "'- a"}.items()
        )
        plan = apply_sheet(session, who, text, None, NOW)
        assert (plan.changes, plan.faults) == ((), ())


def test_a_table_of_very_many_columns_or_with_a_huge_cell_is_refused_in_words(
    stocked: Database, who: Who
) -> None:
    many = ",".join(["name", "source", *["goal"] * 400_000])
    with stocked.reading() as session:
        assert "400000 times" in str(plan_sheet(session, who, many).faults[0])
        named = ",".join(["name", *(f"{'x' * 101}{n}" for n in range(40_000))])
        assert len(plan_sheet(session, who, named).faults) == 200
        long = plan_sheet(session, who, f"name,goal\nhuman-g1,{'x' * 131_073}\n")
        assert "more than 131,072 characters" in str(long.faults[0])
        zero = plan_sheet(session, who, "name,goal\nhuman-g1,\0\n").faults[0]
        assert "the file holds zero bytes" in str(zero)


def test_rows_and_columns_left_out_stay_as_they_are(stocked: Database, who: Who) -> None:
    with stocked.transaction() as session:
        apply_sheet(session, who, "name,goal\nhuman-g1,g7\n", None, NOW)
    with stocked.reading() as session:
        row = row_of(session, OWNER, "human-g1")
        assert (row.source, row.attributes) == ("human", {"goal": "g7", "player": "secret-player"})
        assert row_of(session, OWNER, "human-g2").attributes["goal"] == "g2"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "The table is empty"),
        ("source,name\nhuman,human-g1\n", "row 1, column name: the first column"),
        ("name,goal,goal\nhuman-g1,a,b\n", "row 1: the column 'goal' comes twice (name each column once)"),
        ("name,file\nhuman-g1,a\n", "row 1, column file"),
        ("name,\nhuman-g1,a\n", "row 1, column (no name)"),
        (
            "name,source\nnobody,human\n",
            "row 2, column name: there is no clip, record or text called 'nobody'",
        ),
        ("name,source\nhuman-g1,human\nhuman-g1,human\n", "row 3, column name: 'human-g1' stands in row 2"),
        ("name,source\nhuman-g1,a b\n", "row 2, column source"),
        ("name,source\nhuman-g1\n", "row 2: has 1 cells, the header 2"),
        ('name,source\nhuman-g1,"human\n', "row"),
        (f"name,goal\nhuman-g1,{'x' * 3000}\n", "row 2, column goal"),
        ("name,goal\nhuman-g1,\x1b[0m\n", "row 2, column goal"),
    ],
)
def test_a_faulty_table_is_refused_whole_with_row_and_column(
    stocked: Database, who: Who, text: str, place: str
) -> None:
    good = "human-g2,machine\n" if text.startswith("name,source\n") and '"' not in text else ""
    with pytest.raises(BadSheet) as caught, stocked.transaction() as session:
        apply_sheet(session, who, text + good, None, NOW)
    assert place in str(caught.value.plan.faults[0])
    assert "Nothing was changed" in str(caught.value)
    with stocked.reading() as session:
        assert row_of(session, OWNER, "human-g2").source == "human"


def test_the_table_changes_no_source_that_a_version_rests_on(
    stocked: Database, who: Who, tmp_path: Path
) -> None:
    with stocked.transaction() as session:
        load_file(session, tmp_path, sample=SAMPLE)
        answered(session, Mode.LIVE)
        used = shown(session)[0]
        plan = plan_sheet(session, who, f"name,source\n{used},other\n")
    assert (plan.faults[0].row, plan.faults[0].column) == (2, "source")
    assert "cannot be changed" in plan.faults[0].message
