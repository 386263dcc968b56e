import inspect
from pathlib import Path

import av
import pytest

from app.library.clips import process as processing
from app.library.clips.errors import ClipRefused, NotAVideo, TooMuch
from app.library.clips.pictures import make_picture
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import Mask, Rules
from app.library.clips.single import make_pictures
from app.library.clips.store import ClipStore

from .videos import Pixels, grey_ramp, make_video, noise

pytestmark = pytest.mark.videos


def picture(path: Path) -> Pixels:
    with av.open(str(path)) as container:
        return next(container.decode(video=0)).to_ndarray(format="rgb24")  # type: ignore[return-value]


def test_a_picture_shows_the_frame_of_its_moment_upright_and_small(tmp_path: Path) -> None:
    video = make_video(tmp_path / "a.mp4", seconds=2, width=200, height=100, paint=grey_ramp(4), rotation=90)
    make_picture(video, tmp_path / "a.jpg", at_s=1.0, side=50)
    pixels = picture(tmp_path / "a.jpg")
    assert pixels.shape == (48, 24, 3)
    assert pixels.min() > 110  # no bars
    assert int(pixels.mean()) == pytest.approx(120, abs=6)


@pytest.mark.parametrize(("side", "shape"), [(480, (48, 64, 3)), (32, (24, 32, 3)), (2, (2, 2, 3))])
def test_a_picture_is_never_larger_than_its_video(tmp_path: Path, side: int, shape: tuple[int, ...]) -> None:
    video = make_video(tmp_path / "a.mp4")
    make_picture(video, tmp_path / "a.jpg", at_s=99.0, side=side)
    assert picture(tmp_path / "a.jpg").shape == shape


def test_what_is_no_video_makes_no_picture_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("hello")
    with pytest.raises(NotAVideo):
        make_picture(tmp_path / "a.mp4", tmp_path / "out" / "a.jpg", at_s=0, side=100)
    assert not (tmp_path / "out").exists()


def test_a_picture_that_cannot_be_made_is_not_tried_again(tmp_path: Path) -> None:
    store = ClipStore(tmp_path / "store")
    (tmp_path / "broken.mp4").write_bytes(b"broken")
    original, clip = store.keep_original(tmp_path / "broken.mp4"), "0" * 64
    poster, frame = tmp_path / "poster.jpg", tmp_path / "frame.jpg"
    assert make_pictures(store, clip, poster, original.sha256, frame) == 0
    assert (poster.stat().st_size, frame.stat().st_size) == (0, 0)


def test_processing_draws_the_same_picture_of_the_original_as_opening_it_again(tmp_path: Path) -> None:
    """With masks, which the picture is without; and where the video is shorter than up to that moment."""
    mask = Mask(x=0.0, y=0.0, width=1.0, height=0.5)
    for seconds, rules in ((2.0, Rules()), (2.0, Rules(masks=(mask,), fps=5)), (0.5, Rules())):
        video = make_video(tmp_path / f"{seconds}.mp4", seconds=seconds, width=200, height=100, rotation=90)
        make_picture(video, tmp_path / "again.jpg", at_s=1.0, side=960)
        process(
            video,
            tmp_path / "b.mp4",
            rules,
            size=(64, 48),
            picture=tmp_path / f"{seconds}-{rules.fps}" / "frame.jpg",
        )
        found = tmp_path / f"{seconds}-{rules.fps}" / "frame.jpg"
        assert found.read_bytes() == (tmp_path / "again.jpg").read_bytes()


def test_what_the_rules_cut_off_is_not_decoded_for_a_picture(tmp_path: Path) -> None:
    video = make_video(tmp_path / "a.mp4", seconds=2)
    process(video, tmp_path / "b.mp4", Rules(trim_end_s=1.5), size=(64, 48), picture=tmp_path / "frame.jpg")
    assert not (tmp_path / "frame.jpg").exists()


def test_progress_is_told_frame_by_frame_and_may_stop_it(tmp_path: Path) -> None:
    video, told = make_video(tmp_path / "a.mp4"), list[tuple[int, int]]()
    process(video, tmp_path / "b.mp4", Rules(), size=(64, 48), on_frame=lambda *at: told.append(at))
    assert told == [(number, 30) for number in range(30)]

    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        if done == 10:
            raise Enough

    with pytest.raises(Enough):
        process(video, tmp_path / "c.mp4", Rules(), size=(64, 48), on_frame=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mp4", "b.mp4"]


@pytest.mark.slow
def test_a_clip_that_grows_too_large_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processing, "_processed", inspect.unwrap(processing._processed))
    monkeypatch.setattr("app.library.clips.process.LARGEST_CLIP_BYTES", 100_000)
    video = make_video(tmp_path / "a.mp4", seconds=8, width=160, height=120, paint=noise)
    with pytest.raises(TooMuch, match="as processed; cut it") as caught:
        process(video, tmp_path / "b.mp4", Rules(crf=1), size=(160, 120))
    assert caught.value.path == video
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_a_video_of_more_pixels_than_can_be_worked_on_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = make_video(tmp_path / "a.mp4")
    here = inspect.unwrap(probe)
    monkeypatch.setattr("app.library.clips.probe._MOST_PIXELS", 30 * 64 * 48)
    assert here(video).frames == 30
    monkeypatch.setattr("app.library.clips.probe._MOST_PIXELS", 30 * 64 * 48 - 1)
    with pytest.raises(ClipRefused, match="30 frames of 64 x 48 px, too many to process"):
        here(video)
