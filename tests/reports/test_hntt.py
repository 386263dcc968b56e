"""The published answers through SQL give the published numbers, and nothing is half imported."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sqlmodel import func, select

from analysis import analyze, hntt_responses, read_hntt
from app.core.database import Database
from app.core.errors import Conflict
from app.library.tables import Stimulus
from app.reports.frames import responses_frame
from app.reports.hntt import import_answers
from app.trials.responses import Response
from app.trials.tables import Study
from tests.factories import NOW

pytestmark = [pytest.mark.slow, pytest.mark.any_database]

GOLD = Path(__file__).parent.parent / "analysis" / "gold"
ANSWERS = GOLD / "hntt_trials.csv"
PUBLISHED = json.loads((GOLD / "published.json").read_text())


def numbers(database: Database, path: Path) -> Mapping[str, Any]:
    with database.transaction() as session:
        import_answers(session, path, NOW)
    with database.reading() as session:
        frames = [responses_frame(session, slug) for slug in ("hntt-1", "hntt-2")]
    return analyze(frames, resamples=0).to_dict()  # none of what was printed is of a bootstrap


def same(printed: Any, computed: Any) -> None:
    """Equal at every digit that is printed."""
    if isinstance(printed, dict):
        for key, value in printed.items():
            same(value, computed[key])
    elif isinstance(printed, list):
        for value, other in zip(printed, computed, strict=True):
            same(value, other)
    else:
        digits = len(str(printed).partition(".")[2])
        assert round(computed, digits) == printed


def test_every_printed_number_comes_out_of_the_database(database: Database) -> None:
    """Against Devlin et al. 2021, section 5.1, as printed and as corrected."""
    result = numbers(database, ANSWERS)
    for part in ("as_published", "corrected"):
        same(PUBLISHED[part], result[part])
    assert len(result["what_differs"]) == 4


@pytest.mark.exhaustive
def test_a_reshuffled_copy_with_sides_swapped_gives_the_same_numbers(
    database: Database, tmp_path: Path
) -> None:
    rng = random.Random(4)
    header, *lines = ANSWERS.read_text().splitlines()
    other = {"A": "B", "B": "A", "0": "0"}
    swapped = []
    for line in lines:
        study, subject, question, first, second, ground, choice, certainty = line.split(",")
        if rng.random() < 0.5:
            first, second, ground, choice = second, first, other[ground], other[choice]
        swapped.append(f"{study},{subject},{question},{first},{second},{ground},{choice},{certainty}")
    rng.shuffle(swapped)
    (tmp_path / "copy.csv").write_text("\n".join([header, *swapped]) + "\n")
    result = numbers(database, tmp_path / "copy.csv")
    for part in ("as_published", "corrected"):
        same(PUBLISHED[part], result[part])


def test_blanks_move_the_numbers_as_a_hand_calculation_says(database: Database, tmp_path: Path) -> None:
    """Participant 1 of study 1 had 4 of 6 right; one right answer blanked leaves 3 of 5 (missing) or 3 of 6 (wrong)."""
    text = ANSWERS.read_text()
    assert text.count("1,1,1,2,1,B,B,1\n") == 1
    (tmp_path / "blank.csv").write_text(text.replace("1,1,1,2,1,B,B,1\n", "1,1,1,2,1,B,0,1\n"))
    result = numbers(database, tmp_path / "blank.csv")
    mean = PUBLISHED["corrected"]["accuracy"]["mean"][0]
    total = round(mean * 30 * 6)  # right answers of the whole study
    assert result["as_published"]["accuracy"]["mean"][0] == pytest.approx((total - 1) / 6 / 30)
    assert result["corrected"]["accuracy"]["mean"][0] == pytest.approx(((total - 4) / 6 + 3 / 5) / 30)


@pytest.mark.both_databases
def test_the_frame_from_sql_is_the_frame_from_the_file(database: Database) -> None:
    with database.transaction() as session:
        import_answers(session, ANSWERS, NOW)
    direct = hntt_responses(read_hntt(ANSWERS))
    told = ["study", "participant", "pair", "condition", "source_a", "source_b", "truth", "left", "choice"]
    told += ["chosen_source", "correct", "uncertainty", "position", "stimulus_a", "stimulus_b", "kind"]
    with database.reading() as session:
        for slug in ("hntt-1", "hntt-2"):
            stored = responses_frame(session, slug)[told].astype(str).reset_index(drop=True)
            wanted = direct[direct["study"] == slug][told].astype(str).reset_index(drop=True)
            pd.testing.assert_frame_equal(stored, wanted)


@pytest.mark.both_databases
def test_importing_twice_is_refused_and_changes_nothing(database: Database) -> None:
    with database.transaction() as session:
        assert import_answers(session, ANSWERS, NOW) == [("hntt-1", 30, 300), ("hntt-2", 30, 300)]

    def again() -> None:
        with database.transaction() as session:
            import_answers(session, ANSWERS, NOW)

    with pytest.raises(Conflict, match="'hntt-1' is there already"):
        again()
    with database.reading() as session:
        counts = [
            session.exec(select(func.count()).select_from(table)).one()
            for table in (Study, Response, Stimulus)
        ]
    assert counts == [2, 600, 40]
