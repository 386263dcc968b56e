"""Hostile files cost a process of their own, and nothing else."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from app.library.clips.contained import MOST_MEMORY_GB, allow_cpu, contained
from app.library.clips.errors import NotAVideo, TooMuch
from app.library.clips.pictures import make_picture
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.reading import MOST_TRACKS
from app.library.clips.rules import Rules

from .hostile import empty_boxes, huge_track_header, many_tracks
from .videos import make_video

pytestmark = pytest.mark.videos


@contained
def greedy(path: Path, gigabytes: float) -> int:
    return int(np.ones(int(gigabytes * 2**30), np.uint8).sum())


@contained
def endless(path: Path) -> None:
    allow_cpu(-59)  # one second in all
    while True:
        pass


@contained
def crashing(path: Path) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


@contained
def broken(path: Path) -> None:
    raise ValueError("oops")


@contained
def whose(path: Path) -> int:
    return os.getpid()


def test_what_costs_much_is_refused_in_words_and_the_next_file_is_read(tmp_path: Path) -> None:
    hostile = {
        "has 900 tracks": many_tracks(tmp_path / "tracks.mp4", 900, 500_000),
        "claims 600000000 frames": many_tracks(tmp_path / "samples.mp4", 30, 20_000_000),
        "is made of more than 100000 boxes": empty_boxes(tmp_path / "boxes.mp4", 2_000_000),
        "holds no moving picture|cut short": huge_track_header(tmp_path / "header.mp4", 2**28),
    }
    for said, path in hostile.items():
        with pytest.raises((TooMuch, NotAVideo), match=said):
            probe(path)
        with pytest.raises((TooMuch, NotAVideo), match=said):
            process(path, tmp_path / "clip.mp4", Rules(), size=(64, 48))
        with pytest.raises((TooMuch, NotAVideo), match=said):
            make_picture(path, tmp_path / "picture.jpg", at_s=0, side=64)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in hostile.values()}
    assert probe(make_video(tmp_path / "good.mp4")).frames == 30
    assert MOST_TRACKS < 900


def test_memory_time_and_crashes_end_one_process_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    with pytest.raises(TooMuch, match=r"a\.mp4 takes more than 4 GB of memory"):
        greedy(path, MOST_MEMORY_GB)
    with pytest.raises(TooMuch, match="takes too long"):
        endless(path)
    with pytest.raises(TooMuch, match="SIGSEGV"):
        crashing(path)
    with pytest.raises(RuntimeError, match="ValueError: oops"):
        broken(path)
    assert greedy(path, 0.001) == int(0.001 * 2**30)
    assert len({whose(path), whose(path), os.getpid()}) == 3
