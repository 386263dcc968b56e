"""The queue of uploads: one frame size known beforehand, new rules first, places and time, cancelling one and all."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import col, select

from app.accounts.tables import Role
from app.catalog.rules import BadRules, apply_rules, ask_preview, rules_view, set_frame_size
from app.catalog.shared import new_collection
from app.core.database import Database
from app.core.errors import Conflict
from app.jobs import queue
from app.jobs.queue import is_waiting, take
from app.jobs.tables import Job, JobStatus, Kind
from app.library.clips.rules import Rules
from app.library.collections import collection_ids
from app.library.queued import cancel_all, estimate, places
from app.library.tables import Stimulus, UploadStatus
from app.worker.handlers import LANES
from tests.admin.persons import make_user
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
        assert (
            places(session)[token].says
            == "Waits until the clips of its collection are processed by the new rules"
        )
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


def test_while_one_collection_is_processed_anew_only_its_own_files_wait(filled: Desk, tmp_path: Path) -> None:
    slug = filled.write(new_collection, filled.who, "Lab", "", False, NOW)
    there = filled.upload(make_video(tmp_path / "there.mp4", colour=(1, 2, 3)), collection=slug)
    here = filled.upload(make_video(tmp_path / "here.mp4", colour=(3, 2, 1)))
    rules = filled.read(rules_view).rules.model_copy(update={"width": 80, "height": 50})
    filled.write(apply_rules, filled.who, rules, NOW)
    with filled.database.transaction() as session:
        assert {token: place.is_held for token, place in places(session).items()} == {
            there: False,
            here: True,
        }
        taken = take(session, [Kind.IMPORT], NOW)
        assert taken is not None
        assert taken.params["token"] == there
        assert take(session, [Kind.IMPORT], NOW) is None
        session.rollback()
    with filled.database.transaction() as session:  # as an earlier release has put it into the queue
        for job in session.exec(select(Job).where(Job.kind == Kind.IMPORT, Job.status == JobStatus.QUEUED)):
            job.params = {key: value for key, value in job.params.items() if key != "collection"}
    with filled.database.transaction() as session:
        assert take(session, [Kind.IMPORT], NOW) is None
    filled.drain()
    assert [filled.view(token).status for token in (there, here)] == [UploadStatus.DONE] * 2


@pytest.mark.slow
def test_each_waiting_file_has_a_place_and_the_queue_a_time_once_a_clip_of_it_is_done(
    desk: Desk, tmp_path: Path
) -> None:
    """Three clips of 1 s took two minutes by the clock; three more of other sizes wait, the second of them a text."""
    videos = [make_video(tmp_path / f"{n}.mp4", width=64, height=48, colour=(n, 9, 9)) for n in range(3)]
    tokens = [desk.upload(video) for video in videos]
    with desk.database.reading() as session:
        assert [place.says for place in places(session).values()] == [
            "Next in line",
            "1 before it",
            "2 before it",
        ]
        assert estimate(session, desk.who) is None, "there is nothing yet to measure it by"
    desk.drain()
    with desk.database.transaction() as session:
        assert estimate(session, desk.who) is None, "nothing waits"
        for n, job in enumerate(session.exec(select(Job).order_by(col(Job.id)))):
            job.begun_at = NOW + timedelta(seconds=20 * n)
            job.ended_at = NOW + timedelta(seconds=80 + 20 * n)
        clip_s = sum(each or 0 for each in session.exec(select(Stimulus.duration_s)))
    big = (videos[0].read_bytes() + b"0" * 5000)[: videos[0].stat().st_size + 5000]
    (tmp_path / "big.mp4").write_bytes(big)
    (tmp_path / "text.md").write_text("A text.")
    waiting = [desk.upload(tmp_path / name) for name in ("big.mp4", "text.md")]
    with desk.database.transaction() as session:
        found, around = estimate(session, desk.who), list(places(session).values())
        assert found is not None
        n_bytes = sum(video.stat().st_size for video in videos)
        seconds = 120 * len(big) / n_bytes
        assert (found.n_mine, found.n_others, found.n_held) == (2, 0, 0)
        assert found.seconds == pytest.approx(seconds)
        assert [place.seconds for place in around] == [pytest.approx(seconds)] * 2, "a text takes no time"
        assert found.says == (
            f"About {round(seconds / 60)} minutes for 2 files, measured from the 3 that are done: "
            f"{clip_s / 120:.1f} seconds of clip a second."
        )
        for job in session.exec(select(Job).where(Job.status == JobStatus.DONE)):
            job.begun_at, job.ended_at = NOW - timedelta(seconds=60), NOW - timedelta(seconds=1)
    with desk.database.reading() as session:
        assert estimate(session, desk.who) is None, "those were of an earlier queue"
        assert next(iter(places(session).values())).says == "Next in line"
    assert [desk.view(token).status for token in (*tokens, *waiting)] == ["done"] * 3 + ["waiting"] * 2


def test_the_time_of_a_users_files_counts_others_before_them_and_not_those_held(
    desk: Desk, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        bob = make_user(session, Role.OWNER, "bob@example.org")
    other = Desk(desk.settings, database, bob)
    desk.upload(make_video(tmp_path / "done.mp4", width=64, height=48))
    desk.drain()
    with database.transaction() as session:
        job = session.exec(select(Job)).one()
        job.begun_at, job.ended_at = NOW, NOW + timedelta(hours=1, minutes=10)
    for n, who in enumerate((other, desk, other)):
        who.upload(make_video(tmp_path / f"{n}.mp4", width=64, height=48, colour=(n, 200, 9)))
    slug = desk.write(new_collection, desk.who, "Lab", "", False, NOW)
    desk.upload(make_video(tmp_path / "held.mp4", width=64, height=48), collection=slug)
    id_ = desk.read(collection_ids)[slug]
    desk.write(lambda session: queue.ask(session, Kind.REPROCESS, {"collection": id_}, now=NOW))
    mine = desk.read(estimate, desk.who)
    assert (mine.n_mine, mine.n_others, mine.n_held) == (1, 1, 1)
    assert mine.says.startswith(
        "About 2 hours for 1 file and 1 file of others before them, measured from the one "
    )
    assert mine.says.endswith(" a second. 1 more wait for their collection's new rules.")
    assert desk.read(estimate, bob).n_others == 1


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
