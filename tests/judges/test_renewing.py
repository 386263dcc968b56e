"""Cards of judges whose study's answers were deleted, and the files of those that were trained anew."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.judges.models import models_here
from app.judges.renewing import learnt_before, mark_deleted, mark_kept, move_over
from app.library.places import models_folder

pytestmark = pytest.mark.any_database

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
REACHED = {"label_accuracy": None, "n_pairs": 9}
NAMES = ("reached", "human_agent", "agent_agent", "agent_agent_alone")


def card(**more: Any) -> dict[str, Any]:
    numbers = {
        "n_votes": 36, "n_people": 4, "n_pairs": 9, "ridge": 1.0, "n_tried": 3, "warning": None,
        "ceilings": {"one_person": None, "half": None, "reliability": None}, "by_pairs": [], "by_votes": [],
        "untrained": [], "weights": [{"name": "speed", "value": 1.0, "low": 0.5, "high": 1.5}],
        **dict.fromkeys(NAMES, REACHED),
    }  # fmt: skip
    data = {"on": "nav", "mode": "live", "licence": "CC0", "sha256": "0", "contents": [], **more}
    return {
        "name": "votes", "title": "Votes", "version": "1", "made_at": AT.isoformat(), "seed": 1, "data": data,
        "evaluation": numbers, "reasons": {"speed": ["my neighbour walks so"]}, "not_for": "It is for nothing",
    }  # fmt: skip


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    for name, more in (("one", {}), ("elsewhere", {"on": "other"}), ("pilot", {"mode": "pilot"})):
        folder = models_folder(tmp_path) / name
        folder.mkdir(parents=True)
        (folder / "card.json").write_text(json.dumps(card(**more)))
    return tmp_path


def test_a_card_says_how_many_answers_were_deleted_once_for_each_time_and_quotes_nobody_any_more(
    kept: Path,
) -> None:
    later = AT + timedelta(seconds=1)
    assert [judge.name for judge in learnt_before(kept, "nav", "live", later)] == ["one"]
    assert learnt_before(kept, "nav", "live", AT) == []
    for job, n in ((3, 10), (3, 10), (4, 2)):  # a job that is begun again after a crash counts once
        mark_deleted(kept, "one", job, n)
    folder = models_folder(kept) / "one"
    text = (folder / "card.md").read_text()
    assert "12 answers of nav were deleted since it was trained" in text
    assert "neighbour" not in text + (folder / "card.json").read_text()
    assert {model.name: model.n_deleted for model in models_here(kept)} == {
        "one": 12,
        "elsewhere": 0,
        "pilot": 0,
    }
    mark_kept(kept, "one", "too few pairs")
    assert "It was not trained anew: too few pairs." in (folder / "card.md").read_text()


def test_a_judge_trained_anew_takes_the_place_of_the_old_files_unless_that_was_deleted(kept: Path) -> None:
    folder, new = models_folder(kept) / "one", kept / "new"
    (folder / "old.safetensors").write_text("old")
    for place in (folder, models_folder(kept) / "gone"):
        new.mkdir(exist_ok=True)
        for name in ("card.json", "new.safetensors"):
            (new / name).write_text("new")
        move_over(new, place)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "card.json": "new", "new.safetensors": "new"
    }  # fmt: skip
    assert not (models_folder(kept) / "gone").exists()
