"""Arms that ask in other words, on another scale, and other questions: exports and the report have what each asked."""

import csv
import random
from datetime import timedelta
from pathlib import Path

import pytest

from analysis import analyze_rating_rows
from app.core.database import Database
from app.reports.export import export
from app.reports.kinds import Format
from app.reports.rated import ratings_frame
from app.reports.report import build_report
from app.sessions.state_machine import submit
from app.sessions.where import locate
from app.studies.file.load import load_study
from app.studies.versions import load_version, set_state
from app.trials.tables import State
from tests.factories import NOW
from tests.sessions.arms import ITEMS, begin

pytestmark = pytest.mark.any_database

STUDY = """\
study: arms
title: Two wordings
consent: {version: '1', text: "# Consent\\n\\nVoluntary.\\n"}
arms:
  - {id: plain, target: 6}
  - id: other
    target: 6
    set:
      blocks.rate.questions.logic.ask: How well does it follow?
      blocks.rate.questions.nice.labels: ["no", a little, rather, "yes"]
      background: [{id: plays, type: choice, ask: "Do you play?", options: ["yes", "no"]}]
blocks:
  - id: rate
    task: rating
    items: items.csv
    per_participant: 3
    per_item: 6
    questions:
      - {id: logic, type: likert, ask: "How logical?", labels: [low, middle, high]}
      - {id: nice, type: likert, ask: "How nice?", labels: ["no", middle, "yes"]}
exclude: [{rule: straight-lined, use: false}]
completion: {codes: {full: FULL1}}
"""


@pytest.fixture
def answered(database: Database, tmp_path: Path) -> None:
    """Six people in each arm; those of `other` use all four points."""
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "items.csv").write_text(ITEMS)
    with database.transaction() as session:
        load_version(session, load_study(tmp_path / "study.yaml", {}), NOW)
        set_state(session, "arms", State.LIVE, now=NOW)
        for number in range(12):
            token, at = begin(session, NOW, seed=number), NOW + timedelta(minutes=number)
            while (where := locate(session, token)).status == "active":
                at += timedelta(seconds=40)
                points = 4 if where.arm == "other" else 3
                form = {"logic": str(1 + where.step % 3), "nice": str(1 + (number + where.step) % points)}
                form |= {"submit_id": f"{where.page}.{number}", "plays": "yes", "rt_ms": "30000"}
                submit(session, token, form, at, random.Random(number))


def rows_of(database: Database, folder: Path, what: str) -> list[dict[str, str]]:
    out = folder / f"{what}.csv"
    with database.reading() as session:
        export(session, "arms", what, Format.CSV, out)
    return list(csv.DictReader(out.read_text(encoding="utf-8-sig").splitlines()))


def test_exports_have_the_words_scale_and_questions_of_each_rows_arm(
    answered: None, database: Database, tmp_path: Path
) -> None:
    rated = rows_of(database, tmp_path, "ratings")
    asked = {
        (row["arm"], row["question"], row["ask"], row["scale_high"].rstrip("0").rstrip(".")) for row in rated
    }
    assert asked == {
        ("plain", "logic", "How logical?", "3"),
        ("other", "logic", "How well does it follow?", "3"),
        ("plain", "nice", "How nice?", "3"),
        ("other", "nice", "How nice?", "4"),
    }
    assert {row["value"].rstrip("0").rstrip(".") for row in rated if row["arm"] == "other"} >= {"4"}
    people = rows_of(database, tmp_path, "participants")
    assert {(row["arm"], row["background_plays"]) for row in people} == {("plain", ""), ("other", "yes")}
    assert len(rated) == 12 * 3 * 2


@pytest.mark.slow
def test_the_report_of_ratings_says_what_each_arm_asked_and_who_came(
    answered: None, database: Database, tmp_path: Path
) -> None:
    """A report of a study of ratings alone had neither arms, rules nor the flow, and the words of one arm for both."""
    with database.reading() as session:
        build_report(session, "arms", tmp_path / "report", made_at=NOW)
        [block] = analyze_rating_rows([ratings_frame(session, "arms")])
    asked = {one.criterion: one.asked for one in block.analysis.criteria}
    assert asked == {"logic": "How well does it follow? / How logical?", "nice": "How nice?"}
    assert [one.n_out_of_range for one in block.analysis.criteria] == [0, 0]
    methods = (tmp_path / "report/methods.md").read_text()
    assert "Participants were assigned to one of 2 arms: plain and other." in methods
    assert "blocks.rate.questions.logic.ask is How well does it follow?" in methods
    assert "Version 1: straight-lined" in methods
    assert "Of 12 who arrived, 12 consented" in methods
    flow = list(csv.DictReader((tmp_path / "report/numbers/flow.csv").read_text("utf-8-sig").splitlines()))
    assert [(row["step"], row["n"], row["arm_other"], row["arm_plain"]) for row in (flow[0], flow[-1])] == [
        ("Arrived", "12", "6", "6"),
        ("Analysed", "12", "6", "6"),
    ]
