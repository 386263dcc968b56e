"""Uploads become clips, or are refused in words; whatever a file is, the worker and the folder stay whole."""

import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import av
import pytest
from sqlmodel import select

from app.accounts.audit import COMMAND_LINE
from app.accounts.tables import AuditEntry
from app.catalog.catalog import stimulus_for
from app.catalog.pictures import ask_pictures
from app.catalog.rules import rules_in_force, rules_view, set_rules
from app.jobs.tables import Job, JobStatus
from app.library.clips.rules import Rules
from app.library.clips.single import import_one
from app.library.media import frame_path, part_path, poster_path
from app.library.tables import LibraryRules, Stimulus, UploadStatus
from app.worker.context import Stopping, Work
from app.worker.handlers import clips as worker_clips
from app.worker.worker import work
from tests.library.clips.hostile import empty_boxes, huge_track_header, many_tracks
from tests.library.clips.videos import claim_size, make_video, pixels
from tests.library.desk import NOW, Desk
from tests.library.uploaded.files import claim_frames

pytestmark = pytest.mark.slow


def test_an_upload_becomes_a_clip_with_its_pictures(desk: Desk, tmp_path: Path) -> None:
    path = make_video(tmp_path / "My walk.mov", seconds=2, width=98, height=64, codec="mpeg4")
    done = desk.add(path, "hybrid", attributes={"goal": "g1"})
    assert (done.status, done.name, done.message) == (UploadStatus.DONE, "My-walk", "")
    row = desk.stimulus("My-walk")
    assert (row.source, row.attributes, row.original_name) == ("hybrid", {"goal": "g1"}, "My walk.mov")
    assert (row.width, row.height, row.fps, row.frames) == (98, 64, 30.0, 60)
    assert Rules.model_validate(row.rules).size == (98, 64)
    assert row.clip_sha256
    assert row.original_sha256
    assert desk.store.original_path(row.original_sha256).read_bytes() == path.read_bytes()
    assert desk.store.original_path(row.original_sha256).suffix == ".mov"
    assert len(pixels(desk.store.clip_path(row.clip_sha256))) == 60
    for picture in (
        poster_path(desk.data_dir, row.clip_sha256),
        frame_path(desk.data_dir, row.original_sha256),
    ):
        with av.open(str(picture)) as container:
            frame = next(container.decode(video=0))
        assert (frame.width, frame.height) == (98, 64)
        assert frame.to_ndarray(format="rgb24")[2, 2].tolist() == pytest.approx([40, 80, 120], abs=12)
    assert not list((desk.data_dir / "incoming" / "uploads").iterdir())
    with desk.database.reading() as session:
        entry = session.exec(select(AuditEntry).where(AuditEntry.action == "stimulus.add")).one()
    assert (entry.actor, entry.subject) == ("owner@example.org", "My-walk")


def test_the_first_clip_settles_the_frame_for_all_and_later_ones_are_told_what_fitting_does(
    desk: Desk, tmp_path: Path
) -> None:
    assert desk.read(rules_view).rules.size is None
    desk.add(make_video(tmp_path / "first.mp4", width=160, height=100))
    view = desk.read(rules_view)
    assert (view.rules.size, view.n_clips, view.n_other) == ((160, 100), 1, 0)
    small = desk.add(make_video(tmp_path / "small.mp4", width=80, height=50))
    assert small.status == UploadStatus.DONE
    assert "scaled up from 80 x 50 px to the library's 160 x 100 px" in small.message
    square = desk.add(make_video(tmp_path / "square.mp4", width=200, height=200))
    assert "black bars" in square.message
    assert "scaled up" not in square.message
    for name in ("first", "small", "square"):
        assert (desk.stimulus(name).width, desk.stimulus(name).height) == (160, 100)
    with desk.database.reading() as session:
        assert len(session.exec(select(LibraryRules)).all()) == 1


def test_in_what_a_clip_differs_from_its_file_stands_with_the_upload_and_on_its_page(
    desk: Desk, tmp_path: Path
) -> None:
    desk.add(make_video(tmp_path / "first.mp4", width=160, height=100))
    done = desk.add(make_video(tmp_path / "loud.mp4", width=200, height=200, audio=True))
    said = (
        "Its sound is left out.",
        "It is scaled down from 200 x 200 px.",
        "Its shape (200 x 200 px) is not that of its collection's frame (160 x 100 px): it gets black bars.",
    )
    assert done.message == " ".join(said)
    with desk.database.reading() as session:
        view = stimulus_for(session, desk.who, "loud")
        assert view.clip is not None
        assert view.clip.differences == said
    with desk.database.transaction() as session:
        session.exec(select(Stimulus).where(Stimulus.name == "first")).one().original_video = None
    with desk.database.reading() as session:
        before = stimulus_for(session, desk.who, "first").clip
    assert before is not None
    assert before.differences == (), "nothing is known of the files of clips that were there before"


def test_junk_is_refused_in_words_while_others_go_on(desk: Desk, tmp_path: Path) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("hello\n" * 1000)
    cut = make_video(tmp_path / "cut.mp4", seconds=2)
    cut.write_bytes(cut.read_bytes()[:-2000])
    wide = claim_size(make_video(tmp_path / "wide.mp4"), 30_000, 30_000)
    long = make_video(tmp_path / "long.mkv", times_ms=[0, 1000, 1_250_000])
    good = make_video(tmp_path / "good.mp4")
    tokens = {path.name: desk.upload(path) for path in (text, cut, wide, long, good)}
    again = desk.upload(good, "hybrid", file_name="<script>alert(1)</script>.mp4")
    outside = desk.upload(make_video(tmp_path / "x.mp4", seconds=0.5), file_name="../../outside")
    desk.drain()
    messages = {name: desk.view(token).message for name, token in tokens.items()}
    assert messages["notes.mp4"] == "notes.mp4 is text, not a video."
    assert "cut.mp4 is cut short" in messages["cut.mp4"]
    assert "30000 x 30000 px; at most 8192" in messages["wide.mp4"]
    assert "longer than 20 minutes" in messages["long.mkv"]
    assert messages["good.mp4"] == ""
    assert (
        desk.view(again).message
        == "script>.mp4 is the same file as the clip good, which is in the library already."
    )
    assert desk.view(outside).status == UploadStatus.DONE
    with desk.database.reading() as session:
        assert set(session.exec(select(Stimulus.name))) == {"good", "outside"}
    assert not list((desk.data_dir / "incoming" / "uploads").iterdir())
    assert {path.name for path in tmp_path.iterdir()} >= {"data"}
    assert not (tmp_path / "outside").exists()
    assert not (tmp_path.parent / "outside").exists()


def test_an_mp4_that_claims_a_million_frames_costs_little_memory_and_time(tmp_path: Path) -> None:
    path = claim_frames(make_video(tmp_path / "many.mp4"), 1_000_000)
    # VmHWM begins anew in a program; ru_maxrss begins at what its parent once held.
    code = (
        "import inspect, re, sys; from pathlib import Path; from app.library.clips.probe import probe\n"
        "from app.library.clips.errors import ClipRefused\n"
        "held = lambda: int(re.search('VmHWM:\\\\s*(\\\\d+)', Path('/proc/self/status').read_text())[1])\n"
        "probe = inspect.unwrap(probe)\n"  # in this process, whose memory is measured
        "before = held()\n"
        "try: probe(Path(sys.argv[1])); print('taken')\n"
        "except ClipRefused as refusal: print(refusal.reason)\n"
        "print((held() - before) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, timeout=60, check=True
    )
    reason, grown_mb = done.stdout.splitlines()
    assert "holds more than 360000 frames" in reason or "damaged" in reason or "cut short" in reason
    assert int(grown_mb) < 300


def test_hostile_uploads_are_refused_and_the_next_upload_becomes_a_clip(desk: Desk, tmp_path: Path) -> None:
    said = {
        "has 900 tracks": many_tracks(tmp_path / "tracks.mp4", 900, 500_000),
        "is made of more than 100000 boxes": empty_boxes(tmp_path / "boxes.mp4", 2_000_000),
        "holds no moving picture": huge_track_header(tmp_path / "header.mp4", 2**26),
    }
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tokens = {text: desk.upload(path) for text, path in said.items()}
    good = desk.upload(make_video(tmp_path / "good.mp4"))
    desk.drain()
    for text, token in tokens.items():
        assert desk.view(token).status == UploadStatus.REFUSED
        assert text in desk.view(token).message or "cut short" in desk.view(token).message
    assert desk.view(good).status == UploadStatus.DONE
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


def test_a_worker_that_dies_in_the_middle_does_the_job_again_from_the_start(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = desk.upload(make_video(tmp_path / "a.mp4"))

    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    for place in ("import_one", "_make_sure"):  # before the clip is in the library, and just after
        with monkeypatch.context() as patch:
            patch.setattr(worker_clips, place, killed)
            with pytest.raises(Killed):
                desk.drain()
        assert status_of_job(desk) == JobStatus.RUNNING
        if place == "import_one":
            assert desk.view(token).status == UploadStatus.WAITING
            requeue(desk)
    stop = threading.Event()
    worker = threading.Thread(target=work, args=(desk.settings, desk.database, stop))
    worker.start()  # the next worker puts back into the queue what the dead one was at
    wait_until(lambda: status_of_job(desk) == JobStatus.DONE)
    stop.set()
    worker.join()
    assert desk.view(token).status == UploadStatus.DONE
    with desk.database.reading() as session:
        assert session.exec(select(Stimulus.name)).all() == ["a"]
    assert not part_path(desk.data_dir, token).exists()


def status_of_job(desk: Desk) -> str:
    with desk.database.reading() as session:
        return session.exec(select(Job.status)).one()


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def test_a_file_that_kills_the_worker_again_and_again_is_looked_at_no_more(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = desk.upload(make_video(tmp_path / "poison.mp4"))

    class Killed(BaseException):
        pass

    def killed(_: Path, **more: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(worker_clips, "probe", killed)
        for _ in range(worker_clips.MOST_TRIES):
            with pytest.raises(Killed):
                desk.drain()
            requeue(desk)
        desk.drain()
    assert desk.view(token).status == UploadStatus.REFUSED
    assert "the program that reads it has failed" in desk.view(token).message
    assert not part_path(desk.data_dir, token).exists()


def requeue(desk: Desk) -> None:
    with desk.database.transaction() as session:
        job = session.exec(select(Job)).one()
        job.status = JobStatus.QUEUED
        session.add(job)


def test_a_worker_that_is_told_to_stop_leaves_the_upload_for_the_next(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = desk.upload(make_video(tmp_path / "a.mp4"))

    def stopping(*_: object, **__: object) -> None:
        raise Stopping

    for _ in range(5):  # more often than a file may kill it
        with monkeypatch.context() as patch:
            patch.setattr(Work, "progress", stopping)
            desk.drain()
        assert desk.view(token).status == UploadStatus.WAITING
        requeue(desk)
    desk.drain()
    assert desk.view(token).status == UploadStatus.DONE


def test_an_error_of_ours_is_told_as_such_and_leaves_nothing_waiting(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Path) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(worker_clips, "probe", broken)
    done = desk.add(make_video(tmp_path / "a.mp4"))
    assert done.status == UploadStatus.REFUSED
    assert "on our side" in done.message
    assert "secret" not in done.message
    assert not list((desk.data_dir / "incoming" / "uploads").iterdir())


def test_rules_that_change_while_a_clip_is_processed_are_the_ones_it_gets(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = Rules(width=96, height=64, crf=35)

    def meanwhile(*args: object, **more: object) -> object:
        clip = import_one(*args, **more)  # type: ignore[arg-type]
        if desk.read(rules_in_force)[0] != changed:
            desk.write(set_rules, COMMAND_LINE, changed, NOW)
        return clip

    monkeypatch.setattr(worker_clips, "import_one", meanwhile)
    desk.add(make_video(tmp_path / "a.mp4"))
    assert Rules.model_validate(desk.stimulus("a").rules) == changed
    assert desk.read(rules_view).n_other == 0


def test_a_clip_that_trimming_leaves_nothing_of_is_refused(desk: Desk, tmp_path: Path) -> None:
    desk.write(set_rules, COMMAND_LINE, Rules(trim_start_s=0.5, trim_end_s=0.5), NOW)
    refused = desk.add(make_video(tmp_path / "short.mp4", seconds=1))
    assert refused.status == UploadStatus.REFUSED
    assert "nothing is left" in refused.message


def test_a_name_that_was_taken_meanwhile_gets_a_number(desk: Desk, tmp_path: Path) -> None:
    token = desk.upload(make_video(tmp_path / "a.mp4"))
    with desk.database.transaction() as session:
        session.add(Stimulus(name="a", source="human", attributes={}, rules={}, imported_at=NOW))
    desk.drain()
    assert desk.view(token).name == "a-2"
    assert desk.stimulus("a-2").clip_sha256


def test_missing_pictures_are_drawn_on_request(desk: Desk, tmp_path: Path) -> None:
    desk.add(make_video(tmp_path / "a.mp4"))
    row = desk.stimulus("a")
    pictures = [
        poster_path(desk.data_dir, row.clip_sha256 or ""),
        frame_path(desk.data_dir, row.original_sha256 or ""),
    ]
    for picture in pictures:
        picture.unlink()
    for _ in range(3):
        desk.write(ask_pictures, NOW)
    with desk.database.reading() as session:
        assert len(session.exec(select(Job).where(Job.status == JobStatus.QUEUED)).all()) == 1
    desk.store.original_path(row.original_sha256 or "").unlink()
    desk.drain()
    assert pictures[0].stat().st_size > 0
    assert pictures[1].stat().st_size == 0  # it cannot be drawn, and nobody tries again
