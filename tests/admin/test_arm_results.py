"""A study with two arms, answered: Results, the report's page, its JSON and its CSV compare the arms."""

import csv
import io
import json
import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from analysis import analyze, analyze_rating_rows
from app.accounts.audit import COMMAND_LINE
from app.core.database import Database
from app.core.settings import Settings
from app.reports.frames import responses_frame
from app.reports.games import measures_by_game
from app.reports.rated import ratings_frame
from app.reports.report import build_report
from app.sessions.state_machine import mark_shown, submit
from app.sessions.where import locate
from app.studies.file.load import load_study
from app.studies.launch import study_here
from app.studies.registering import register
from app.studies.versions import load_version, set_state, stimulus_facts
from app.tasks.game.match_files import SEATS_FILE, read_matches
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import Person
from tests.factories import NOW
from tests.reports.people import PLAYBACK, fetch_clips
from tests.resamples import FEW
from tests.sessions.arms import ANSWERS, ARMS, STUDY, begin, put_study

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

HERE = "/admin/studies/arms/results"


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """A data folder of the test's own."""
    data = tmp_path / "data"
    data.mkdir()
    return settings.model_copy(update={"data": data})


@pytest.fixture
def answered(database: Database, tmp_path: Path) -> None:
    """Twelve people, four in slow and eight in fast, as their targets have it; all watch their clips."""
    put_study(database, tmp_path)
    with database.transaction() as session:
        for number in range(12):
            watch(session, begin(session, NOW, seed=number), NOW + timedelta(minutes=number), number)


def watch(session: Session, token: str, at: datetime, number: int) -> None:
    """Answer all pages, with clips that were sent and watched; rate by `number`."""
    while (where := locate(session, token)).status == "active":
        kind = where.part.task if where.page.kind == "trial" else where.page.kind
        form = {"submit_id": f"{where.page}.{number}", **ANSWERS[kind]}
        if kind == "pair":
            mark_shown(session, where.session_id, where.step, at)
            fetch_clips(session, where.session_id, where.page.position)
            form |= {"choice": "left" if number % 3 else "right", "playback": PLAYBACK}
        if kind == "rating":
            form["logic"] = str(1 + number % 3)
        at += timedelta(seconds=20)
        submit(session, token, form, at, random.Random(number))


def rows_in(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def test_report_json_and_csv_have_the_arms_as_analyze_has_them(
    answered: None, database: Database, tmp_path: Path
) -> None:
    with database.reading() as session:
        rows, rated = responses_frame(session, "arms"), ratings_frame(session, "arms")
        build_report(session, "arms", tmp_path / "report", made_at=NOW)
    expected = analyze(rows).studies[0].to_dict()["arms"]
    results: dict[str, Any] = json.loads((tmp_path / "report/results.json").read_text())
    assert results["studies"][0]["arms"] == expected
    accuracy = next(one for one in expected["measures"] if one["measure"] == "accuracy")
    assert [(arm["arm"], arm["n"]) for arm in accuracy["arms"]] == [("fast", 8), ("slow", 4)]
    page = (tmp_path / "report/report.html").read_text()
    assert "Arms compared" in page
    assert "fast against slow (8 and 4 people), accuracy" in page
    means = rows_in(tmp_path / "report/numbers/arms.csv")
    assert {(row["arm"], row["measure"]): float(row["mean"]) for row in means} == {
        (arm["arm"], one["measure"]): arm["mean"] for one in expected["measures"] for arm in one["arms"]
    }
    tests = rows_in(tmp_path / "report/numbers/arms-2.csv")
    assert float(tests[0]["u_first"]) == accuracy["pairs"][0]["u1"]
    assert float(tests[0]["u_second"]) == accuracy["pairs"][0]["u2"]
    [block] = analyze_rating_rows([rated])
    assert block.arms is not None
    assert [(arm.arm, arm.described.n) for arm in block.arms.measures[0].arms] == [("fast", 8), ("slow", 4)]
    ratings = json.loads((tmp_path / "report/ratings-arms-rate/results.json").read_text())
    assert ratings["arms"] == block.arms.to_dict()
    assert "Arms compared" in (tmp_path / "report/ratings-arms-rate/report.html").read_text()


def test_results_has_the_arms_of_pairs_and_ratings(
    answered: None, owner: Person, settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        set_state(session, "arms", State.CLOSED)
    owner.get(HERE)
    drain(settings, database)
    page = " ".join(owner.get(HERE).text.split())
    assert page.count("<h3>Arms compared") == 2
    assert "fast against slow (8 and 4 people), accuracy" in page
    assert "fast against slow (8 and 4 people), “Logical? / How logical?”" in page  # each arm's own words
    assert 'id="arms"' in page
    assert 'id="scorearms"' in page


def test_matches_in_two_arms_are_compared_by_each_measure(tmp_path: Path) -> None:
    write(asked_for("sug", ["rounds=2"], ["simulated"], 6, 1), tmp_path, lambda *_: None)
    path = tmp_path / SEATS_FILE
    rows = rows_in(path)
    first = {row["match"] for row in rows[: len(rows) // 2]}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "arm": "x" if row["match"] in first else "y"} for row in rows)
    [game] = measures_by_game(read_matches(tmp_path / "moves.csv"), resamples=FEW)
    assert game.arms is not None
    offers = next(one for one in game.arms.measures if one.measure == "mean_offer")
    assert [(arm.arm, arm.described.n) for arm in offers.arms] == [("x", 3), ("y", 3)]
    whole = next(one for one in game.measures if one.measure == "mean_offer")
    both = [arm.described.mean or 0 for arm in offers.arms]
    assert sum(both) / 2 == pytest.approx(whole.mean)


HYPOTHESES = """\
hypotheses:
  - {id: h1, compare: [fast, slow], measure: logic, direction: two-sided, test: mann-whitney}
"""


def test_results_marks_what_was_registered_with_the_numbers_of_the_arms_and_lists_a_deviation(
    owner: Person, settings: Settings, database: Database, tmp_path: Path
) -> None:
    put_study(database, tmp_path, ARMS + HYPOTHESES)
    with database.transaction() as session:
        register(
            session, COMMAND_LINE, study_here(session, "arms"), 1, "# Text\n", "https://osf.io/abcde", NOW
        )
        for number in range(12):
            at = NOW + timedelta(minutes=1 + number)
            watch(session, begin(session, at, seed=number), at, number)
        set_state(session, "arms", State.CLOSED)
    page = results_of(owner, settings, database)
    for said in (
        "Pre-registered hypotheses",
        "h1 (pre-registered)",
        "No deviation from the registration is recorded.",
    ):
        assert said in page, said
    # Two-sided, the test of the hypothesis is that of the arms.
    with database.reading() as session:
        rated = ratings_frame(session, "arms")
    [block] = analyze_rating_rows([rated])
    assert block.arms is not None
    [pair] = block.arms.measures[0].pairs
    [row] = csv.DictReader(io.StringIO(owner.get(f"{HERE}/numbers/hypotheses.csv").text.lstrip("\ufeff")))
    assert row["status"] == "pre-registered"
    assert float(row["p"]) == pytest.approx(pair.test.p_two_sided)
    own = STUDY.replace("PER_ITEM", "order: random") + ARMS + HYPOTHESES + "exclude: [{rule: same-side}]\n"
    (tmp_path / "study.yaml").write_text(own)
    with database.transaction() as session:
        load_version(
            session, load_study(tmp_path / "study.yaml", stimulus_facts(session)), NOW + timedelta(days=1)
        )
    owner.post(
        f"{HERE}/again", {"mode": "live", "against": ""}
    )  # results of less than a minute ago stay otherwise
    page = results_of(owner, settings, database)
    assert "Deviations from the registration: exclude" in page


def results_of(owner: Person, settings: Settings, database: Database) -> str:
    owner.get(HERE)
    drain(settings, database)
    return " ".join(owner.get(HERE).text.split())
