"""A study package as it lies on disk, of any size: looked at in pieces, and never held in memory whole."""

import os
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from app.core.problems import quoted
from app.studies.file.bundle import (
    BROKEN_ZIP,
    COLLECTIONS,
    MOST_BYTES,
    MOST_YAML_BYTES,
    clean_name,
    named_entries,
    refusal,
    refuse_other_packing,
    study_entries,
)

MOST_COLLECTIONS_BYTES = 50_000_000
MOST_ENTRIES = 100_000
# A file of 4 GB may claim to hold any amount: what it claims is what is looked at.
MOST_UNPACKED_BYTES = 20_000_000_000
MOST_DIRECTORY_BYTES = 50_000_000
_PIECE_BYTES = 1 << 20
_AGAIN = "download the package again, and send it as it is"


@dataclass(frozen=True, slots=True)
class PackedStudy:
    """A package as read: `files` by their names, of which one is the study file, and the bytes of `collections.json`,
    None where it has none.
    """

    files: Mapping[str, bytes]
    collections: bytes | None


def read_package(path: Path, name: str) -> PackedStudy:
    """The study in a package, or in any other zip. Every file in it is read once, in pieces, and has to be whole.

    Raises StudyFileProblems, which names the file within the package.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(_Bounded(file)) as packed:
            entries = named_entries(name, packed)
            _refuse_odd(name, entries)
            refuse_other_packing(name, entries)
            wanted = study_entries(entries)
            if wanted is entries and sum(entry.file_size for entry in entries) > MOST_BYTES:
                message = f"this is no study package, and holds more than {MOST_BYTES // 1_000_000} MB"
                remedy = "send a package as *Data* builds it, or the study file with the texts that it names"
                raise refusal(name, message, remedy, line=0)
            found = _contents(name, packed, entries, {entry.filename for entry in wanted})
    except BROKEN_ZIP:
        message = "not readable as a zip file: it may have been cut off"
        raise refusal(name, message, _AGAIN, line=0) from None
    at = next((each for each in found if PurePosixPath(each).name == COLLECTIONS), None)
    collections = found.pop(at) if at else None
    return PackedStudy(found, collections)


def _refuse_odd(name: str, entries: list[zipfile.ZipInfo]) -> None:
    """Raises StudyFileProblems for files that cannot be in a package: out of it, twice, too many or too large."""
    if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > MOST_UNPACKED_BYTES:
        most = f"{MOST_ENTRIES} files or {MOST_UNPACKED_BYTES // 10**9} GB"
        raise refusal(name, f"this holds more than {most}", _AGAIN, line=0)
    for entry in entries:
        at = clean_name(entry.filename)
        if at.startswith("/") or ".." in PurePosixPath(at).parts or at[1:2] == ":":
            raise refusal(f"{name}: {at}", "this path leads out of the package", _AGAIN, line=0)
    twice = [at for at, n in Counter(clean_name(entry.filename) for entry in entries).items() if n > 1]
    if twice:
        more = f", and {len(twice) - 1} more are" if len(twice) > 1 else ""
        raise refusal(
            name, f"two files in it are called {quoted(twice[0])}{more}", "leave one of them out", line=0
        )


def _contents(
    name: str, packed: zipfile.ZipFile, entries: list[zipfile.ZipInfo], wanted: set[str]
) -> dict[str, bytes]:
    """The files that are wanted; of the others is seen whether they are whole."""
    found: dict[str, bytes] = {}
    for entry in entries:
        at = clean_name(entry.filename)
        keeps = entry.filename in wanted
        most = MOST_COLLECTIONS_BYTES if at.endswith(COLLECTIONS) else MOST_YAML_BYTES
        if keeps and wanted != {each.filename for each in entries} and entry.file_size > most:
            raise refusal(f"{name}: {at}", f"this has more than {most // 1_000_000} MB", _AGAIN, line=0)
        try:
            with packed.open(entry) as file:
                if keeps:
                    found[at] = file.read()
                while file.read(_PIECE_BYTES):
                    pass
        except BROKEN_ZIP:
            raise refusal(
                f"{name}: {at}", "this file is damaged or locked by a password", _AGAIN, line=0
            ) from None
    return found


class _Bounded:
    """A file of which no more is read at once than a list of files needs: zipfile would read one of any length."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, n: int = -1) -> bytes:
        if n < 0:
            at = self._file.tell()
            n = self._file.seek(0, os.SEEK_END) - at
            self._file.seek(at)
        if n > MOST_DIRECTORY_BYTES:
            raise zipfile.BadZipFile
        return self._file.read(n)

    def seek(self, *at: int) -> int:
        return self._file.seek(*at)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
