"""Files into one ZIP that is the same, byte for byte, whenever the files are."""

import hashlib
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# The first moment that a ZIP can hold: when its files were written is nobody's business, and differs every time.
_WHEN = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """`size` in bytes."""

    size: int
    sha256: str


def facts_of(folder: Path) -> dict[str, FileFacts]:
    """Every file below a folder, by its path with `/`, sorted."""
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {path: facts_of_file(folder / path) for path in paths}


def facts_of_file(path: Path) -> FileFacts:
    with path.open("rb") as file:
        return FileFacts(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def checksums(files: Mapping[str, FileFacts]) -> str:
    """The format read by `sha256sum --check`."""
    return "".join(f"{facts.sha256}  {path}\n" for path, facts in files.items())


def write_zip(folder: Path, file: IO[bytes]) -> None:
    """Put all files below `folder` into one ZIP, sorted by name."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # as on Unix, wherever it is made
            entry.external_attr = 0o644 << 16
            # By it zipfile decides, before it has read anything, whether the entry needs ZIP64.
            entry.file_size = path.stat().st_size
            with path.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target)
