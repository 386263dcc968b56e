import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import URL

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from tests.admin.persons import make_user
from tests.library.clips.videos import make_video
from tests.library.desk import Desk


def sqlite_at(path: Path) -> URL:
    return URL.create("sqlite", database=str(path))


@pytest.fixture
def database_url(migrated_sqlite: Path, tmp_path: Path) -> URL:
    """SQLite alone: these tests are about files, and clips take their time."""
    path = tmp_path / "test.sqlite3"
    shutil.copy(migrated_sqlite, path)
    return sqlite_at(path)


@pytest.fixture(scope="session")
def full_folder(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Who]:
    """A data folder with six clips, two goals of three sources, and its database, to be copied."""
    folder = tmp_path_factory.mktemp("full")
    shutil.copy(migrated_sqlite, folder / "test.sqlite3")
    database = Database(sqlite_at(folder / "test.sqlite3"), checkpointing=True)
    with database.transaction() as session:
        who = make_user(session, Role.OWNER, "owner@example.org")
    settings = Settings(  # type: ignore[call-arg]
        LIKELY_HUMAN_DATA=folder / "data", DATABASE_URL=str(database.url), LIKELY_HUMAN_SECRET="test"
    )
    desk = Desk(settings, database, who)
    named = [(source, goal) for goal in ("g1", "g2") for source in ("human", "hybrid", "symbolic")]
    for number, (source, goal) in enumerate(named):
        colour = (200, 40 * number, 30)
        path = make_video(folder / f"{source}-{goal}.mp4", seconds=1 + number / 10, colour=colour)
        desk.upload(path, source, attributes={"goal": goal})
    desk.drain()
    database.close()
    return folder, who


@pytest.fixture
def filled(full_folder: tuple[Path, Who], database_url: URL, own_settings: Settings) -> Iterator[Desk]:
    """A library of six clips: sources human, hybrid and symbolic, goals g1 and g2."""
    folder, who = full_folder
    shutil.copytree(folder / "data", own_settings.data_dir, dirs_exist_ok=True)
    shutil.copy(folder / "test.sqlite3", database_url.database or "")
    database = Database(database_url, checkpointing=True)
    yield Desk(own_settings, database, who)
    database.close()
