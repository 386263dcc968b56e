"""Judges of items on the pages of a study whose items are rated: what applies is said, and the numbers are those of
`validate_rating_rows`."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

from analysis.errors import AnalysisError
from analysis.judging.items import check_item_verdicts, read_item_verdicts, validate_rating_rows
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.reports.rated import ratings_frame
from app.studies.versions import set_state
from app.trials.tables import State
from app.worker.worker import drain
from tests.admin.persons import Person, Program
from tests.factories import NOW, study_file
from tests.reports.rated import fill_rated, load_rated, rate

Library = tuple[ClipStore, Sequence[ImportedClip]]
pytestmark = pytest.mark.usefixtures("few_resamples")

HERE = "/admin/studies/rated/judges"
LOGIC = "judge,item,criterion,value\n" + "".join(
    f"{judge},{item},logic,{value}\n"
    for judge, values in (("close", (4, 3, 2, 3)), ("=far", (1, 2, 5, 2)))
    for item, value in zip(("one", "two", "three", "four"), values, strict=True)
)
MAKER = "judge,item,value\nnamer,one,person\nnamer,two,model\nnamer,three,person\n"


@pytest.fixture
def closed(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        load_rated(session, tmp_path)
        fill_rated(session)
        set_state(session, "rated", State.CLOSED)


def sent(person: Person, text: str) -> int:
    files = {"verdicts": ("values.csv", text.encode(), "text/csv")}
    return person.post(HERE, {"mode": ""}, files=files).status_code


@pytest.mark.usefixtures("closed")
def test_values_that_are_sent_are_held_against_raters_on_both_pages(
    owner: Person,
    settings: Settings,
    database: Database,
    tmp_path: Path,
) -> None:
    page = owner.get(HERE).text
    assert "A judge is a program that rates the same items as the people of this study" in page
    assert 'name="judge-straightness"' not in page
    assert "<code>value</code>" in page
    assert "<code>choice</code>" not in page
    sent(owner, LOGIC)
    drain(settings, database)
    page = owner.get(HERE).text
    with database.reading() as session:
        rated = ratings_frame(session, "rated")
    (tmp_path / "v.csv").write_text(LOGIC)
    (block,) = validate_rating_rows([rated], read_item_verdicts(tmp_path / "v.csv"), resamples=100)
    group = next(one for one in block.validation.criteria if one.criterion == "logic")
    judge = next(one for one in group.judges if one.judge == "close")
    own = judge.measures["spearman"].value
    assert own.value is not None
    assert f'aria-label="close, logic: {own.value:.2f}' in page.replace("−", "-")
    assert "one rater against the others" in page
    assert owner.get(f"{HERE}/1/judges.svg").status_code == 200
    assert "'=far" in owner.get(f"{HERE}/1/verdicts.csv").text
    kept = json.loads(owner.get(f"{HERE}/1/validation.json").text)["ratings"]
    assert [(one["block"], one["kind"], one["n_participants"]) for one in kept] == [("rate", "ratings", 3)]

    owner.get("/admin/studies/rated/results")
    drain(settings, database)
    assert "The grey band is one rater against the others." in owner.get("/admin/studies/rated/results").text
    rows = csv.DictReader(io.StringIO(owner.get("/admin/studies/rated/results/itemjudges.csv").text))
    found = {(row["judge"], row["measure"]): row for row in rows}
    assert float(found["close, logic", "Spearman"]["value"]) == own.value
    ceiling = judge.measures["spearman"].ceiling.value
    assert found["close, logic", "Spearman"]["ceiling"] == ("" if ceiling is None else str(ceiling))


@pytest.mark.usefixtures("closed")
def test_classes_go_to_questions_with_options_and_what_fits_nothing_is_refused(
    owner: Person, settings: Settings, database: Database
) -> None:
    sent(owner, MAKER)
    drain(settings, database)
    page = owner.get(HERE).text
    assert "namer: against " in page
    assert "0.67" in page
    for text, said in (
        ("judge,item,value\nm,nowhere,1\n", "this study has no item &#39;nowhere&#39;"),
        ("judge,pair,choice\nm,p1,a\n", "The column item is missing"),
    ):
        assert sent(owner, text) == 422
        files = {"verdicts": ("values.csv", text.encode(), "text/csv")}
        assert said in owner.post(f"{HERE}/check", {}, files=files).text
    with database.reading() as session:
        rated = ratings_frame(session, "rated")
    one = check_item_verdicts(pd.read_csv(io.StringIO(MAKER)))
    assert [block.kind for block in validate_rating_rows([rated], one, resamples=0)] == ["classes"]
    with pytest.raises(AnalysisError, match="judges cannot be compared with people"):
        validate_rating_rows([rated[rated["kind"] == "practice"]], one, resamples=0)


def test_values_that_are_sent_before_anyone_rated_are_kept_and_compared_once_somebody_did(
    owner: Person, settings: Settings, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_rated(session, tmp_path)
    assert sent(owner, LOGIC) == 200
    drain(settings, database)
    assert "There are no answers yet to compare with" in owner.get(HERE).text
    assert "close,,logic,one,4," in owner.get(f"{HERE}/1/verdicts.csv").text
    with database.transaction() as session:
        fill_rated(session)
        set_state(session, "rated", State.CLOSED)
    owner.post(f"{HERE}/again", {"about": "items"})
    drain(settings, database)
    assert 'aria-label="close, logic: ' in owner.get(HERE).text


def test_items_of_a_study_with_pairs_too_that_nobody_rated_yet_are_taken_as_the_check_says(
    owner: Person, api: Program, settings: Settings, database: Database, tmp_path: Path, library: Library
) -> None:
    pairs = {"id": "watch", "task": "pair", **{key: study_file()[key] for key in ("sample", "trials")}}
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_rated(session, tmp_path, pairs)
        rate(session, "ann", n_trials=3)
    body = {"verdicts": LOGIC, "file_name": "values.csv"}
    check = api.post("/studies/rated/judges/check", body).json()
    assert (check["about"], check["n_wrong"]) == ("items", 0)
    assert api.post("/studies/rated/judges", body).status_code == 202
    drain(settings, database)
    [run] = api.get("/studies/rated/judges").json()
    assert (run["status"], run["message"], run["result"]["about"]) == ("done", "", "items")


@pytest.mark.usefixtures("closed")
def test_a_program_that_compares_again_and_sends_a_file_is_refused(api: Program) -> None:
    """The file was dropped without a word."""
    for more in ({"verdicts": LOGIC}, {"judges": ["motion"]}):
        reply = api.post("/studies/rated/judges", {"again": "items", **more})
        assert (reply.status_code, "compared again without a file" in reply.text) == (422, True), more
    assert api.get("/studies/rated/judges").json() == []
