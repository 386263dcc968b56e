"""`judge run` and `judge list`: verdicts as a file, refusals as one line."""

import csv
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlmodel import Session, select
from starlette.testclient import TestClient

from app.cli.console import opened
from app.cli.judges import list_, run_
from app.cli.judging import validate
from app.cli.moving import signatures
from app.cli.reporting import report
from app.core.database import Database
from app.core.errors import StudyError
from app.judges.registry import OURS
from app.judges.runner import COLUMNS
from app.judges.study import pairs_of_studies
from app.library.clips.errors import ClipError
from app.library.clips.imported import ImportedClip
from app.library.clips.store import ClipStore
from app.library.tables import Stimulus
from app.main import create_app
from tests.factories import open_study
from tests.judges.files import circling, later, wavy, write_positions
from tests.sessions.walks import Walk

Library = tuple[ClipStore, Sequence[ImportedClip]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: Library, migrated_sqlite: Path) -> Path:
    """A data folder with an open study, in which every command runs; its clips are those of the library."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(migrated_sqlite, data / "likely-human.sqlite3")
    (data / "clips").symlink_to(library[0].root / "clips")
    monkeypatch.setenv("LIKELY_HUMAN_DATA", str(data))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with opened() as (_, database), database.transaction() as session:
        open_study(session, tmp_path, library[1])
    return tmp_path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_verdicts_on_every_main_pair_are_written(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_("motion", "nav", folder / "verdicts.csv")
    rows = read(folder / "verdicts.csv")
    assert tuple(rows[0]) == COLUMNS
    assert len({row["pair"] for row in rows}) == 10
    assert {row["choice"] for row in rows} <= {"a", "b"}
    assert "10 verdicts on version 1 of nav written to" in capfd.readouterr().out
    run_("motion", "nav")
    assert capfd.readouterr().out.splitlines()[0] == ",".join(COLUMNS)


def test_pairs_that_fail_are_counted_and_kept(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Two of the clips have positions, in one pair or in none together; the others fail by name."""
    with opened() as (settings, database), database.transaction() as session:
        store = ClipStore(settings.data_dir)
        for name in ("human-g1", "hybrid-g1"):
            stimulus = session.exec(select(Stimulus).where(Stimulus.name == name)).one()
            kept = store.keep_positions(write_positions(folder / f"{name}.csv", wavy))
            stimulus.positions_sha256 = kept.sha256
            session.add(stimulus)
    run_("straightness", "nav", folder / "verdicts.csv")
    rows = read(folder / "verdicts.csv")
    failed = [row for row in rows if row["problem"]]
    assert (len(rows), len(failed)) == (10, 9)
    assert {row["problem"] for row in failed} == {"the clip has no positions"}
    said = capfd.readouterr()
    assert "9 of 10 pairs could not be judged" in said.err
    assert "1 of them undecided" in said.out  # the same walk twice


def give_positions(session: Session, store: ClipStore, folder: Path) -> None:
    """To every clip: symbolic agents go in circles, the others do not."""
    for number, stimulus in enumerate(session.exec(select(Stimulus).order_by(Stimulus.name))):
        walk = circling if stimulus.source == "symbolic" else wavy
        whole = write_positions(folder / f"{number}.csv", later(walk, 0.3 * number))
        stimulus.positions_sha256 = store.keep_positions(whole).sha256
        session.add(stimulus)


def test_signatures_of_a_study_read_what_its_clips_show(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened() as (settings, database), database.transaction() as session:
        give_positions(session, ClipStore(settings.data_dir), folder)
        shown_s = {one.name: one.duration_s or 0 for one in session.exec(select(Stimulus))}
    signatures(["nav"], as_json=True, resamples=0)
    found = json.loads(capsys.readouterr().out)
    assert {one["source"] for one in found["sources"]} == {"human", "hybrid", "symbolic"}
    for one in found["sources"]:
        assert one["seconds"] < sum(s for name, s in shown_s.items() if name.startswith(one["source"])) + 0.01
    assert found["signatures"][0]["nearest"] == "hybrid"
    assert found["closing"] is None


def test_the_report_of_a_study_has_its_signatures(folder: Path) -> None:
    with opened() as (settings, database), database.transaction() as session:
        give_positions(session, ClipStore(settings.data_dir), folder)
    report(["nav"], folder / "report", seed=3, resamples=0)
    html = (folder / "report" / "report.html").read_text()
    for said in (
        "How sources move, against people",
        "Distances have no interval: in simulations",
        "Not settled, with fewer than 1,000 observations: human, hybrid, symbolic",
        "No “Turn towards the goal, given its angle”: positions have no goal_x_m",
        "stress",
        "there is one person",
    ):
        assert said.lower() in html.lower(), said
    numbers = json.loads((folder / "report" / "signatures.json").read_text())
    change = numbers["signatures"][0]
    by_source = {one["source"]: one["distance"] for one in change["distances"]}
    rows = [row for row in read(folder / "report" / "tables" / "signatures.csv") if row["distance"]]
    kept = {row["source"]: float(row["distance"]) for row in rows if row["signature"] == "velocity-change"}
    assert kept == pytest.approx(by_source)
    places = read(folder / "report" / "tables" / "signatures_map.csv")
    assert {row["label"] for row in places if row["signature"] == "velocity-change"} == {
        *("human: 1", "hybrid", "symbolic")
    }
    assert {row["stress"] for row in places if row["signature"] == "velocity-change"} == {
        str(change["map"]["stress"])
    }
    for path in (folder / "report").rglob("*"):
        assert not path.is_file() or b"secret-player" not in path.read_bytes(), path
    for name in ("signatures", "map"):
        assert (folder / "report" / "figures" / f"{name}.svg").is_file()


@pytest.mark.parametrize(
    ("name", "slug", "version", "said"),
    [
        ("oracle", "nav", None, "no judge 'oracle'; there is straightness, fidget, motion"),
        ("motion", "none", None, "no study 'none'"),
        ("motion", "nav", 7, "no version 7; there is 1"),
        ("fidget", "nav", None, "needs the positions"),
    ],
)
def test_a_refusal_is_one_line_and_leaves_no_file(
    folder: Path, name: str, slug: str, version: int | None, said: str
) -> None:
    with pytest.raises((StudyError, ClipError)) as refused:
        run_(name, slug, folder / "verdicts.csv", version)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (folder / "verdicts.csv").exists()


def test_faults_of_verdicts_are_a_line_each_and_nothing_is_said_of_adding(folder: Path) -> None:
    (folder / "mine.csv").write_text("judge,pair,choice,score\n,q1,a,\nmine,q2,left,nan\n")
    with pytest.raises(StudyError) as refused:
        validate(["nav"], folder / "mine.csv")
    lines = str(refused.value).splitlines()
    assert [re.search(r"mine\.csv: Row (\d)", line)[1] for line in lines] == ["2", "3", "3"]  # type: ignore[index]
    assert "added" not in str(refused.value)


def test_a_judge_that_can_judge_nothing_leaves_no_file(folder: Path) -> None:
    (folder / "data" / "clips").unlink()
    with pytest.raises(StudyError, match=r"motion could judge none of 10 pairs; .*is not there"):
        run_("motion", "nav", folder / "verdicts.csv")
    assert not (folder / "verdicts.csv").exists()


def test_a_file_that_cannot_be_written_is_refused_before_anybody_waits(folder: Path) -> None:
    with pytest.raises(StudyError, match="cannot write"):
        run_("motion", "nav", folder / "nowhere" / "verdicts.csv")


def test_the_list_names_every_judge_with_its_version(capfd: pytest.CaptureFixture[str]) -> None:
    list_()
    said = capfd.readouterr().out
    assert set(OURS) <= set(re.findall(r"^(\S+)  version \d+", said, re.MULTILINE))


def test_a_study_s_judges_are_held_against_its_votes_and_help_on_pairs_without(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """No file of pairs is needed: the database knows what the study shows."""
    with opened() as (settings, database):
        with TestClient(create_app(settings, Database(database.url))) as client:
            Walk(client).to("trial-9")
        with database.reading() as session:
            pairs = pairs_of_studies(session, ["nav", "nothing.csv"])
    assert len(pairs) == 10
    lines = [f"m,{pair['pair']},{0.2 + 0.06 * number:.2f}" for number, pair in enumerate(pairs)]
    (folder / "verdicts.csv").write_text("\n".join(["judge,pair,score", *lines]))
    capfd.readouterr()
    validate(["nav"], folder / "verdicts.csv", as_json=True, resamples=0)
    told = json.loads(capfd.readouterr().out)
    assert (told["n_pairs"], told["n_with_votes"]) == (10, 7)
    assert sum(one["n_unlabelled"] for one in told["judges"][0]["prediction_powered"]) == 3


@pytest.mark.parametrize(
    ("level", "measures"),
    [("nominal", ["accuracy", "kappa"]), ("ordinal", ["spearman", "pearson", "kendall", "icc"])],
)
def test_judges_of_classes_and_of_ratings_go_through_with_a_mapping(
    folder: Path, capfd: pytest.CaptureFixture[str], level: str, measures: list[str]
) -> None:
    ratings = [f"w{rater},t{item},{(item + rater * item) % 3 + 1}" for item in range(9) for rater in range(3)]
    (folder / "r.csv").write_text("\n".join(["worker,text,label", *ratings]))
    (folder / "j.csv").write_text("\n".join(["judge,item,value", *(f"m,t{n},{n % 3 + 1}" for n in range(9))]))
    columns = "{item: text, rater: worker, score: label}"
    (folder / "map.yaml").write_text(f"kind: ratings\nlevel: {level}\ncolumns: {columns}\n")
    validate(
        [str(folder / "r.csv")], folder / "j.csv", as_json=True, resamples=20, mapping=folder / "map.yaml"
    )
    told = json.loads(capfd.readouterr().out)
    assert told["format"] == "likely-human item judges 1"
    [judge] = told["criteria"][0]["judges"]
    assert (list(judge["measures"]), judge["counts"]["n_judged"]) == (measures, 9)
    validate([str(folder / "r.csv")], folder / "j.csv", resamples=0, mapping=folder / "map.yaml")
    assert "9 of 9 items judged." in capfd.readouterr().out
    with pytest.raises(StudyError, match="leave out --pairs, --mode, --all and --figures"):
        validate([str(folder / "r.csv")], folder / "j.csv", mapping=folder / "map.yaml", everything=True)
