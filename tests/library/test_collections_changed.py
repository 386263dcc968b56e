"""Collections: who may change, move and see what is in them, and how a study's own begins."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from app.accounts.logins import NotAllowed, Who
from app.accounts.tables import Role
from app.catalog.catalog import catalog
from app.catalog.collections import choose
from app.catalog.editing import Edit, delete_stimulus, edit_stimulus
from app.catalog.filling import collection_to_fill, set_frame, take_form
from app.catalog.many import Chosen, chosen_names, move, set_attribute
from app.catalog.rules import rules_in_force
from app.catalog.search import CatalogFilter, found_ids
from app.catalog.shared import new_collection
from app.catalog.sheet import plan_sheet, sheet
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError
from app.library.collections import collection_ids
from app.library.tables import LIBRARY, Collection, Stimulus, StudyClip, Upload
from app.studies.access import share
from app.studies.collections import ids_of, may_rule
from app.studies.drafts import create_study
from app.trials.tables import Study
from tests.admin.persons import make_user
from tests.factories import NOW
from tests.library.desk import Desk, run
from tests.studies.clips import add_clips

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]


@pytest.fixture
def eve(database: Database) -> Who:
    with database.transaction() as session:
        return make_user(session, Role.EDITOR, "eve@example.org")


def put(desk: Desk, name: str, collection: int, by: Who | None = None) -> None:
    def add(session: Session) -> None:
        add_clips(session, [(name, "human", {})], collection)

    desk.write(add)
    if by is not None:
        with desk.database.transaction() as session:
            session.exec(select(Stimulus).where(Stimulus.name == name)).one().uploaded_by = by.user_id


def homes(desk: Desk) -> Mapping[str, int]:
    def read(session: Session) -> dict[str, int]:
        return dict(session.exec(select(Stimulus.name, Stimulus.collection_id)).all())

    return desk.read(read)  # type: ignore[no-any-return]


def test_clips_of_an_open_collection_are_used_by_editors_and_changed_by_owners_alone(
    desk: Desk, eve: Who
) -> None:
    slug = desk.write(new_collection, desk.who, "Lab clips", "", True, NOW)
    lab = desk.read(collection_to_fill, eve, slug)
    put(desk, "theirs", lab)
    put(desk, "mine", lab, eve)
    assert len(desk.read(catalog, eve, CatalogFilter()).stimuli) == 2
    assert desk.read(chosen_names, eve, Chosen(("theirs",))) == ["theirs"], "it can be put into a pair"
    changes: tuple[Callable[[], object], ...] = (
        lambda: desk.write(delete_stimulus, eve, "theirs", NOW),
        lambda: desk.write(edit_stimulus, eve, "theirs", Edit(None, "robot", None), NOW),
        lambda: run(set_attribute(desk.database, eve, Chosen(("theirs", "mine")), "goal", "g1", NOW)),
    )
    for change in changes:
        with pytest.raises(StudyError, match="open collection"):
            change()
    table = desk.read(sheet, eve).replace("human", "robot")
    plan = desk.read(plan_sheet, eve, table)
    assert [fault.message.split(" is in")[0] for fault in plan.faults] == ["'theirs'"]
    assert not desk.read(plan_sheet, eve, desk.read(sheet, eve)).faults, "an unchanged row is none"
    assert run(set_attribute(desk.database, eve, Chosen(("mine",)), "goal", "g1", NOW)) == 1
    desk.write(edit_stimulus, desk.who, "theirs", Edit(None, "robot", None), NOW)


def test_editors_move_what_they_uploaded_or_is_their_studys_into_their_studys_collections(
    desk: Desk, eve: Who
) -> None:
    for slug in ("nav", "walk"):
        desk.write(create_study, eve, slug, {}, NOW, None, ())
    study = desk.write(create_study, desk.who, "other", {}, NOW, None, ())
    ids = desk.read(collection_ids)
    put(desk, "shared", LIBRARY)
    put(desk, "uploaded", LIBRARY, eve)
    put(desk, "own", ids["nav"])
    put(desk, "others", ids["other"])
    with desk.database.transaction() as session:  # seen by eve, as her study may use it
        shared = session.exec(select(Stimulus.id).where(Stimulus.name == "shared")).one()
        session.add(StudyClip(study_id=desk.read(_study_id, "nav"), stimulus_id=shared or 0))
    with pytest.raises(NotAllowed, match="'shared' is neither"):
        desk.write(move, eve, Chosen(("uploaded", "shared")), "nav", NOW)
    with pytest.raises(NotFound):
        desk.write(move, eve, Chosen(("others",)), "nav", NOW)
    with pytest.raises(NotAllowed, match="an owner can"):
        desk.write(move, eve, Chosen(("own",)), "library", NOW)
    assert desk.write(move, eve, Chosen(("uploaded", "own")), "walk", NOW) == 2
    desk.write(share, desk.who, study, "eve@example.org", NOW)
    assert desk.write(move, eve, Chosen(("others",)), "walk", NOW) == 1
    assert homes(desk) == {"shared": LIBRARY, **dict.fromkeys(("uploaded", "own", "others"), ids["walk"])}
    assert desk.write(move, desk.who, Chosen(("shared",)), "nav", NOW) == 1, "an owner moves all"


def _study_id(session: Session, slug: str) -> int:
    return session.exec(select(Study.id).where(Study.slug == slug)).one() or 0


def test_a_studys_collection_is_not_its_own_to_rule_while_another_study_uses_a_clip_of_it_by_name(
    desk: Desk, eve: Who
) -> None:
    desk.write(create_study, eve, "nav", {}, NOW, None, ())
    other = desk.write(create_study, desk.who, "other", {}, NOW, None, ())
    nav = desk.read(collection_ids)["nav"]
    put(desk, "mine", nav)
    with desk.database.transaction() as session:
        mine = session.exec(select(Stimulus.id)).one() or 0
        session.add(StudyClip(study_id=desk.read(_study_id, "nav"), stimulus_id=mine))
    assert desk.read(may_rule, eve, nav)
    with desk.database.transaction() as session:
        session.add(StudyClip(study_id=other.id, stimulus_id=mine))
    assert not desk.read(may_rule, eve, nav)


def test_a_study_whose_title_holds_joiners_is_made_and_its_collection_has_the_rest_of_it(desk: Desk) -> None:
    titles = {
        "persian": ("\u0645\u06cc\u200c\u0631\u0648\u062f", "\u0645\u06cc\u0631\u0648\u062f"),
        "family": ("A \U0001f469\u200d\U0001f467\n test", "A \U0001f469\U0001f467 test"),
        "empty": ("\u200c\u200d", "empty"),
        "long": ("x" * 99 + " y", "x" * 99),
    }
    for slug, (title, _) in titles.items():
        desk.write(create_study, desk.who, slug, {"title": title}, NOW, None, ())
    made = desk.read(lambda session: dict(session.exec(select(Collection.slug, Collection.title)).all()))
    assert {slug: made[slug] for slug in titles} == {slug: shown for slug, (_, shown) in titles.items()}


def test_a_study_from_a_file_uses_the_shared_collections_that_its_maker_sees(desk: Desk, eve: Who) -> None:
    desk.write(new_collection, desk.who, "Secret", "", False, NOW)
    desk.write(new_collection, desk.who, "Open", "", True, NOW)
    slug_of = {id_: slug for slug, id_ in desk.read(collection_ids).items()}
    theirs = desk.write(create_study, eve, "nav", {}, NOW)
    mine = desk.write(create_study, desk.who, "all", {}, NOW)
    assert {slug_of.get(id_) for id_ in desk.read(ids_of, theirs.id)} == {None, "library", "open"}
    assert {slug_of.get(id_) for id_ in desk.read(ids_of, mine.id)} == {None, "library", "open", "secret"}


def test_the_library_that_is_not_shown_while_empty_stays_a_studys(desk: Desk) -> None:
    study = desk.write(create_study, desk.who, "nav", {}, NOW)
    desk.write(choose, desk.who, study, [], NOW)
    assert LIBRARY in desk.read(ids_of, study.id)
    put(desk, "one", LIBRARY)
    desk.write(choose, desk.who, study, [], NOW)
    assert LIBRARY not in desk.read(ids_of, study.id)


def test_a_form_that_is_refused_settles_no_frame_and_the_same_frame_is_no_conflict(
    desk: Desk, tmp_path: Path
) -> None:
    def send(source: str, *files: tuple[str, bytes], frame: tuple[int, int] = (320, 200)) -> list[str]:
        taken = take_form(desk.database, desk.data_dir, desk.who, files, source, {}, NOW, "", frame)
        return run(taken)  # type: ignore[no-any-return]

    for source, files in (("", [("a.mp4", b"1")]), ("human", [])):
        with pytest.raises(StudyError):
            send(source, *files)
        assert desk.read(rules_in_force)[0].size is None
    for name in ("a.mp4", "b.mp4"):
        assert send("human", (name, name.encode())) == []
    assert desk.read(rules_in_force)[0].size == (320, 200)
    desk.write(set_frame, desk.who, "", 320, 200, NOW)
    with pytest.raises(Conflict):
        send("human", ("c.mp4", b"3"), frame=(64, 64))
    names = desk.read(lambda session: session.exec(select(Upload.file_name).order_by(col(Upload.id))).all())
    assert names == ["a.mp4", "b.mp4"]


def test_more_attributes_than_twenty_narrow_no_further_and_a_name_with_nul_is_not_found(desk: Desk) -> None:
    put(desk, "one", LIBRARY)
    wanted = CatalogFilter(attributes={f"key-{n}": "x" for n in range(3000)})
    assert desk.read(found_ids, desk.who, wanted) == []
    with pytest.raises(NotFound):
        desk.read(chosen_names, desk.who, Chosen(("one", "\x00")))
