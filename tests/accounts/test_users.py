"""Users, their logins, tokens and the log of changes, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest

from app.accounts import auditlog, logins, passwords, tokens, users
from app.accounts.audit import COMMAND_LINE, Actor, record
from app.accounts.auditlog import AuditFilter
from app.accounts.logins import IDLE, LASTS, NotAllowed, TokenEnded, Who, WrongLogin
from app.accounts.passwords import WeakPassword
from app.accounts.tables import Role
from app.accounts.tokens import BadDays
from app.accounts.users import BadEmail
from app.core.database import Database
from app.core.errors import Conflict, NotFound

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def add(database: Database, email: str, role: Role = Role.OWNER) -> Who:
    with database.transaction() as session:
        return Who(users.add_user(session, email, role, "hash", by=COMMAND_LINE, now=NOW), email, role)


def come_in(database: Database, who: Who, at: datetime = NOW, ends: str = "") -> str:
    with database.transaction() as session:
        return logins.log_in(session, who.user_id, "Firefox", at, ends=ends)


def seen(database: Database, cookie: str, at: datetime) -> Who | None:
    with database.reading() as session:
        return logins.who_logged_in(session, cookie, at)


def actions(database: Database, **wanted: str) -> list[str]:
    with database.reading() as session:
        return [entry.action for entry in auditlog.entries(session, AuditFilter(**wanted))]  # type: ignore[arg-type]


def test_an_email_address_is_kept_in_one_way_and_once(database: Database) -> None:
    with database.transaction() as session:
        users.add_user(session, "  Ada@Example.ORG ", Role.OWNER, "hash", by=COMMAND_LINE, now=NOW)
        assert users.user_named(session, "ADA@example.org").email == "ada@example.org"
        with pytest.raises(Conflict, match="There is already a user"):
            users.add_user(session, "ada@EXAMPLE.org", Role.VIEWER, "hash", by=COMMAND_LINE, now=NOW)
    for text in ("", "ada", "ada@example", "a b@example.org", "ada@example.org\n.", "a@b.c" * 60, "a\0@b.cd"):
        with pytest.raises(BadEmail):
            users.checked_email(text)


def test_there_is_always_an_owner(database: Database) -> None:
    ada, bob = add(database, "ada@example.org"), add(database, "bob@example.org", Role.EDITOR)
    with pytest.raises(Conflict, match="last owner"), database.transaction() as session:
        users.set_role(session, ada.user_id, Role.EDITOR, by=bob.actor, now=NOW)
    with pytest.raises(Conflict, match="last owner"), database.transaction() as session:
        users.set_disabled(session, ada.user_id, True, by=bob.actor, now=NOW)
    with database.transaction() as session:
        users.set_role(session, bob.user_id, Role.OWNER, by=ada.actor, now=NOW)
        users.set_role(session, ada.user_id, Role.VIEWER, by=bob.actor, now=NOW)
    with pytest.raises(Conflict, match="cannot switch yourself off"), database.transaction() as session:
        users.set_disabled(session, bob.user_id, True, by=bob.actor, now=NOW)


def test_a_change_that_changes_nothing_is_not_noted(database: Database) -> None:
    ada = add(database, "ada@example.org")
    with database.transaction() as session:
        users.set_role(session, ada.user_id, Role.OWNER, by=ada.actor, now=NOW)
        users.set_disabled(session, ada.user_id, False, by=ada.actor, now=NOW)
    assert actions(database) == ["user.add"]


def test_a_login_ends_by_itself(database: Database) -> None:
    cookie = come_in(database, add(database, "ada@example.org"))
    assert seen(database, cookie, NOW + IDLE) is not None
    assert seen(database, cookie, NOW + IDLE + SECOND) is None
    at = NOW
    while at + IDLE < NOW + LASTS:
        at += IDLE
        with database.transaction() as session:
            logins.mark_seen(session, 1, at)
    assert seen(database, cookie, NOW + LASTS) is not None
    assert seen(database, cookie, NOW + LASTS + SECOND) is None, "used daily, it ends all the same"


def test_a_new_login_ends_the_browsers_last_one(database: Database) -> None:
    ada = add(database, "ada@example.org")
    first, elsewhere = come_in(database, ada), come_in(database, ada)
    second = come_in(database, ada, ends=first)
    assert first != second
    assert [bool(seen(database, cookie, NOW)) for cookie in (first, elsewhere, second)] == [False, True, True]


def test_nobody_comes_in_with_a_password_that_was_changed_meanwhile(database: Database) -> None:
    ada = add(database, "ada@example.org")
    with database.transaction() as session:
        users.set_password(session, ada.user_id, "another hash", by=COMMAND_LINE, now=NOW)
    with pytest.raises(WrongLogin), database.transaction() as session:
        logins.log_in(session, ada.user_id, "Firefox", NOW, kept="hash")


def test_switching_off_ends_logins_and_tokens_for_good(database: Database) -> None:
    ada, bob = add(database, "ada@example.org"), add(database, "bob@example.org", Role.EDITOR)
    cookie = come_in(database, bob)
    with database.transaction() as session:
        token = tokens.make_token(session, bob, "a program", NOW)
        users.set_disabled(session, bob.user_id, True, by=ada.actor, now=NOW)
        assert logins.password_hash_of(session, "bob@example.org") == (None, None)
        with pytest.raises(WrongLogin):
            logins.log_in(session, bob.user_id, "Firefox", NOW)
        users.set_disabled(session, bob.user_id, False, by=ada.actor, now=NOW)
        assert logins.who_holds(session, token, NOW) is None
    assert seen(database, cookie, NOW) is None
    assert seen(database, come_in(database, bob), NOW) is not None


def test_a_changed_password_ends_every_login_and_a_reset_one_every_token_too(database: Database) -> None:
    ada, bob = add(database, "ada@example.org"), add(database, "bob@example.org")
    cookies = [come_in(database, ada) for _ in range(3)]
    with database.transaction() as session:
        token = tokens.make_token(session, ada, "a program", NOW)
        users.set_password(session, ada.user_id, "another hash", by=ada.actor, now=NOW)
        assert logins.who_holds(session, token, NOW) is not None, "their own change"
        others = tokens.make_token(session, bob, "a program", NOW)
        users.set_password(session, ada.user_id, "a third hash", by=bob.actor, now=NOW)
        assert logins.who_holds(session, token, NOW) is None, "an owner's reset"
        assert logins.who_holds(session, others, NOW) is not None
        second = tokens.make_token(session, ada, "a program", NOW)
        users.set_password(session, ada.user_id, "a fourth hash", by=COMMAND_LINE, now=NOW)
        assert logins.who_holds(session, second, NOW) is None, "a reset at the command line"
    assert [seen(database, cookie, NOW) for cookie in cookies] == [None] * 3


def test_the_role_is_looked_up_at_each_request(database: Database) -> None:
    ada, bob = add(database, "ada@example.org"), add(database, "bob@example.org", Role.EDITOR)
    cookie = come_in(database, bob)
    with database.transaction() as session:
        token = tokens.make_token(session, bob, "a program", NOW)
        users.set_role(session, bob.user_id, Role.VIEWER, by=ada.actor, now=NOW)
    now_is = seen(database, cookie, NOW)
    assert now_is is not None
    assert not now_is.may_edit
    with database.reading() as session:
        held = logins.who_holds(session, token, NOW)
    assert held is not None
    assert not held.who.may_edit


def test_logins_and_tokens_of_others_are_not_there(database: Database) -> None:
    ada, bob = add(database, "ada@example.org"), add(database, "bob@example.org")
    come_in(database, ada)
    with database.transaction() as session:
        tokens.make_token(session, ada, "a program", NOW)
    for revoke in (logins.log_out, tokens.revoke_token):
        for number in (1, 2**31 - 1, 10**30):
            with pytest.raises(NotFound), database.transaction() as session:
                revoke(session, bob, number, NOW)


def test_neither_cookie_nor_token_nor_password_is_kept(database: Database) -> None:
    """Reading the database, or the log of changes, gives no access."""
    ada = add(database, "ada@example.org")
    cookie = come_in(database, ada)
    with database.transaction() as session:
        token = tokens.make_token(session, ada, "a program", NOW)
        users.set_password(session, ada.user_id, passwords.hashed("correct horse"), by=ada.actor, now=NOW)
        everything = str(
            [session.connection().exec_driver_sql(f"SELECT * FROM {name}").all() for name in TABLES]
        )
    assert "ada@example.org" in everything
    for secret in (cookie, token, token.removeprefix("lh_"), "correct horse"):
        assert secret not in everything


OURS = passwords._hasher  # before tests have a quicker one
TABLES = ("user_account", "login", "api_token", "audit_entry")


@pytest.mark.slow
def test_passwords_have_a_length_and_are_argon2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", OURS)
    for weak in ("short", "", "x" * 201):
        with pytest.raises(WeakPassword, match=f"this one has {len(weak)}"):
            passwords.hashed(weak)
    kept = passwords.hashed("correct horse")
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # as RFC 9106 has it where memory is short
    assert passwords.fits("correct horse", kept)
    assert not passwords.fits("correct horsf", kept)
    assert not passwords.fits("correct horse", None)
    passwords._nobody.cache_clear()  # was made at our cost


def test_passwords_that_everybody_guesses_are_refused_in_words() -> None:
    trivial = (
        *(
            "password2026!",
            "Welcome12345",
            "p4ssw0rd!!",
            "1234567890",
            "0987654321",
            "qwertyuiop",
            "letmein1980",
        ),
        *("aaaaaaaaaa", "abcabcabcabc", "likelyhuman1", "qwerty123456", "Sommer.2024!!", "iloveyou1234"),
        *("ada.lovelace1", "AdaLovelace", "lovelace@1815", "example.org1"),
    )
    for weak in trivial:
        with pytest.raises(WeakPassword, match="easily guessed"):
            passwords.check_strength(weak, "ada.lovelace@example.org")
    for good in ("correct horse", "battery staple", "lovelace writes programs", "8402957163", "Müllers Kühe"):
        passwords.check_strength(good, "ada.lovelace@example.org")
    for _ in range(200):
        passwords.check_strength(passwords.generated())


def test_tokens_end_when_they_were_made_to(database: Database) -> None:
    ada = add(database, "ada@example.org")
    with database.transaction() as session:
        usual = tokens.make_token(session, ada, "usual", NOW)
        month = tokens.make_token(session, ada, "month", NOW, days=tokens.checked_days("30"))
        ever = tokens.make_token(session, ada, "ever", NOW, days=tokens.checked_days("never"))
        later = NOW + timedelta(days=30)
        assert logins.who_holds(session, month, later - SECOND) is not None
        with pytest.raises(TokenEnded, match="ended on 2026-03-31"):
            logins.who_holds(session, month, later)
        assert logins.who_holds(session, usual, later) is not None
        with pytest.raises(TokenEnded, match="make another"):
            logins.who_holds(session, usual, NOW + timedelta(days=90))
        assert logins.who_holds(session, ever, NOW + timedelta(days=40_000)) is not None
        ends = [(token.name, token.has_ended(later)) for token in tokens.tokens(session, ada)]
        assert ends == [("usual", False), ("month", True), ("ever", False)]
    for odd in ("", "31", "-1", "forever", "365 days"):
        with pytest.raises(BadDays, match="30, 90, 365 days, or never"):
            tokens.checked_days(odd)


def test_a_token_makes_no_tokens_and_revokes_none_but_itself(database: Database) -> None:
    ada = add(database, "ada@example.org")
    with database.transaction() as session:
        held = [logins.who_holds(session, tokens.make_token(session, ada, name, NOW), NOW) for name in "ab"]
        first, second = (each.who for each in held if each)
        with pytest.raises(NotAllowed, match="makes no tokens"):
            tokens.make_token(session, first, "more", NOW)
        with pytest.raises(NotAllowed, match="none but itself"):
            tokens.revoke_token(session, first, second.token_id or 0, NOW)
        tokens.revoke_token(session, first, first.token_id or 0, NOW)
        assert [token.name for token in tokens.tokens(session, ada)] == ["b"]


def test_generated_passwords_differ_and_can_be_read_out() -> None:
    many = {passwords.generated() for _ in range(200)}
    assert len(many) == 200
    assert not set("".join(many)) & set("0O1lI")
    assert all(len(each) == 19 for each in many)


@pytest.mark.both_databases
def test_the_log_is_read_by_study_person_and_action_a_page_at_a_time(database: Database) -> None:
    ada = add(database, "ada@example.org")
    with database.transaction() as session:
        for number in range(7):
            study = "nav" if number % 2 else None
            record(session, Actor(ada.user_id, ada.email), "study.note", now=NOW, study=study, after=number)
    with database.reading() as session:
        newest = auditlog.entries(session, AuditFilter(), 3)
        older = auditlog.entries(session, AuditFilter(before=newest[-1].id), 50)
        of_study = auditlog.entries(session, AuditFilter(study="nav"))
        found = auditlog.choices(session)
        assert [entry.after for entry in newest] == [6, 5, 4]
        assert [entry.after for entry in older] == [3, 2, 1, 0, {"role": "owner"}]
        assert [entry.after for entry in of_study] == [5, 3, 1]
        assert auditlog.choices(session, "nav").actions == ["study.note"]
    assert (found.studies, found.actors) == (["nav"], ["ada@example.org", "command line"])
    assert found.actions == ["study.note", "user.add"]
    assert actions(database, actor="command line") == ["user.add"]
    assert actions(database, action="study.note", study="none") == []
