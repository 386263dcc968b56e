"""Shared collections: made, renamed, opened to every user and removed, by those who may."""

import pytest
from sqlmodel import Session, col, select

from app.accounts.logins import NotAllowed, Who
from app.accounts.tables import AuditEntry, Role
from app.catalog.catalog import catalog
from app.catalog.collections import choose, collections_for
from app.catalog.filling import set_frame
from app.catalog.search import CatalogFilter
from app.catalog.shared import (
    KeptCollection,
    kept_collections,
    new_collection,
    open_collection,
    remove_collection,
    rename_collection,
)
from app.core.database import Database
from app.core.errors import Conflict, NotFound
from app.jobs import queue
from app.jobs.tables import Kind
from app.library.collections import BadCollection, collection_ids
from app.library.tables import LIBRARY, Stimulus, Upload, UploadStatus
from app.studies.drafts import create_study
from tests.admin.persons import make_user
from tests.factories import NOW
from tests.library.desk import Desk
from tests.studies.clips import add_clips

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


@pytest.fixture
def eve(database: Database) -> Who:
    with database.transaction() as session:
        return make_user(session, Role.EDITOR, "eve@example.org")


def kept(desk: Desk, who: Who) -> list[KeptCollection]:
    found: list[KeptCollection] = desk.read(
        lambda session: kept_collections(session, who, collections_for(session, who))
    )
    return found


def titles(desk: Desk, who: Who) -> dict[str, str]:
    return {each.view.slug: each.view.title for each in kept(desk, who)}


def fill(desk: Desk, slug: str, name: str) -> None:
    into = desk.read(collection_ids)[slug]

    def add(session: Session) -> None:
        add_clips(session, [(name, "human", {})], into)

    desk.write(add)


def test_editors_make_and_rename_their_own_and_owners_open_them_and_each_is_noted(
    desk: Desk, eve: Who
) -> None:
    slug = desk.write(new_collection, eve, "Walks of May", "", False, NOW)
    desk.write(rename_collection, eve, slug, "Walks  of June", NOW)
    desk.write(rename_collection, eve, slug, "Walks of June", NOW)
    assert titles(desk, eve) == {"walks-of-may": "Walks of June"}
    with pytest.raises(BadCollection):
        desk.write(rename_collection, eve, slug, " ", NOW)
    with pytest.raises(NotAllowed, match="owner"):
        desk.write(open_collection, eve, slug, True, NOW)
    secret = desk.write(new_collection, desk.who, "Secret", "", False, NOW)
    for change in (rename_collection, open_collection, remove_collection):
        wish = {rename_collection: ("x",), open_collection: (True,)}.get(change, ())
        with pytest.raises((NotFound, NotAllowed)):
            desk.write(change, eve, secret, *wish, NOW)
    desk.write(open_collection, desk.who, secret, True, NOW)
    with pytest.raises(NotAllowed, match="Whoever made"):
        desk.write(rename_collection, eve, secret, "Mine", NOW)
    with pytest.raises(NotAllowed, match="whoever made it"):
        desk.write(remove_collection, eve, secret, NOW)
    fill(desk, secret, "seen")
    assert [each.name for each in desk.read(catalog, eve, CatalogFilter()).stimuli] == ["seen"]
    desk.write(open_collection, desk.who, secret, False, NOW)
    assert desk.read(catalog, eve, CatalogFilter()).stimuli == []
    desk.write(remove_collection, eve, slug, NOW)
    noted = select(AuditEntry.action).where(col(AuditEntry.action).like("collection.%"))
    assert desk.read(lambda session: session.exec(noted.order_by(col(AuditEntry.id))).all()) == [
        "collection.make",
        "collection.rename",
        "collection.make",
        "collection.open",
        "collection.close",
        "collection.remove",
    ]


def test_a_studys_editors_rename_its_own_collection_which_goes_with_it_alone(desk: Desk, eve: Who) -> None:
    desk.write(create_study, eve, "nav", {}, NOW, None, ())
    desk.write(rename_collection, eve, "nav", "Walks", NOW)
    (own,) = kept(desk, eve)
    assert (own.view.title, own.may_rename, own.may_open) == ("Walks", True, False)
    assert "goes with it" in own.kept
    with pytest.raises(Conflict, match="belongs to the study nav"):
        desk.write(remove_collection, desk.who, "nav", NOW)


def test_an_empty_shared_collection_is_removed_and_one_with_clips_files_or_work_stays(
    desk: Desk, eve: Who
) -> None:
    slug = desk.write(new_collection, eve, "Lab", "", False, NOW)
    desk.write(set_frame, eve, slug, 64, 48, NOW)
    study = desk.write(create_study, eve, "nav", {}, NOW, None, ())
    desk.write(choose, eve, study, [slug], NOW)
    id_ = desk.read(collection_ids)[slug]
    fill(desk, slug, "one")
    with pytest.raises(Conflict, match="there are clips in it"):
        desk.write(remove_collection, desk.who, slug, NOW)
    desk.write(lambda session: _move_away(session, id_))

    def came(session: Session, status: UploadStatus) -> None:
        held = Upload(
            token=f"token-{status}",
            user_id=eve.user_id,
            file_name="a.mp4",
            bytes=1,
            name="a",
            source="human",
            attributes={},
            status=status,
            created_at=NOW,
            collection_id=id_,
        )
        session.add(held)

    desk.write(came, UploadStatus.DONE)
    desk.write(came, UploadStatus.WAITING)
    with pytest.raises(Conflict, match="on their way"):
        desk.write(remove_collection, eve, slug, NOW)
    desk.write(_cancel_uploads)
    job = desk.write(lambda session: queue.ask(session, Kind.REPROCESS, {"collection": id_}, now=NOW))
    with pytest.raises(Conflict, match="processed again"):
        desk.write(remove_collection, eve, slug, NOW)
    desk.write(queue.cancel, job, NOW)
    with pytest.raises(Conflict, match="the study nav uses it"):
        desk.write(remove_collection, eve, slug, NOW)
    desk.write(choose, eve, study, [], NOW)
    desk.write(remove_collection, eve, slug, NOW)
    assert set(desk.read(collection_ids)) == {"library", "nav"}
    assert set(desk.read(lambda session: session.exec(select(Upload.collection_id)).all())) == {LIBRARY}
    with pytest.raises(NotFound):
        desk.write(remove_collection, eve, slug, NOW)
    with pytest.raises(Conflict, match="without naming"):
        desk.write(remove_collection, desk.who, "library", NOW)


def _move_away(session: Session, collection: int) -> None:
    for row in session.exec(select(Stimulus).where(Stimulus.collection_id == collection)):
        row.collection_id = LIBRARY


def _cancel_uploads(session: Session) -> None:
    for row in session.exec(select(Upload).where(Upload.status == UploadStatus.WAITING)):
        row.status = UploadStatus.CANCELLED


def test_studies_that_use_a_collection_are_named_to_those_who_see_them_and_counted_for_others(
    desk: Desk, eve: Who
) -> None:
    slug = desk.write(new_collection, eve, "Lab", "", False, NOW)
    for name in ("a", "b"):
        study = desk.write(create_study, desk.who, name, {}, NOW, None, ())
        desk.write(choose, desk.who, study, [slug], NOW)
    with pytest.raises(Conflict, match="the studies a and b use it"):
        desk.write(remove_collection, desk.who, slug, NOW)
    with pytest.raises(Conflict, match=r"stays: 2 studies use it\."):
        desk.write(remove_collection, eve, slug, NOW)
    for name in "cdefg":
        study = desk.write(create_study, eve, name, {}, NOW, None, ())
        desk.write(choose, eve, study, [slug], NOW)
    (lab,) = [each for each in kept(desk, eve) if each.view.slug == slug]
    assert lab.kept.startswith("the studies c, d, e, f, g and 2 other studies use it.")
    assert slug in desk.read(collection_ids)
