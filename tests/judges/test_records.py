"""Judges of records: three baselines on pairs of records, held against people."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import col, select

from analysis.judging import read_verdicts, validate_judges
from app.core.database import Database
from app.core.errors import Conflict
from app.core.settings import Settings
from app.judges.base import PairFiles, StimulusFiles, Times
from app.judges.registry import judge_named
from app.judges.runner import run_judge, verdicts_csv
from app.judges.study import pairs_to_judge, refuse_without_files
from app.library.clips.store import ClipStore
from app.library.records import Line, Record, Round, canonical_json
from app.library.tables import Stimulus
from app.reports.frames import responses_frame
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from tests.factories import NOW
from tests.tasks.pair.test_comparing import open_records

BASELINES = ("message-length", "round-numbers", "response-times")


def holding(*lines: str) -> StimulusFiles:
    record = Record(
        title="Sharing",
        rounds=tuple(Round(title=f"Round {n}", parts=(Line(text=line),)) for n, line in enumerate(lines)),
    )
    return StimulusFiles(None, None, canonical_json(record))


def test_each_baseline_reads_what_it_says_and_mirrors() -> None:
    cases = {
        "message-length": (
            holding("This player writes: ok"),
            holding("This player writes: A fair offer."),
            11.0,
        ),
        "round-numbers": (
            holding("offers 50 of 100", "offers 33"),
            holding("offers 47 of 100"),
            100 * (2 / 3 - 1 / 2),
        ),
        "response-times": (holding("after 1 s", "after 3000 ms"), holding("after 2 s", "after 2 s"), 50.0),
    }
    for name, (a, b, score) in cases.items():
        judge = judge_named(name)
        verdict, mirrored = judge.judge(PairFiles("p", "?", a, b)), judge.judge(PairFiles("p", "?", b, a))
        assert (verdict.choice, mirrored.choice) == ("a", "b"), name
        assert verdict.score == pytest.approx(score, abs=1e-6)
        assert mirrored.score == pytest.approx(-score, abs=1e-6)
        assert judge.judge(PairFiles("p", "?", holding("nothing here"), b)).score is None


def test_times_of_a_manifest_are_judged_where_a_record_shows_none() -> None:
    record = holding("offers 50 of 100")
    steady, varied = (replace(record, times=Times(4000, sd)) for sd in (400, 3000))
    judge = judge_named("response-times")
    verdict = judge.judge(PairFiles("p", "?", varied, steady))
    assert verdict.choice == "a"
    assert verdict.score == pytest.approx(65.0)
    for without in (record, replace(record, times=Times(0, 0))):
        assert judge.judge(PairFiles("p", "?", varied, without)).choice is None
    shows = holding("after 1 s", "after 3000 ms")
    shown = replace(shows, times=Times(1, 1))
    assert judge.judge(PairFiles("p", "?", shown, shows)).score == 0, "what people see goes before"


@pytest.mark.any_database
def test_they_judge_a_study_of_records_and_stand_beside_one_person(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    open_records(database, tmp_path, 6)
    with database.transaction() as session:
        for n, stimulus in enumerate(session.exec(select(Stimulus).order_by(col(Stimulus.name)))):
            stimulus.attributes = {"rt_median_ms": "1000", "rt_sd_ms": str(n)} if n > 1 else {"rt_sd_ms": "?"}
    run_simulation(settings, database, "nav", n=7, traits=Traits(accuracy=0.9), seed=2)
    store = ClipStore(settings.data_dir)
    with database.reading() as session:
        pairs = pairs_to_judge(session, "nav", store).pairs
        frame = responses_frame(session, "nav")
    with pytest.raises(Conflict, match="it looks at clips, and the pairs are of records or texts"):
        refuse_without_files(judge_named("motion").info, "nav", pairs)
    rows = [
        row for name in BASELINES for row in run_judge(judge_named(name), pairs, lambda *_: None, lambda: NOW)
    ]
    assert {row.problem for row in rows} == {""}
    file = tmp_path / "verdicts.csv"
    file.write_text(verdicts_csv(rows), encoding="utf-8")
    found = validate_judges(frame, read_verdicts(file), mode="simulated", resamples=50)
    by_name = {judge.judge: judge for judge in found.judges}
    measure = by_name["round-numbers"].groups[0].measures["label_accuracy"]
    assert measure.corrected.n == 6
    assert measure.ceiling.value is not None
    # No message is shown, and no times are known of two records, each of another pair.
    assert {name: by_name[name].runs[0].n_abstained for name in BASELINES} == {
        "message-length": 6, "round-numbers": 0, "response-times": 2,
    }  # fmt: skip
