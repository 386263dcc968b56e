"""The table that the benchmark of the analysis is measured on: what it says it is."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from analysis import analyze, read_responses
from bench.crowd_table import PAIRS, SCHEMA, TRIALS, write_crowd
from tests.analysis.tables import COLUMNS


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crowd") / "crowd.parquet"
    write_crowd(path, 3_000)
    return path


def test_it_is_a_sound_table_of_two_studies_in_which_everybody_has_ten_main_trials(crowd: Path) -> None:
    assert pq.read_schema(crowd).names == SCHEMA.names == list(COLUMNS)
    responses = read_responses(crowd)
    assert len(responses) == 3_000
    assert responses.groupby("participant", observed=True).size().tolist() == [TRIALS] * 300
    people = responses.groupby("study", observed=True)["participant"].nunique()
    assert people.to_dict() == {"crowd-1": 150, "crowd-2": 150}
    assert set(responses["kind"]) == {"main"}
    assert responses["pair"].nunique() == PAIRS


def test_it_has_blanks_exclusions_another_mode_reasons_and_times(crowd: Path) -> None:
    responses = read_responses(crowd)
    assert 0 < responses["choice"].isna().mean() < 0.05
    assert 0 < responses["excluded"].notna().mean() < 0.1
    assert set(responses["mode"]) == {"live", "pilot"}
    assert responses["rationale"].nunique() > 2_000
    assert (responses["answered_at"] > responses["shown_at"]).all()


@pytest.mark.exhaustive
@pytest.mark.slow
def test_people_are_better_than_chance_in_it(crowd: Path) -> None:
    for study in analyze(read_responses(crowd), resamples=0).studies:
        assert study.accuracy.mean is not None
        assert 0.65 < study.accuracy.mean < 0.8


def test_the_same_seed_gives_the_same_table(tmp_path: Path, crowd: Path) -> None:
    again, other = tmp_path / "again.parquet", tmp_path / "other.parquet"
    write_crowd(again, 3_000)
    write_crowd(other, 3_000, seed=2)
    assert pq.read_table(again) == pq.read_table(crowd) != pq.read_table(other)
