"""A slider from the study file to the exported certainty: what it may say, what it takes, what is stored."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from analysis import analyze
from app.core.database import Database
from app.core.errors import InvalidAnswer
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.questions.base import Question
from app.reports.export import rows_of
from app.reports.frames import responses_frame
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.tasks.pair.settings import PairDesign
from app.trials.answers import Answers, read_answers
from tests.factories import open_study
from tests.sessions.walks import Walk
from tests.studies.file.study_folder import EXAMPLE, loaded, make_folder, problems_of

LABELS = ["guessing", "absolutely certain"]
QUESTIONS: list[dict[str, object]] = [
    {"id": "choice", "type": "2afc", "ask": "Which video is more likely to be a person?"},
    {"id": "certainty", "type": "slider", "ask": "How certain are you?", "labels": LABELS},
    {"id": "effort", "type": "slider", "ask": "How hard was it?", "minimum": -1, "maximum": 1, "step": 0.1},
]


def slider(id_: str = "certainty", **more: object) -> Question:
    keys = {
        "id": id_,
        "type": "slider",
        "ask": "?",
        "required": True,
        "minimum": 0,
        "maximum": 100,
        "step": 1,
    }
    return Question(**{**keys, **more})  # type: ignore[arg-type]


def with_slider(tmp_path: Path, slider: str) -> Path:
    line = f"    - {{id: certainty, type: slider, ask: How sure{slider}}}\n"
    return make_folder(tmp_path, EXAMPLE.replace("completion:", f"{line}completion:"))


def test_a_slider_of_a_study_file_goes_from_0_to_100_unless_it_says_otherwise(tmp_path: Path) -> None:
    found = loaded(with_slider(tmp_path, "")).blocks_of(PairDesign)[0].trials.questions[-1]
    assert (found.type, found.labels, found.required) == ("slider", (), True)
    assert (found.minimum, found.maximum, found.step) == (0, 100, 1)
    own = loaded(with_slider(tmp_path, ", labels: [no, yes], minimum: 0.5, maximum: 1, step: 0.05"))
    found = own.blocks_of(PairDesign)[0].trials.questions[-1]
    assert (found.labels, found.minimum, found.maximum, found.step) == (("no", "yes"), 0.5, 1, 0.05)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (", labels: [a, b, c]", "labels has 3 entries"),
        (", labels: [a, a]", "'a' comes twice in the list"),
        (", minimum: 100", "there is nothing to answer between 100 and 100"),
        (", maximum: -1", "there is nothing to answer between 0 and -1"),
        (", step: 0", "step: '0' is too small"),
        (", step: 7", "steps of 7 from 0 do not end at 100"),
        (", step: 200", "steps of 200 from 0 do not end at 100"),
        (", options: [a, b]", "unknown key 'options'"),
        (
            ", labels: [certain, quite uncertain]",
            "`certainty` runs the wrong way: the largest number is the most",
        ),
    ],
)
def test_a_slider_that_cannot_be_is_named(tmp_path: Path, keys: str, said: str) -> None:
    [problem] = problems_of(with_slider(tmp_path, keys))
    assert said in str(problem)


def test_uncertainty_stays_a_point_of_a_scale(tmp_path: Path) -> None:
    asked = 'id: uncertainty, type: slider, ask: "How certain are you of your choice?",\n       labels: [sure, unsure]'
    study = re.sub(r"id: uncertainty.*\n.*extremely uncertain\]", asked, EXAMPLE)
    [problem] = problems_of(make_folder(tmp_path, study))
    assert "the id 'uncertainty' is kept for a likert question" in str(problem)


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (slider(), "0", 0),
        (slider(), " 73 ", 73),
        (slider(minimum=0.5, maximum=1, step=0.05), "0.65", 0.65),
        (slider(minimum=0, maximum=1, step=0.1), "0,3", 0.3),
        (slider(minimum=-3, maximum=3, step=2), "-1", -1),
    ],
)
def test_what_a_slider_takes(question: Question, text: str, value: float) -> None:
    assert read_answers((question,), {"certainty": text}, of_trial=True) == Answers(certainty=value)


@pytest.mark.parametrize("text", ["-1", "101", "50.5", "half", "", "1,000"])
def test_what_a_slider_does_not_take(text: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        read_answers((slider(),), {"certainty": text}, of_trial=True)
    assert list(caught.value.errors) == ["certainty"]


def test_only_a_slider_about_a_trial_is_its_certainty() -> None:
    likert = Question(id="certainty", type="likert", ask="?", required=True, labels=("low", "high"))
    assert read_answers((likert,), {"certainty": "2"}, of_trial=True).extra == {"certainty": 2}
    assert read_answers((slider(),), {"certainty": "2"}).extra == {"certainty": 2}
    other = slider("effort")
    assert read_answers((other,), {"effort": "2"}, of_trial=True) == Answers(extra={"effort": 2})


@pytest.fixture
def slider_study(
    database: Database, library: tuple[ClipStore, Sequence[ImportedClip]], tmp_path: Path
) -> str:
    with database.transaction() as session:
        return open_study(session, tmp_path, library[1], trials={"questions": QUESTIONS}).slug


def test_what_is_answered_is_stored_exported_and_analysed(
    client: TestClient, database: Database, slider_study: str
) -> None:
    walk = Walk(client, slider_study).to("trial-1")
    assert re.search(
        r'<input type="number"[^>]* name="certainty" min="0" max="100"\s+step="1" value=""', walk.html
    )
    assert "<span><b>100</b> absolutely certain</span>" in walk.html
    assert "<span><b>-1</b></span>" in walk.html
    refused = client.post(
        walk.address,
        data={"submit_id": re.findall(r'"submit_id" value="([^"]+)"', walk.html)[0], "choice": "left",
              "certainty": "50.5", "effort": "0.3"},
    )  # fmt: skip
    assert refused.status_code == 422
    assert "Please give a number in steps of 1 from 0." in refused.text
    assert 'value="50.5"' in refused.text
    given = [*range(0, 110, 10)]
    for certainty in given:
        walk.answer(certainty=str(certainty), effort="-0.7")
    with database.reading() as session:
        frame = responses_frame(session, slider_study)
        answers = list(rows_of(session, slider_study, "answers"))
    assert frame["certainty"].astype(float).tolist() == given
    assert frame["uncertainty"].isna().all()
    said = [row["value"] for row in answers if row["question"] == "certainty"]
    assert said == [str(float(certainty)) for certainty in given]
    assert {row["value"] for row in answers if row["question"] == "effort"} == {"-0.7"}
    found = analyze(frame, mode="live", resamples=0).studies[0].certainty
    assert (found.scale, found.n_answers) == ("certainty", int(frame["correct"].notna()[1:].sum()))


def test_simulated_people_move_sliders(settings: Settings, database: Database, slider_study: str) -> None:
    run_simulation(settings, database, slider_study, n=3, traits=Traits(uncertainty=0.2), seed=1)
    with database.reading() as session:
        certainty = responses_frame(session, slider_study)["certainty"].astype(float)
        answers = list(rows_of(session, slider_study, "answers"))
    assert len(certainty) == 33
    assert certainty.between(0, 100).all()
    assert 65 < certainty.mean() < 95
    efforts = {float(row["value"]) for row in answers if row["question"] == "effort"}
    assert efforts <= {round(n / 10, 1) for n in range(-10, 11)}
    assert len(efforts) > 3
