"""Collections carried by a package: a study made from it here has them again."""

import io
import json
import zipfile
from typing import Any

import pytest
import yaml
from sqlmodel import Session, select

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.catalog import packed as packing
from app.catalog.collections import collections_of
from app.catalog.filling import set_frame
from app.catalog.packed import BadPackedCollections, make_study_with_collections, packed_collections
from app.catalog.rules import rules_in_force
from app.catalog.shared import new_collection, rename_collection
from app.core.database import Database
from app.core.errors import Conflict
from app.library.collections import collection_ids
from app.library.tables import StudyClip
from app.studies.access import StudyHere
from app.studies.collections import have_own_collection
from app.studies.drafts import draft_for
from app.studies.making import Start
from app.trials.tables import Study
from tests.admin.persons import make_user
from tests.factories import NOW, load_file, study_file
from tests.library.desk import Desk, run
from tests.studies.clips import add_clips

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

YAML = yaml.safe_dump(study_file(pairs=None), sort_keys=False).encode()


def packed_zip(**files: bytes) -> bytes:
    """A package's files by their place below `materials`, with what else makes it a package."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("data/responses.csv", "study\n" * 100)
        for place, content in files.items():
            archive.writestr(f"materials/{place}", content)
    return data.getvalue()


def made(desk: Desk, who: Who, slug: str, **files: bytes) -> StudyHere:
    start = Start(slug, files={"nav.zip": packed_zip(**files)})
    return run(make_study_with_collections(desk.database, who, start, NOW))  # type: ignore[no-any-return]


@pytest.fixture
def packed(desk: Desk, tmp_path: Any) -> bytes:
    """The collections of a study with a clip of its own, and a shared one that its version draws from, as a file."""
    slug = desk.write(new_collection, desk.who, "Lab clips", "", False, NOW)
    desk.write(set_frame, desk.who, slug, 64, 48, NOW)
    ids = desk.read(collection_ids)

    def fill(session: Session) -> int:
        add_clips(session, collection=ids[slug])
        load_file(session, tmp_path)
        study_id = session.exec(select(Study.id).where(Study.slug == "nav")).one() or 0
        own = have_own_collection(session, study_id, "Nav", NOW)
        set_frame(session, desk.who, "nav", 320, 200, NOW)
        add_clips(session, [("own", "human", {"goal": "=g1"})], own.id or 0)
        return study_id

    study_id = desk.write(fill)
    desk.write(rename_collection, desk.who, "nav", "Our walks", NOW)
    return desk.read(packed_collections, study_id).model_dump_json().encode()  # type: ignore[no-any-return]


def test_a_package_has_the_studys_own_clips_and_of_shared_ones_those_that_it_shows(packed: bytes) -> None:
    own, lab = json.loads(packed)["collections"]
    assert (own["title"], own["is_own"], own["rules"]["width"]) == ("Our walks", True, 320)
    assert [(each["name"], each["attributes"]) for each in own["clips"]] == [("own", {"goal": "=g1"})]
    assert (lab["name"], lab["title"], lab["is_own"], lab["rules"]["height"]) == (
        "lab-clips",
        "Lab clips",
        False,
        48,
    )
    assert {each["source"] for each in lab["clips"]} == {"human", "hybrid", "symbolic"}


def test_where_the_clips_are_the_study_uses_them_with_the_rules_of_its_own(desk: Desk, packed: bytes) -> None:
    study = made(
        desk,
        desk.who,
        "again",
        **{"version-2/study.yaml": YAML, "version-1/study.yaml": b"study: x\n", "collections.json": packed},
    )
    assert desk.read(draft_for, study).keys["title"] == "Which navigation looks natural?"
    here = desk.read(collections_of, desk.who, study)
    assert [(each.slug, each.title) for each in here] == [("again", "Our walks"), ("lab-clips", "Lab clips")]
    assert desk.read(rules_in_force, here[0].id)[0].size == (320, 200)
    put = select(StudyClip.stimulus_id).where(StudyClip.study_id == study.id)
    assert desk.stimulus("own").id in desk.read(lambda session: session.exec(put).all())
    assert desk.stimulus("own").collection_id == desk.read(collection_ids)["nav"], "nothing is moved"


def test_where_nothing_is_seen_a_closed_collection_is_made_and_no_clip_becomes_visible(
    desk: Desk, packed: bytes
) -> None:
    with desk.database.transaction() as session:
        eve = make_user(session, Role.EDITOR, "eve@example.org")
    study = made(desk, eve, "again", **{"version-1/study.yaml": YAML, "collections.json": packed})
    here = desk.read(collections_of, eve, study)
    assert [(each.slug, each.title, each.is_open) for each in here] == [
        ("again", "Our walks", False),
        ("lab-clips-2", "Lab clips", False),
    ]
    assert desk.read(rules_in_force, here[1].id)[0].size == (64, 48)
    put = select(StudyClip.stimulus_id).where(StudyClip.study_id == study.id)
    assert desk.read(lambda session: session.exec(put).all()) == []


def test_an_earlier_package_and_a_plain_file_are_imported_and_a_broken_list_is_refused_before_anything_is_made(
    desk: Desk, database: Database
) -> None:
    old = made(desk, desk.who, "old", **{"version-1/study.yaml": YAML, "version-1/design.json": b"{}"})
    plain = run(
        make_study_with_collections(database, desk.who, Start("plain", files={"study.yaml": YAML}), NOW)
    )
    for study in (old, plain):
        assert [each.slug for each in desk.read(collections_of, desk.who, study)] == [study.slug]
    for broken in (
        b"[]",
        b"not json",
        b'{"collections": [{"name": "x", "title": "x", "is_own": true, "rules": {"fps": -1}}]}',
        b'{"collections": [{"name": "x", "title": "x", "is_own": true, "rules": {"width": 64}}]}',
    ):
        with pytest.raises(BadPackedCollections, match=r"^collections\.json: [^:]+: (?!Value error)"):
            made(desk, desk.who, "broken", **{"version-1/study.yaml": YAML, "collections.json": broken})
    assert "broken" not in desk.read(collection_ids)


def test_a_study_whose_collections_cannot_be_made_is_not_made_either(
    desk: Desk, packed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise Conflict("no collection can be made now")

    monkeypatch.setattr(packing, "use_collections", fails)
    with pytest.raises(Conflict, match="no collection"):
        made(desk, desk.who, "half", **{"version-1/study.yaml": YAML, "collections.json": packed})
    assert "half" not in desk.read(collection_ids)
    monkeypatch.undo()
    assert (
        made(desk, desk.who, "half", **{"version-1/study.yaml": YAML, "collections.json": packed}).slug
        == "half"
    )
