"""Restores a backup into an empty place and verifies it."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from app.backup.making import Backup, backups, content_path, copied, damaged
from app.backup.snapshot import is_empty, put_back
from app.core.errors import StudyError
from app.core.settings import Settings

MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Restored:
    """The outcome of a restore; `is_same_secret`: existing addresses and cookies stay valid."""

    backup: Backup
    rows: int
    is_same_secret: bool


def chosen(folder: Path, name: str = "") -> Backup:
    """The newest backup of a folder, or the one whose name begins so. Raises StudyError."""
    if not folder.is_dir():
        raise StudyError(f"there is no folder {folder}")
    found = [one for one in backups(folder) if one.name.startswith(name)]
    if not found:
        raise StudyError(
            f"{folder} has no backup{f' {name}' if name else ''}; make one with: likely-human backup"
        )
    return found[-1]


def check(folder: Path, backup: Backup) -> None:
    """Raises StudyError naming damaged files."""
    if found := damaged(folder, backup):
        more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        named = "; ".join(found[:MOST_NAMED])
        raise StudyError(f"the backup {backup.name} is damaged: {named}{more}. Nothing was restored from it")


def restore(
    settings: Settings, folder: Path, backup: Backup, tell: Callable[[int, int, str], None]
) -> Restored:
    """Put a backup back. Raises StudyError for a damaged one, a place that is not empty, and what does not come out the
    same; nothing is served or overwritten then."""
    _require_empty(settings, backup)
    # Every content is read before anything is written: half a restore would look like a whole one.
    check(folder, backup)
    data, url = settings.data, settings.database_url
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        for done, one in enumerate(backup.files):
            tell(done, len(backup.files), one.path)
            copied(folder, one, data / one.path)
        tables = put_back(url, content_path(folder, backup.database.sha256))
    except OSError as error:
        raise StudyError(f"cannot write {error.filename}: {error.strerror}") from None
    if other := sorted(set(tables.items()) ^ set(backup.tables.items())):
        raise StudyError(
            f"the database is not what was kept: {', '.join(dict.fromkeys(name for name, _ in other))} differ"
        )
    _close(url)
    secret = hashlib.sha256(settings.secret.encode()).hexdigest()
    rows = sum(int(said.partition(" ")[0]) for said in tables.values())
    return Restored(backup, rows, secret == backup.secret_sha256)


def _require_empty(settings: Settings, backup: Backup) -> None:
    data, url = settings.data.absolute(), settings.database_url
    if url.get_backend_name() != backup.kind:
        raise StudyError(
            f"the backup has a database of {backup.kind}, and DATABASE_URL names one of {url.get_backend_name()}"
        )
    if data.exists() and any(data.iterdir()):
        raise StudyError(
            f"{data} is not empty; set LIKELY_HUMAN_DATA to a folder that is, or is not there yet"
        )
    if not is_empty(url):
        raise StudyError(f"the database {url.render_as_string()} is not empty; make a new one")


def _close(url: URL) -> None:
    if url.get_backend_name() == "sqlite":
        os.chmod(str(url.database), 0o600)
