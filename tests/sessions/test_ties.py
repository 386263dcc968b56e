"""A study that takes "no difference" for an answer: asked without a script, stored, exported, counted and seen."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from alembic.command import downgrade
from alembic.config import Config
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from analysis import analyze
from app.accounts.tables import Role
from app.core.database import Database
from app.core.engines import make_engine
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.reports.export import export
from app.reports.frames import labels_frame, responses_frame
from app.reports.kinds import Format
from app.tasks.pair.design import Member, chosen_by, pressed_for
from app.trials.responses import Response
from tests.admin.persons import Person, make_login, make_user
from tests.factories import answer_for, open_study, study_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

ROOT = Path(__file__).parents[2]
TIE = re.compile(r'<input type="radio" name="choice" value="tie"[^>]*> <span>No difference</span>')


@pytest.fixture
def with_ties(database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path) -> str:
    [choice, *others] = study_file()["trials"]["questions"]  # type: ignore[index]
    with database.transaction() as session:
        trials = {"questions": [{**choice, "allow_tie": True}, *others]}
        return open_study(session, tmp_path, library[1], trials=trials).slug


def answered(client: TestClient, *choices: str) -> Walk:
    """A whole session whose choices are these, over and over; the practice pair has the first."""
    walk = Walk(client).to("trial-1")
    while walk.page.startswith("trial"):
        walk.answer(choice=choices[(int(walk.page.partition("-")[2]) - 1) % len(choices)])
    return walk


def exported(session: Session, what: str, folder: Path) -> list[dict[str, str]]:
    export(session, "nav", what, Format.CSV, folder / "out.csv")
    return list(csv.DictReader(io.StringIO((folder / "out.csv").read_text(encoding="utf-8"))))


@pytest.mark.both_databases
def test_no_difference_is_a_plain_form_s_third_choice_and_is_stored_and_exported(
    client: TestClient, database: Database, with_ties: str, tmp_path: Path
) -> None:
    walk = Walk(client).to("trial-1")
    assert TIE.search(walk.html)
    assert "<kbd>3</kbd> no difference" in walk.html
    answered(client, "tie", "left", "right")
    with database.reading() as session:
        pressed = session.exec(
            select(Response.side).where(col(Response.trial_id).is_not(None)).order_by(col(Response.id))
        ).all()
        rows = exported(session, "responses", tmp_path)
        answers = exported(session, "answers", tmp_path)
        labels = {label["pair"]: label for label in exported(session, "labels", tmp_path)}
    assert pressed == ["tie", "left", "right"] * 3 + ["tie", "left"]
    ties = [row for row in rows if row["choice"] == "tie"]
    assert len(ties) == 4
    assert {(row["correct"], row["chosen_source"]) for row in ties} == {("", "")}
    assert {row["correct"] for row in rows if row["choice"] != "tie" and row["truth"]} <= {"true", "false"}
    assert [row["value"] for row in answers if row["question"] == "choice"] == pressed
    for row in rows:
        if row["kind"] == "main":
            label = labels[row["pair"]]
            assert (label["n"], label["votes_tie"]) == ("1", str(int(row["choice"] == "tie")))
            assert label["majority"] == row["choice"]


def test_the_numbers_from_the_database_count_ties_and_blanks_apart(
    client: TestClient, database: Database, with_ties: str
) -> None:
    answered(client, "tie", "left")
    walk = Walk(client).to("trial-2")
    walk.watch()
    client.post(walk.address, data={**answer_for(walk.html, choice=""), "unplayable": "1"})
    with database.reading() as session:
        rows = responses_frame(session, with_ties)
        [study] = analyze(rows, resamples=0).to_dict()["studies"]
        assert int(labels_frame(session, with_ties)["votes_tie"].sum()) == 5
    assert (study["ties"]["n_tie"], study["ties"]["n_chosen"], study["ties"]["n_blank"]) == (5, 5, 0)
    assert study["selection"]["left_out"]["excluded"] == {"unplayable": 1}


@pytest.mark.parametrize("choice", ["tie", "TIE", "middle"])
def test_a_study_that_does_not_ask_for_it_takes_no_tie(
    client: TestClient, database: Database, study: str, choice: str
) -> None:
    walk = Walk(client).to("trial-1")
    assert not TIE.search(walk.html)
    assert "no difference" not in walk.html
    refused = client.post(walk.address, data=answer_for(walk.html, choice=choice))
    assert refused.status_code == 422
    assert "Please choose the left or the right one." in refused.text
    with database.reading() as session:
        assert session.exec(select(Response).where(col(Response.trial_id).is_not(None))).first() is None


def test_the_experimenter_sees_who_pressed_it_and_nobody_is_one_sided_by_it(
    client: TestClient, database: Database, with_ties: str
) -> None:
    answered(client, "tie")
    with database.transaction() as session:
        who = make_user(session, Role.OWNER, "owner@example.org")
        owner = Person(client, make_login(session, who), who)
    page = owner.get("/admin/studies/nav/sessions/1")
    assert page.text.count("Pressed <strong>no difference</strong>") == 11
    with database.reading() as session:
        flags = responses_frame(session, with_ties)["flags"].astype(object).fillna("")
    assert not any("one-sided" in raised for raised in flags)
    monitor = owner.get("/admin/studies/nav/monitor")
    assert monitor.status_code == 200


def test_choices_and_presses_are_each_other_s_and_a_tie_is_no_member() -> None:
    for choice in ("a", "b", "tie"):
        for left in Member:
            assert chosen_by(pressed_for(choice, left), left) == choice
    assert chosen_by("tie", Member.A) not in tuple(Member)


@pytest.mark.both_databases
def test_going_back_to_the_tables_of_before_makes_a_tie_a_blank_and_loses_no_answer(
    client: TestClient, database: Database, with_ties: str
) -> None:
    answered(client, "tie", "left")
    engine = make_engine(database.url, writing=True, enforcing=False)
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        downgrade(config, "0008")
    with Session(engine) as session:
        sides = session.exec(
            select(Response.side).where(col(Response.trial_id).is_not(None)).order_by(col(Response.id))
        ).all()
    engine.dispose()
    assert sides == [None, "left"] * 5 + [None]
