"""A new task is a folder and its lines in the registries: a toy is read from a study file, edited, planned, answered,
exported, simulated, watched, left out and packed."""

import csv
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlmodel import Session, col, select
from starlette.testclient import TestClient

from app.accounts.tables import Role
from app.core.database import Database
from app.core.settings import Settings
from app.monitor.progress import snapshot
from app.monitor.sessions_view import one_session
from app.monitor.snapshots import Choice
from app.reports.export import export, rows_of
from app.reports.kinds import Format
from app.reports.package import build_package
from app.sessions.exclusions import leave_out
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.drafts import draft_of_design
from app.studies.file.load import StudyFileProblems, load_study
from app.studies.launch import study_here
from app.studies.versions import load_version, set_state
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Status, Trial, Unit
from tests.admin.persons import Person, make_login, make_user
from tests.admin.test_design import form_on
from tests.factories import NOW
from tests.sessions.walks import Walk
from tests.tasks.registered import register

FOLDER = Path(__file__).parent / "toy"
STUDY: dict[str, Any] = {
    "study": "dots",
    "title": "How many dots?",
    "consent": {"version": "1", "text": "# Consent\n\nVoluntary.\n"},
    "blocks": [
        {
            "id": "count",
            "task": "dots",
            "instructions": "# Count\n\nCount the dots.\n",
            "cards": {"one": 1, "four": 4, "nine": 9},
            "questions": [{"id": "dots", "type": "number", "ask": "How many?", "minimum": 0}],
        }
    ],
    "completion": {"message": "# Thank you\n\nThat was all.\n", "code": "DOTS1"},
}


@pytest.fixture
def dots(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    register(monkeypatch)
    path = tmp_path / "dots.yaml"
    path.write_text(yaml.safe_dump(STUDY))
    design = load_study(path, {})
    assert type(design).model_validate_json(design.canonical_json()) == design
    assert draft_of_design(design, {})["blocks"][0]["task"] == "dots"
    with database.transaction() as session:
        load_version(session, design, NOW)
        set_state(session, "dots", State.LIVE)
    return "dots"


def test_the_toy_is_small() -> None:
    files = [*FOLDER.glob("*.py"), *FOLDER.glob("templates/*.html")]
    assert sum(len(path.read_text().splitlines()) for path in files) <= 230


def counted(client: TestClient, dots: str) -> list[int]:
    """A participant counts the dots of every card correctly; returns the counts."""
    walk, order = Walk(client, dots), list[int]()
    while walk.page != "end":
        fields = {}
        if walk.page.startswith("trial"):
            order.append(walk.html.count("•"))
            fields = {"dots": str(order[-1])}
        walk.answer(**fields)
    assert "DOTS1" in walk.html
    return order


def test_it_is_planned_shown_answered_exported_and_watched(
    client: TestClient, dots: str, database: Database
) -> None:
    orders = [counted(client, dots) for _ in range(2)]
    assert sorted(orders[0]) == [1, 4, 9]
    assert orders[1] == orders[0][::-1], "counterbalanced within the session pair"
    with database.reading() as session:
        rows = [row for row in rows_of(session, dots, "answers") if row["question"] == "dots"]
        assert sorted(int(row["value"]) for row in rows) == [1, 1, 4, 4, 9, 9]
        stored = (
            select(Response.answers, Unit.name).join(Trial, col(Trial.id) == Response.trial_id).join(Unit)
        )
        cards = STUDY["blocks"][0]["cards"]
        assert {name: answers["dots"] for answers, name in session.exec(stored)} == cards
        assert list(session.exec(select(ParticipantSession.status))) == [Status.COMPLETED] * 2
        here = study_here(session, dots)
        events = one_session(session, here, first_session(session)).events
        assert sorted(event.trial.pair for event in events if event.trial) == ["four", "nine", "one"]
        seen = snapshot(session, here, Choice(), NOW, None, sees_live=True)
        titles = ["Instructions (count)", "Card 1", "Card 2", "Card 3"]
        assert [step.title for step in seen.funnel][1:5] == titles
        assert [step.reached for step in seen.funnel] == [2] * 6


def first_session(session: Session) -> int:
    return session.exec(select(ParticipantSession.id).order_by(col(ParticipantSession.id))).first() or 0


@pytest.mark.both_databases
def test_who_is_left_out_is_so_in_its_tables_and_its_package(
    client: TestClient, dots: str, database: Database, tmp_path: Path
) -> None:
    for _ in range(2):
        counted(client, dots)
    with database.transaction() as session:
        out = first_session(session)
        leave_out(session, dots, out, "a test", NOW)
    with database.reading() as session:
        export(session, dots, "participants", Format.CSV, tmp_path / "participants.csv")
        counts = list(rows_of(session, dots, "counts"))
        build_package(session, dots, tmp_path / "dots.zip", made_at=NOW)
    rows = csv.DictReader(io.StringIO((tmp_path / "participants.csv").read_text()))
    assert [row["excluded"] for row in rows] == ["by-hand", ""]
    assert [(row["excluded"], row["position"]) for row in counts] == [
        *(("by-hand", n) for n in (1, 2, 3)), *((None, n) for n in (1, 2, 3)),
    ]  # fmt: skip
    assert all(row["counted"] == STUDY["blocks"][0]["cards"][row["card"]] for row in counts)
    with zipfile.ZipFile(tmp_path / "dots.zip") as package:
        names = package.namelist()
        texts = {name: package.read(name).decode() for name in names if name.endswith((".csv", ".md"))}
    answers = next(text for name, text in texts.items() if "description-answers" in name)
    assert answers.count(",dots,") == 6
    table = next(text for name, text in texts.items() if "description-counts" in name)
    assert table.count("by-hand") == 3
    assert "counts,counted," in texts["documentation/data-dictionary.csv"]
    left = next(text for name, text in texts.items() if "description-participants" in name)
    assert left.count("by-hand") == 1
    assert "answers,value," in texts["documentation/data-dictionary.csv"]
    assert "Answers to trials: 6 of mode live." in texts["README.md"]


def test_the_form_of_the_design_has_its_fields(client: TestClient, database: Database, dots: str) -> None:
    with database.transaction() as session:
        who = make_user(session, Role.OWNER, "owner@example.org")
        person = Person(client, make_login(session, who), who)
    page = person.get("/admin/studies/dots/design/all")
    form = form_on(page.text)
    assert "Counting dots" in page.text
    assert "3 cards" in person.get("/admin/studies/dots").text
    assert form["blocks.0.cards"] == "four: 4\nnine: 9\none: 1"
    changed = {**form, "blocks.0.cards": "one: 1\ntwo: 2", "action": "save"}
    assert "Ready to save" in person.post("/admin/studies/dots/design/all", changed).text
    assert form_on(person.get("/admin/studies/dots/design/all").text)["blocks.0.cards"] == "one: 1\ntwo: 2"


def test_what_is_wrong_with_its_block_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(monkeypatch)
    path = tmp_path / "dots.yaml"
    block = {**STUDY["blocks"][0], "cards": {"one": "many"}}
    path.write_text(yaml.safe_dump({**STUDY, "blocks": [block]}, sort_keys=False))
    with pytest.raises(StudyFileProblems, match=r"dots\.yaml:\d+: .*one"):
        load_study(path, {})


def test_simulated_participants_go_through_it(settings: Settings, database: Database, dots: str) -> None:
    run_simulation(settings, database, dots, n=2, traits=Traits(), seed=1)
    with database.reading() as session:
        found = session.exec(select(ParticipantSession.mode, ParticipantSession.status)).all()
        counts = [(row["card"], row["counted"]) for row in rows_of(session, dots, "counts")]
    assert found == [("simulated", Status.COMPLETED)] * 2
    off = [counted - STUDY["blocks"][0]["cards"][card] for card, counted in counts]
    assert (len(off), {*off} <= {0, 1}) == (6, True)
