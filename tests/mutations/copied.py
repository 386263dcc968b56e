"""A copy of the checkout to break: its files as they are now, and an environment whose programs run the copy.

An environment of its own, as tests start programs with no variable of ours and by the path of their own interpreter:
in that of the checkout `likely-human` is the checkout's code.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.mutations.mutation import ROOT, Mutation


@contextmanager
def copied() -> Iterator[Path]:
    """The folder of the copy, which goes in the end, however it comes."""
    with tempfile.TemporaryDirectory(prefix="likely-human-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder).resolve() / "checkout"
        _copy_files(copy)
        _make_environment(copy / ".venv", copy)
        yield copy


@contextmanager
def changed(copy: Path, mutation: Mutation) -> Iterator[None]:
    """The copy with the mutation; without it in the end. Raises DoesNotApply."""
    path = copy / mutation.file
    text = path.read_text(encoding="utf-8")
    _write(path, mutation.applied(text))
    try:
        yield
    finally:
        _write(path, text)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    # Python would take what it compiled of a file of the same size in the same second.
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def _copy_files(copy: Path) -> None:
    """All files that git knows or would take, with what is not committed yet."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)


def _make_environment(folder: Path, copy: Path) -> None:
    """Take the packages of this environment but for the program itself: a path named in a .pth file is searched, and
    the .pth files in it, by which the program is installed to be edited, are not read."""
    venv.create(folder, symlinks=True)
    packages = sysconfig.get_path("purelib", "venv", {"base": str(folder)})
    (Path(packages) / "copied.pth").write_text(f"{copy}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    ours, theirs = folder / "bin", Path(sys.executable).parent
    for program in theirs.iterdir():
        if (ours / program.name).exists():
            continue
        if program.read_bytes().startswith(b"#!"):
            script = program.read_bytes().replace(os.fsencode(theirs), os.fsencode(ours))
            (ours / program.name).write_bytes(script)
            (ours / program.name).chmod(0o755)
        else:
            (ours / program.name).symlink_to(program)
    # What `make` looks at: all is set up.
    for mark in (".run", ".test"):
        (folder / mark).touch()
