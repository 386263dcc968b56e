"""Makes the clip of the consent page, encoded as a study's clips are: `.venv/bin/python tools/make_check_clip.py`.

A pale square crosses a grey field. It shows nothing of any study and is the same in all.
"""

import sys
import tempfile
from pathlib import Path

import av
import numpy as np

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from app.library.clips.process import process  # noqa: E402
from app.library.clips.rules import Rules  # noqa: E402

TARGET = ROOT / "app" / "participant" / "static" / "check.mp4"
WIDTH, HEIGHT, FRAMES, SQUARE = 160, 90, 30, 24


def main(target: Path = TARGET) -> None:
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.mp4"
        _draw(drawn)
        process(drawn, target, Rules(), size=(WIDTH, HEIGHT))


def _draw(path: Path) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(FRAMES):
            picture = np.full((HEIGHT, WIDTH, 3), 96, dtype=np.uint8)
            left = round((WIDTH - SQUARE) * number / (FRAMES - 1))
            top = (HEIGHT - SQUARE) // 2
            picture[top : top + SQUARE, left : left + SQUARE] = 208
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))


if __name__ == "__main__":
    main()
