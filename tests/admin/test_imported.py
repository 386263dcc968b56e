"""Every page of a study whose answers came with a mapping file."""

import json
import re
from pathlib import Path

import pytest
from sqlmodel import col, func, select

from app.core.database import Database
from app.core.settings import Settings
from app.reports.frames import responses_frame
from app.reports.mapped import import_mapped
from app.reports.report import build_report
from app.trials.tables import ParticipantSession, Study, StudyVersion
from app.worker.worker import drain
from tests.admin.persons import Person, Program
from tests.factories import NOW

pytestmark = pytest.mark.usefixtures("few_resamples")

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
    assert re.search(r"12 votes on \d+ pairs?\.", monitor)
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


@pytest.mark.slow
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
    assert set(rows["flags"]) == {"order-not-recorded"}


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
    assert "All 12 answers are blank: nobody chose." in page
    assert "4 of 4 who gave answers are counted." in page
    for untrue in ("accuracy needs a source", "It takes a question on certainty", "no trial was answered"):
        assert untrue not in page.partition("All numbers")[0]
    assert owner.get(f"{here}/results/counted.csv").status_code == 200
    for other in ("monitor", "sessions/1", "judges", "data"):
        assert owner.get(f"{here}/{other}").status_code == 200, other
    with database.reading() as session:
        build_report(session, "elsewhere-1", tmp_path / "report")
    report = main_of((tmp_path / "report" / "report.html").read_text())
    assert "All 12 answers are blank: nobody chose." in report


def main_of(html: str) -> str:
    """The text of a page, without tags."""
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


def test_pages_of_imported_ratings_classes_and_judgements_open(
    owner: Person, settings: Settings, database: Database, tmp_path: Path
) -> None:
    said = [
        (f"w{person}", f"c {clip}", (clip * 5 + person * 3) % 7) for person in range(4) for clip in range(6)
    ]
    lines = [
        f"{who},{clip},{'ape' if int(clip[-1]) % 2 else 'man'},{1 + n % 5},{'ape' if n > 3 else 'man'}"
        for who, clip, n in said
    ]
    (tmp_path / "t.csv").write_text("who,clip,is,points,said\n" + "\n".join(lines) + "\n")
    columns = "{rater: who, item: clip, group: is, score: "
    mappings = {
        "scored": f"kind: ratings\ncolumns: {columns}points}}\nscale: [1, 5]\n",
        "named": f"kind: ratings\ncolumns: {columns}said}}\nlevel: nominal\n",
        "judged": "kind: yes-no\ncolumns: {participant: who, stimulus: clip, truth: is, answer: said}\n"
        "classes: [man, ape]\n",
    }
    found = {}
    for slug, mapping in mappings.items():
        (tmp_path / "map.yaml").write_text(f"{mapping}study: {slug}\n")
        with database.transaction() as session:
            import_mapped(session, tmp_path / "t.csv", tmp_path / "map.yaml", NOW)
        here = f"/admin/studies/{slug}"
        with database.reading() as session:
            first = session.exec(
                select(func.min(ParticipantSession.id))
                .join(StudyVersion, col(StudyVersion.id) == ParticipantSession.version_id)
                .join(Study, col(Study.id) == StudyVersion.study_id)
                .where(Study.slug == slug)
            ).one()
        pages = (
            "",
            "/design",
            "/versions",
            "/launch",
            "/monitor",
            "/sessions",
            f"/sessions/{first}",
            "/data",
            "/judges",
        )
        for page in (*pages, "/results"):
            reply = owner.get(f"{here}{page}")
            assert reply.status_code == 200, (slug, page, reply.text[:500])
            found[slug, page.partition("/sessions/")[1] or page] = main_of(reply.text)
        drain(settings, database)
        found[slug, "/results"] = main_of(owner.get(f"{here}/results").text)
    assert "c 5" in found["judged", "/sessions/"]
    assert "6 items" in found["scored", ""]
    for slug in mappings:
        assert "4 of 4 who gave answers are counted." in found[slug, "/results"], slug
    mean = sum(1 + n % 5 for _, _, n in said) / len(said)
    assert f"Items scored {mean:.2f} on average, on a scale of 1 to 5." in found["scored", "/results"]
    assert "The class given most often is" in found["named", "/results"]
    right = sum((n > 3) == (int(clip[-1]) % 2 == 1) for _, clip, n in said) / len(said)
    assert f"People told man from ape in {100 * right:.0f}% of answers" in found["judged", "/results"]
    assert owner.get("/admin/studies/judged/results/sensitivity.csv").text.startswith(
        "measure,participants,mean"
    )
    assert owner.get("/admin/studies/named/results/classes.csv").text.startswith("criterion,class,n,share")
