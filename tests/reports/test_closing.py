"""From play to judgement: distances of agents to people, kept with their records, against whom people took for one."""

import csv
from pathlib import Path

import pytest
from sqlmodel import select

from analysis.distances import read_distances
from app.core.database import Database
from app.core.errors import StudyError
from app.core.settings import Settings
from app.jobs import queue
from app.jobs.tables import Job, Kind
from app.library.clips.manifest import read_manifest
from app.library.contents import add_documents
from app.library.documents import read_documents
from app.library.places import results_folder
from app.reports.distances import as_attributes, distances_to_people, kept_distances
from app.reports.kept import from_json
from app.reports.report import build_report
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.studies.file.design import StudyDesign
from app.studies.versions import set_state
from app.tasks.game.match_files import Options as Far
from app.tasks.game.match_files import read_matches
from app.tasks.game.record_options import Options, Sources
from app.tasks.game.records import write_records
from app.tasks.game.run import asked_for
from app.tasks.game.writing import write
from app.trials.tables import State, StudyVersion
from app.worker.worker import drain
from tests.factories import NOW, load_file

pytestmark = pytest.mark.any_database

AGENTS = ("adaptive", "dba", "dbra", "gt")


def test_distances_travel_with_records_into_the_report_and_the_results_page(
    settings: Settings, database: Database, tmp_path: Path, few_resamples: None
) -> None:
    write(
        asked_for("sug", ["rounds=4"], [",".join(("simulated", *AGENTS))], 6, 3),
        tmp_path / "played",
        lambda *_: None,
    )
    played = read_matches(tmp_path / "played" / "moves.csv")
    distances = distances_to_people([played], Far(resamples=20))
    assert {one.source for one in distances} == set(AGENTS)
    by_metric = {(one.source, one.metric): one for one in distances}
    assert by_metric["gt", "d_o"].distance > by_metric["dba", "d_o"].distance
    assert all(one.distance >= 0 and one.n == 6 for one in distances)
    assert by_metric["gt", "mean_offer"].interval.low is not None
    assert by_metric["gt", "sug-offer-given-received"].interval.low is None
    write_records(
        [(played.matches, played.agents)],
        Options(rounds=4, sources=Sources.AGENT),
        tmp_path / "records",
        as_attributes(distances),
    )
    documents = read_documents(read_manifest(tmp_path / "records" / "stimuli.csv"))
    sample = {"pairing": "within-match", "seed": 1, "conditions": {f"simulated-{name}": 2 for name in AGENTS}}
    questions = [
        {"id": "choice", "type": "2afc", "ask": "Which of these two players is more likely to be human?"}
    ]
    with database.transaction() as session:
        add_documents(session, documents, NOW)
        load_file(
            session, tmp_path, truth={"source": "simulated"}, sample=sample, trials={"questions": questions}
        )
        set_state(session, "nav", State.LIVE)
    run_simulation(settings, database, "nav", n=6, traits=Traits(accuracy=0.7), seed=5)
    with database.reading() as session:
        design = StudyDesign.model_validate_json(session.exec(select(StudyVersion.design)).one())
        there = kept_distances(session, design)
        in_order = [metric for source, metric in by_metric if source == "gt"]
        assert len(in_order) > 10
        assert [one.metric for one in there if one.source == "gt"] == in_order, "in the order of the file"
        kept = {(one.source, one.metric): one.distance for one in there}
        assert kept == pytest.approx({key: one.distance for key, one in by_metric.items()})
        build_report(session, "nav", tmp_path / "report")
    with (tmp_path / "report" / "tables" / "closing.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["source"] for row in rows} == set(AGENTS)
    gt = next(row for row in rows if (row["source"], row["metric"]) == ("gt", "d_o"))
    assert float(gt["distance"]) == pytest.approx(by_metric["gt", "d_o"].distance)
    assert (gt["n_trials"], gt["n_participants"]) == ("12", "6")
    assert 0 <= float(gt["taken_for_human"]) <= 1
    html = (tmp_path / "report" / "report.html").read_text()
    assert "Distance to people, and people&#39;s judgement" in html
    assert "A rule that looks at one clue alone" in html
    assert (tmp_path / "report" / "figures" / "closing.svg").is_file()
    data = settings.model_copy(update={"data": tmp_path / "data"})
    data.data_dir.mkdir(exist_ok=True)
    with database.transaction() as session:
        job_id = queue.ask(
            session, Kind.RESULTS, {"slug": "nav", "against": "", "mode": "simulated", "key": "k"}, now=NOW
        )
    drain(data, database)
    with database.reading() as session:
        assert session.get_one(Job, job_id).message == ""
    view = from_json((results_folder(data.data_dir, job_id) / "view.json").read_bytes())
    figure = view.figure("closing")
    assert figure
    assert [mark.name for mark in figure.marks] == list(AGENTS)
    panel = next(each for each in figure.panels if each.title == "d_o")
    far = {row["source"]: row for row in rows if row["metric"] == "d_o"}
    assert [mark.name for mark in panel.marks] == list(far)
    for one, mark, row in zip(panel.across, panel.marks, far.values(), strict=True):
        assert (one.value, mark.value) == (float(row["distance"]), float(row["taken_for_human"]))
    assert len(figure.numbers.rows) == len(rows)
    assert any("A rule that looks at one clue alone" in caution.text for caution in view.cautions)


@pytest.mark.slow
def test_a_file_of_distances_from_the_command_is_one_that_report_reads(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from app.cli import app

    for name, seats in (("people", ["simulated"]), ("agents", ["gt"])):
        write(asked_for("sug", ["rounds=3"], seats, 3, 3), tmp_path / name, lambda *_: None)
    files = [str(tmp_path / name / "moves.csv") for name in ("people", "agents")]
    out = tmp_path / "far.csv"
    done = CliRunner().invoke(app, ["game", "metrics", *files, "--resamples", "0", "--distances", str(out)])
    assert done.exit_code == 0, done.output
    found = read_distances(out)
    assert {one.source for one in found} == {"gt"}
    assert {"d_o", "d_r", "d_b", "mean_offer", "sug-offer-given-received"} <= {one.metric for one in found}


@pytest.mark.slow
def test_people_of_later_files_are_no_reference_and_an_agent_is_in_one_file(tmp_path: Path) -> None:
    others = {"first": "simulated,simulated,adaptive,dba,dbra", "second": "simulated,simulated,gt,gt,gt"}
    for seed, (name, seats) in enumerate(others.items(), start=1):
        write(asked_for("sug", ["rounds=4"], [seats], 6, seed), tmp_path / name, lambda *_: None)
    first, second = (read_matches(tmp_path / name / "moves.csv") for name in others)
    alone, both = (distances_to_people(files, Far(resamples=0)) for files in ([first], [first, second]))
    far = {(one.source, one.metric): one.distance for one in both}
    assert len(far) == len(both)
    assert {one.source for one in both} == {"adaptive", "dba", "dbra", "gt"}
    for one in alone:
        assert far[one.source, one.metric] == pytest.approx(one.distance), (one.source, one.metric)
    with pytest.raises(StudyError, match=r"gt is in several files, .*second.* one of them: give all its"):
        distances_to_people([first, second, second], Far(resamples=0))
