"""The results page of a study with ratings: closed while it runs, the numbers of the analysis, nothing of pairs."""

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import select

from analysis import analyze_rating_rows
from analysis.signatures import compare_play
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.reports.games import measures_by_game
from app.reports.rated import ratings_frame
from app.studies.versions import set_state
from app.tasks.game.match_files import read_matches
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from app.trials.responses import Response
from app.trials.tables import State, Trial, Unit
from app.worker.handlers import results as worker
from app.worker.worker import drain
from tests.admin.persons import Person
from tests.analysis.signatures.test_play import MEAN, PEOPLE
from tests.factories import NOW, study_file
from tests.reports.rated import fill_rated, load_rated, rate
from tests.resamples import FEW

pytestmark = pytest.mark.usefixtures("few_resamples")

HERE = "/admin/studies/rated/results"
LOGIC = "Logical reasoning"


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """A data folder of the test's own."""
    data = tmp_path / "data"
    data.mkdir()
    return settings.model_copy(update={"data": data})


@pytest.fixture
def rated(database: Database, tmp_path: Path) -> str:
    with database.transaction() as session:
        load_rated(session, tmp_path)
        fill_rated(session)
    return "rated"


@pytest.fixture
def closed(database: Database, rated: str) -> str:
    with database.transaction() as session:
        set_state(session, rated, State.CLOSED)
    return rated


def computed(person: Person, settings: Settings, database: Database, address: str = HERE) -> str:
    person.get(address)
    drain(settings, database)
    return str(person.get(address).text)


def rows(person: Person, figure: str, here: str = HERE) -> list[dict[str, str]]:
    response = person.get(f"{here}/{figure}.csv")
    assert response.status_code == 200, response.text
    return list(csv.DictReader(io.StringIO(response.text)))


def figures_on(html: str) -> list[str]:
    return re.findall(r'<figure class="fig panel" id="([a-z]+)"', html)


def test_live_ratings_are_hidden_until_opened(
    owner: Person, rated: str, settings: Settings, database: Database
) -> None:
    assert "Closed while the study runs" in owner.get(HERE).text
    assert owner.get(f"{HERE}/scores.csv").status_code == 409
    owner.post(f"{HERE}/open", {"known": "yes"})
    page = computed(owner, settings, database)
    assert "The study is still running." in page
    assert "Items scored" in page


def test_no_rater_is_named_by_their_own_name_in_all_numbers_and_their_files(
    owner: Person, closed: str, settings: Settings, database: Database
) -> None:
    page = computed(owner, settings, database)
    with database.reading() as session:
        people = set(ratings_frame(session, "rated")["participant"].astype(str))
    files = set(re.findall(rf'href="({HERE}/[^"]+\.csv[^"]*)"', page))
    assert any("/numbers/" in file for file in files)
    assert {"ann", "bob", "cyd"} <= people
    for text in (page.partition("All numbers")[2], *(owner.get(file).text for file in files)):
        cells = set(re.split(r"[<>,\n]| and ", text))
        assert not cells & people


def test_every_number_of_ratings_is_that_of_analyze(
    owner: Person, closed: str, settings: Settings, database: Database
) -> None:
    computed(owner, settings, database)
    with database.reading() as session:
        block, *_ = analyze_rating_rows([ratings_frame(session, "rated")], resamples=FEW)
    # The page names criteria by their questions.
    analysis = block.analysis.labelled()
    found = {one["criterion"]: one for one in json.loads(json.dumps(analysis.to_dict()))["criteria"]}
    view = [
        *rows(owner, "scores"),
        *rows(owner, "scoresxb"),
        *rows(owner, "scoresxc"),
        *rows(owner, "scoresxd"),
    ]
    assert {row["criterion"] for row in view} == set(found)
    for row in view:
        one = found[row["criterion"]]
        interval = one["interval"]
        wanted = (one["mean"], interval["low"], interval["high"], one["sd_ddof1"], one["quartiles"]["median"])
        names = "mean", "ci_low", "ci_high", "sd_ddof1", "median"
        assert [row[name] for name in names] == ["" if value is None else str(value) for value in wanted]
        assert (int(row["n"]), int(row["items"]), int(row["raters"])) == (
            one["n"], one["n_items"], one["n_raters"],
        )  # fmt: skip
    counts = {
        (row["criterion"], float(row["score"])): int(row["n"])
        for name in ("distribution", "distributionxb", "distributionxc", "distributionxd")
        for row in rows(owner, name)
    }
    assert counts == {
        (name, count["score"]): count["n"] for name, one in found.items() for count in one["counts"]
    }
    coefficients = rows(owner, "alpha")
    assert not [row for row in coefficients if "_" in row["coefficient"]]
    alphas = {row["criterion"]: row for row in coefficients if row["coefficient"] == "Krippendorff's alpha"}
    for name, one in found.items():
        value = one["agreement"]["alpha"]["value"]
        assert alphas[name]["value"] == ("" if value is None else str(value))
    groups = [row for row in rows(owner, "groups") + rows(owner, "groupsxb") if row["criterion"] == LOGIC]
    assert {row["group"]: float(row["mean"]) for row in groups} == {"persona": 3.5, "plain": 2.5}
    severity = sorted(float(row["severity"]) for row in rows(owner, "severity") if row["criterion"] == LOGIC)
    assert severity == [-1.0, 0.0, 1.0]
    counted = {row["step"]: int(row["n"]) for row in rows(owner, "counted") if not row["left"]}
    assert counted["Analysed"] == 3


def test_the_page_of_ratings_alone_has_nothing_of_pairs_and_names_nobody(
    owner: Person, closed: str, settings: Settings, database: Database
) -> None:
    page = computed(owner, settings, database)
    assert {"scores", "distribution", "alpha", "severity", "counted"} <= set(figures_on(page))
    assert not {"accuracy", "people", "pairs", "side", "certainty"} & set(figures_on(page))
    for word in ("Pair by pair", "Beside another study", "No judge has been held", "chance is 50%"):
        assert word not in page
    assert not re.search(r"\b(ann|bob|cyd|dan)\b", page.partition("<main")[2])


def test_matches_of_the_same_study_have_their_signatures_and_measures_beside_the_ratings(
    owner: Person,
    closed: str,
    settings: Settings,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    play = compare_play([*PEOPLE, *MEAN], resamples=20)
    write(asked_for("sug", ["rounds=2"], ["simulated"], 3, 1), tmp_path / "play", lambda *_: None)
    games = measures_by_game(read_matches(tmp_path / "play" / "moves.csv"))
    monkeypatch.setattr(
        worker,
        "_matches",
        lambda session, slug, mode: (games, play, ()) if mode == "live" else ((), None, ()),
    )
    page = computed(owner, settings, database)
    assert "<h2>Play" in page
    mean = next(one.mean for one in games[0].measures if one.measure == "mean_offer")
    assert float(rows(owner, "measureameanoffer")[0]["mean"]) == mean
    assert "How sources play, given what they perceive, against people" in page
    assert page.partition("All numbers")[0].count("Distances have no interval") == 1
    assert float(rows(owner, "sugoffergivenreceived")[0]["distance"]) == pytest.approx(
        play.signatures[0].distances[0].distance
    )


def test_what_is_compared_as_pairs_is_on_the_page_with_the_numbers_of_analyze(
    owner: Person, settings: Settings, database: Database, tmp_path: Path
) -> None:
    items = "item,text,condition,kind,group\n" + "".join(
        f"{condition}-{game},A text of {game}.,{condition},main,{game}\n"
        for game in ("g1", "g2", "g3")
        for condition in ("persona", "plain")
    )
    question = {"id": "logic", "type": "likert", "ask": LOGIC, "labels": list("abcde")}
    questions = [question, {**question, "id": "plan", "ask": "Does it plan?"}]
    with database.transaction() as session:
        load_rated(session, tmp_path, items=items, questions=questions, self_assessment="# And you?\n")
        units = {unit.name: unit for unit in session.exec(select(Unit))}
        for number, person in enumerate(("ann", "bob", "cyd", "dan")):
            run = rate(session, person, own={"logic": 5, "plan": 3})
            for response, trial in session.exec(
                select(Response, Trial).join(Trial).where(Trial.session_id == run)
            ):
                name = next(name for name, unit in units.items() if unit.id == trial.unit_id)
                score = 3 if name.startswith("persona") else 1 + (number + len(name)) % 2
                response.answers = {"logic": score, "plan": 1 + number % 3}
        set_state(session, "rated", State.CLOSED)
    page = computed(owner, settings, database)
    assert {"matched", "compared", "self"} <= set(figures_on(page))
    assert "raters give themselves" in page
    with database.reading() as session:
        block, *_ = analyze_rating_rows([ratings_frame(session, "rated")], resamples=FEW)
    block = block.labelled()
    assert block.self_assessment is not None
    of_page = {
        "matched": block.analysis.matched_groups,
        "compared": block.analysis.criteria_compared,
        "self": block.self_assessment.criteria,
    }
    for figure, comparisons in of_page.items():
        found = [(row["criterion"], row["n"], row["difference"], row["p"]) for row in rows(owner, figure)]
        assert found == [
            (one.criterion or "", str(one.test.n), str(one.test.difference.mean), str(one.test.p or ""))
            for one in comparisons
        ]
    assert "“Does it plan?”" in page
    with database.transaction() as session:
        load_rated(session, tmp_path, slug="other")
        rate(session, "eve")
        set_state(session, "other", State.CLOSED)
    beside = computed(owner, settings, database, f"{HERE}?against=other")
    assert "Ratings of rated and other are not compared." in beside
    assert "their texts stand in the item list" in beside


def test_pairs_and_ratings_are_on_one_page(
    owner: Person,
    library: tuple[ClipStore, Sequence[ImportedClip]],
    settings: Settings,
    database: Database,
    tmp_path: Path,
) -> None:
    pairs = {"id": "watch", "task": "pair", **{key: study_file()[key] for key in ("sample", "trials")}}
    with database.transaction() as session:
        add_stimuli(session, library[1], NOW)
        load_rated(session, tmp_path, pairs, slug="both")
        for person in ("ann", "bob", "cyd"):
            rate(session, person)
            rate(session, person, block="watch")
        set_state(session, "both", State.CLOSED)
    page = computed(owner, settings, database, "/admin/studies/both/results")
    assert {"pairs", "side", "scores", "alpha", "counted"} <= set(figures_on(page))
    assert "People picked" in page
    assert "<h2>Ratings</h2>" in page


def test_the_monitor_and_a_session_of_ratings_speak_of_items(owner: Person, closed: str) -> None:
    monitor = owner.get("/admin/studies/rated/monitor").text
    assert re.search(r'id="m-votes"[^>]*hidden', monitor)
    assert "Item 5" in monitor
    assert re.search(r'id="m-units"(?![^>]*hidden)', monitor)
    assert "15 answers to 5 items: 3 each." in monitor
    assert "Not read to the end" in monitor
    for words in ("clip", "watched"):
        assert words not in re.sub(r"(?s)<nav.*?</nav>|<head>.*?</head>", "", monitor).lower()
    session = owner.get("/admin/studies/rated/sessions/1").text
    assert "Item <strong>one</strong> (long)." in session
    assert "Item <strong>check</strong> (attention)." in session
    for word in ("Chose nothing", "Pair <strong>", "Frames lost", "first frame"):
        assert word not in session
