"""Every page of a study whose answers came with a mapping file."""

import json
import re
from pathlib import Path

import pytest

from app.core.database import Database
from app.core.settings import Settings
from app.jobs.worker import drain
from app.reports.frames import responses_frame
from app.reports.mapped import import_mapped
from app.reports.report import build_report
from tests.admin.persons import Person, Program
from tests.factories import NOW

MAPPING = """\
kind: 2afc
study: elsewhere-1
columns: {participant: who, pair: item, choice: pick, certainty: sure, source_a: one, source_b: two}
constants: {truth: human}
named_by: {choice: source, truth: source}
"""


@pytest.fixture
def here(database: Database, tmp_path: Path) -> str:
    lines = [f"w{n % 4},pair {n // 4} | é,{'human' if n % 3 else 'bot'},{7 * n},human,bot" for n in range(12)]
    (tmp_path / "t.csv").write_text(
        "who,item,pick,sure,one,two\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )
    (tmp_path / "map.yaml").write_text(MAPPING)
    with database.transaction() as session:
        import_mapped(session, tmp_path / "t.csv", tmp_path / "map.yaml", NOW)
    return "/admin/studies/elsewhere-1"


@pytest.fixture
def one_minded(database: Database, tmp_path: Path) -> str:
    """Twelve answers of one person who always chose member a, so that every vote is stored as one for the left."""
    lines = [f"w0,pair {n},human,{7 * n},human,bot" for n in range(12)]
    (tmp_path / "t.csv").write_text("who,item,pick,sure,one,two\n" + "\n".join(lines) + "\n")
    (tmp_path / "map.yaml").write_text(MAPPING)
    with database.transaction() as session:
        import_mapped(session, tmp_path / "t.csv", tmp_path / "map.yaml", NOW)
    return "/admin/studies/elsewhere-1"


def test_sides_that_nobody_knows_are_not_shown_and_flag_nobody(
    one_minded: str, owner: Person, api: Program
) -> None:
    monitor = main_of(owner.get(f"{one_minded}/monitor").text)
    assert "12 votes." in monitor
    assert "Sides unknown: the imported answers do not say which clip was on the left." in monitor
    assert "Member a was on the left" not in monitor
    assert "always one side" not in monitor
    assert monitor.count("side unknown") == 12

    session = main_of(owner.get(f"{one_minded}/sessions/1").text)
    assert "Pressed" not in session
    assert "on the left" not in session
    assert "always one side" not in session
    assert session.count("(side unknown), the true one") == 12
    assert "always one side 12" not in main_of(owner.get(f"{one_minded}/sessions").text)
    assert "0 sessions" in main_of(owner.get(f"{one_minded}/sessions?flag=one-sided").text)

    numbers = api.get("/studies/elsewhere-1/monitor").json()
    assert (numbers["n_votes"], numbers["left_pressed"], numbers["n_flagged"]) == (12, None, 0)
    assert {(pair["a"], pair["left_a"], pair["planned_b"]) for pair in numbers["pairs"]} == {(1, None, None)}
    one = api.get("/studies/elsewhere-1/sessions/1").json()
    trials = [event["trial"] for event in one["events"] if event["trial"]]
    assert {(t["chosen_side"], t["sides_known"], t["correct"]) for t in trials} == {("", False, True)}
    assert {clip["side"] for t in trials for clip in t["clips"]} == {None}
    assert one["flags"] == []


def test_the_report_of_unknown_sides_says_so(one_minded: str, database: Database, tmp_path: Path) -> None:
    with database.reading() as session:
        build_report(session, "elsewhere-1", tmp_path / "report")
    results = json.loads((tmp_path / "report" / "results.json").read_text())
    side = results["studies"][0]["bias"]["side"]
    assert (side["left"]["mean"], side["reason"]) == (None, "no answer says which member was on the left")
    page = main_of((tmp_path / "report" / "report.html").read_text())
    assert "the left was chosen" not in page
    assert "one-sided" not in page
    with database.reading() as session:
        rows = responses_frame(session, "elsewhere-1")
    assert rows["left"].isna().all()
    assert rows["flags"].isna().all()


def test_results_of_blanks_alone_say_that_and_who_is_counted(
    owner: Person, settings: Settings, database: Database, tmp_path: Path
) -> None:
    lines = [f"w{n % 4},pair {n // 4},,{7 * n},human,bot" for n in range(12)]
    (tmp_path / "t.csv").write_text("who,item,pick,sure,one,two\n" + "\n".join(lines) + "\n")
    (tmp_path / "map.yaml").write_text(MAPPING)
    with database.transaction() as session:
        import_mapped(session, tmp_path / "t.csv", tmp_path / "map.yaml", NOW)
    here = "/admin/studies/elsewhere-1"
    owner.get(f"{here}/results")
    drain(settings, database)
    page = main_of(owner.get(f"{here}/results").text)
    assert "All 12 answers are blank: nobody chose a clip." in page
    assert "4 of 4 who gave answers are counted." in page
    for untrue in ("accuracy needs a source", "It takes a question on certainty", "no trial was answered"):
        assert untrue not in page
    assert owner.get(f"{here}/results/counted.csv").status_code == 200
    for other in ("monitor", "sessions/1", "judges", "data"):
        assert owner.get(f"{here}/{other}").status_code == 200, other
    with database.reading() as session:
        build_report(session, "elsewhere-1", tmp_path / "report")
    report = main_of((tmp_path / "report" / "report.html").read_text())
    assert "there is no accuracy, as no pair with a right member was answered" in report


def main_of(html: str) -> str:
    """What a page says, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2].partition("</main")[0]).split())


def test_its_pages_open_and_show_its_answers(here: str, owner: Person) -> None:
    pages = (
        "",
        "/design",
        "/pairs",
        "/versions",
        "/launch",
        "/monitor",
        "/sessions",
        "/sessions/1",
        "/data",
        "/judges",
    )
    texts = {}
    for page in pages:
        reply = owner.get(f"{here}{page}")
        assert reply.status_code == 200, (page, reply.text[:500])
        texts[page] = reply.text
    assert "How certain?" in texts["/sessions/1"]
    assert "pair 2 | é" in texts["/monitor"]
