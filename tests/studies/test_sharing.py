"""Notes, links to results, links to a password and names, by their functions, on both databases."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from app.accounts import auditlog
from app.accounts.audit import record
from app.accounts.auditlog import AuditFilter
from app.accounts.logins import NotAllowed, who_logged_in
from app.accounts.password_links import (
    ChosenPassword,
    LinkEnded,
    choose_password,
    email_of_link,
    make_password_link,
)
from app.accounts.profile import News, profile_of, set_profile, who_wants
from app.accounts.tables import Role
from app.core.database import Database
from app.core.errors import NotFound
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
        assert auditlog.entries(session, AuditFilter(since=NOW + timedelta(days=1))) == []
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
