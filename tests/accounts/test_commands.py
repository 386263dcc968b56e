"""`likely-human user`, and how the demo's owner comes in."""

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.accounts import auditlog, logins, passwords, users
from app.accounts.audit import COMMAND_LINE
from app.accounts.auditlog import AuditFilter
from app.accounts.tables import Role
from app.cli import app
from app.core.database import Database
from app.core.migrating import open_database
from app.core.settings import Settings
from app.demo.owner import EMAIL, DemoOwner, demo_owner, password_of
from tests.accounts.test_users import NOW

pytestmark = pytest.mark.slow

Run = Callable[..., Result]


@pytest.fixture
def folder(migrated_sqlite: Path, tmp_path: Path) -> Settings:
    """With an empty database."""
    shutil.copy(migrated_sqlite, tmp_path / "likely-human.sqlite3")
    return Settings(LIKELY_HUMAN_DATA=tmp_path, DATABASE_URL="", LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]


@pytest.fixture
def run(folder: Settings) -> Run:
    """In this process, with nobody at a terminal."""

    def run(*words: str) -> Result:
        environment = {"LIKELY_HUMAN_DATA": str(folder.data_dir), "DATABASE_URL": "", "COLUMNS": "200"}
        return CliRunner().invoke(app, ["user", *words], env=environment)

    return run


def password_in(result: Result) -> str:
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output.partition("Password: ")[2].split()[0]


def holds(folder: Settings, email: str, password: str) -> bool:
    database = open_database(folder)
    with database.reading() as session:
        _, kept = logins.password_hash_of(session, email)
    database.close()
    return passwords.fits(password, kept)


def test_users_from_the_command_line(run: Run, folder: Settings) -> None:
    """The first is an owner, others editors; passwords are generated where nobody can be asked."""
    assert "No user yet" in run("list").output
    first = run("add", "Ada@Example.org")
    assert "ada@example.org: added as owner." in first.output
    assert holds(folder, "ada@example.org", password_in(first))
    assert "bob@example.org: added as editor." in run("add", "bob@example.org", "--generate").output
    assert "dora@example.org: added as viewer." in run("add", "dora@example.org", "--role", "viewer").output
    assert "bob@example.org: viewer" in run("role", "bob@example.org", "viewer").output
    assert "switched off" in run("disable", "bob@example.org").output
    assert "bob@example.org  viewer  never here  disabled" in run("list").output
    assert "switched on" in run("enable", "bob@example.org").output
    changed = run("password", "ada@example.org", "--generate")
    assert holds(folder, "ada@example.org", password_in(changed))
    assert not holds(folder, "ada@example.org", password_in(first))


def test_what_the_command_line_does_is_in_the_audit_log(run: Run, folder: Settings) -> None:
    password = password_in(run("add", "ada@example.org"))
    run("add", "bob@example.org")
    run("role", "bob@example.org", "viewer")
    run("disable", "bob@example.org")
    database = open_database(folder)
    with database.reading() as session:
        found = auditlog.entries(session, AuditFilter())
    database.close()
    noted = [(entry.actor, entry.action, entry.subject) for entry in found]
    assert noted == [
        ("command line", "user.disable", "bob@example.org"),
        ("command line", "user.role", "bob@example.org"),
        ("command line", "user.add", "bob@example.org"),
        ("command line", "user.add", "ada@example.org"),
    ]
    assert password not in str(found)


def test_refusals(run: Run) -> None:
    run("add", "ada@example.org")
    for words, said in (
        (["add", "ada@example.org"], "There is already a user ada@example.org."),
        (["add", "ada"], "is not an email address"),
        (["role", "ada@example.org", "editor"], "last owner"),
        (["disable", "ada@example.org"], "last owner"),
        (["disable", "bob@example.org"], "there is no user 'bob@example.org'"),
        (["password", "bob@example.org"], "there is no user"),
    ):
        refused = run(*words)
        assert (refused.exit_code, said in str(refused.exception)) == (1, True), words
    assert "ada@example.org  owner" in run("list").output


def test_at_a_terminal_the_password_is_asked_for_twice(folder: Settings) -> None:
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "user", "add", "ada@example.org"],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "LIKELY_HUMAN_DATA": str(folder.data_dir), "DATABASE_URL": ""},
        start_new_session=True,  # it has no other terminal to ask at
    )
    assert process.stderr
    said = ""
    for typed in ("correct horse", "correct hors", "correct horse", "correct horse"):
        while not said.endswith(("more): ", "again: ")):
            said += process.stderr.read(1) or "it ended, again: "
        os.write(main, f"{typed}\n".encode())
        said += "\n"
    out, err = process.communicate(timeout=60)
    os.close(main)
    os.close(terminal)
    assert process.returncode == 0, said + err
    assert "do not match" in said
    assert "correct" not in said + out + err
    assert holds(folder, "ada@example.org", "correct horse")


def test_the_demos_owner_is_made_once_and_told_at_every_start(folder: Settings) -> None:
    database = open_database(folder)
    first = demo_owner(folder, database)
    assert first == DemoOwner(EMAIL, password_of("test"))
    assert holds(folder, EMAIL, first.password or "")
    assert demo_owner(folder, database) == first
    with database.transaction() as session:
        user = users.user_named(session, EMAIL)
        kept = passwords.hashed("correct horse")
        users.set_password(session, user.id, kept, by=COMMAND_LINE, now=NOW)
        assert len(users.users(session)) == 1
    assert demo_owner(folder, database) == DemoOwner(EMAIL, None), "what they have set is not known"
    database.close()


def test_a_folder_with_users_gets_no_demo_owner(folder: Settings) -> None:
    """Or a demo over somebody's real data would open them to whoever knows how it makes passwords."""
    database: Database = open_database(folder)
    with database.transaction() as session:
        users.add_user(session, "ada@example.org", Role.OWNER, "hash", by=COMMAND_LINE, now=NOW)
    assert demo_owner(folder, database) == DemoOwner(None)
    with database.reading() as session:
        assert [user.email for user in users.users(session)] == ["ada@example.org"]
    database.close()


def test_the_demos_password_is_the_installations_own() -> None:
    assert password_of("one secret") != password_of("another")
