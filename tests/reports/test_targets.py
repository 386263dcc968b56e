"""Targets of a command: a study, an exported file, a file from elsewhere."""

from pathlib import Path

import pandas as pd
import pytest

from analysis import AnalysisError, read_responses
from app.core.errors import StudyError
from app.reports.targets import frame_of, is_file, is_ratings, ratings_of
from tests.analysis.tables import GOLD, checked, person, write_csv

CSV, MAP = GOLD / "alympics_ratings.csv", GOLD / "alympics_ratings.yaml"


def test_an_exported_file_needs_no_database(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "responses.csv", person("p", "ab"))
    pd.testing.assert_frame_equal(frame_of(None, str(path)), read_responses(path))


def test_a_file_from_elsewhere_is_read_by_its_mapping(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "theirs.csv", person("p", "ab", left=""))
    mapping = tmp_path / "map.yaml"
    mapping.write_text(
        "kind: 2afc\nstudy: s\ncolumns: {participant: participant, pair: pair, choice: choice, truth: truth,\n"
        "  condition: condition, source_a: source_a, source_b: source_b, uncertainty: uncertainty}\n"
    )
    rows = person("p", "ab", left="")
    expected = checked(
        *(
            row | {"position": str(place), "flags": "order-not-recorded"}
            for place, row in enumerate(rows, start=1)
        )
    )
    pd.testing.assert_frame_equal(frame_of(None, str(path), mapping), expected)
    assert not is_ratings(mapping)


def test_ratings_are_told_from_answers_by_their_mapping() -> None:
    assert is_ratings(MAP)
    assert not is_ratings(None)
    assert len(ratings_of(str(CSV), MAP).table) == 823
    with pytest.raises(AnalysisError, match="this maps ratings, and 2AFC answers are needed"):
        frame_of(None, str(CSV), MAP)


def test_a_slug_needs_a_database() -> None:
    assert (is_file("hntt-1"), is_file("no.csv"), is_file(str(MAP))) == (False, True, True)
    with pytest.raises(StudyError, match="hntt-1 is no file, and no study can be looked up here"):
        frame_of(None, "hntt-1")
