"""`likely-human prereg` and `ethics`, from the study file to a report that is held to what was registered."""

import csv
import hashlib
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.stats.comparisons import mann_whitney
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
arms:
  - {id: slow, target: 30}
  - {id: fast, target: 30, set: {blocks.rate.questions.logic.ask: "Logical?"}}
exclude: [{rule: same-side}]
hypotheses:
  - {id: h1, says: Slow scores higher., compare: [slow, fast], measure: logic, direction: greater, test: mann-whitney}
"""
ASPREDICTED = (
    *("Data collection", "Hypothesis", "Dependent variable", "Conditions", "Analyses"),
    *("Outliers and exclusions", "Sample size", "Other", "Name", "Type of study"),
)


@pytest.fixture
def notes(run: Run, tmp_path: Path) -> Path:  # noqa: F811
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "consent.md").write_text("# Consent\n\nTaking part is voluntary.\n")
    (tmp_path / "items.csv").write_text(
        "item,text,condition\ni1,One.,human\ni2,Two.,agent\ni3,Three.,agent\n"
    )
    done = run("study", "load", "study.yaml")
    assert done.returncode == 0, done.stderr
    return tmp_path


def in_database(folder: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "data" / "likely-human.sqlite3") as connection:
        return connection.execute(query).fetchall()


def refused(done: Done, said: str) -> None:
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_prereg_writes_the_parts_in_order_with_the_hash_of_the_version(run: Run, notes: Path) -> None:  # noqa: F811
    done = run("prereg", "notes")
    assert (done.returncode, done.stdout) == (0, "notes-prereg.md: written\n"), done.stderr
    assert "to be filled in: where participants are recruited" in done.stderr
    text = (notes / "notes-prereg.md").read_text()
    headings = re.findall(r"^## \d+\. (.*)$", text, flags=re.MULTILINE)
    assert headings == list(ASPREDICTED)
    [(sha256,)] = in_database(notes, "select sha256 from study_version")
    assert f"SHA-256 of its design {sha256}" in text
    assert "- h1: Slow scores higher." in text
    pdf = run("prereg", "notes", "--template", "osf", "--format", "pdf", "--out", "made.pdf")
    assert pdf.returncode == 0, pdf.stderr
    assert (notes / "made.pdf").read_bytes().startswith(b"%PDF-")
    # A file that ends so is one without being told.
    assert run("prereg", "notes", "--out", "named.pdf").returncode == 0
    assert (notes / "named.pdf").read_bytes().startswith(b"%PDF-")
    assert in_database(notes, "select count(*) from registration") == [(0,)]


def test_ethics_writes_the_studys_texts_and_names_what_is_missing(run: Run, notes: Path) -> None:  # noqa: F811
    done = run("ethics", "notes", "--out", "board.md")
    assert (done.returncode, done.stdout) == (0, "board.md: written\n"), done.stderr
    assert "> Taking part is voluntary." in (notes / "board.md").read_text()
    assert "to be filled in: the duration" in done.stderr


def test_bad_input_is_one_plain_line_and_writes_and_registers_nothing(run: Run, notes: Path) -> None:  # noqa: F811
    before = sorted(path.name for path in notes.iterdir())
    refused(run("prereg", "nobody"), "nobody")
    refused(run("prereg", "notes", "--format", "doc"), "--format 'doc' is not known; use md or pdf")
    refused(run("prereg", "notes", "--template", "word"), "there is no template 'word'")
    refused(run("prereg", "notes", "--address", "https://osf.io/abcde"), "add --register")
    refused(
        run("prereg", "notes", "--register", "--address", "osf"), "a web address that begins with https://"
    )
    refused(run("prereg", "notes", "--out", "no/such/folder.md"), "cannot write no/such/folder.md")
    refused(run("ethics", "nobody"), "nobody")
    refused(run("ethics", "notes", "--out", "no/such/folder.md"), "cannot write no/such/folder.md")
    assert sorted(path.name for path in notes.iterdir()) == before
    assert in_database(notes, "select count(*) from registration") == [(0,)]


def test_a_study_that_cannot_be_written_to_registers_nothing(run: Run, notes: Path) -> None:  # noqa: F811
    refused(run("prereg", "notes", "--register", "--out", "no/such/folder.md"), "cannot write")
    assert in_database(notes, "select count(*) from registration") == [(0,)]


def test_what_was_registered_is_tested_as_registered_and_marked_and_deviations_are_listed(
    run: Run,  # noqa: F811
    notes: Path,
) -> None:
    done = run("prereg", "notes", "--register", "--address", "https://osf.io/abcde")
    sha256 = hashlib.sha256((notes / "notes-prereg.md").read_bytes()).hexdigest()
    assert f"notes: version 1 registered, SHA-256 {sha256}" in done.stdout, done.stderr
    assert in_database(notes, "select sha256, address from registration") == [
        (sha256, "https://osf.io/abcde")
    ]
    assert run("study", "open", "notes").returncode == 0
    simulated = run("simulate", "notes", "-n", "12", "--seed", "1")
    assert simulated.returncode == 0, simulated.stderr

    held = decided_in(run, notes)
    [one] = held["hypotheses"]
    assert (one["id"], one["status"]) == ("h1", "pre-registered")
    assert (held["registered"]["sha256"], held["registered"]["deviations"]) == (sha256, [])
    # The result is that of the test itself, on a value of each rater of the exported answers.
    means = by_arm(run, notes)
    test = mann_whitney(means["slow"], means["fast"], "greater", resamples=0)
    assert (one["p"], one["n"]) == (pytest.approx(test.p), [len(means["slow"]), len(means["fast"])])

    assert run("report", "notes", "--out", "before", "--resamples", "50").returncode == 0
    text = (notes / "before/numbers/hypotheses.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(text.splitlines()))
    assert [(row["hypothesis"], row["status"]) for row in rows] == [("h1", "pre-registered")]
    assert float(rows[0]["p"]) == pytest.approx(test.p)
    page = (notes / "before/report.html").read_text()
    for said in (
        "Pre-registered hypotheses",
        "pre-registered h1",
        "exploratory",
        "https://osf.io/abcde",
        sha256[:12],
    ):
        assert said in page, said
    assert "No deviation from the registration is recorded." in page

    changed = STUDY.replace("[{rule: same-side}]", "[{rule: straight-lined}]").replace(
        "test: mann-whitney}", "test: mann-whitney, alpha: 0.2}"
    )
    (notes / "study.yaml").write_text(changed)
    loaded = run("study", "load", "study.yaml")
    assert loaded.returncode == 0, loaded.stderr
    held = decided_in(run, notes)
    assert [(each["id"], each["status"], each["alpha"]) for each in held["hypotheses"]] == [
        ("h1", "pre-registered", 0.05),
        ("h1 (version 2)", "changed since it was registered", 0.2),
    ]
    deviations = held["registered"]["deviations"]
    assert any("exclude" in text and "version 2" in text for text in deviations), deviations
    assert any("h1" in text and "0.05 → 0.2" in text for text in deviations), deviations
    assert run("report", "notes", "--out", "after", "--resamples", "50").returncode == 0
    page = (notes / "after/report.html").read_text()
    assert "Deviations from the registration:" in page
    assert "changed since it was registered" in page


def decided_in(run: Run, folder: Path) -> dict[str, Any]:  # noqa: F811
    done = run("analyze", "notes", "--json", "--resamples", "0")
    assert done.returncode == 0, done.stderr
    [held] = json.loads(done.stdout)["hypotheses"]
    return dict(held)


def by_arm(run: Run, folder: Path) -> dict[str, pd.Series]:  # noqa: F811
    """The mean of each rater that counts, by arm, from the exported file."""
    done = run("export", "notes", "--what", "ratings", "--mode", "simulated", "--out", "ratings.csv")
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(folder / "ratings.csv", encoding="utf-8-sig")
    counted = table[(table["kind"] == "main") & table["excluded"].isna() & (table["question"] == "logic")]
    means = counted.groupby(["arm", "participant"])["value"].mean()
    return {arm: means.loc[arm] for arm in ("slow", "fast")}
