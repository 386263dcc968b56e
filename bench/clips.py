"""Processor seconds of an upload, by both presets and beside a plain transcode: `python -m bench.clips [VIDEO ...]`.

Each is measured in turn, in a process of its own; without videos one of 1080p at 60 frames a second is made.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import av
import numpy as np
from av.filter import Graph
from av.video.format import VideoFormat
from av.video.frame import VideoFrame

from app.library.clips import contained
from app.library.clips.pictures import POSTER_SIDE, make_picture
from app.library.clips.probe import probe
from app.library.clips.process import process
from app.library.clips.rules import FIRST_RULES, Rules

REPEATS = 3
SIZE = (960, 540)
MADE_FRAMES = 240
SITES = ("medium, crf 20", "veryfast, crf 19", "plain PyAV")
RULES = {SITES[0]: Rules(), SITES[1]: FIRST_RULES}


def make_video(path: Path) -> Path:
    """Write a texture that moves and flickers, 1920 x 1080, 60 frames a second."""
    rng = np.random.default_rng(1)
    down, across = np.indices((2160, 3840), dtype=np.float32)
    texture = (
        40 * np.sin(across / 17) * np.sin(down / 23) + across / 30 + down / 30 + rng.normal(0, 12, down.shape)
    )
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=60, options={"preset": "veryfast", "crf": "20"})
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        for number in range(MADE_FRAMES):
            left, top = int(900 + 800 * np.sin(number / 40)), int(500 + 400 * np.cos(number / 55))
            grey = texture[top : top + 1080, left : left + 1920] + rng.integers(-4, 5, (1080, 1920))
            picture = np.repeat(grey.clip(0, 255).astype(np.uint8)[..., None], 3, axis=2)
            container.mux(stream.encode(VideoFrame.from_ndarray(picture, "rgb24")))
        container.mux(stream.encode(None))
    return path


def upload(source: Path, rules: Rules, folder: Path) -> Path:
    """All that is decoded or encoded for an upload."""
    target = folder / "clip.mp4"
    probe(source, to_end=False)
    process(source, target, rules, size=SIZE, picture=folder / "frame.jpg")
    make_picture(target, folder / "poster.jpg", at_s=1.0, side=POSTER_SIDE)
    return target


def transcode(source: Path, folder: Path) -> Path:
    """Decode, scale and encode at the source's own rate: no checks, nothing about metadata, no pictures."""
    target = folder / "plain.mp4"
    options = {"preset": FIRST_RULES.preset, "crf": str(FIRST_RULES.crf), "threads": "1"}
    with av.open(str(source)) as reading, av.open(str(target), "w") as writing:
        rate = reading.streams.video[0].average_rate or Fraction(30)
        stream = writing.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for number, frame in enumerate(reading.decode(video=0)):
            scaled = frame.reformat(*SIZE, format="yuv420p")
            scaled.pts, scaled.time_base = number, 1 / rate
            writing.mux(stream.encode(scaled))
        writing.mux(stream.encode(None))
    return target


def measured(site: str, source: Path) -> tuple[float, int]:
    """Processor seconds, user and system, and the bytes that came out."""
    contained._inside = True  # a process of a process would not be counted
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        rules = RULES.get(site)
        clip = upload(source, rules, Path(folder)) if rules else transcode(source, Path(folder))
        return time.process_time() - begun, clip.stat().st_size


def likeness(source: Path, rules: Rules) -> tuple[float, float]:
    """Mean PSNR (dB) and SSIM of luma, against the same frames without loss."""
    contained._inside = True
    with tempfile.TemporaryDirectory() as folder:
        found, whole = Path(folder, "found.mp4"), Path(folder, "whole.mp4")
        process(source, found, rules, size=SIZE)
        process(source, whole, rules.model_copy(update={"crf": 1, "preset": "veryfast"}), size=SIZE)
        return _mean("psnr", "lavfi.psnr.psnr.y", found, whole), _mean("ssim", "lavfi.ssim.Y", found, whole)


def _mean(name: str, key: str, found: Path, whole: Path) -> float:
    """The mean of what a filter that compares two videos says of each frame."""
    graph = Graph()
    sides = [
        graph.add_buffer(
            width=SIZE[0], height=SIZE[1], format=VideoFormat("yuv420p"), time_base=Fraction(1, 30)
        )
        for _ in range(2)
    ]
    compare, sink = graph.add(name), graph.add("buffersink")
    for number, side in enumerate(sides):
        side.link_to(compare, 0, number)
    compare.link_to(sink)
    graph.configure()
    values = []
    with av.open(str(found)) as one, av.open(str(whole)) as other:
        for number, pair in enumerate(zip(one.decode(video=0), other.decode(video=0), strict=True)):
            for side, frame in zip(sides, pair, strict=True):
                frame.pts, frame.time_base = number, Fraction(1, 30)
                side.push(frame)
            values.append(float(sink.pull().metadata[key]))
    return float(np.mean(values))


def _apart(work: Callable[..., tuple[float, float]], *args: object) -> tuple[float, float]:
    """The result of a function in a fresh process, as each sets its own limit on processor seconds."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *args).result()


def compare(videos: Sequence[Path]) -> None:
    """Print a table of Markdown."""
    print(
        "| video | encoded | processor s | of medium | bytes of medium | PSNR, dB | SSIM |\n"
        + "|---" * 7
        + "|"
    )
    for video in videos:
        runs: dict[str, list[tuple[float, float]]] = {site: [] for site in SITES}
        for _ in range(REPEATS):
            for site in SITES:
                runs[site].append(_apart(measured, site, video))
        seconds = {site: median(each[0] for each in runs[site]) for site in SITES}
        for site in SITES:
            shares = seconds[site] / seconds[SITES[0]], runs[site][0][1] / runs[SITES[0]][0][1]
            like = _apart(likeness, video, RULES[site]) if site in RULES else None
            looks = f"{like[0]:.2f} | {like[1]:.4f}" if like else " | "
            print(
                f"| {video.name} | {site} | {seconds[site]:.2f} | {shares[0]:.2f} | {shares[1]:.2f} | {looks} |",
                flush=True,
            )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.clips", description=__doc__.partition("\n")[0])
    parser.add_argument("videos", metavar="VIDEO", type=Path, nargs="*")
    videos = parser.parse_args(arguments).videos
    with tempfile.TemporaryDirectory() as folder:
        compare(videos or [make_video(Path(folder, "made.mp4"))])
    return 0


if __name__ == "__main__":
    sys.exit(main())
