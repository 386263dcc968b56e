"""Notes, links to results, links to a password and names, by their functions, on both databases."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select, update

from app.accounts import auditlog, users
from app.accounts.audit import record
from app.accounts.auditlog import AuditFilter
from app.accounts.logins import NotAllowed, who_logged_in
from app.accounts.password_links import (
    MOST_OPEN,
    ChosenPassword,
    LinkEnded,
    choose_password,
    email_of_link,
    make_password_link,
)
from app.accounts.profile import BadProfile, News, profile_of, set_profile, who_wants
from app.accounts.tables import Role
from app.core.database import Database
from app.core.errors import NotFound
from app.jobs.mails import MOST_RESETS, Mail, ask_mail, ask_reset, newest_mails
from app.jobs.tables import Job, JobStatus
from app.outputs import shared_results
from app.outputs.shared_results import checked_end, results_links, share_results, shared_by, unshare_results
from app.studies.access import study_for
from app.studies.deleting import delete_study
from app.studies.drafts import create_study
from app.studies.notes import add_note, delete_note, edit_note, notes_of
from app.studies.titles import titles_of
from tests.admin.persons import make_user

pytestmark = pytest.mark.both_databases
NOW = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


def test_notes_links_and_names_are_kept_and_go_with_their_study(database: Database) -> None:
    with database.transaction() as session:
        ana, ben = (
            make_user(session, Role.OWNER, "ana@example.org"),
            make_user(session, Role.OWNER, "b@example.org"),
        )
        set_profile(session, ana, "Ana Ruiz", ["look", "odd"], NOW)
        create_study(session, ana, "nav", {"title": "Corridors"}, NOW)
        create_study(session, ana, "bare", {}, NOW)
        study = study_for(session, ana, "nav")
        first = add_note(session, ana, study, "one\r\ntwo", NOW)
        second = add_note(session, ben, study, "three", NOW)
        edit_note(session, ben, study, second, "four", NOW + timedelta(hours=1))
        with pytest.raises(NotAllowed):
            delete_note(session, ben, study, first, NOW)
        token = share_results(session, ana, study, "pilot", "Journal", checked_end("", NOW), NOW)
    with database.reading() as session:
        assert profile_of(session, ana.user_id).mails == (News.LOOK,)
        assert (who_wants(session, News.LOOK), who_wants(session, News.TARGET)) == ([ana.user_id], [])
        assert [(one.by, one.text, one.edited_at is None) for one in notes_of(session, ana, study)] == [
            ("b@example.org", "four", False), ("Ana Ruiz", "one\ntwo", True),
        ]  # fmt: skip
        assert titles_of(session, ["nav", "bare", "none"]) == {"nav": "Corridors"}
        (link,) = results_links(session, study, NOW)
        assert (link.by, link.expires_at.date()) == ("Ana Ruiz", (NOW + timedelta(days=30)).date())
        shown = shared_by(session, token, NOW)
        assert (shown.study.slug, shown.asked.mode, shown.is_closed) == ("nav", "pilot", False)
        with pytest.raises(NotFound):
            shared_by(session, token + "x", NOW)
        with pytest.raises(shared_results.LinkEnded):
            shared_by(session, token, NOW + timedelta(days=31))
        newest = auditlog.entries(session, AuditFilter(kind="results", since=NOW - timedelta(days=1)))
        assert [(one.who, one.action, one.subject) for one in newest] == [
            ("Ana Ruiz", "results.share", "Journal")
        ]
        assert auditlog.entries(session, AuditFilter(kind="results", since=NOW + timedelta(days=1))) == []
    with database.transaction() as session:
        unshare_results(session, ben, study, link.id, NOW)
        with pytest.raises(shared_results.LinkEnded):
            shared_by(session, token, NOW)
        delete_study(session, ana.actor, study, "nav", NOW)
    with database.reading() as session:
        assert notes_of(session, ana, study) == []
        with pytest.raises(NotFound):
            shared_by(session, token, NOW)


def test_a_password_link_is_good_once(database: Database) -> None:
    with database.transaction() as session:
        ana = make_user(session, Role.OWNER, "ana@example.org")
        record(session, ana.actor, "login", now=NOW)
        old, token = (make_password_link(session, ana.user_id, NOW) for _ in range(2))
    chosen = ChosenPassword("battery staple", "battery staple", "a browser")
    email, login = asyncio.run(choose_password(database, token, chosen, NOW))
    assert email == ana.email
    with database.reading() as session:
        assert who_logged_in(session, login, NOW)
        for ended in (old, token):
            with pytest.raises(LinkEnded):
                email_of_link(session, ended, NOW)
    with pytest.raises(LinkEnded):
        asyncio.run(choose_password(database, token, chosen, NOW))
    with pytest.raises(NotFound):
        asyncio.run(choose_password(database, "none", chosen, NOW))


def test_open_password_links_end_with_a_new_password_and_when_a_user_is_disabled(database: Database) -> None:
    with database.transaction() as session:
        ana, ben = (make_user(session, Role.OWNER, f"{name}@example.org") for name in ("ana", "ben"))
        other = make_password_link(session, ana.user_id, NOW)

        def disable() -> None:
            for disabled in (True, False):
                users.set_disabled(session, ben.user_id, disabled, by=ana.actor, now=NOW)

        changes: list[Callable[[], None]] = [
            lambda: users.set_password(session, ben.user_id, "a hash", by=ana.actor, now=NOW),
            lambda: users.set_password(session, ben.user_id, "a hash", by=ben.actor, now=NOW),
            disable,
        ]
        for change in changes:
            token = make_password_link(session, ben.user_id, NOW)
            assert email_of_link(session, token, NOW) == ben.email
            change()
            with pytest.raises(LinkEnded):
                email_of_link(session, token, NOW)
        assert email_of_link(session, other, NOW) == ana.email


def test_links_that_anybody_can_ask_for_leave_others_open_and_are_few(database: Database) -> None:
    with database.transaction() as session:
        ana = make_user(session, Role.OWNER, "ana@example.org")
        first = make_password_link(session, ana.user_id, NOW)
        more = [make_password_link(session, ana.user_id, NOW, keeps_others=True) for _ in range(MOST_OPEN)]
        # The first may be an invitation: what strangers ask for ends only what strangers asked for.
        with pytest.raises(LinkEnded):
            email_of_link(session, more[0], NOW)
        good = [first, *more[1:]]
        assert [email_of_link(session, token, NOW) for token in good] == [ana.email] * MOST_OPEN
        make_password_link(session, ana.user_id, NOW)
        for token in good:
            with pytest.raises(LinkEnded):
                email_of_link(session, token, NOW)


def test_a_link_that_anybody_can_ask_for_is_mailed_a_few_times_a_day(database: Database) -> None:
    def n_asked(now: datetime) -> int:
        with database.transaction() as session:
            ask_reset(session, ana.email, [], now)
        with database.reading() as session:
            return len(session.exec(select(Job)).all())

    def sent() -> None:
        with database.transaction() as session:
            session.execute(update(Job).values(status=JobStatus.DONE))

    with database.transaction() as session:
        ana = make_user(session, Role.OWNER, "ana@example.org")
        ask_mail(session, Mail.TARGET, ana.user_id, NOW)
    assert [n_asked(NOW), n_asked(NOW)] == [2, 2], "one that waits is enough"
    for n in range(2, MOST_RESETS + 1):
        sent()
        assert n_asked(NOW) == n + 1
    sent()
    assert n_asked(NOW + timedelta(hours=23)) == MOST_RESETS + 1
    assert n_asked(NOW + timedelta(hours=25)) == MOST_RESETS + 2


def test_the_newest_mails_of_a_kind_are_found_behind_many_of_another(database: Database) -> None:
    with database.transaction() as session:
        ana = make_user(session, Role.OWNER, "ana@example.org")
        create_study(session, ana, "nav", {"title": "Corridors"}, NOW)
        study = study_for(session, ana, "nav")
        first = ask_mail(session, Mail.TARGET, ana.user_id, NOW, study_id=study.id)
        for _ in range(201):
            ask_mail(session, Mail.LOOK, ana.user_id, NOW, study_id=study.id)
        assert [job.id for job in newest_mails(session, study.id, Mail.TARGET)] == [first]


def test_a_name_passes_for_no_other_user_and_not_for_the_service(database: Database) -> None:
    with database.transaction() as session:
        ana, ben = (make_user(session, Role.OWNER, f"{name}@example.org") for name in ("ana", "ben"))
        set_profile(session, ana, "Ana Ruiz", [], NOW)
        for name in ("ana  ruiz", "ANA RUIZ", "The Service itself", "Command line", "the command line"):
            with pytest.raises(BadProfile):
                set_profile(session, ben, name, [], NOW)
        set_profile(session, ana, "Ana Ruiz", ["look"], NOW)
        set_profile(session, ben, "Ben", [], NOW)
