"""`likely-human privacy`: what each command writes, erases and says, and that bad input changes nothing."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_import import run  # noqa: F401
from tests.program import Done

pytestmark = pytest.mark.slow

Run = Callable[..., Done]
STUDY = """\
study: notes
title: Notes
consent: {version: '1', text: consent.md}
blocks:
  - id: rate
    task: rating
    items: items.csv
    questions:
      - {id: logic, type: likert, ask: "How logical?", labels: [low, middle, high]}
"""


@pytest.fixture
def notes(run: Run, tmp_path: Path) -> Path:  # noqa: F811
    """A study with three participants who rated, the first called by a recruiter's id, and no retention."""
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "consent.md").write_text("# Consent\n")
    (tmp_path / "items.csv").write_text("item,text\ni1,One.\ni2,Two.\n")
    for words in (("study", "load", "study.yaml"), ("simulate", "notes", "-n", "3", "--seed", "1")):
        done = run(*words)
        assert done.returncode == 0, done.stderr
    change(tmp_path, "update participant_session set participant = 'worker-77' where id = 1")
    return tmp_path


def change(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "data" / "likely-human.sqlite3") as connection:
        connection.execute(statement)


def state(folder: Path) -> list[object]:
    """What of the database a command could change."""
    queries = (
        "select id, participant, status, recruiter, device from participant_session order by id",
        "select session_id, id, answers from response order by id",
        "select action, subject from audit_entry order by id",
    )
    with sqlite3.connect(folder / "data" / "likely-human.sqlite3") as connection:
        return [connection.execute(query).fetchall() for query in queries]


def refused(done: Done, said: str) -> None:
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_person_gets_a_page_a_text_and_a_file_for_programs(run: Run, notes: Path) -> None:  # noqa: F811
    done = run("privacy", "person", "worker-77", "--out", "held")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("held: ")
    assert sorted(path.name for path in (notes / "held").iterdir()) == [
        "person.html",
        "person.json",
        "person.md",
    ]
    data = json.loads((notes / "held/person.json").read_text())
    assert data["format"] == "likely-human person 1"
    assert data["sessions"] == [{"session": 1, "study": "notes"}]
    assert [row["id"] for row in data["tables"]["participant_session"]] == [1]
    assert {row["session_id"] for row in data["tables"]["response"]} == {1}
    page, text = (notes / "held/person.html").read_text(), (notes / "held/person.md").read_text()
    assert page.startswith("<!doctype html>")
    for written in (page, text):
        assert "Your answers" in written
        assert "Participant: worker-77" in written
    assert ("privacy.export", "session 1") in state(notes)[2]  # type: ignore[operator]


def test_forget_asks_first_and_then_deletes_one_person(run: Run, notes: Path) -> None:  # noqa: F811
    before = state(notes)
    refused(run("privacy", "forget", "worker-77"), "this deletes session 1 of notes for ever; add --yes")
    assert state(notes) == before
    done = run("privacy", "forget", "worker-77", "--yes")
    assert (done.returncode, done.stdout) == (0, "deleted: session 1\n"), done.stderr
    sessions, responses, _ = state(notes)
    assert sessions[0][:3] == (1, None, "withdrawn")  # type: ignore[index]
    assert {row[0] for row in responses} == {2, 3}  # type: ignore[attr-defined]
    refused(run("privacy", "forget", "worker-77", "--yes"), "Nothing is held about 'worker-77'")


def test_erase_says_what_it_did_and_a_dry_run_does_nothing(run: Run, notes: Path) -> None:  # noqa: F811
    before = state(notes)
    none = run("privacy", "erase", "notes")
    assert none.stdout == "notes: no retention in the study file; nothing is erased\n"
    assert state(notes) == before
    (notes / "study.yaml").write_text(STUDY + "retention: {days: 0}\n")
    assert run("study", "load", "study.yaml").returncode == 0
    before = state(notes)
    dry = run("privacy", "erase", "notes", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "would be erased" in dry.stdout
    assert state(notes) == before
    done = run("privacy", "erase")
    assert done.returncode == 0, done.stderr
    assert done.stdout == dry.stdout.replace("would be erased", "erased")
    assert "Backups and files exported before still hold them." in done.stderr
    sessions, responses, log = state(notes)
    assert str(sessions[0][1]).startswith("erased-")  # type: ignore[index]
    assert responses == before[1]
    assert ("privacy.erase", "") in log  # type: ignore[operator]


def test_bad_input_is_one_plain_line_and_changes_nothing(run: Run, notes: Path) -> None:  # noqa: F811
    before, files = state(notes), sorted(notes.iterdir())
    refused(run("privacy", "person", "nobody", "--out", "held"), "Nothing is held about 'nobody'")
    refused(run("privacy", "person", "999", "--out", "held"), "Nothing is held about '999'")
    refused(
        run("privacy", "person", "worker-77", "--out", "study.yaml"),
        "study.yaml cannot be written: File exists",
    )
    refused(run("privacy", "forget", "nobody", "--yes"), "Nothing is held about 'nobody'")
    refused(run("privacy", "erase", "elsewhere"), "elsewhere")
    assert run("privacy", "person", "worker-77").returncode == 2  # --out is needed: the usage says so
    assert state(notes) == before
    assert sorted(notes.iterdir()) == files
