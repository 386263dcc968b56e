"""A library of one's own: an empty data folder, a database, an owner."""

from pathlib import Path

import pytest
from sqlalchemy import URL

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from tests.admin.persons import make_user
from tests.library.desk import Desk


@pytest.fixture
def who(database: Database) -> Who:
    with database.transaction() as session:
        return make_user(session, Role.OWNER, "owner@example.org")


@pytest.fixture
def own_settings(database_url: URL, tmp_path: Path) -> Settings:
    url = database_url.render_as_string(hide_password=False)
    return Settings(LIKELY_HUMAN_DATA=tmp_path / "data", DATABASE_URL=url, LIKELY_HUMAN_SECRET="test")  # type: ignore[call-arg]


@pytest.fixture
def desk(own_settings: Settings, database: Database, who: Who) -> Desk:
    return Desk(own_settings, database, who)
