"""Drafts, versions made of them, and who may see a study; on both databases."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.accounts.audit import COMMAND_LINE
from app.accounts.logins import Who
from app.accounts.tables import AuditEntry, Role
from app.accounts.users import BadEmail, add_user, set_disabled
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError
from app.library.tables import Stimulus
from app.studies import history
from app.studies.access import (
    BadSlug,
    StudyHere,
    checked_slug,
    share,
    shares,
    study_for,
    unshare,
    visible_slugs,
)
from app.studies.drafts import create_study, draft_for, drop_draft, keys_of_version, replace_draft, save_draft
from app.studies.file.drafts import with_slug
from app.studies.file.keys import UnwieldyDraft
from app.studies.listing import study_lines, version_lines
from app.studies.saving import InvalidDraft, ReasonDue, save_version
from app.studies.tables import Draft
from app.trials.tables import Mode, ParticipantSession, State, Status, StudyVersion
from tests.factories import NOW, load_file, study_file
from tests.studies.clips import add_clips

pytestmark = pytest.mark.slow

LATER = NOW + timedelta(hours=1)


def add_person(session: Session, role: Role, email: str) -> Who:
    return Who(add_user(session, email, role, "none", by=COMMAND_LINE, now=NOW), email, role)


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.transaction() as session:
        add_clips(session)
        yield session


@pytest.fixture
def ann(session: Session) -> Who:
    """An editor, who uploaded the clips."""
    ann = add_person(session, Role.EDITOR, "ann@example.org")
    for clip in session.exec(select(Stimulus)):
        clip.uploaded_by = ann.user_id
    session.flush()
    return ann


@pytest.fixture
def bob(session: Session) -> Who:
    return add_person(session, Role.EDITOR, "bob@example.org")


@pytest.fixture
def nav(session: Session, ann: Who) -> StudyHere:
    return create_study(session, ann, "nav", study_file(), NOW)


def actions(session: Session, study: str = "nav") -> list[str]:
    entries = select(AuditEntry.action).where(AuditEntry.study == study).order_by(col(AuditEntry.id))
    return list(session.exec(entries))


def last_entry(session: Session, action: str) -> AuditEntry:
    entries = select(AuditEntry).where(AuditEntry.action == action).order_by(col(AuditEntry.id).desc())
    return session.exec(entries).first() or pytest.fail(f"no {action}")


def save(session: Session, who: Who, study: StudyHere, **changes: Any) -> int:
    draft = draft_for(session, study)
    return save_draft(session, who, study, {**draft.keys, **changes}, draft.revision, NOW)


def freeze(session: Session, study: StudyHere, mode: Mode = Mode.LIVE) -> None:
    """One completed session with the newest version."""
    newest = col(StudyVersion.number).desc()
    version = session.exec(
        select(StudyVersion).where(StudyVersion.study_id == study.id).order_by(newest)
    ).first()
    assert version is not None
    version.frozen_at = NOW
    session.add(version)
    session.add(
        ParticipantSession(
            version_id=version.id or 0,
            mode=mode,
            recruiter={},
            status=Status.COMPLETED,
            arrived_at=NOW,
        )
    )
    session.flush()


def test_a_new_study_has_a_draft_is_seen_by_its_maker_and_is_noted(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    draft = draft_for(session, nav)
    assert (draft.keys["title"], draft.is_unsaved, draft.saved_by) == (study_file()["title"], True, ann.email)
    assert study_for(session, ann, "nav") == nav == StudyHere(nav.id, "nav", State.DRAFT)
    assert last_entry(session, "study.create").after["study"] == "nav"


@pytest.mark.parametrize("slug", ["", "Nav", "-nav", "nav_1", "a" * 65, "new", "../etc", "nav\x00", "é"])
def test_what_cannot_be_a_name_in_addresses_is_refused(slug: str) -> None:
    with pytest.raises(BadSlug):
        checked_slug(slug)


def test_a_name_that_is_taken_is_refused_even_by_a_study_that_one_cannot_see(
    database: Database, session: Session, bob: Who, nav: StudyHere
) -> None:
    session.commit()
    with pytest.raises(Conflict, match="'nav' already"), database.transaction() as other:
        create_study(other, bob, "nav", {}, NOW)
    with database.reading() as other:
        assert draft_for(other, nav).title == study_file()["title"]


def test_a_save_says_what_changed_with_before_and_after(session: Session, ann: Who, nav: StudyHere) -> None:
    before = draft_for(session, nav)
    revision = save(session, ann, nav, title="Another", instructions=None)
    assert revision == before.revision + 1
    after = draft_for(session, nav)
    assert (after.title, "instructions" in after.keys) == ("Another", False)
    entry = last_entry(session, "draft.save")
    assert (entry.actor, entry.subject) == (ann.email, "instructions, title")
    assert entry.before == {key: before.keys[key] for key in ("title", "instructions")}
    assert entry.after == {"title": "Another", "instructions": None}


def test_saving_the_same_again_changes_and_notes_nothing(session: Session, ann: Who, nav: StudyHere) -> None:
    entries, revision = actions(session), draft_for(session, nav).revision
    assert save(session, ann, nav) == revision
    assert actions(session) == entries


def test_two_people_editing_do_not_write_over_each_other(
    session: Session, ann: Who, bob: Who, nav: StudyHere
) -> None:
    seen = draft_for(session, nav)
    save(session, bob, nav, title="Bob's")
    with pytest.raises(Conflict, match=r"bob@example\.org changed"):
        save_draft(session, ann, nav, {**seen.keys, "title": "Ann's"}, seen.revision, NOW)
    assert draft_for(session, nav).title == "Bob's"


def test_an_old_window_never_writes_over_a_newer_version(
    session: Session, ann: Who, bob: Who, nav: StudyHere, tmp_path: Path
) -> None:
    """Revisions never come again, though drafts begin anew with each version, from wherever it comes."""
    seen = {draft_for(session, nav).revision}
    for end in (
        lambda: save_version(session, bob, nav, "", NOW),
        lambda: drop_draft(session, bob, nav, NOW),
        lambda: load_file(session, tmp_path, title="From a file"),
    ):
        for title in ("one", "two"):
            seen.add(save(session, bob, nav, title=title))
        end()
        assert draft_for(session, nav).revision not in seen
        for revision in seen:
            with pytest.raises(Conflict):
                save_draft(session, ann, nav, {"title": "Ann's"}, revision, NOW)


@pytest.mark.both_databases
def test_of_two_saves_at_the_same_instant_one_is_refused(database: Database) -> None:
    with database.transaction() as session:
        ann = add_person(session, Role.EDITOR, "ann@example.org")
        nav = create_study(session, ann, "nav", {"title": "?"}, NOW)
    barrier, refused = threading.Barrier(2), []

    def save_one(title: str) -> None:
        with database.transaction() as session:
            if (
                database.url.get_backend_name() != "sqlite"
            ):  # there a transaction begins by waiting for the other
                barrier.wait(timeout=20)
            try:
                save_draft(session, ann, nav, {"title": title}, 1, NOW)
            except Conflict:
                refused.append(title)

    threads = [threading.Thread(target=save_one, args=(title,)) for title in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    with database.reading() as session:
        [kept] = session.exec(select(Draft)).all()
    assert len(refused) == 1
    assert {kept.keys["title"], *refused} == {"one", "two"}


@pytest.mark.both_databases
def test_whatever_a_program_sends_is_kept_in_a_form_that_every_database_takes(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    odd = {"title": "a\x00b\ud800", "n": float("nan"), "i": 10**40, "k\x00": [None, True, {"x": 1.5}]}
    save(session, ann, nav, **odd)
    session.flush()
    session.expire_all()
    keys = draft_for(session, nav).keys
    assert keys["title"] == "a�b�"
    assert (keys["n"], keys["i"]) == ("nan", str(10**40))
    deep: Any = {}
    for _ in range(50):
        deep = {"x": deep}
    with pytest.raises(UnwieldyDraft):
        save(session, ann, nav, title=deep)
    with pytest.raises(StudyError, match="million characters"):
        save(session, ann, nav, title="x" * 5_000_001)


def test_a_complete_draft_becomes_a_version_and_is_gone(session: Session, ann: Who, nav: StudyHere) -> None:
    loaded = save_version(session, ann, nav, " the first ", NOW)
    assert (loaded.number, loaded.change, loaded.units) == (1, "new", {"pair": 11})
    draft = draft_for(session, nav)
    assert (draft.is_unsaved, draft.title) == (False, study_file()["title"])
    [line] = version_lines(session, nav)
    assert (line.number, line.reason, line.saved_by, line.units) == (1, "the first", ann.email, {"pair": 11})


def test_an_incomplete_draft_is_refused_with_everything_that_is_wrong(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    save(session, ann, nav, title="", consent={"version": "1"})
    with pytest.raises(InvalidDraft) as refused:
        save_version(session, ann, nav, "", NOW)
    assert [fault.place for fault in refused.value.check.faults] == [("title",), ("consent", "text")]
    assert version_lines(session, nav) == []


def test_changing_what_has_data_needs_a_reason_and_makes_the_next_version(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    save_version(session, ann, nav, "", NOW)
    freeze(session, nav)
    save(session, ann, nav, title="Another")
    for nothing in ("", "  \n"):
        with pytest.raises(ReasonDue, match="Version 1 has data"):
            save_version(session, ann, nav, nothing, NOW)
    assert save_version(session, ann, nav, "typo in the title\x00", NOW).change == "next version"
    newest, first = version_lines(session, nav)
    assert (newest.number, newest.reason, newest.sessions) == (2, "typo in the title�", {})
    assert (first.number, first.frozen_at, first.sessions) == (1, NOW, {"live": 1})


def test_a_version_that_nobody_used_is_replaced_without_a_reason(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    save_version(session, ann, nav, "", NOW)
    save(session, ann, nav, title="Another")
    assert save_version(session, ann, nav, "", NOW).change == "replaced"
    assert [line.number for line in version_lines(session, nav)] == [1]


def test_saving_what_the_newest_version_says_makes_no_version_and_asks_for_no_reason(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    save_version(session, ann, nav, "", NOW)
    freeze(session, nav)
    save(session, ann, nav, title="Another")
    save(session, ann, nav, title=study_file()["title"])
    assert draft_for(session, nav).is_unsaved
    assert save_version(session, ann, nav, "", NOW).change == "unchanged"
    assert not draft_for(session, nav).is_unsaved


def test_a_version_is_saved_only_as_it_was_seen(session: Session, ann: Who, bob: Who, nav: StudyHere) -> None:
    seen = draft_for(session, nav).revision
    save(session, bob, nav, title="Bob's")
    with pytest.raises(Conflict):
        save_version(session, ann, nav, "", NOW, revision=seen)
    assert version_lines(session, nav) == []


def test_loading_a_file_from_the_command_line_drops_the_draft_and_the_log_keeps_it(
    session: Session, ann: Who, nav: StudyHere, tmp_path: Path
) -> None:
    save(session, ann, nav, title="Being written")
    load_file(session, tmp_path, title="From a file")
    draft = draft_for(session, nav)
    assert (draft.is_unsaved, draft.title) == (False, "From a file")
    entry = last_entry(session, "version.save")
    assert entry.actor == "command line"
    assert entry.before["draft"]["title"] == "Being written"


def test_giving_up_a_draft_goes_back_to_the_newest_version_and_the_log_keeps_it(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    with pytest.raises(Conflict, match="no unsaved changes"):
        drop_draft(session, ann, nav, NOW)
    save_version(session, ann, nav, "", NOW)
    save(session, ann, nav, title="Given up")
    drop_draft(session, ann, nav, NOW)
    assert draft_for(session, nav).title == study_file()["title"]
    assert last_entry(session, "draft.drop").before["title"] == "Given up"


def test_an_earlier_version_comes_back_as_the_draft(session: Session, ann: Who, nav: StudyHere) -> None:
    save_version(session, ann, nav, "", NOW)
    freeze(session, nav)
    save(session, ann, nav, title="Second")
    save_version(session, ann, nav, "second", NOW)
    freeze(session, nav)
    save(session, ann, nav, title="Third")
    replace_draft(session, ann, nav, keys_of_version(session, nav, 1), "version 1", NOW)
    assert draft_for(session, nav).title == study_file()["title"]
    entry = last_entry(session, "draft.replace")
    assert (entry.subject, entry.before["title"]) == ("from version 1", "Third")
    assert save_version(session, ann, nav, "back", NOW).number == 3
    first, third = (history.keys_of(session, nav, number) for number in (1, 3))
    assert first == third
    with pytest.raises(NotFound, match="no version 9"):
        keys_of_version(session, nav, 9)


def test_a_file_takes_the_drafts_place_under_the_studys_own_name(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    replace_draft(session, ann, nav, study_file(study="other", title="From a file"), "the file x.yaml", NOW)
    draft = draft_for(session, nav)
    assert (draft.keys["study"], draft.title) == ("nav", "From a file")
    assert last_entry(session, "draft.replace").before == {"title": study_file()["title"]}


def test_versions_and_the_draft_are_compared_in_the_readers_words(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    save_version(session, ann, nav, "", NOW)
    assert history.unsaved_differences(session, nav) is None
    sample: Any = {**draft_for(session, nav).keys["sample"], "seed": 8}
    save(session, ann, nav, title="Another", sample=sample)
    found = history.unsaved_differences(session, nav)
    assert found is not None
    changed = {change.place: (change.before, change.after) for change in found.differences}
    assert changed["title"] == (study_file()["title"], "Another")
    assert changed["sample › seed"] == ("7", "8")
    assert any(place.startswith("pairs") for place in changed), "another seed draws other pairs"
    save(session, ann, nav, consent={})
    broken = history.compare(session, nav, 1, "draft")
    assert not broken.is_whole
    assert "title" in {change.place for change in broken.differences}


def clone(session: Session, who: Who, which: str, slug: str, title: str | None = None) -> StudyHere:
    cloned = history.design_to_clone(session, who, "nav", which)
    return create_study(session, who, slug, with_slug(cloned.keys, slug, title), NOW)


def test_a_clone_has_the_design_and_nothing_else(
    session: Session, ann: Who, bob: Who, nav: StudyHere
) -> None:
    save_version(session, ann, nav, "", NOW)
    save(session, ann, nav, title="Being written")
    copy = clone(session, ann, "", "nav-2")
    assert draft_for(session, copy).title == "Being written"
    of_version = clone(session, ann, "1", "nav-3", "Mine")
    keys, original = draft_for(session, of_version).keys, history.keys_of(session, nav, 1)
    assert keys == {**original, "study": "nav-3", "title": "Mine"}
    assert version_lines(session, copy) == []
    with pytest.raises(NotFound):
        clone(session, bob, "", "stolen")


# Who sees what


def test_a_study_is_seen_by_owners_and_by_those_it_is_shared_with(
    session: Session, ann: Who, bob: Who, nav: StudyHere
) -> None:
    owner = add_person(session, Role.OWNER, "owner@example.org")
    viewer = add_person(session, Role.VIEWER, "viewer@example.org")
    assert [visible_slugs(session, who) for who in (owner, ann, bob)] == [["nav"], ["nav"], []]
    share(session, ann, nav, " Bob@Example.org ", NOW)
    share(session, ann, nav, viewer.email, NOW)
    share(session, ann, nav, viewer.email, NOW)
    assert [person.email for person in shares(session, nav)] == [ann.email, bob.email, viewer.email]
    assert study_for(session, viewer, "nav") == nav
    unshare(session, ann, nav, bob.user_id, NOW)
    with pytest.raises(NotFound, match="that you can see"):
        study_for(session, bob, "nav")
    assert actions(session)[1:] == ["study.share", "study.share", "study.unshare"]


def test_sharing_with_nobody_in_particular_is_refused_in_words(
    session: Session, ann: Who, nav: StudyHere
) -> None:
    add_person(session, Role.OWNER, "owner@example.org")
    gone = add_person(session, Role.EDITOR, "gone@example.org")
    set_disabled(session, gone.user_id, True, by=COMMAND_LINE, now=NOW)
    for email, error, words in [
        ("nobody@example.org", NotFound, "no user"),
        ("<script>", BadEmail, "not an email address"),
        ("a\x00@example.org", BadEmail, "not an email address"),
        ("owner@example.org", Conflict, "sees every study"),
        ("gone@example.org", Conflict, "switched off"),
    ]:
        with pytest.raises(error, match=words):
            share(session, ann, nav, email, NOW)
    for user_id in (gone.user_id, -1, 2**31, 10**20):
        with pytest.raises(NotFound):
            unshare(session, ann, nav, user_id, NOW)


def test_a_name_that_no_study_can_have_is_just_not_found(session: Session, ann: Who) -> None:
    for slug in ("nav\x00", "\ud800", "a" * 5000, "", "NAV", "nav/../nav"):
        with pytest.raises(NotFound):
            study_for(session, ann, slug)


@pytest.mark.both_databases
def test_the_list_tells_studies_apart_at_a_glance(
    session: Session, ann: Who, bob: Who, nav: StudyHere
) -> None:
    save_version(session, ann, nav, "", NOW)
    freeze(session, nav, Mode.PILOT)
    freeze_live = ParticipantSession(
        version_id=1, mode=Mode.LIVE, recruiter={}, status=Status.ACTIVE, arrived_at=NOW
    )
    freeze_live.version_id = session.exec(select(StudyVersion.id)).one() or 0
    session.add(freeze_live)
    create_study(
        session, bob, "plain", {"title": "Plain", "pairs": "pair,a,b\nq1,human-g1,hybrid-g1\n"}, LATER
    )
    save_draft(
        session,
        ann,
        nav,
        {**draft_for(session, nav).keys, "title": "Now"},
        draft_for(session, nav).revision,
        NOW,
    )
    owner = add_person(session, Role.OWNER, "owner@example.org")
    plain, line = study_lines(session, owner)
    assert (plain.slug, plain.title, plain.version, plain.units, plain.changed_by) == (
        "plain",
        "Plain",
        0,
        {"pair": 1},
        bob.email,
    )
    assert (line.slug, line.title, line.version, line.units, line.is_unsaved) == (
        "nav",
        "Now",
        1,
        {"pair": 11},
        True,
    )
    assert [(line.n_sessions(mode), line.n_completed(mode)) for mode in (Mode.PILOT, Mode.LIVE)] == [
        (1, 1),
        (1, 0),
    ]
    assert line.shared_with == [ann.email]
    assert [each.slug for each in study_lines(session, ann)] == ["nav"]
