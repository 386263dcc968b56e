"""A data folder for the benchmark: noise for clips, a study over them, made with the commands an experimenter uses."""

import shutil
from pathlib import Path

import av
import numpy as np

from bench.servers import BIN, environment, run

SLUG, RATED = "bench", "bench-ratings"
CRITERIA = ("logic", "fairness", "effort", "honesty", "patience", "luck")
_SOURCES = ("human", "hybrid")

_STUDY = """\
study: bench
title: Which navigation looks human?
consent: {version: bench-1, text: "# Taking part\\n\\nTaking part is voluntary; you can stop at any time.\\n"}
pairs: pairs.csv
trials:
  questions:
    - {id: choice, type: 2afc, ask: "Which video is more likely to be human?"}
    - {id: rationale, type: text, ask: "Why do you think this is the case? Please provide as much detail as possible."}
    - {id: uncertainty, type: likert, ask: "How certain are you of your choice?", scale: uncertainty}
"""

_QUESTIONS = "\n".join(
    f"      - {{id: {name}, type: likert, ask: 'How much {name} is in it?', labels: ['1', '2', '3', '4', '5']}}"
    for name in CRITERIA
)
_RATED = f"""\
study: {RATED}
title: How good are these texts?
consent: {{version: bench-1, text: "# Taking part\\n\\nTaking part is voluntary; you can stop at any time.\\n"}}
blocks:
  - id: rate
    task: rating
    items: items.csv
    questions:
{_QUESTIONS}
      - {{id: reason, type: text, ask: "Why?", required: true}}
"""
_LINE = "It slowed before each corner, looked around, and then went on to the next room.\n\n"


def make_library(
    data: Path, n_pairs: int, *, width: int, height: int, frames: int, database_url: str = ""
) -> None:
    """Make the data folder anew: `n_pairs` pairs of noise in an open study, and as many texts in one of ratings; over
    SQLite, or in the empty database of an address."""
    shutil.rmtree(data, ignore_errors=True)
    made = data / "made"
    made.mkdir(parents=True)
    clips, pairs, items = ["file,name,source"], ["pair,a,b"], ["item,stimulus"]
    for number in range(1, n_pairs + 1):
        for member, source in enumerate(_SOURCES):
            name = f"{source}-{number}"
            _make_noise(made / f"{name}.mp4", 2 * number + member, width, height, frames)
            clips.append(f"{name}.mp4,{name},{source}")
        pairs.append(f"{number},human-{number},hybrid-{number}")
        (made / f"text-{number}.md").write_text(_LINE * (number + 5))
        clips.append(f"text-{number}.md,text-{number},human")
        items.append(f"item-{number},text-{number}")
    (made / "manifest.csv").write_text("\n".join(clips) + "\n")
    (made / "pairs.csv").write_text("\n".join(pairs) + "\n")
    (made / "items.csv").write_text("\n".join(items) + "\n")
    (made / "study.yaml").write_text(_STUDY)
    (made / "ratings.yaml").write_text(_RATED)
    env = environment(LIKELY_HUMAN_DATA=str(data), DATABASE_URL=database_url)
    for words in (
        ["stimuli", "import", made / "manifest.csv"],
        ["study", "load", made / "study.yaml"],
        ["study", "load", made / "ratings.yaml"],
        ["study", "open", SLUG],
        ["study", "open", RATED],
    ):
        run([BIN / "likely-human", *words], env)
    shutil.rmtree(made)


def _make_noise(path: Path, seed: int, width: int, height: int, frames: int) -> None:
    """Write a real MP4 that hardly compresses: every frame is noise of its own."""
    rng = np.random.default_rng(seed)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"preset": "ultrafast", "crf": "10"})
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for _ in range(frames):
            picture = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
