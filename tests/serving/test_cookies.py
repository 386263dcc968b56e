"""Cookies are marked secure where people come by HTTPS: as a proxy says, or as the settings do."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.core.migrating import open_database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.main import create_app
from tests.factories import open_study


@pytest.mark.parametrize(("word", "is_secure"), [("true", True), ("1", True), ("", False), ("no", False)])
def test_a_setting_makes_every_cookie_secure(
    word: str,
    is_secure: bool,
    tmp_path: Path,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    migrated_sqlite: Path,
) -> None:
    settings = Settings(LIKELY_HUMAN_DATA=tmp_path, LIKELY_HUMAN_SECURE_COOKIES=word)  # type: ignore[call-arg]
    shutil.copy(migrated_sqlite, tmp_path / "likely-human.sqlite3")
    database = open_database(settings)
    with database.transaction() as session:
        open_study(session, tmp_path, library[1])
    with TestClient(create_app(settings, database), base_url="http://testserver") as client:
        for path in ("/s/nav", "/admin/login"):
            cookies = client.get(path, follow_redirects=False).headers.get_list("set-cookie")
            assert cookies, path
            assert all(("secure" in cookie.lower()) == is_secure for cookie in cookies), path
