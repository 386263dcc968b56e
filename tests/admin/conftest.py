"""Who uses the experimenter's pages in a test: an owner, an editor, a viewer, a stranger, a program."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import URL
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from tests.admin.persons import (
    Person,
    Program,
    fresh_client,
    make_api_token,
    make_login,
    make_user,
    share_study,
)

MakePerson = Callable[..., Person]
ProgramOf = Callable[[Person], Program]
ShareWith = Callable[..., None]


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


@pytest.fixture
def program_of(client: TestClient, database: Database) -> ProgramOf:
    """`program_of(editor)`: a program with a token of theirs."""

    def program(person: Person) -> Program:
        with database.transaction() as session:
            return Program(client, make_api_token(session, person.who))

    return program


@pytest.fixture
def api(owner: Person, program_of: ProgramOf) -> Program:
    """A program with a token of the owner's."""
    return program_of(owner)
