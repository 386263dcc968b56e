"""Users of the experimenter's pages in a test: an owner, an editor, a viewer, a stranger, a program."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from tests.admin.persons import (
    Person,
    Program,
    fresh_client,
    make_api_token,
    make_login,
    make_user,
    share_study,
)
from tests.forked_commands import fork_commands
from tests.kept import Kept
from tests.program import Program as Commands

MakePerson = Callable[..., Person]
ProgramOf = Callable[[Person], Program]
ShareWith = Callable[..., None]
Once = Callable[[str, Callable[[Person], object]], None]


@pytest.fixture
def database_url(migrated_sqlite: Path, tmp_path: Path) -> URL:
    """SQLite alone: what a page does with its database is tested, on both, beside the domain function it calls."""
    path = tmp_path / "test.sqlite3"
    shutil.copy(migrated_sqlite, path)
    return URL.create("sqlite", database=str(path))


@pytest.fixture
def make_person(client: TestClient, database: Database) -> MakePerson:
    """`make_person(Role.EDITOR, "second@example.org")`: a new user, logged in."""

    def make(role: Role = Role.OWNER, email: str = "") -> Person:
        with database.transaction() as session:
            who = make_user(session, role, email or f"{role}@example.org")
            return Person(client, make_login(session, who), who)

    return make


@pytest.fixture
def owner(make_person: MakePerson) -> Person:
    return make_person(Role.OWNER)


@pytest.fixture
def editor(make_person: MakePerson) -> Person:
    """Sees no study until `share_with(editor)`."""
    return make_person(Role.EDITOR)


@pytest.fixture
def viewer(make_person: MakePerson) -> Person:
    """Sees no study until `share_with(viewer)`."""
    return make_person(Role.VIEWER)


@pytest.fixture
def stranger(client: TestClient) -> TestClient:
    """A browser that never logged in."""
    return fresh_client(client)


@pytest.fixture
def share_with(database: Database) -> ShareWith:
    """`share_with(editor)` or `share_with(editor, slug)`: by default the fixture `study`'s."""

    def share(person: Person, slug: str = "nav") -> None:
        with database.transaction() as session:
            share_study(session, slug, person.who)

    return share


@pytest.fixture(scope="module")
def kept_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def once(
    kept: Kept, kept_files: Path, settings: Settings, database: Database, make_person: MakePerson
) -> Once:
    """`once("reports", make)`: as `Kept.once`, with what `make` left in that folder of the test's own data folder.

    `make` gets an owner of its own, as a login says when it was last used, and another test has other logins.
    """

    def once(folder: str, make: Callable[[Person], object]) -> None:
        here, there = settings.data_dir / folder, kept_files / folder
        made = []
        kept.once(database, lambda: made.append(make(make_person(Role.OWNER, "before@example.org"))))
        source, target = (here, there) if made else (there, here)
        shutil.copytree(source, target, dirs_exist_ok=True)

    return once


@pytest.fixture
def program_of(client: TestClient, database: Database) -> ProgramOf:
    """`program_of(editor)`: a program with a token of theirs."""

    def program(person: Person) -> Program:
        with database.transaction() as session:
            return Program(client, make_api_token(session, person.who))

    return program


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch, program: Commands, tmp_path: Path) -> None:
    """For tests that download several tables or documents, or have seen the process that writes them elsewhere."""
    fork_commands(monkeypatch, program, tmp_path)


@pytest.fixture
def api(owner: Person, program_of: ProgramOf) -> Program:
    """A program with a token of the owner's."""
    return program_of(owner)
