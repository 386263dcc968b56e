"""Other rules: looked at on one clip, put in force for all at once, and never under data that are there."""

import threading
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from app.accounts.tables import AuditEntry
from app.catalog.rules import apply_rules, ask_preview, rules_view, switch_clips
from app.core.errors import Conflict, NotFound
from app.jobs import queue
from app.jobs.tables import Job, JobStatus
from app.library.clips.process import process
from app.library.clips.rules import FIRST_RULES, Mask, Rules
from app.library.media import preview_folder, reprocess_folder
from app.library.tables import LibraryRules, Stimulus
from app.trials.tables import UnitMember
from app.worker.context import Cancelled, Stopping, Work
from app.worker.handlers import reprocessing
from tests.factories import load_file
from tests.library.clips.videos import grey_ramp, greys, make_video, pixels
from tests.library.desk import NOW, Desk

pytestmark = pytest.mark.videos

MASKED = Rules(masks=(Mask(x=0.0, y=0.0, width=0.5, height=0.5),), trim_start_s=0.5, width=64, height=48)


def job(desk: Desk, job_id: int | None) -> Job:
    with desk.database.reading() as session:
        return session.exec(select(Job).where(Job.id == job_id)).one()


def clips(desk: Desk) -> dict[str, str]:
    with desk.database.reading() as session:
        return dict(session.exec(select(Stimulus.name, Stimulus.clip_sha256)).all())  # type: ignore[arg-type]


def test_all_clips_change_over_together_and_saved_versions_keep_theirs(filled: Desk, tmp_path: Path) -> None:
    sample = {"match": "goal", "seed": 1, "conditions": {"human-hybrid": 2}}
    filled.write(load_file, tmp_path, sample=sample)
    before = clips(filled)
    job_id = filled.write(apply_rules, filled.who, MASKED, NOW)
    filled.drain()
    assert (job(filled, job_id).status, job(filled, job_id).result) == (
        JobStatus.DONE,
        {"changed": 6, "without_original": []},
    )
    after = clips(filled)
    assert not set(before.values()) & set(after.values())
    view = filled.read(rules_view)
    assert (view.rules, view.n_other) == (MASKED, 0)
    row = filled.stimulus("human-g1")
    assert (row.duration_s, row.frames) == (0.5, 15)
    assert Rules.model_validate(row.rules) == MASKED
    frame = pixels(filled.store.clip_path(row.clip_sha256 or ""))[3]
    assert frame[10, 10].max() < 12
    assert frame[40, 60].max() > 100
    with filled.database.reading() as session:
        shown = set(session.exec(select(UnitMember.sha256)))
        entry = session.exec(
            select(AuditEntry).where(AuditEntry.action == "rules.change").order_by(col(AuditEntry.id))
        ).all()[-1]
    assert shown <= set(before.values())
    assert all(filled.store.clip_path(sha256 or "").exists() for sha256 in shown)
    assert (entry.actor, entry.after) == ("owner@example.org", MASKED.canonical())
    assert not reprocess_folder(filled.data_dir, job_id).exists()


def test_nothing_changes_where_one_clip_cannot_be_processed(filled: Desk) -> None:
    before = clips(filled)
    job_id = filled.write(apply_rules, filled.who, Rules(trim_start_s=1.15), NOW)
    filled.drain()
    done = job(filled, job_id)
    assert done.status == JobStatus.FAILED
    assert done.message.startswith("Nothing was changed: ")
    assert "human-g1 lasts 1.00 s" in done.message
    assert "symbolic-g2" not in done.message
    assert clips(filled) == before
    assert filled.read(rules_view).rules.trim_start_s == 0
    assert not reprocess_folder(filled.data_dir, job_id).exists()


def test_cancelling_stops_in_the_middle_of_a_clip_and_leaves_all_as_it_was(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = clips(filled)
    job_id = filled.write(apply_rules, filled.who, MASKED, NOW)

    def cancel(work: Work, done: int, total: int, doing: str = "") -> None:
        if "Processing" in doing:
            filled.write(queue.cancel, work.job.id, NOW)
            raise Cancelled

    monkeypatch.setattr(Work, "progress", cancel)
    filled.drain()
    assert job(filled, job_id).status == JobStatus.CANCELLED
    assert clips(filled) == before
    assert not reprocess_folder(filled.data_dir, job_id).exists()


def test_what_was_done_before_a_restart_is_not_done_again(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = filled.write(apply_rules, filled.who, MASKED, NOW)
    processed: list[str] = []
    lock = threading.Lock()

    def counting(source: Path, *args: object, **more: object) -> object:
        info = process(source, *args, **more)  # type: ignore[arg-type]
        with lock:
            processed.append(source.stem)
        return info

    def stopping(work: Work, done: int, total: int, doing: str = "") -> None:
        if "Processing" in doing and done >= 3:
            raise Stopping

    monkeypatch.setattr(reprocessing, "process", counting)
    with monkeypatch.context() as patch:
        patch.setattr(Work, "progress", stopping)
        filled.drain()
    assert job(filled, job_id).status == JobStatus.QUEUED
    assert 3 <= len(processed) <= 6
    filled.drain()
    assert job(filled, job_id).result == {"changed": 6, "without_original": []}
    assert len(processed) == len(set(processed)) == 6


def test_a_clip_that_comes_meanwhile_is_processed_by_the_new_rules_too(
    filled: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = make_video(tmp_path / "late.mp4", seconds=1.5, colour=(9, 9, 200))
    old_rules = filled.stimulus("human-g1").rules

    def meanwhile(session: Session, *args: Any) -> int | None:
        """As the other lane does it, between the last clip and the change."""
        if session.exec(select(Stimulus).where(Stimulus.name == "late")).first() is None:
            kept, clip = filled.store.keep_original(late), filled.store.keep_clip(late)
            session.add(
                Stimulus(
                    name="late",
                    source="human",
                    attributes={},
                    original_sha256=kept.sha256,
                    clip_sha256=clip.sha256,
                    rules=old_rules,
                    imported_at=NOW,
                )
            )
            session.flush()
        return switch_clips(session, *args)

    monkeypatch.setattr(reprocessing, "switch_clips", meanwhile)
    job_id = filled.write(apply_rules, filled.who, MASKED, NOW)
    filled.drain()
    assert job(filled, job_id).result == {"changed": 7, "without_original": []}
    assert Rules.model_validate(filled.stimulus("late").rules) == MASKED
    assert filled.read(rules_view).n_other == 0


def test_clips_without_their_original_stay_and_are_named(filled: Desk) -> None:
    before = clips(filled)
    row = filled.stimulus("hybrid-g1")
    filled.store.original_path(row.original_sha256 or "").unlink()
    job_id = filled.write(apply_rules, filled.who, MASKED, NOW)
    filled.drain()
    assert job(filled, job_id).result == {"changed": 5, "without_original": ["hybrid-g1"]}
    assert clips(filled)["hybrid-g1"] == before["hybrid-g1"]
    assert filled.read(rules_view).n_other == 1


def test_rules_without_a_size_take_the_smallest_original_s(desk: Desk, tmp_path: Path) -> None:
    desk.add(make_video(tmp_path / "large.mp4", width=160, height=100))
    desk.add(make_video(tmp_path / "small.mp4", width=80, height=50))
    desk.write(apply_rules, desk.who, Rules(crf=30), NOW)
    desk.drain()
    assert desk.read(rules_view).rules.size == (80, 50)
    assert (desk.stimulus("large").width, desk.stimulus("large").height) == (80, 50)


def test_a_library_keeps_its_preset_until_its_rules_change_for_all(desk: Desk, tmp_path: Path) -> None:
    """One of before there was a choice: its rules name none. A new one begins with the quick one."""
    old = {key: value for key, value in Rules(width=64, height=48).canonical().items() if key != "preset"}
    desk.add(make_video(tmp_path / "first.mp4"))
    assert desk.read(rules_view).rules == FIRST_RULES.model_copy(update={"width": 64, "height": 48})
    with desk.database.transaction() as session:
        for row in (*session.exec(select(Stimulus)), *session.exec(select(LibraryRules))):
            row.rules = old
    desk.add(make_video(tmp_path / "second.mp4", colour=(10, 200, 10)))
    assert desk.stimulus("first").rules == desk.stimulus("second").rules == old
    assert desk.read(rules_view).n_other == 0
    quick = Rules(width=64, height=48, preset="veryfast")
    desk.write(apply_rules, desk.who, quick, NOW)
    desk.drain()
    assert desk.stimulus("first").rules == desk.stimulus("second").rules == quick.canonical()


def test_one_at_a_time_and_only_where_something_changes(filled: Desk) -> None:
    with pytest.raises(Conflict, match="in force already"):
        filled.write(apply_rules, filled.who, filled.read(rules_view).rules, NOW)
    filled.write(apply_rules, filled.who, MASKED, NOW)
    with pytest.raises(Conflict, match="already"):
        filled.write(apply_rules, filled.who, Rules(crf=30), NOW)


def test_in_an_empty_library_rules_hold_at_once(desk: Desk) -> None:
    assert desk.write(apply_rules, desk.who, MASKED, NOW) is None
    assert desk.read(rules_view).rules == MASKED


def test_a_preview_shows_before_and_after_and_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    ramp = make_video(tmp_path / "ramp.avi", codec="mpeg4", seconds=2, paint=grey_ramp(4))
    desk.add(ramp)
    before = clips(desk)
    job_id = desk.write(ask_preview, desk.who, "ramp", Rules(trim_start_s=1.0, width=64, height=48), NOW)
    desk.drain()
    result = job(desk, job_id).result
    assert (result["before"], result["duration_before"], result["duration_after"]) == ("before.mp4", 2.0, 1.0)
    folder = preview_folder(desk.data_dir, job_id)
    assert len(greys(folder / "before.mp4")) == 60
    after = greys(folder / "after.mp4")
    assert len(after) == 30
    assert after[0] == pytest.approx(120, abs=6)
    assert clips(desk) == before


def test_a_preview_of_what_browsers_play_leaves_the_original_as_it_is(filled: Desk) -> None:
    job_id = filled.write(ask_preview, filled.who, "human-g1", MASKED, NOW)
    filled.drain()
    assert job(filled, job_id).result["before"] == "original"
    assert [path.name for path in preview_folder(filled.data_dir, job_id).iterdir()] == ["after.mp4"]


def test_a_preview_that_leaves_nothing_fails_in_words(filled: Desk) -> None:
    job_id = filled.write(ask_preview, filled.who, "human-g1", Rules(trim_start_s=5.0), NOW)
    filled.drain()
    assert job(filled, job_id).status == JobStatus.FAILED
    assert "nothing is left" in job(filled, job_id).message
    assert not preview_folder(filled.data_dir, job_id).exists()
    with pytest.raises(NotFound, match="no clip 'nobody'"):
        filled.write(ask_preview, filled.who, "nobody", MASKED, NOW)
