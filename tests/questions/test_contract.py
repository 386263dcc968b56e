"""The contract of every type of question, wherever questions are read, asked, answered, shown, exported and analysed.

A new type has a line in `CASES`; nothing else here knows a type by its name.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
import yaml
from sqlmodel import col, select
from starlette.testclient import TestClient

from analysis import analyze_rating_rows
from app.admin.design.actions import new_question
from app.admin.design.fields import fields_to_keys, keys_to_fields
from app.admin.design.nodes import leaves, lists
from app.admin.design.outline import outline
from app.admin.design.preview import design_as_far
from app.admin.design.sections import sections
from app.core.database import Database
from app.core.settings import Settings
from app.core.templating import html_of
from app.monitor.sessions_view import one_session
from app.questions.base import Question, QuestionView
from app.questions.registry import NOT_OF_PAIRS, TYPES, parts_of, views
from app.questions.scales import SCALES
from app.reports.export import columns_of, rows_of
from app.reports.package import build_package
from app.reports.page.session_methods import _question as in_the_methods
from app.reports.rated import ratings_frame
from app.simulation.people import Person, Traits
from app.simulation.run import run_simulation
from app.simulation.walk import filled, of_types
from app.studies.file.design import run_question
from app.studies.file.drafts import check_draft, draft_of_design
from app.studies.file.load import json_schema, load_study
from app.studies.launch import study_here
from app.studies.versions import set_state
from app.tasks.pair.settings import PairDesign
from app.trials.pages import QuestionsPage
from app.trials.responses import Response
from app.trials.tables import ParticipantSession, State, Status
from tests.factories import NOW, load_file
from tests.sessions.walks import Walk

pytestmark = pytest.mark.any_database

Form = Mapping[str, str]


@dataclass(frozen=True)
class Case:
    """One question of a type: its `keys`, and what it is as it is run (`run`), which decides the hashes of designs.

    Forms are by what follows the question's id in the names of their fields. `form` is answered with `stored`; `rows`
    has value and text of each row of an export. Each form of `bad` is refused with its words, and each key of `broken`.
    """

    keys: Mapping[str, Any]
    run: Mapping[str, Any]
    form: Form
    stored: Any
    rows: Mapping[str, tuple[float | None, str | None]]
    bad: Sequence[tuple[Form, str]]
    broken: Sequence[tuple[Mapping[str, Any], str]]
    words: str = ""
    required: bool = True
    analysed: Mapping[str, str] = field(default_factory=dict)


POINTS = SCALES["agreement"]
CASES: Mapping[str, Case] = {
    "2afc": Case(
        keys={"allow_tie": True},
        run={"allow_tie": True},
        form={"": "tie"},
        stored="tie",
        rows={},
        bad=[({"": "middle"}, "Please choose the left one"), ({}, "Please answer")],
        broken=[({"required": False}, "must be answered")],
        words="tie",
    ),
    "likert": Case(
        keys={"scale": "agreement"},
        run={"labels": list(POINTS)},
        form={"": "4"},
        stored=4,
        rows={"": (4, None)},
        bad=[({"": "6"}, "one of the 5 answers"), ({"": "four"}, "one of the 5"), ({}, "Please answer")],
        broken=[({"scale": "none such"}, "there is no scale"), ({"labels": ["one"]}, "label")],
        words="4: agree",
        analysed={"": "ordinal"},
    ),
    "text": Case(
        keys={"max_length": 30},
        run={"max_length": 30},
        form={"": " so <so> "},
        stored="so <so>",
        rows={"": (None, "so <so>")},
        bad=[({"": "far too long for such a short field"}, "shorten this to 30 characters")],
        broken=[({"max_length": 0}, "max_length")],
        words="so <so>",
        required=False,
    ),
    "choice": Case(
        keys={"options": ["yes", "a <b"]},
        run={"options": ["yes", "a <b"]},
        form={"": "a <b"},
        stored="a <b",
        rows={"": (None, "a <b")},
        bad=[({"": "maybe"}, "one of the answers given"), ({}, "Please answer")],
        broken=[({"options": ["a", "a"]}, "comes twice")],
        words="a <b",
        analysed={"": "nominal"},
    ),
    "number": Case(
        keys={"minimum": 0, "maximum": 10},
        run={"minimum": 0.0, "maximum": 10.0},
        form={"": "2.5"},
        stored=2.5,
        rows={"": (2.5, None)},
        bad=[({"": "11"}, "at most 10"), ({"": "many"}, "Please give a number"), ({}, "Please answer")],
        broken=[({"maximum": 0}, "nothing to answer")],
        words="2.5",
        analysed={"": "ordinal"},
    ),
    "slider": Case(
        keys={"labels": ["low", "high"], "maximum": 10},
        run={"labels": ["low", "high"], "minimum": 0.0, "maximum": 10.0, "step": 1.0},
        form={"": "7"},
        stored=7,
        rows={"": (7, None)},
        bad=[({"": "7.5"}, "in steps of 1"), ({}, "Please answer")],
        broken=[({"step": 3}, "do not end at 10")],
        words="7",
        analysed={"": "ordinal"},
    ),
    "ranking": Case(
        keys={"options": ["tea", "coffee"]},
        run={"options": ["tea", "coffee"]},
        form={".1": "2", ".2": "1"},
        stored=["coffee", "tea"],
        rows={"": (None, "coffee>tea")},
        bad=[({".1": "1", ".2": "1"}, "a place of its own"), ({}, "Please answer")],
        broken=[({"options": ["a>b", "c"]}, "has a `>` in it")],
        words="coffee>tea",
    ),
    "matrix": Case(
        keys={"scale": "agreement", "statements": ["It <waits>.", "It turns."]},
        run={"labels": list(POINTS), "own": {"statements": ["It <waits>.", "It turns."]}},
        form={".1": "4", ".2": "1"},
        stored={"It <waits>.": 4, "It turns.": 1},
        rows={".1": (4, None), ".2": (1, None)},
        bad=[
            ({".1": "4"}, "there is none for “It turns.”"),
            ({".1": "4", ".2": "6"}, "one of the 5 answers"),
            ({}, "one answer for each statement"),
        ],
        broken=[
            ({"statements": ["one"]}, "statements"),
            ({"statements": ["a", "a"]}, "comes twice"),
            ({"scale": "none such"}, "there is no scale"),
        ],
        words="It <waits>.: 4: agree\nIt turns.: 1: strongly disagree",
        analysed={".1": "ordinal", ".2": "ordinal"},
    ),
    "allocation": Case(
        keys={"options": ["speed", "a <b", "calm"], "total": 10},
        run={"options": ["speed", "a <b", "calm"], "own": {"total": 10}},
        form={".1": "7", ".2": "3", ".3": ""},
        stored={"speed": 7, "a <b": 3, "calm": 0},
        rows={".1": (7, None), ".2": (3, None), ".3": (0, None)},
        bad=[
            ({".1": "7"}, "Please share out exactly 10 points: 3 left to share."),
            ({".1": "7", ".2": "4"}, "1 too many"),
            ({".1": "7.5", ".2": "2.5"}, "whole numbers of points"),
            ({".1": "11", ".2": "-1"}, "whole numbers of points"),
            ({}, "Please answer"),
        ],
        broken=[({"total": 0}, "total"), ({"options": ["a", "a"]}, "comes twice")],
        words="speed: 7\na <b: 3\ncalm: 0",
        analysed={".1": "ordinal", ".2": "ordinal", ".3": "ordinal"},
    ),
}
ODD: Sequence[Any] = (None, 3, "odd", [], {}, [[1]])
ABOUT_ANYTHING = [name for name in CASES if name in NOT_OF_PAIRS]


def test_every_type_has_a_case() -> None:
    assert {*CASES} == {*TYPES}


def id_of(name: str) -> str:
    return f"q_{name}"


def keys_of(name: str) -> dict[str, Any]:
    return {"id": id_of(name), "type": name, "ask": f"What of the {name} <b>?", **CASES[name].keys}


def question_of(name: str) -> Question:
    return run_question(TYPES[name].settings.model_validate(keys_of(name)), SCALES)


def form_of(name: str, form: Form) -> dict[str, str]:
    return {f"{id_of(name)}{suffix}": value for suffix, value in form.items()}


class Posted(HTMLParser):
    """The names that a page's form posts, each with the values to choose from."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self.entered: dict[str, str] = {}
        self._menu = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        a = {name: value or "" for name, value in attrs}
        if tag == "option" and a["value"]:
            self.fields[self._menu].append(a["value"])
        if a.get("name") and tag in ("input", "select", "textarea") and a.get("type") != "hidden":
            self._menu = a["name"]
            values = self.fields.setdefault(a["name"], [])
            values += [a["value"]] if a.get("type") == "radio" else []


def page_with(view: QuestionView) -> QuestionsPage:
    return QuestionsPage("Study", "/p/t", "background.1", 1, 2, questions=(view,))


@pytest.mark.parametrize("name", CASES)
def test_its_settings_are_read_run_and_stored_as_they_always_were(name: str) -> None:
    question, case = question_of(name), CASES[name]
    common = {"id", "type", "ask", "required"}
    stored = json.loads(question.model_dump_json(exclude_defaults=True))
    assert {key: value for key, value in stored.items() if key not in common} == case.run
    assert Question.model_validate_json(json.dumps(stored)) == question
    assert question.required is case.required


@pytest.mark.parametrize("name", CASES)
def test_forms_are_read_and_faults_reported_in_plain_words(name: str) -> None:
    question, case, type_ = question_of(name), CASES[name], TYPES[name]
    answer = type_.answer(question, form_of(name, case.form))
    assert answer == case.stored
    assert type_.lack(question, answer) == ""
    assert json.loads(json.dumps(answer)) == answer
    assert type_.in_words(question, answer) == case.words
    assert type_.answer(question, {}) is None


@pytest.mark.parametrize("name", CASES)
def test_its_template_posts_the_fields_that_its_view_names_and_keeps_what_was_entered(name: str) -> None:
    """As plain controls: nothing of it waits for a script."""
    question, case = question_of(name), CASES[name]
    (view,) = views([question], {}, {})
    posted = Posted(html_of(page_with(view))).fields
    assert posted == {one.name: list(one.options) for one in view.fields}
    assert {f"{id_of(name)}{suffix}" for suffix in case.form} == {*posted}
    form = form_of(name, case.form)
    (again,) = views([question], form, {id_of(name): "Not so."})
    html = html_of(page_with(again))
    assert "Not so." in html
    assert "<b>?" not in html
    assert html.count("checked") + html.count("selected") >= any(posted.values())
    assert all(
        value in html or value in str(posted)
        for value in ("" if posted else "x", *form.values())
        if "<" not in value
    )


@pytest.mark.parametrize("name", CASES)
def test_a_simulated_participant_answers_it_from_its_view(name: str) -> None:
    question = question_of(name)
    (view,) = views([question], {}, {})
    for seed in range(20):
        person, page = Person(Traits(), Random(seed)), page_with(view)
        form = {**filled(page, person), **of_types(page, person)}
        if not TYPES[name].only_pairs and name != "text":
            answer = TYPES[name].answer(question, form)
            assert TYPES[name].lack(question, answer) == "", form


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_new_one_of_the_design_form_is_right_and_a_draft_of_any_shape_is_shown(name: str) -> None:
    place: tuple[str, ...] = ("background",)
    draft: dict[str, Any] = {"title": "T", "consent": {"version": "1", "text": "C"}}
    if TYPES[name].only_pairs:
        place = ("trials", "questions")
    else:
        draft["trials"] = {"questions": [{"id": "choice", "type": "2afc", "ask": "Which?"}]}
    inner = draft.setdefault(place[0], {} if place[1:] else [])
    inner = inner.setdefault(place[1], []) if place[1:] else inner
    cards = next(each for each in lists(outline(draft)) if each.place == place)
    inner.append({**new_question(name, cards, inner)})
    asked = {"ask": "What?"} if "ask" not in inner[0] else {}
    inner[0] |= asked
    assert not check_draft(draft, None).within(*place)
    assert fields_to_keys(draft, keys_to_fields(draft), whole=True).keys == draft
    fields = {str(leaf.place[-1]) for leaf in leaves(outline(draft)) if leaf.place[:-1] == (*place, 0)}
    shown = {
        key for key in TYPES[name].settings.model_fields if key != "required" or not TYPES[name].only_pairs
    }
    assert fields == shown
    assert sections(draft, {})
    for key in (*TYPES[name].settings.model_fields, "own"):
        for odd in ODD:
            broken = {**inner[0], key: odd} if key != "type" else inner[0]
            design = design_as_far({place[0]: {place[1]: [broken]} if place[1:] else [broken]})
            pairs = design.blocks_of(PairDesign)
            drawn = pairs[0].asked if place[1:] and pairs else design.background
            assert html_of(page_with(views(drawn, {}, {})[0]))


@pytest.mark.parametrize("name", CASES)
def test_its_keys_are_in_the_json_schema_and_broken_ones_are_named(name: str, tmp_path: Path) -> None:
    def study(keys: Mapping[str, Any]) -> dict[str, Any]:
        questions = [keys] if TYPES[name].only_pairs else [{"id": "choice", "type": "2afc", "ask": "?"}, keys]
        return {
            "study": "s",
            "title": "T",
            "consent": {"version": "1", "text": "# C\n\nText.\n"},
            "pairs": "pair,a,b\np,x,y\n",
            "trials": {"questions": questions},
            "completion": {"message": "# End\n\nThanks.\n", "code": "A1"},
        }

    validator = jsonschema.Draft202012Validator(json_schema())
    assert not list(validator.iter_errors(study(keys_of(name))))
    assert list(validator.iter_errors(study({**keys_of(name), "unknown": 1})))
    for change, said in CASES[name].broken:
        faults = check_draft(study({**keys_of(name), **change}), None).faults
        assert any(said in f"{fault.place} {fault.message}" for fault in faults), (change, faults)


# All of them in one study: as background and about items.


def form_for(names: Sequence[str]) -> dict[str, str]:
    return {key: value for name in names for key, value in form_of(name, CASES[name].form).items()}


@pytest.fixture
def study(database: Database, tmp_path: Path) -> str:
    asked = [keys_of(name) for name in ABOUT_ANYTHING]
    block = {
        "id": "rate",
        "task": "rating",
        "items": "item,text\none,A note.\ntwo,Another.\n",
        "questions": asked,
    }
    keys = {"sample": None, "trials": None, "instructions": None, "background": asked, "blocks": [block]}
    with database.transaction() as session:
        slug = load_file(session, tmp_path, study="all", **keys).slug
        set_state(session, slug, State.LIVE)
    design = load_study(tmp_path / "study.yaml", {})
    assert type(design).model_validate_json(design.canonical_json()).sha256() == design.sha256()
    checked = check_draft(draft_of_design(design, {}), {})
    assert checked.design is not None
    assert checked.design.sha256() == design.sha256()
    return slug


def test_bad_answers_are_refused_with_422_and_their_words(client: TestClient, study: str) -> None:
    walk = Walk(client, study).to("background")
    for page in ("background", "trial-1"):
        assert walk.page == page
        for name in ABOUT_ANYTHING:
            others = form_for([each for each in ABOUT_ANYTHING if each != name])
            for number, (form, said) in enumerate(CASES[name].bad):
                sent = {**others, **form_of(name, form), "submit_id": f"{page}.{name}{number}"}
                refused = client.post(walk.address, data=sent)
                assert (refused.status_code, said in refused.text) == (422, True), (name, form)
        walk.answer(**form_for(ABOUT_ANYTHING))


@pytest.fixture
def answered(client: TestClient, study: str) -> str:
    """The study, which somebody has answered to its end."""
    walk = Walk(client, study).to("background")
    while walk.page != "end":
        walk.answer(**form_for(ABOUT_ANYTHING))
    return study


EXPECTED = {
    f"{id_of(name)}{suffix}": row for name in ABOUT_ANYTHING for suffix, row in CASES[name].rows.items()
}
AS_TEXT = {id_: text if value is None else f"{value:g}" for id_, (value, text) in EXPECTED.items()}
ANALYSED = {
    f"{id_of(name)}{suffix}": level
    for name in ABOUT_ANYTHING
    for suffix, level in CASES[name].analysed.items()
}


def test_answers_are_stored_and_shown_to_the_experimenter(answered: str, database: Database) -> None:
    stored = {id_of(name): CASES[name].stored for name in ABOUT_ANYTHING}
    with database.reading() as session:
        pages = ["background", "trial-1", "trial-2"]
        kept = session.exec(select(Response.answers).where(col(Response.page).in_(pages))).all()
        assert kept == [stored] * 3
        (number,) = session.exec(select(ParticipantSession.id)).all()
        seen = one_session(session, study_here(session, answered), number or 0)
    said = {answer for event in seen.events for _, answer in event.answers}
    assert {CASES[name].words for name in ABOUT_ANYTHING} <= said


def test_each_answer_has_its_cell_in_every_table_and_each_column_its_meaning(
    answered: str, database: Database
) -> None:
    with database.reading() as session:
        answers = rows_of(session, answered, "answers")
        cells = {row["question"]: row["value"] for row in answers if row["page"] == "background"}
        (who,) = rows_of(session, answered, "participants")
        about = {column.name: column.meaning for column in columns_of(session, answered, "participants")}
        rated = {
            row["question"]: (row["value"], row["text"])
            for row in rows_of(session, answered, "ratings")
            if row["item"] == "one"
        }
    assert cells == AS_TEXT
    assert {id_: who[f"background_{id_}"] for id_ in EXPECTED} == AS_TEXT
    assert rated == EXPECTED
    for name in ABOUT_ANYTHING:
        for part in parts_of(question_of(name)):
            assert about[f"background_{part.id}"].startswith(f"the answer to: {part.ask}; ")


def test_what_can_be_analysed_is_and_the_package_explains_all(
    answered: str, database: Database, tmp_path: Path
) -> None:
    with database.reading() as session:
        frame = ratings_frame(session, answered)
        package = build_package(session, answered, tmp_path / "all.zip", made_at=NOW, seed=1)
    levels = frame.drop_duplicates("question").set_index("question")["level"].dropna()
    assert levels.to_dict() == ANALYSED
    (scales, *_) = analyze_rating_rows([frame], resamples=0)
    criteria = {one["criterion"] for one in scales.analysis.to_dict()["criteria"]}
    assert criteria >= {id_ for id_ in ANALYSED if EXPECTED[id_][0] is not None}
    with zipfile.ZipFile(package.path) as packed:
        texts = {each: packed.read(each).decode() for each in packed.namelist() if not each.endswith(".png")}
    (dictionary,) = (text for each, text in texts.items() if each.endswith("data-dictionary.csv"))
    columns = {row["column"] for row in csv.DictReader(io.StringIO(dictionary))}
    assert columns >= {f"background_{id_}" for id_ in EXPECTED}
    pages = [text for each, text in texts.items() if each.endswith("report.html")]
    # The methods name every question, what is found those that can be analysed.
    found = "".join(
        re.sub(r'<section [^>]*"methods">.*?</section>', "", page, flags=re.DOTALL) for page in pages
    )
    for name in ABOUT_ANYTHING:
        for part in parts_of(question_of(name)):
            assert (f"“{escape(part.ask)}”" in found) is (part.id in ANALYSED)
        assert all(
            f"“{text}”" in in_the_methods(question_of(name)) for text in TYPES[name].parts(question_of(name))
        )


def test_simulated_participants_come_to_the_end(settings: Settings, study: str, database: Database) -> None:
    run_simulation(settings, database, study, n=2, traits=Traits(), seed=1)
    with database.reading() as session:
        assert session.exec(select(ParticipantSession.status)).all() == [Status.COMPLETED] * 2


def test_the_example_of_the_guide_to_study_files_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/study-file.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(background:\n  - id: seems\n.*?)```", page, re.DOTALL)
    study: dict[str, Any] = {
        "study": "s",
        "title": "T",
        "consent": {"version": "1", "text": "# Consent\n\nText.\n"},
        "blocks": [
            {
                "id": "rate",
                "task": "rating",
                "items": "item,text\none,A note.\n",
                "questions": [{"id": "a", "ask": "A?", "scale": "quality"}],
            }
        ],
        "completion": {"code": "A1"},
    }
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study) + example)
    design = load_study(tmp_path / "study.yaml", {})
    assert [question.type for question in design.background] == ["matrix", "allocation"]
