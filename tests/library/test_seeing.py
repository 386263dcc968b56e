"""Visibility of a clip: its uploader, whoever sees a study that uses it, and owners. Nobody else learns that it is
there."""

from pathlib import Path

import pytest
from sqlmodel import col, update

from app.accounts.logins import NotAllowed, Who
from app.accounts.tables import Role
from app.catalog.catalog import catalog, known_sources, names_with_original, row_of
from app.catalog.editing import Edit, InUse, delete_stimulus, edit_stimulus
from app.catalog.rules import apply_rules, ask_preview, rules_in_force
from app.catalog.search import CatalogFilter
from app.catalog.sheet import BadSheet, apply_sheet, sheet
from app.catalog.uses import uses_of
from app.core.database import Database
from app.core.errors import NotFound
from app.library.tables import LIBRARY, Stimulus
from app.outputs.clues import clips_of
from app.pairs.draft import clip_cards, pairs_here, pairs_tried, with_pair
from app.studies.access import StudyHere
from app.studies.drafts import check_stored, create_study, design_of_version, draft_for, save_draft
from app.studies.truth import BadTruth, set_truth
from app.tasks.pair.rows import BadRow, Row
from app.tasks.pair.settings import pairs_of
from app.trials.tables import Mode, State, StudyVersion
from tests.admin.persons import make_user, share_study
from tests.factories import NOW, load_file
from tests.library.test_catalog import SAMPLE, Library, stocked
from tests.studies.test_truth import answered

__all__ = ["stocked"]
LIST = "pair,a,b\np1,human-g1,hybrid-g1\n"


@pytest.fixture
def eve(stocked: Database) -> Who:
    """An editor to whom nothing is shared."""
    with stocked.transaction() as session:
        return make_user(session, Role.EDITOR, "eve@example.org")


def test_an_unseen_clip_is_not_there_by_any_way(
    stocked: Database, who: Who, eve: Who, library: Library
) -> None:
    with stocked.transaction() as session:
        study = create_study(session, who, "nav", {"pairs": LIST}, NOW)
        rules, _ = rules_in_force(session)
        assert catalog(session, eve, CatalogFilter()).n_all == 0
        assert sheet(session, eve) == "name,source\r\n"
        assert [
            clip_cards(session, eve),
            names_with_original(session, eve, LIBRARY),
            known_sources(session, eve),
        ] == [[]] * 3
        for ask in (
            lambda: row_of(session, eve, "human-g1"),
            lambda: edit_stimulus(session, eve, "human-g1", Edit(source="replay"), NOW),
            lambda: edit_stimulus(session, eve, "human-g1", Edit(attributes={}), NOW),
            lambda: delete_stimulus(session, eve, "human-g6", NOW),
            lambda: ask_preview(session, eve, "human-g1", rules, NOW),
        ):
            with pytest.raises(NotFound, match="There is no clip"):
                ask()
        with pytest.raises(BadSheet, match="there is no clip, record or text called"):
            apply_sheet(session, eve, "name,source\nhuman-g6,replay\n", None, NOW)
        with pytest.raises(NotAllowed, match="an owner"):
            apply_rules(session, eve, rules, NOW)
        assert clips_of(session, study).clips, "the owner's own study has them"


def test_a_name_typed_or_drawn_in_the_dark_makes_no_clip_visible(
    stocked: Database, who: Who, eve: Who
) -> None:
    with stocked.transaction() as session:
        mine = create_study(session, eve, "mine", {"pairs": LIST}, NOW)
        assert pairs_here(session, eve, mine).found.pairs == ()
        assert pairs_tried(session, eve, mine, {"sample": SAMPLE}).found.pairs == ()
        assert check_stored(session, mine).design is None
        save_draft(session, eve, mine, {"sample": SAMPLE}, 1, NOW)
        assert pairs_here(session, eve, mine).found.pairs == ()
        assert clips_of(session, mine).clips == ()
        save_draft(session, eve, mine, {"pairs": LIST}, 2, NOW)
        assert catalog(session, eve, CatalogFilter()).n_all == 0
        assert uses_of(session, ["human-g1"]) == {"human-g1": []}, (
            "nor does it keep its owner from deleting it"
        )


def test_a_draft_that_an_owner_has_saved_shows_no_clip_that_it_does_not_use(
    stocked: Database, who: Who, eve: Who
) -> None:
    with stocked.transaction() as session:
        shared = create_study(session, eve, "shared", {"pairs": LIST, "title": "By Eve"}, NOW)
        save_draft(session, who, shared, {"title": "Changed by an owner"}, 1, NOW)
        assert pairs_here(session, eve, shared).stimuli == {}
        assert pairs_tried(session, eve, shared, {"pairs": LIST}).found.pairs == ()
        assert pairs_tried(session, eve, shared, {"sample": SAMPLE}).found.pairs == ()
        with pytest.raises(BadRow, match="There is no clip"):
            with_pair(session, eve, shared, Row("", "human-g1", "hybrid-g1"))
        with pytest.raises(BadTruth, match="choose none"):
            set_truth(session, eve, shared, "human", None, NOW)
        save_draft(session, who, shared, {"sample": SAMPLE}, 2, NOW)
        seen = catalog(session, eve, CatalogFilter())
        assert set(seen.sources) == {"human", "hybrid"}, "what an owner has the study draw from is its own"


def test_a_corrected_source_shows_in_no_draft_that_names_the_clip_in_the_dark(
    stocked: Database, who: Who, eve: Who
) -> None:
    listed = "pair,a,b,condition,truth,kind\np1,human-g1,hybrid-g1,human-hybrid,a,main\n"
    with stocked.transaction() as session:
        mine = create_study(session, eve, "mine", {"pairs": listed}, NOW)
        edit_stimulus(session, who, "human-g1", Edit(source="replay"), NOW)
        assert draft_for(session, mine).keys["pairs"] == listed


def test_a_clip_that_comes_after_its_name_was_listed_is_used(stocked: Database, who: Who, eve: Who) -> None:
    with stocked.transaction() as session:
        create_study(session, eve, "mine", {"pairs": LIST}, NOW)
        session.execute(update(Stimulus).values(uploaded_by=eve.user_id))
        assert [use.pairs for use in uses_of(session, ["human-g1"])["human-g1"]] == [("p1",)]
        with pytest.raises(InUse, match="the draft of mine"):
            delete_stimulus(session, eve, "human-g1", NOW)


@pytest.mark.both_databases
def test_uploaders_and_users_of_a_study_see_its_clips(stocked: Database, who: Who, eve: Who) -> None:
    with stocked.transaction() as session:
        drawn = create_study(session, who, "drawn", {"sample": SAMPLE}, NOW)
        create_study(session, who, "nav", {"pairs": LIST}, NOW)
        share_study(session, "nav", eve)
        session.execute(
            update(Stimulus).where(col(Stimulus.name) == "symbolic-g3").values(uploaded_by=eve.user_id)
        )
        seen = [each.name for each in catalog(session, eve, CatalogFilter()).stimuli]
        assert seen == ["human-g1", "hybrid-g1", "symbolic-g3"]
        assert [card.name for card in clip_cards(session, eve)] == ["human-g1", "hybrid-g1", "symbolic-g3"]
        assert sheet(session, eve).count("\r\n") == 4
        assert edit_stimulus(session, eve, "symbolic-g3", Edit(source="planner"), NOW) == "symbolic-g3"
        mine = create_study(session, eve, "mine", {"pairs": "pair,a,b\np1,human-g1,symbolic-g3\n"}, NOW)
        assert len(pairs_here(session, eve, mine).found.pairs) == 1
        share_study(session, "drawn", eve)
        once = pairs_here(session, eve, drawn).found.pairs
        assert once == pairs_here(session, who, drawn).found.pairs, "the same for whoever looks"
        save_draft(session, eve, drawn, {"sample": SAMPLE, "title": "Changed by Eve"}, 1, NOW)
        assert once == pairs_here(session, who, drawn).found.pairs


def test_what_an_answered_version_holds_is_not_changed_by_edits(
    stocked: Database, who: Who, tmp_path: Path
) -> None:
    """The source is refused by every way; attributes are part of no version, so that changing them changes none."""
    with stocked.transaction() as session:
        load_file(session, tmp_path, sample=SAMPLE)
        answered(session, Mode.LIVE)
        version = session.get_one(StudyVersion, 1)
        nav = StudyHere(version.study_id, "nav", State.LIVE)
        design, sha256 = design_of_version(session, nav, 1), version.sha256
    name = pairs_of(design.blocks)[0].a
    for refused, args in (
        (edit_stimulus, (who, name, Edit(source="replay"), NOW)),
        (apply_sheet, (who, f"name,source\n{name},replay\n", None, NOW)),
        (edit_stimulus, (who, name, Edit(name="another"), NOW)),
        (delete_stimulus, (who, name, NOW)),
    ):
        with (
            pytest.raises((InUse, BadSheet), match=r"cannot be (changed|deleted)"),
            stocked.transaction() as session,
        ):
            refused(session, *args)
    with stocked.transaction() as session:
        edit_stimulus(session, who, name, Edit(attributes={"goal": "another"}), NOW)
    with stocked.reading() as session:
        assert design_of_version(session, nav, 1) == design
        assert session.get_one(StudyVersion, 1).sha256 == sha256 == design.sha256()
        now_found = [
            (pair.id, pair.a, pair.b, pair.truth) for pair in pairs_here(session, who, nav).found.pairs
        ]
        assert now_found == [(p.id, p.a, p.b, p.truth) for p in pairs_of(design.blocks)], (
            "listed where they were drawn"
        )
