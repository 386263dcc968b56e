"""A backup: a folder of contents, each under its SHA-256 and so kept once, and a list for each time."""

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath

from app.backup.snapshot import taken
from app.core.errors import StudyError
from app.core.settings import Settings

LISTS, CONTENTS = "backups", "contents"
DATABASE = "database"
FORMAT = 1
_PIECE = 1 << 20
_SHA256 = re.compile("[0-9a-f]{64}")
_LEFT_OUT = (".lock", "-wal", "-shm", ".sqlite3")  # the database comes as a copy; locks are of processes


@dataclass(frozen=True, slots=True)
class CopiedFile:
    """A file of the data folder as it was copied; `mtime_ns` tells the next backup that it has not changed."""

    path: str
    sha256: str
    bytes: int
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup: its `name` in the folder, the database, what its tables hold, and the files of the data folder."""

    name: str
    made_at: str
    kind: str
    database: CopiedFile
    tables: Mapping[str, str]
    files: Sequence[CopiedFile]
    secret_sha256: str
    new_bytes: int = field(default=0, compare=False)

    @property
    def contents(self) -> Sequence[CopiedFile]:
        """All copied files, the database first."""
        return [self.database, *self.files]


def make_backup(
    settings: Settings, folder: Path, now: datetime, tell: Callable[[int, int, str], None]
) -> Backup:
    """Copy the database, the clips, models and all other files, and the secret; existing copies are reused. Raises
    StudyError on failure.
    """
    data = settings.data_dir
    if folder.resolve().is_relative_to(data.resolve()):
        raise StudyError(
            f"{folder} is in the data folder, which is to be lost without it; name another place"
        )
    try:
        with _alone(folder):
            return _made(settings, folder, now, tell)
    except OSError as error:
        raise StudyError(f"cannot write the backup {folder}: {error.strerror} ({error.filename})") from None


def _made(settings: Settings, folder: Path, now: datetime, tell: Callable[[int, int, str], None]) -> Backup:
    data, url = settings.data_dir, settings.database_url
    known = {one.path: one for one in _last_files(folder)}
    copy = folder / f".{DATABASE}-{secrets.token_hex(4)}"
    new = [0]
    try:
        # First of all, so that every file that it names is there when the files are copied.
        tables = taken(url, copy)
        database = _keep(folder, copy, DATABASE, new)
    finally:
        copy.unlink(missing_ok=True)
    files, paths = [], list(_paths(data))
    for done, path in enumerate(paths):
        name = path.relative_to(data).as_posix()
        tell(done, len(paths), name)
        try:
            files.append(_unchanged(folder, path, known.get(name)) or _keep(folder, path, name, new))
        except FileNotFoundError:
            continue  # deleted since: the database said so, or will
    made = Backup(
        name="",
        made_at=now.isoformat(timespec="seconds"),
        kind=url.get_backend_name(),
        database=database,
        tables=tables,
        files=files,
        secret_sha256=hashlib.sha256(settings.secret.encode()).hexdigest(),
        new_bytes=new[0],
    )
    return _listed(folder, made, now)


def _last_files(folder: Path) -> Sequence[CopiedFile]:
    """Files of the newest readable backup: a damaged one is no reason to make none."""
    for path in sorted((folder / LISTS).glob("*.json"), reverse=True):
        with suppress(StudyError):
            return _read(path).files
    return ()


def _listed(folder: Path, made: Backup, now: datetime) -> Backup:
    """The list is written last, under a name that tells whether it is whole."""
    said = {key: value for key, value in asdict(made).items() if key not in ("name", "new_bytes")}
    text = json.dumps({"format": FORMAT, **said}, indent=1).encode()
    name = f"{now:%Y%m%dT%H%M%SZ}-{hashlib.sha256(text).hexdigest()[:16]}"
    _write(folder / LISTS / f"{name}.json", iter([text]))
    return Backup(**{**{key: getattr(made, key) for key in Backup.__slots__}, "name": name})


def backups(folder: Path) -> Sequence[Backup]:
    """The backups in a folder, the oldest first. Raises StudyError for a list that is damaged."""
    return [_read(path) for path in sorted((folder / LISTS).glob("*.json"))]


def _read(path: Path) -> Backup:
    try:
        text = path.read_bytes()
        if hashlib.sha256(text).hexdigest()[:16] != path.stem.rpartition("-")[2]:
            raise ValueError
        said = json.loads(text)
        if said.pop("format") != FORMAT:
            raise StudyError(f"{path} was made by a newer Likely Human; use that one")
        database, files = CopiedFile(**said.pop("database")), [CopiedFile(**one) for one in said.pop("files")]
        if not all(_stays_within(one) for one in (database, *files)):
            raise StudyError(f"{path} names a file outside the data folder, and was not written by us")
        return Backup(name=path.stem, database=database, files=files, **said)
    except OSError as error:
        raise StudyError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise StudyError(f"{path} is damaged: it is not what was written; use another backup") from None


def _stays_within(one: CopiedFile) -> bool:
    """True if the name stays inside the target: names come from a list that others may have written."""
    path = PurePosixPath(one.path)
    return not path.is_absolute() and ".." not in path.parts and bool(_SHA256.fullmatch(one.sha256))


def damaged(folder: Path, backup: Backup) -> Sequence[str]:
    """Damaged or missing content of a backup, one line each."""
    found = []
    for one in backup.contents:
        path = content_path(folder, one.sha256)
        if not path.is_file():
            found.append(f"{one.path}: its content {path} is missing")
        elif _hashed(path) != one.sha256:
            found.append(f"{one.path}: its content {path} is not what was written")
    return found


def forget(folder: Path, keep: int) -> int:
    """Delete all but the newest `keep` backups and what only they needed; returns how many are gone."""
    with _alone(folder):
        every = backups(folder)
        old, kept = every[: len(every) - keep], every[len(every) - keep :]
        # Lists go first: killed in between, this leaves contents too many, never a list without its contents.
        for one in old:
            (folder / LISTS / f"{one.name}.json").unlink()
        needed = {content.sha256 for one in kept for content in one.contents}
        for path in (folder / CONTENTS).glob("??/*"):
            if path.name not in needed:
                path.unlink()
        return len(old)


def content_path(folder: Path, sha256: str) -> Path:
    """The path of a content in a backup."""
    return folder / CONTENTS / sha256[:2] / sha256


def _paths(data: Path) -> Iterator[Path]:
    for path in sorted(data.rglob("*")):
        own = path.name.endswith(_LEFT_OUT) or path.name.startswith(".write-test-")
        # A link may lead out of the folder, and would come back as a file.
        if path.is_file() and not path.is_symlink() and not own:
            yield path


def _unchanged(folder: Path, path: Path, known: CopiedFile | None) -> CopiedFile | None:
    """The last backup's entry for a file with unchanged size and time; None otherwise."""
    found = path.stat()
    if known is None or (found.st_size, found.st_mtime_ns) != (known.bytes, known.mtime_ns):
        return None
    return known if content_path(folder, known.sha256).is_file() else None


def _keep(folder: Path, path: Path, name: str, new: list[int]) -> CopiedFile:
    """Copy a file under the hash of the copied bytes, even if it changes meanwhile."""
    part = folder / CONTENTS / f".{secrets.token_hex(8)}.part"
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as source:
            # Taken before the bytes: a write meanwhile makes the time differ, so the next backup copies it again.
            mtime_ns = os.fstat(source.fileno()).st_mtime_ns

            def pieces() -> Iterator[bytes]:
                nonlocal size
                while piece := source.read(_PIECE):
                    digest.update(piece)
                    size += len(piece)
                    yield piece

            _write(part, pieces())
        target = content_path(folder, digest.hexdigest())
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
            new[0] += size
    finally:
        part.unlink(missing_ok=True)
    return CopiedFile(name, digest.hexdigest(), size, mtime_ns)


def _write(path: Path, pieces: Iterator[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _hashed(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """A lock so that only one backup runs at a time, by timer or by hand."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StudyError(f"another backup into {folder} is under way; let it end") from None
        for left in (*folder.glob(f".{DATABASE}-*"), *(folder / CONTENTS).glob(".*.part*")):
            left.unlink(missing_ok=True)  # of a backup that was killed
        yield


def copied(folder: Path, one: CopiedFile, target: Path) -> None:
    """Restore a file. Raises StudyError if the bytes written differ from the list."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copyfile(content_path(folder, one.sha256), target)
    target.chmod(0o600)
    if _hashed(target) != one.sha256:
        raise StudyError(f"{target} is not what was copied: the disk may be failing, or full")
