"""Uploads of files: in pieces, after any interruption, within bounds, and nowhere but where they belong."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from app.accounts.logins import Who
from app.accounts.tables import Role
from app.core.errors import Conflict, NotFound, StudyError
from app.jobs.tables import Job, JobStatus
from app.library import receiving, uploads
from app.library.media import part_path
from app.library.names import BadStimulus
from app.library.receiving import StorageFull, TooManyBytes, WrongOffset, append, cancel, state
from app.library.tables import LIBRARY, Upload, UploadStatus
from app.library.uploads import TooManyUploads, UploadRefused, upload_for
from app.worker.tidying import tidy
from tests.admin.persons import make_user
from tests.library.desk import NOW, Desk, run

DATA = bytes(range(256)) * 1000


@pytest.mark.both_databases
def test_a_file_sent_in_pieces_goes_on_where_it_stopped_and_is_handed_to_the_worker(desk: Desk) -> None:
    begun = desk.begin("walk.mp4", len(DATA), attributes={"goal": "g1"})
    token = begun.upload.token
    assert (begun.offset, begun.upload.name, begun.upload.status) == (0, "walk", "receiving")
    assert desk.send(token, DATA[:100_000]).offset == 100_000
    assert desk.send(token, DATA[100_000:150_001], 100_000, lost=True).offset == 150_001
    assert run(state(desk.database, desk.data_dir, desk.who, token)).offset == 150_001
    done = desk.send(token, DATA[150_001:], 150_001)
    assert (done.offset, done.upload.status) == (len(DATA), "waiting")
    assert part_path(desk.data_dir, token).read_bytes() == DATA
    with desk.database.reading() as session:
        job = session.exec(select(Job)).one()
    assert (job.kind, job.params) == ("import", {"token": token, "suffix": ".mp4", "collection": LIBRARY})
    assert desk.send(token, b"", len(DATA)).upload.status == "waiting"  # asked again, nothing happens twice
    with desk.database.reading() as session:
        assert len(session.exec(select(Job)).all()) == 1


@pytest.mark.parametrize("offset", [1, 50_000, len(DATA), 2**50])
def test_bytes_for_another_place_are_refused_with_the_right_one(desk: Desk, offset: int) -> None:
    token = desk.begin("walk.mp4", len(DATA)).upload.token
    desk.send(token, DATA[:60_000])
    with pytest.raises((WrongOffset, TooManyBytes)) as caught:
        desk.send(token, DATA[offset : offset + 10], offset)
    if isinstance(caught.value, WrongOffset):
        assert caught.value.offset == 60_000
    assert part_path(desk.data_dir, token).read_bytes() == DATA[:60_000]


def test_two_that_send_the_same_piece_at_once_leave_it_there_once(tmp_path: Path) -> None:
    part = tmp_path / "x.part"
    for round_ in range(20):
        part.write_bytes(b"")

        def send(at: int) -> int:
            try:
                return append(part, at, DATA)
            except WrongOffset as wrong:
                return wrong.offset

        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(send, [0] * 4)) == {len(DATA)}
        assert part.read_bytes() == DATA, round_


def test_no_more_bytes_come_in_than_were_announced(desk: Desk) -> None:
    token = desk.begin("walk.mp4", 1000).upload.token
    with pytest.raises(TooManyBytes, match="announced with 1000 bytes"):
        desk.send(token, DATA)
    assert part_path(desk.data_dir, token).stat().st_size == 0
    assert desk.view(token).status == UploadStatus.RECEIVING


def test_empty_and_huge_files_are_refused_at_once_and_leave_nothing(desk: Desk) -> None:
    for _ in range(200):
        with pytest.raises(UploadRefused, match=r"empty\.mp4 is empty"):
            desk.begin("empty.mp4", 0)
    with pytest.raises(UploadRefused, match=r"has 5\.0 GB; at most 4 GB"):
        desk.begin("huge.mp4", 5_000_000_000)
    assert desk.files() == []
    with desk.database.reading() as session:
        assert session.exec(select(Upload)).all() == []


@pytest.mark.both_databases
def test_what_is_under_way_is_bounded_for_each_user(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_UNFINISHED", 3)
    monkeypatch.setattr(uploads, "MOST_UNFINISHED_BYTES", 5000)
    first = desk.begin("a.mp4", 1000)
    for _ in range(2):
        desk.begin("a.mp4", 1000)
    with pytest.raises(TooManyUploads, match="3 of your uploads"):
        desk.begin("a.mp4", 1000)
    desk.send(first.upload.token, DATA[:1000])  # waits for the worker: no longer counted, its bytes are
    with pytest.raises(TooManyUploads, match="wait until some are processed"):
        desk.begin("a.mp4", 2001)
    desk.begin("a.mp4", 2000)
    with desk.database.transaction() as session:
        other = make_user(session, Role.EDITOR, "other@example.org")
    assert Desk(desk.settings, desk.database, other).begin("a.mp4", 4000).upload.name == "a-5"


def test_a_full_disk_is_told_before_anything_is_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "DISK_RESERVE_BYTES", 10**18)
    with pytest.raises(StorageFull, match="no space left"):
        desk.begin("a.mp4", 1000)
    assert desk.files() == []


def test_a_bad_source_attribute_or_name_is_refused_and_leaves_nothing(desk: Desk) -> None:
    for more in ({"source": "a b"}, {"attributes": {"source": "x"}}, {"name": "../x"}):
        with pytest.raises(BadStimulus):
            desk.begin("a.mp4", 10, **more)
    desk.begin("a.mp4", 10, name="taken")
    with pytest.raises(Conflict, match="taken"):
        desk.begin("b.mp4", 10, name="taken")
    assert len(desk.files()) == 1


def test_what_is_cancelled_is_gone_and_takes_no_more(desk: Desk) -> None:
    receiving_, waiting = (desk.begin("a.mp4", 1000).upload.token for _ in range(2))
    desk.send(waiting, DATA[:1000])
    for token in (receiving_, waiting):
        run(cancel(desk.database, desk.data_dir, desk.who, token, NOW))
        assert desk.view(token).status == UploadStatus.CANCELLED
        with pytest.raises(Conflict, match="takes no more"):
            desk.send(token, DATA[:10], 0)
        with pytest.raises(Conflict, match="no longer uploading"):
            run(cancel(desk.database, desk.data_dir, desk.who, token, NOW))
    assert desk.files() == []
    with desk.database.reading() as session:
        assert session.exec(select(Job)).one().status == JobStatus.CANCELLED
    desk.drain()


def test_nobody_sees_or_touches_anothers_upload(desk: Desk, who: Who) -> None:
    token = desk.begin("a.mp4", 1000).upload.token
    with desk.database.transaction() as session:
        other = Desk(desk.settings, desk.database, make_user(session, Role.OWNER, "another@example.org"))
    for attempt in (
        lambda: other.send(token, DATA[:10]),
        lambda: other.view(token),
        lambda: run(cancel(desk.database, desk.data_dir, other.who, token, NOW)),
        lambda: desk.view("no-such-token-at-all-here"),
        lambda: desk.view("\x00" * 30),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_an_upload_whose_job_was_called_off_says_so(desk: Desk) -> None:
    token = desk.begin("a.mp4", 10).upload.token
    desk.send(token, DATA[:10])
    with desk.database.transaction() as session:
        session.exec(select(Job)).one().status = JobStatus.CANCELLED
    assert desk.read(upload_for, desk.who, token).status == UploadStatus.CANCELLED


def test_a_missing_upload_part_is_reported(desk: Desk) -> None:
    token = desk.begin("a.mp4", 1000).upload.token
    part_path(desk.data_dir, token).unlink()
    with pytest.raises(NotFound, match="from the beginning"):
        desk.send(token, DATA[:10])


def test_what_was_never_finished_is_cleared_away_after_a_week(desk: Desk) -> None:
    import os

    old, fresh = (desk.begin("a.mp4", 1000).upload.token for _ in range(2))
    stray = part_path(desk.data_dir, "s" * 32)
    scratch = desk.data_dir / "incoming" / "scratch-killed" / "clip.mp4"
    preview = desk.data_dir / "previews" / "7" / "after.mp4"
    for path in (stray, scratch, preview):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    later = NOW + timedelta(days=30)
    for path in (part_path(desk.data_dir, old), stray, scratch, scratch.parent, preview, preview.parent):
        os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    os.utime(part_path(desk.data_dir, fresh), (later.timestamp(), later.timestamp()))
    tidy(desk.data_dir, desk.database, later)
    assert desk.files() == [f"incoming/uploads/{fresh}.part"]
    assert desk.view(old).status == UploadStatus.CANCELLED
    assert "7 days" in desk.view(old).message
    assert desk.view(fresh).status == UploadStatus.RECEIVING


def test_a_refusal_is_told_with_a_status_of_its_own() -> None:
    assert [error.status_code for error in (WrongOffset, TooManyBytes, StorageFull, UploadRefused, TooManyUploads)] == [
        409, 413, 507, 422, 429,
    ]  # fmt: skip
    assert issubclass(StorageFull, StudyError)
