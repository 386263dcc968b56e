"""Collections: a study's own and shared ones, their frames, and the files that come into them."""

from pathlib import Path

import pytest
from sqlmodel import select

from app.accounts.logins import NotAllowed
from app.accounts.tables import Role
from app.catalog.catalog import catalog
from app.catalog.collections import choose, collections_for, collections_of
from app.catalog.filling import collection_to_fill, set_frame
from app.catalog.packed import make_study_with_collections
from app.catalog.rules import apply_rules, rules_in_force
from app.catalog.search import CatalogFilter
from app.catalog.shared import new_collection
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.library.clips.framing import frame_proposal, proposed_frame, sizes_in
from app.library.clips.rules import Rules
from app.library.collections import BadCollection, collection_ids
from app.library.tables import LIBRARY, Stimulus, UploadStatus
from app.studies.access import StudyHere, share, study_for
from app.studies.collections import ids_of, may_rule
from app.studies.deleting import delete_study
from app.studies.drafts import create_study
from app.studies.making import Start
from app.studies.seeing import facts_for
from app.trials.stimuli import own_of
from tests.admin.persons import make_user
from tests.factories import NOW
from tests.library.clips.videos import make_video
from tests.library.desk import Desk, run
from tests.studies.clips import add_clips

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

SHAPES = {"portrait": (90, 160), "wide": (160, 90), "wide-2": (128, 72), "television": (96, 72)}


def test_the_proposed_frame_is_the_middle_shape_even_and_at_most_1280_by_720() -> None:
    cases = [
        ([(1920, 1080)], (1280, 720)),
        ([(1080, 1920)], (404, 720)),
        ([(1024, 768)], (960, 720)),
        ([(641, 361)], (640, 360)),
        ([(1920, 1080), (1080, 1920), (1440, 1080)], (960, 720)),
        ([(1920, 1080), (1920, 1080), (1080, 1920)], (1280, 720)),
        ([(3, 3)], (16, 16)),
        ([(100, 5000)], (16, 720)),
    ]
    for sizes, frame in cases:
        assert proposed_frame(sizes) == frame, sizes
    found = frame_proposal([(1920, 1080), (1920, 1080), (1080, 1920), (640, 360)])
    assert found is not None
    assert (found.width, found.height, found.n_barred, found.n_enlarged) == (640, 360, 1, 0)
    assert "1 video has another shape and will get black bars" in found.says
    assert frame_proposal([]) is None
    assert sizes_in("1920x1080, 3x, x4,ax5,-1x2,0x9,123456x2,640x360") == [(1920, 1080), (640, 360)]


def test_a_new_study_counts_and_is_offered_its_own_clips_alone_and_shared_ones_by_choice(desk: Desk) -> None:
    study = desk.write(create_study, desk.who, "nav", {"title": "Which?"}, NOW, None, ())
    own = desk.read(collection_ids)["nav"]
    desk.write(lambda session: add_clips(session, [("mine-1", "human", {}), ("mine-2", "robot", {})], own))
    desk.write(lambda session: add_clips(session, [("theirs", "symbolic", {})]))
    assert set(own_of(desk.read(facts_for, study, desk.who))) == {"mine-1", "mine-2"}
    assert "theirs" in desk.read(facts_for, study, desk.who), "it can still be named"
    assert [each.slug for each in desk.read(collections_of, desk.who, study)] == ["nav"]
    desk.write(choose, desk.who, study, ["library"], NOW)
    assert set(own_of(desk.read(facts_for, study, desk.who))) == {"mine-1", "mine-2", "theirs"}
    desk.write(choose, desk.who, study, [], NOW)
    assert set(own_of(desk.read(facts_for, study, desk.who))) == {"mine-1", "mine-2"}
    assert {each.slug: each.n for each in desk.read(collections_for, desk.who)} == {"library": 1, "nav": 2}
    found = desk.read(catalog, desk.who, CatalogFilter(collection="nav"))
    assert [(each.name, each.collection) for each in found.stimuli] == [("mine-1", "nav"), ("mine-2", "nav")]


def test_videos_of_each_shape_get_the_frame_of_their_own_collection(desk: Desk, tmp_path: Path) -> None:
    """Real MP4s: another collection's frame stays as it is, and the same file may be in both."""
    desk.write(create_study, desk.who, "nav", {}, NOW, None, ())
    desk.write(set_frame, desk.who, "", 48, 30, NOW)
    nav = desk.read(collection_ids)["nav"]
    frame = proposed_frame(list(SHAPES.values()))
    desk.write(set_frame, desk.who, "nav", *frame, NOW)
    for name, (width, height) in SHAPES.items():
        video = make_video(tmp_path / f"{name}.mp4", width=width, height=height)
        for collection in ("", "nav"):
            assert desk.add(video, collection=collection).status is UploadStatus.DONE
    assert _frames(desk) == {LIBRARY: {(48, 30)}, nav: {frame}}
    with pytest.raises(Conflict, match="already"):
        desk.write(set_frame, desk.who, "nav", 64, 64, NOW)
    assert desk.add(tmp_path / "wide.mp4", collection="nav").status is UploadStatus.REFUSED
    desk.write(apply_rules, desk.who, Rules(width=64, height=48), NOW, nav)
    desk.drain()
    assert _frames(desk) == {LIBRARY: {(48, 30)}, nav: {(64, 48)}}
    assert desk.read(rules_in_force)[0].size == (48, 30)


def _frames(desk: Desk) -> dict[int, set[tuple[int | None, int | None]]]:
    """The frames of the clips in each collection."""
    found: dict[int, set[tuple[int | None, int | None]]] = {}
    for row in desk.read(lambda session: session.exec(select(Stimulus)).all()):
        found.setdefault(row.collection_id, set()).add((row.width, row.height))
    return found


def test_without_a_proposal_the_first_clip_of_a_collection_decides_within_1280_by_720(
    desk: Desk, tmp_path: Path
) -> None:
    desk.write(create_study, desk.who, "nav", {}, NOW, None, ())
    nav = desk.read(collection_ids)["nav"]
    desk.add(make_video(tmp_path / "tall.mp4", width=64, height=1000, seconds=0.3), collection="nav")
    assert _frames(desk) == {nav: {(46, 720)}}


def test_a_collection_is_filled_and_ruled_by_those_who_may(desk: Desk, database: Database) -> None:
    with database.transaction() as session:
        eve, bob = (make_user(session, Role.EDITOR, f"{name}@example.org") for name in ("eve", "bob"))
    study = desk.write(create_study, eve, "nav", {}, NOW, None, ())
    nav = desk.read(collection_ids)["nav"]
    assert desk.read(collection_to_fill, eve, "nav") == nav
    assert desk.read(may_rule, eve, nav)
    with pytest.raises(NotFound):
        desk.read(collection_to_fill, bob, "nav")
    with pytest.raises(NotFound):
        desk.write(choose, bob, desk.write(create_study, bob, "other", {}, NOW, None, ()), ["nav"], NOW)
    desk.write(share, desk.who, study, "bob@example.org", NOW)
    desk.write(lambda session: add_clips(session, [("mine", "human", {})], nav))
    assert [each.name for each in desk.read(catalog, bob, CatalogFilter()).stimuli] == ["mine"]
    other = desk.read(study_for, bob, "other")
    desk.write(choose, bob, other, ["nav"], NOW)
    assert not desk.read(may_rule, eve, nav), "another study uses it: an owner decides"
    with pytest.raises(NotAllowed):
        desk.write(new_collection, eve, "Lab clips", "", True, NOW)
    slug = desk.write(new_collection, desk.who, "Lab clips", "", True, NOW)
    assert (slug, desk.read(collection_to_fill, eve, slug) > nav) == ("lab-clips", True)
    with pytest.raises(BadCollection, match="already"):
        desk.write(new_collection, desk.who, "Another", "lab-clips", False, NOW)


def test_a_deleted_study_leaves_its_clips_in_a_shared_collection_and_an_empty_one_goes(desk: Desk) -> None:
    full = desk.write(create_study, desk.who, "full", {}, NOW, None, ())
    empty = desk.write(create_study, desk.who, "empty", {}, NOW, None, ())
    desk.write(set_frame, desk.who, "empty", 64, 64, NOW)
    ids = desk.read(collection_ids)
    desk.write(lambda session: add_clips(session, [("kept", "human", {})], ids["full"]))
    for study in (full, empty):
        desk.write(delete_study, desk.who.actor, study, study.slug, NOW)
    assert set(desk.read(collection_ids)) == {"library", "full"}
    assert [(each.slug, each.study, each.n) for each in desk.read(collections_for, desk.who)] == [
        ("full", "", 1)
    ]


def test_a_study_from_a_template_begins_alone_from_a_file_with_the_shared_ones_and_a_copy_with_the_originals(
    desk: Desk,
) -> None:
    def used(study: StudyHere) -> list[str]:
        return [slug_of[id_] for id_ in desk.read(ids_of, study.id)]

    made = {
        slug: run(make_study_with_collections(desk.database, desk.who, start, NOW))
        for slug, start in {
            "plain": Start("plain", template="hntt"),
            "file": Start("file", keys={"title": "A file"}),
            "copy": Start("copy", clone="plain"),
        }.items()
    }
    slug_of = {id_: slug for slug, id_ in desk.read(collection_ids).items()}
    assert used(made["plain"]) == ["plain"]
    assert used(made["file"]) == ["file", "library"]
    assert used(made["copy"]) == ["copy", "plain"]
