"""The queue of uploads: one frame size known beforehand, new rules first, places and time, cancelling one and all."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from app.catalog.rules import BadRules, apply_rules, ask_preview, rules_view, set_frame_size
from app.core.errors import Conflict
from app.jobs import queue
from app.jobs.queue import is_waiting, take
from app.jobs.tables import Job, JobStatus, Kind
from app.library.clips.rules import Rules
from app.library.queued import cancel_all, places
from app.library.tables import Upload, UploadStatus
from app.worker.handlers import LANES
from tests.library.clips.videos import make_video
from tests.library.desk import NOW, Desk


def test_the_frame_size_is_set_before_the_first_clip_and_holds_for_all(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(BadRules):
        desk.write(set_frame_size, desk.who, 121, 64, NOW)
    assert desk.read(rules_view).rules.size is None
    assert desk.write(set_frame_size, desk.who, 120, 64, NOW) is None
    desk.add(make_video(tmp_path / "first.mp4", width=160, height=100))
    assert (desk.stimulus("first").width, desk.stimulus("first").height) == (120, 64)
    with pytest.raises(Conflict, match="is 120 × 64 px already"):
        desk.write(set_frame_size, desk.who, 160, 100, NOW)


def test_new_rules_come_before_the_files_that_wait_which_are_processed_once_by_them(
    filled: Desk, tmp_path: Path
) -> None:
    token = filled.upload(make_video(tmp_path / "late.mp4", width=160, height=100, colour=(1, 2, 3)))
    rules = filled.read(rules_view).rules.model_copy(update={"width": 80, "height": 50})
    job_id = filled.write(apply_rules, filled.who, rules, NOW)
    with filled.database.transaction() as session:
        assert not is_waiting(session, [Kind.IMPORT], NOW)
        assert take(session, [Kind.IMPORT], NOW) is None
        assert places(session)[token].says == "Waits until all clips are processed by the new rules"
    filled.drain()
    with filled.database.reading() as session:
        jobs = {job.kind: job for job in session.exec(select(Job).order_by(col(Job.id)))}
        assert session.get_one(Job, job_id).result["changed"] == 6
    begun = [jobs[kind].begun_at for kind in (Kind.REPROCESS, Kind.IMPORT)]
    assert None not in begun
    assert begun == sorted(begun, key=str)
    assert Rules.model_validate(filled.stimulus("late").rules).size == (80, 50)
    assert filled.read(rules_view).n_other == 0


def test_a_preview_has_a_lane_that_no_other_job_takes(filled: Desk) -> None:
    filled.write(ask_preview, filled.who, "human-g1", filled.read(rules_view).rules, NOW)
    alone = [lane for lane in LANES if Kind.PREVIEW in lane]
    assert alone == [(Kind.PREVIEW, Kind.VERDICTS)]
    with filled.database.transaction() as session:
        assert is_waiting(session, alone[0], NOW)
    assert {kind for lane in LANES for kind in lane} == set(Kind)


def test_each_waiting_file_has_a_place_and_a_time_once_a_pace_is_known(desk: Desk, tmp_path: Path) -> None:
    tokens = [
        desk.upload(make_video(tmp_path / f"{n}.mp4", width=64, height=48, colour=(n, 9, 9)))
        for n in range(3)
    ]
    with desk.database.reading() as session:
        assert [place.says for place in places(session).values()] == [
            "Next in line",
            "1 before it",
            "2 before it",
        ]
    desk.drain()
    with desk.database.transaction() as session:
        for job in session.exec(select(Job)):
            assert job.begun_at is not None
            job.ended_at = job.begun_at + timedelta(minutes=4)
    desk.upload(make_video(tmp_path / "next.mp4", width=64, height=48, colour=(77, 9, 9)))
    with desk.database.reading() as session:
        [place] = places(session).values()
        n_bytes = session.exec(select(Upload.bytes).order_by(col(Upload.id))).all()
    assert place.seconds == pytest.approx(720 * n_bytes[3] / sum(n_bytes[:3]))
    assert place.says == "Next in line, done in about 4 minutes"
    assert [desk.view(token).status for token in tokens] == [UploadStatus.DONE] * 3


def test_cancel_all_ends_what_is_on_its_way_and_nothing_else(desk: Desk, tmp_path: Path) -> None:
    done = desk.upload(make_video(tmp_path / "done.mp4", width=64, height=48))
    desk.drain()
    waiting = desk.upload(make_video(tmp_path / "waiting.mp4", width=64, height=48, colour=(9, 9, 9)))
    coming = desk.begin("coming.mp4", 5000).upload.token
    assert set(desk.write(cancel_all, desk.who, NOW)) == {waiting, coming}
    assert [desk.view(token).status for token in (done, waiting, coming)] == [
        "done",
        "cancelled",
        "cancelled",
    ]
    desk.drain()
    with desk.database.reading() as session:
        assert session.exec(select(Job.status).order_by(col(Job.id))).all() == [
            JobStatus.DONE,
            JobStatus.CANCELLED,
        ]
        assert not queue.jobs_of(session, Kind.IMPORT, None, standing=True)
