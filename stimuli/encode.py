"""Frames to an H.264 MP4."""

from collections.abc import Iterable
from pathlib import Path

import av

from stimuli.arrays import Bytes

# The same frames must give the same bytes. With B-frames and `mbtree` together, x264's output was seen to vary
# with what memory held before; this does without both, and without threads.
ENCODER = {"preset": "veryfast", "threads": "1", "bf": "0", "mbtree": "0"}
CRF = 23
LOSSLESS = 0


def write_mp4(
    path: Path, frames: Iterable[Bytes], *, width: int, height: int, frames_per_s: int, crf: int = CRF
) -> None:
    """Encode RGBA frames, without loss after their conversion to yuv420p where `crf` is `LOSSLESS`; nothing is at
    `path` until the clip is whole."""
    unfinished = path.with_name(f".{path.name}.part")
    try:
        # The index goes first, so that browsers can play before the whole file has come.
        with av.open(str(unfinished), "w", format="mp4", options={"movflags": "faststart"}) as container:
            stream = container.add_stream("libx264", rate=frames_per_s, options={**ENCODER, "crf": str(crf)})
            # H.264 in browsers means 4:2:0: other pixel formats do not play everywhere.
            stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
            for pixels in frames:
                container.mux(stream.encode(av.VideoFrame.from_numpy_buffer(pixels, format="rgba")))
            container.mux(stream.encode())
        # Renamed when whole: a file that was interrupted never looks like a clip.
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
