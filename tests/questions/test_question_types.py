"""A new type of question is a file and a line: a toy is registered and goes the whole way; a ranking goes it too."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field
from sqlmodel import col, select
from starlette.testclient import TestClient

from app.admin.design.preview import design_as_far
from app.core.database import Database
from app.core.settings import Settings
from app.questions.base import Answering, Asked, Question, QuestionType, QuestionView
from app.questions.registry import TYPES
from app.reports.export import columns_of, rows_of
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.load import load_study
from app.studies.file.problems import StudyFileProblems
from app.studies.versions import load_version, set_state
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Status
from tests.factories import NOW
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database


class HueQuestion(Asked):
    """A hue, as a whole number of degrees."""

    type: Literal["hue"] = Field(title="Hue", description="A hue in degrees.")
    required: bool = True
    turns: int = Field(default=1, ge=1, description="How often one may go round.")


class Hue(QuestionType):
    settings = HueQuestion
    widget = "text"

    def value(self, question: Question, text: str) -> Any:
        most = 360 * question.own_number("turns")
        if not text.isdigit() or int(text) > most:
            raise ValueError(f"Please give degrees from 0 to {most:g}.")
        return {"degrees": int(text)}

    def written(self, value: Any) -> Any:
        return f"{value['degrees']}°"

    def simulate(self, person: Answering, view: QuestionView) -> Mapping[str, str]:
        return {view.id: person.order(["0", "120", "240"])[0]}


STUDY = """
study: hues
title: Hues
consent: {version: "1", text: "# Taking part\\n"}
background:
  - {id: favourite, type: hue, ask: "Your hue?", turns: 2}
  - {id: order, type: ranking, ask: "In which order?", options: [tea, coffee, "a <b"]}
blocks:
  - id: rate
    task: rating
    items: |
      item,text,group,kind
      one,A note.,h,main
      two,Another.,g,practice
    questions:
      - {id: hue, type: hue, ask: "Of the note?"}
      - {id: best, type: ranking, ask: "Best first?", options: [x, y], when: {group: g}}
      - {id: rank, type: ranking, ask: "First?", options: ["1", "2", "3"], required: false}
completion: {code: H1}
"""


@pytest.fixture
def hues(database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setitem(TYPES, "hue", Hue())
    (tmp_path / "study.yaml").write_text(STUDY)
    design = load_study(tmp_path / "study.yaml", {})
    assert type(design).model_validate_json(design.canonical_json()) == design
    assert check_draft(draft_of_design(design, {}), {}).design == design
    with database.transaction() as session:
        load_version(session, design, NOW)
        set_state(session, "hues", State.LIVE)
    return "hues"


def test_a_toy_of_less_than_forty_lines_goes_the_whole_way_and_so_does_a_ranking(
    client: TestClient, hues: str, database: Database, settings: Settings
) -> None:
    lines = Path(__file__).read_text().partition("class HueQuestion")[2].partition("STUDY =")[0].splitlines()
    assert len([line for line in lines if line.strip()]) < 40
    walk = Walk(client, hues).to("background")
    ranks = {"order.1": "2", "order.2": "3", "order.3": "1"}
    for wrong, said in (
        ({"favourite": "721", **ranks}, "Please give degrees from 0 to 720."),
        ({"favourite": "720", **ranks, "order.3": "2"}, "a place of its own, from 1 to 3"),
        ({"favourite": "720", "order.1": "1"}, "a place of its own"),
        ({"favourite": "720", **ranks, "order.1": "99"}, "a place of its own"),
        ({"favourite": "720"}, "Please answer this question."),
    ):
        sent = client.post(walk.address, data={"submit_id": f"background.{said}", **wrong})
        assert (sent.status_code, said in sent.text) == (422, True), wrong
    assert (
        '<option value="2" selected>'
        in client.post(walk.address, data={"submit_id": "background.x", "order.1": "2"}).text
    )
    assert walk.answer(favourite="720", **ranks) == "trial-1"
    assert walk.answer(hue="1", **{"best.1": "2", "best.2": "1"}) == "trial-2"
    assert "best.1" not in walk.html, "of another group"
    walk.answer(hue="9", **{"rank.1": "3", "rank.2": "2", "rank.3": "1"})
    assert "H1" in walk.html
    with database.reading() as session:
        stored = session.exec(
            select(Response.answers).where(col(Response.page).in_(["background", "trial-2"]))
        )
        assert list(stored) == [
            {"favourite": {"degrees": 720}, "order": ["a <b", "tea", "coffee"]},
            {"hue": {"degrees": 9}, "rank": ["3", "2", "1"]},
        ]
        told = {row["question"]: row["value"] for row in rows_of(session, hues, "answers")}
        assert (told["favourite"], told["order"], told["rank"]) == ("720°", "a <b>tea>coffee", "3>2>1")
        (who,) = rows_of(session, hues, "participants")
        assert (who["background_favourite"], who["background_order"]) == ("720°", "a <b>tea>coffee")
        rated = {row["question"]: (row["value"], row["text"]) for row in rows_of(session, hues, "ratings")}
        assert rated == {"hue": (None, "9°"), "best": (None, "y>x"), "rank": (None, "3>2>1")}
        about = {column.name: column.meaning for column in columns_of(session, hues, "participants")}
        assert "joined by `>`" in about["background_order"]
    run_simulation(settings, database, hues, n=2, traits=Traits(), seed=1)
    with database.reading() as session:
        found = session.exec(
            select(ParticipantSession.status).where(ParticipantSession.mode == "simulated")
        ).all()
        assert found == [Status.COMPLETED] * 2


def test_nothing_outside_the_types_names_one_with_a_script_and_the_preview_draws_what_a_type_alone_knows(
    hues: str,
) -> None:
    scripts = {path.stem for path in Path("app/questions/static").glob("*.js")}
    assert scripts >= {"ranking", "slider"}
    for path in (
        *Path("app/sessions").rglob("*.js"),
        *Path("app/sessions").rglob("*.html"),
        *Path("app/sessions").rglob("*.css"),
        *Path("app/tasks").rglob("*.js"),
    ):
        assert not [name for name in scripts if name in path.read_text()], path
    (drawn,) = design_as_far(
        {"background": [{"id": "a", "type": "hue", "ask": "Your hue?", "turns": "3"}]}
    ).background
    assert (drawn.type, drawn.own, drawn.ask) == ("hue", {"turns": 3}, "Your hue?")
    for keys in ({"type": "hue"}, {"type": "hue", "turns": {}}, {"type": "slider", "step": -1, "ask": 3}):
        (drawn,) = design_as_far({"background": [keys]}).background
        assert drawn.type == keys["type"]


def test_a_ranking_whose_options_hold_the_joint_is_refused(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        STUDY.replace("hue,", "text,").replace(", turns: 2", "").replace("[x, y]", "[x>y, z]")
    )
    with pytest.raises(StudyFileProblems, match=r"study.yaml:17: the option 'x>y' has a `>` in it"):
        load_study(tmp_path / "study.yaml", {})
