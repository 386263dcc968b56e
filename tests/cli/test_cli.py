"""The command line as a person meets it: exit 0, 1 with one clear line, 2 for wrong usage; never a traceback."""

import csv
import json
import os
import re
import shutil
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml

from analysis.__main__ import main as analysis_alone
from app.core.migrating import open_database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from tests.factories import NOW, study_file
from tests.library.clips.videos import make_video, write_manifest
from tests.program import Done, Program
from tests.serving.services import NO_WORKER

Run = Callable[..., Done]


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    return {**kept, "LIKELY_HUMAN_DATA": str(tmp_path / "data"), "COLUMNS": "200", "TERM": "dumb"}


@pytest.fixture
def run(environment: Mapping[str, str], tmp_path: Path, program: Program) -> Run:
    def run(*words: object, **more: str) -> Done:
        return program.run(*words, cwd=tmp_path, environment={**environment, **more})

    return run


@pytest.fixture
def data(environment: Mapping[str, str], migrated_sqlite: Path) -> Path:
    """The data folder, as an earlier command left it."""
    folder = Path(environment["LIKELY_HUMAN_DATA"])
    folder.mkdir()
    shutil.copy(migrated_sqlite, folder / "likely-human.sqlite3")
    return folder


def assert_refused(done: Done, *parts: str) -> None:
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    for part in parts:
        assert part in lines[0]


def filled(data: Path, library: tuple[ClipStore, Sequence[ImportedClip]]) -> Path:
    """The data folder after `stimuli import` of the clips of `folder`."""
    store, clips = library
    shutil.copytree(store.root, data, dirs_exist_ok=True)
    settings = Settings(LIKELY_HUMAN_DATA=data, DATABASE_URL="")  # type: ignore[call-arg]
    with closing(open_database(settings)) as database, database.transaction() as session:
        add_stimuli(session, clips, NOW)
    return data


@pytest.fixture
def folder(tmp_path: Path, library: tuple[ClipStore, Sequence[ImportedClip]]) -> Path:
    """An experimenter's folder: clips with a manifest, and a study file."""
    source = library[0].root.parent
    for path in (*source.glob("*.mp4"), source / "manifest.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study_file(), sort_keys=False))
    return tmp_path


def test_an_import_says_in_what_clips_differ_from_their_files(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        make_video(tmp_path / f"{name}.mp4", audio=name == "b", fps=25, seconds=0.4)
    rows = [{"file": f"{name}.mp4", "name": name, "source": "human"} for name in "ab"]
    write_manifest(tmp_path / "manifest.csv", rows)
    assert run("stimuli", "import", "manifest.csv").stdout.splitlines() == [
        "2 clips imported, 64 x 48 at 30 frames/s",
        "a, b: It has 25 frames a second, the clip 30.",
        "b: Its sound is left out.",
    ]


def test_a_check_warns_of_a_time_that_quick_people_cannot_keep_to(
    run: Run, folder: Path, data: Path, library: tuple[ClipStore, Sequence[ImportedClip]]
) -> None:
    filled(data, library)
    keys = {**study_file(), "exclude": [{"rule": "total-time", "least": 30}]}
    (folder / "study.yaml").write_text(yaml.safe_dump(keys, sort_keys=False))
    said = " ".join(run("study", "check", "study.yaml").stdout.split())
    assert "fine. 11 pairs" in said
    assert "Time limits of exclusion rules: The clips of a session last" in said
    assert "who takes less than 1800 s does not count" in said


def test_from_a_folder_of_clips_to_labels(run: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first five steps of docs/command-line.md."""
    assert "18 clips imported" in run("stimuli", "import", "manifest.csv").stdout
    assert "fine. 11 pairs" in run("study", "check", "study.yaml").stdout
    assert "version 1 (new), 11 pairs" in run("study", "load", "study.yaml").stdout
    assert "open" in run("study", "open", "nav").stdout
    done = run("simulate", "nav", "-n", "4", "--accuracy", "1", "--seed", "1")
    assert (
        done.stdout
        == "4 simulated participants walked through nav; in pairs their expected accuracy is 1.000\n"
    )
    assert "4 simulated completed" in run("study", "list").stdout
    assert run("flow", "nav").stderr == "nav has no live sessions; those that it has: --mode simulated.\n"
    assert run("flow", "nav", "--mode", "simulated").stderr == ""
    done = run("export", "nav", "--what", "labels", "--out", "labels.csv")
    assert (done.returncode, done.stdout) == (0, "10 rows of labels written to labels.csv\n")
    assert "votes of simulated participants" in done.stderr
    assert_refused(run("export", "nav", "--what", "labels", "--mode", "live"), "'live' has no answers")
    with (folder / "labels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10
    assert {row["agrees_with_truth"] for row in rows if row["truth"]} == {"true"}
    run("export", "nav", "--out", "responses.csv")
    few = ("--json", "--resamples", "50")
    by_sql = json.loads(run("analyze", "nav", *few).stdout)
    by_file = json.loads(run("analyze", "responses.csv", *few).stdout)
    assert analysis_alone([str(folder / "responses.csv"), *few]) == 0
    assert by_file == json.loads(capsys.readouterr().out)
    # Who arrived and did not begin is in the database alone.
    assert by_sql["studies"][0].pop("flow")["steps"][0]["step"] == "arrived"
    assert by_file["studies"][0].pop("flow")["steps"][0]["step"] != "arrived"
    assert by_sql == by_file
    assert by_sql["studies"][0]["accuracy"]["mean"] == 1.0
    assert_refused(
        run("stimuli", "import", "manifest.csv"), "manifest.csv", "row 2", "'human-g1'", "there already"
    )
    assert "unchanged" in run("study", "load", "study.yaml").stdout
    assert_refused(
        run("study", "delete", "nav", "--yes-delete", "nav"),
        "'nav' takes participants",
        "pause or close it first",
    )
    run("study", "pause", "nav")
    assert "unarchive nav" in run("study", "archive", "nav").stdout
    assert "nav" not in run("study", "list").stdout
    assert_refused(run("study", "open", "nav"), "archived")
    assert "nav  paused" in run("study", "list", "--archived").stdout
    assert "and paused" in run("study", "unarchive", "nav").stdout
    assert_refused(run("study", "delete", "nav"), "type its name, nav")
    assert "nav: deleted" in run("study", "delete", "nav", "--yes-delete", "nav").stdout
    assert_refused(run("study", "archive", "nav"), "there is no study 'nav'")


@pytest.mark.usefixtures("data")
def test_a_study_file_with_errors_names_each_with_its_line(run: Run, folder: Path) -> None:
    keys = study_file(title="", trials={"order": "sideways", "questions": []})
    (folder / "bad.yaml").write_text(yaml.safe_dump(keys, sort_keys=False))
    done = run("study", "check", "bad.yaml")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) >= 3
    assert all(line.startswith("bad.yaml:") for line in done.stderr.splitlines())


def test_the_schema_is_json(run: Run) -> None:
    schema = json.loads(run("study", "schema").stdout)
    assert schema["$schema"].endswith("2020-12/schema")


NOT_THERE = {
    "export none": "no study 'none'",
    "analyze none": "no study 'none'",
    "analyze none.csv": "none.csv",
    "simulate none": "no study 'none'",
    "study open none": "no study 'none'",
    "study load none.yaml": "none.yaml",
    "stimuli import none.csv": "none.csv",
    "import hntt none.csv": "none.csv",
}


@pytest.mark.usefixtures("data")
def test_what_is_not_there_is_one_line(run: Run) -> None:
    for words, part in NOT_THERE.items():
        assert_refused(run(*words.split()), part)
    assert_refused(run("simulate", "none", "--accuracy", "1.5"), "accuracy", "1.5", "0 to 1")


@pytest.mark.usefixtures("data")
def test_a_list_of_participants_is_text_as_excel_saves_it_too(run: Run, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    assert_refused(
        run("study", "links", "none", "picture.png"), "picture.png", "zero bytes", "save it as text"
    )
    (tmp_path / "names.txt").write_bytes("p1\r\np2\r\n".encode("utf-16"))
    assert_refused(run("study", "links", "none", "names.txt"), "no study 'none'")


@pytest.mark.usefixtures("data")
def test_wrong_usage_is_exit_2(run: Run) -> None:
    for words in ("export", "export x --what secrets", "nonsense", "simulate x -n 0", "simulate x -n 1_0"):
        done = run(*words.split())
        assert done.returncode == 2, words
        assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert_refused(
        run("study", "list", LIKELY_HUMAN_DATA=str(tmp_path / "file" / "data")),
        "cannot write",
        "LIKELY_HUMAN_DATA",
    )


NO_DATABASE = {
    "mysql://localhost/x": "mysql",
    "not a url": "DATABASE_URL",
    "postgresql://nobody:secret@127.0.0.1:1/x": "cannot use the database",
}


def test_a_database_that_cannot_be_had_is_one_line_without_its_password(run: Run) -> None:
    for url, part in NO_DATABASE.items():
        done = run("study", "list", DATABASE_URL=url)
        assert_refused(done, part)
        assert "secret" not in done.stderr


HNTT = "studyno,subjno,question_id,vidA_type,vidB_type,ground,subj_resp,certainty\n"
BAD_ANSWERS: Mapping[str, tuple[bytes, list[str]]] = {
    "empty": (b"", ["empty"]),
    "missing column": (HNTT.replace(",certainty", "").encode() + b"1,1,1,2,1,B,B\n", ["certainty"]),
    "C": (HNTT.encode() + b"1,1,1,2,1,B,B,1\n1,1,2,1,2,A,C,1\n", ["row 3", "subj_resp", "'C'", "A, B"]),
    "7": (HNTT.encode() + b"1,1,1,2,1,B,B,7\n", ["row 2", "certainty", "'7'", "1 to 5"]),
    "duplicate": (HNTT.encode() + b"1,1,1,2,1,B,B,1\n1,1,1,2,1,B,A,1\n", ["row 3", "question_id"]),
    "wrong side": (HNTT.encode() + b"1,1,1,2,1,A,B,1\n", ["row 2", "ground"]),
    "utf-16": ((HNTT + "1,1,1,2,1,B,B,1\n").encode("utf-16-le"), ["zero bytes"]),
}


@pytest.mark.usefixtures("data")
def test_a_bad_file_of_answers_is_one_line_and_nothing_is_stored(run: Run, tmp_path: Path) -> None:
    for content, parts in BAD_ANSWERS.values():
        (tmp_path / "answers.csv").write_bytes(content)
        assert_refused(run("import", "hntt", "answers.csv"), "answers.csv", *parts)
    assert "No study yet" in run("study", "list").stdout


@dataclass(frozen=True, slots=True)
class Served:
    """A data folder that is being served, and what its service said first."""

    data: Path
    lines: Sequence[str]

    @property
    def address(self) -> str:
        return self.lines[1].split()[-1].removesuffix("/s/SLUG")

    @property
    def port(self) -> str:
        return self.address.rpartition(":")[2]


@pytest.fixture(scope="module")
def served(
    program: Program,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    data = filled(program.begin(tmp_path_factory.mktemp("served") / "data"), library)
    environment = {**os.environ, "LIKELY_HUMAN_DATA": str(data), "COLUMNS": "200", "TERM": "dumb"}
    process = program.start(
        "serve", "--port", "0", cwd=data.parent, environment=environment, before=NO_WORKER
    )
    with process.stdout as said:
        try:
            yield Served(data, [said.readline() for _ in range(4)])
        finally:
            process.kill()
            said.read()  # until it is gone


def test_serve_prints_both_addresses_and_who_is_added_while_it_runs_can_come_in(
    run: Run, served: Served
) -> None:
    assert re.search(r"http://127\.0\.0\.1:\d+/s/SLUG$", served.lines[1].strip())
    admin = served.lines[2].split()[-1]
    assert admin == f"{served.address}/admin"
    assert "likely-human user add" in served.lines[3]
    done = run("user", "add", "ada@example.org", LIKELY_HUMAN_DATA=str(served.data))
    password = done.stdout.split("Password: ")[1].split()[0]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(admin, timeout=60) as reply:
        assert reply.url.endswith("/admin/login?next=/admin")
        csrf = reply.read().decode().split('name="csrf" value="')[1].partition('"')[0]
    form = {"csrf": csrf, "email": "ada@example.org", "password": password, "next": "/admin"}
    with browser.open(f"{served.address}/admin/login", urlencode(form).encode(), timeout=60) as reply:
        assert "Studies" in reply.read().decode()


def test_a_taken_port_is_one_line(run: Run, served: Served) -> None:
    assert_refused(run("serve", "--port", served.port), f"port {served.port}", "--port")


def test_a_folder_is_served_once(run: Run, served: Served) -> None:
    assert_refused(
        run("serve", "--port", "0", LIKELY_HUMAN_DATA=str(served.data)), "served already", f":{served.port}"
    )


def test_a_command_finds_the_running_service(run: Run, served: Served, folder: Path) -> None:
    where = {"LIKELY_HUMAN_DATA": str(served.data)}
    run("study", "load", "study.yaml", **where)
    run("study", "open", "nav", **where)
    done = run("simulate", "nav", "-n", "2", **where)
    assert "2 simulated participants" in done.stdout, done.stderr
    assert "2 simulated completed" in run("study", "list", **where).stdout


def test_several_workers_need_postgresql(run: Run) -> None:
    assert_refused(run("serve", "--port", "0", "--workers", "2"), "SQLite", "DATABASE_URL")
