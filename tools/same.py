"""Compares what this code and that of an earlier commit write from the same data: `python -m tools.same COMMIT`.

The earlier code makes the data: the demo with simulated people, and the old databases of the tests, upgraded. Each
side then writes, by the command line alone, every export in CSV and JSON lines, `analyze --json`, `package`, the
tables and numbers of `report`, the study templates, the JSON Schema of study files and the API's OpenAPI document.
Exit status 1 where a byte differs.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from tests.old_databases import restore

ROOT = Path(__file__).parents[1]
DEMO_PEOPLE = {"demo": 24, "rate": 16, "play": 12}
OLD = {"0.3": "0003", "0.4": None}
"""Databases of earlier releases in tests/gold, each with its revision; None: the file names it."""
TABLES = [
    "responses",
    "labels",
    "participants",
    "playback",
    "answers",
    "preferences",
    "ratings",
    "moves",
    "seats_played",
    "walks",
    "positions",
]
MAKE_OPENAPI = (
    "import json; from app.api.app import make_api; print(json.dumps(make_api().openapi(), indent=1))"
)
# In one process: a start costs more than most of what is written.
RUN_ALL = """
import contextlib, io, json, os, sys
from app.cli import main
for arguments, path in json.load(open(sys.argv[1])):
    out, err = io.TextIOWrapper(io.BytesIO(), write_through=True), io.StringIO()
    code, sys.argv = 0, ["likely-human", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main()
        except SystemExit as end:
            code = end.code
        except Exception as error:
            code = repr(error)
            err.write(code)
    if path:
        with open(path, "wb") as file:
            file.write(out.buffer.getvalue() if not code else f"exit {code}\\n{err.getvalue()}".encode())
"""
RESAMPLES = "200"
START_S = 300
_TIME = re.compile(r"Made on \d{4}-\d\d-\d\d at \d\d:\d\d UTC|\"(?:created|datePublished)\": \"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Side:
    """One checkout of the code."""

    root: Path

    def run(self, data: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """`likely-human` of this checkout, over a data folder."""
        return self.python(data, "-c", "import sys; from app.cli import main; sys.exit(main())", *arguments)

    def python(self, data: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env=self._environment(data),
            capture_output=True,
            check=False,
        )

    def serve_demo(self, data: Path) -> None:
        """Make the demo studies and send simulated people through them."""
        command = [sys.executable, "-c", "from app.cli import main; main()", "demo", "--port", "0"]
        with subprocess.Popen(
            command, cwd=self.root, env=self._environment(data), stdout=subprocess.PIPE
        ) as service:
            try:
                self._until_listed(data, service)
                for slug, people in DEMO_PEOPLE.items():
                    done = self.run(data, "simulate", slug, "-n", str(people), "--seed", "1")
                    if done.returncode:
                        sys.exit(f"simulate {slug}: {done.stderr.decode()}")
            finally:
                service.send_signal(signal.SIGTERM)

    def _until_listed(self, data: Path, service: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + START_S
        while not {*DEMO_PEOPLE} <= {*self.slugs(data)}:
            if service.poll() is not None or time.monotonic() > end:
                sys.exit("The demo did not start.")
            time.sleep(1)

    def slugs(self, data: Path) -> Sequence[str]:
        if not (data / "likely-human.sqlite3").exists():
            return ()
        lines = self.run(data, "study", "list").stdout.decode().splitlines()
        return [line.split()[0] for line in lines if line.split()]

    def _environment(self, data: Path) -> Mapping[str, str]:
        own = {
            "PYTHONPATH": str(self.root),
            "LIKELY_HUMAN_DATA": str(data),
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }
        kept = {key: value for key, value in os.environ.items() if not key.startswith("LIKELY_HUMAN_")}
        return {**kept, **own}


def make_data(side: Side, folder: Path) -> Mapping[str, Path]:
    """Data folders by name, filled by the earlier code."""
    made = {"demo": folder / "demo"}
    made["demo"].mkdir()
    side.serve_demo(made["demo"])
    for release, revision in OLD.items():
        held = json.loads(gzip.decompress((ROOT / "tests" / "gold" / f"{release}.json.gz").read_bytes()))
        made[release] = folder / release
        made[release].mkdir()
        url = URL.create("sqlite", database=str(made[release] / "likely-human.sqlite3"))
        restore(url, held["rows"], revision or held["revision"])
        done = side.run(made[release], "doctor")
        sys.stdout.write(f"{release}: doctor of the earlier code says {done.returncode}\n")
    return made


def write_all(side: Side, data: Mapping[str, Path], out: Path) -> None:
    """Write everything that one side makes of the data, as files below `out`."""
    out.mkdir()
    openapi = side.python(next(iter(data.values())), "-c", MAKE_OPENAPI)
    (out / "openapi.json").write_bytes(openapi.stdout or openapi.stderr)
    for name, folder in data.items():
        copy = out / "data"
        shutil.copytree(folder, copy)
        commands = list(_of_code(side, copy, out)) if not (out / "templates").exists() else []
        for slug in side.slugs(copy):
            (out / name / slug).mkdir(parents=True)
            commands += _of_study(slug, out / name / slug)
        listed = out / "commands.json"
        listed.write_text(json.dumps(commands))
        done = side.python(copy, "-c", RUN_ALL, str(listed))
        if done.returncode:
            sys.exit(f"{side.root}: {done.stderr.decode()}")
        listed.unlink()
        shutil.rmtree(copy)
    _keep_what_counts(out)


Command = tuple[Sequence[str], str]
"""Arguments of `likely-human`, and the file that its output goes into; empty: none."""


def _of_code(side: Side, data: Path, out: Path) -> Iterator[Command]:
    """The commands that depend on no study."""
    (out / "templates").mkdir()
    yield ("study", "schema"), str(out / "schema.json")
    for line in side.run(data, "study", "template").stdout.decode().splitlines():
        if line and not line[0].isspace():
            name = line.split()[0]
            yield ("study", "template", name, "--out", str(out / "templates" / name)), ""


def _of_study(slug: str, out: Path) -> Iterator[Command]:
    modes = ("live", "simulated", "imported")
    for mode in modes:
        how = ("--mode", mode, "--json", "--resamples", RESAMPLES)
        yield ("analyze", slug, *how), str(out / f"analyze-{mode}.json")
    for what in TABLES:
        for format_ in ("csv", "jsonl"):
            to = str(out / f"{what}.{format_}")
            yield ("export", slug, "--what", what, "--format", format_), to
    yield ("package", slug, "--out", str(out / "package.zip"), "--real-ids", "--keep-links"), ""
    for mode in modes:
        report = (
            "report",
            slug,
            "--mode",
            mode,
            "--resamples",
            RESAMPLES,
            "--out",
            str(out / f"report-{mode}"),
        )
        yield report, ""


def _keep_what_counts(out: Path) -> None:
    """Unpack packages, and drop pages and figures, which may change their look, with the sums of a package's files."""
    for zip_file in out.rglob("package.zip"):
        with zipfile.ZipFile(zip_file) as held:
            held.extractall(zip_file.with_name("package"))
        zip_file.unlink()
    for folder in ("report-*", "package/results"):
        for path in [path for found in out.rglob(folder) for path in found.rglob("*")]:
            if path.is_file() and (
                path.suffix not in (".csv", ".json") or path.parent.name in ("figures", "numbers")
            ):
                path.unlink()
    for sums in out.rglob("SHA256SUMS"):
        sums.unlink()
    for name in ("README.md", "datapackage.json", "dataset_description.json", "croissant.json"):
        for path in out.rglob(f"package/{name}"):
            path.write_text(
                _TIME.sub("(when it was made)", path.read_text(encoding="utf-8")), encoding="utf-8"
            )


def differences(before: Path, after: Path) -> Iterator[str]:
    """Names of files that are there once, or whose bytes differ, with the first line that does."""
    ours, theirs = _hashes(before), _hashes(after)
    for name in sorted(ours.keys() | theirs.keys()):
        if name not in theirs:
            yield f"only before: {name}"
        elif name not in ours:
            yield f"only after: {name}"
        elif ours[name] != theirs[name]:
            yield f"differs: {name}\n{_first_difference(before / name, after / name)}"


def _hashes(folder: Path) -> Mapping[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _first_difference(before: Path, after: Path) -> str:
    ours, theirs = (path.read_bytes().decode(errors="replace").splitlines() for path in (before, after))
    length = max(len(ours), len(theirs))
    padded = [lines + [""] * (length - len(lines)) for lines in (ours, theirs)]
    for one, other in zip(*padded, strict=True):
        if one != other:
            return f"    - {one[:400]}\n    + {other[:400]}"
    return "    line ends"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.same", description=__doc__.partition("\n")[0])
    parser.add_argument("commit", help="the earlier code")
    parser.add_argument("--keep", type=Path, help="folder for data and outputs; what is there is used again")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return compare(asked.commit, folder)


def compare(commit: str, folder: Path) -> int:
    """Make what is not in `folder` yet, compare, and print the differences; returns the exit status."""
    code, data, before, after = (folder / name for name in ("code", "data", "before", "after"))
    if not code.exists():
        archive = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True
        ).stdout
        code.mkdir()
        subprocess.run(["tar", "-x", "-C", str(code)], input=archive, check=True)
    if not data.exists():
        data.mkdir()
        make_data(Side(code), data)
    made = {path.name: path for path in sorted(data.iterdir())}
    if not before.exists():
        write_all(Side(code), made, before)
    shutil.rmtree(after, ignore_errors=True)
    write_all(Side(ROOT), made, after)
    found = list(differences(before, after))
    sys.stdout.write("".join(f"{each}\n" for each in found))
    sys.stdout.write(f"{len(_hashes(after))} files compared with {commit}: {len(found) or 'none'} differ\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
