"""Shared material of tests: real clips, a study over them, people who answer its pages."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import av
import numpy as np
import yaml
from sqlmodel import Session

from app.library.clips.imported import ImportedClip
from app.library.clips.importing import import_clips
from app.library.clips.manifest import read_manifest
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore
from app.library.stimuli import add_stimuli
from app.studies.file.load import load_study
from app.studies.versions import Loaded, load_version, set_state, stimulus_facts
from app.trials.tables import State

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SOURCES = ("human", "hybrid", "symbolic")
N_GOALS = 6

UNCERTAINTY = [
    "extremely certain",
    "somewhat certain",
    "neutral",
    "somewhat uncertain",
    "extremely uncertain",
]


def make_small_video(
    path: Path, seed: int, *, seconds: float = 1.0, width: int = 96, height: int = 64
) -> None:
    """A real MP4 of drifting noise, with the metadata an encoder leaves."""
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    with av.open(str(path), "w", options={"movflags": "+use_metadata_tags"}) as container:
        container.metadata["title"] = path.stem
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for frame in range(round(seconds * 30)):
            picture = av.VideoFrame.from_ndarray(np.roll(noise, frame, axis=1), format="rgb24")
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))


def make_library(folder: Path) -> tuple[ClipStore, list[ImportedClip]]:
    """Three sources times six goals, imported as an experimenter would."""
    lines = ["file,name,source,goal,player"]
    for number, (goal, source) in enumerate((g, s) for g in range(1, N_GOALS + 1) for s in SOURCES):
        name = f"{source}-g{goal}"
        make_small_video(folder / f"{name}.mp4", seed=number)
        lines.append(f"{name}.mp4,{name},{source},g{goal},secret-player")
    (folder / "manifest.csv").write_text("\n".join(lines) + "\n")
    store = ClipStore(folder / "store")
    return store, import_clips(read_manifest(folder / "manifest.csv"), Rules(), store, workers=2)


def study_file(**changes: object) -> dict[str, object]:
    """The published study's shape over the library; `changes` replace top-level keys."""
    return {
        "study": "nav",
        "title": "Which navigation looks natural?",
        "consent": {
            "version": "2026-01",
            "text": "# Consent\n\nTaking part is voluntary.\n",
            "minimum_age": 18,
        },
        "background": [
            {"id": "familiarity", "ask": "How familiar are you with games?", "scale": "familiarity"}
        ],
        "instructions": "# Instructions\n\nWatch both videos.\n",
        "sample": {
            "match": "goal",
            "seed": 7,
            "conditions": {"human-hybrid": 6, "hybrid-symbolic": 4},
            "practice": {"human-symbolic": 1},
        },
        "trials": {
            "questions": [
                {"id": "choice", "type": "2afc", "ask": "Which video is more likely to be a person?"},
                {"id": "rationale", "type": "text", "ask": "Why do you think so?"},
                {"id": "uncertainty", "type": "likert", "ask": "How certain are you?", "labels": UNCERTAINTY},
            ]
        },
        "completion": {"message": "# Thank you\n\nThat was all.\n", "code": "DONE42"},
        **changes,
    }


def load_file(session: Session, folder: Path, **changes: object) -> Loaded:
    """Load a study file made from `study_file(**changes)`; leaves out keys that are None."""
    path = folder / "study.yaml"
    keys = {key: value for key, value in study_file(**changes).items() if value is not None}
    path.write_text(yaml.safe_dump(keys, sort_keys=False))
    return load_version(session, load_study(path, stimulus_facts(session)), NOW)


def open_study(session: Session, folder: Path, clips: Sequence[ImportedClip], **changes: object) -> Loaded:
    """A library, and a study over it that is live."""
    add_stimuli(session, clips, NOW)
    loaded = load_file(session, folder, **changes)
    set_state(session, loaded.slug, State.LIVE)
    return loaded


def submit_id_on(html: str) -> str:
    """The number that a page's form carries."""
    found = re.search(r'name="submit_id" value="([^"]+)"', html)
    assert found, html
    return found[1]


def page_on(html: str) -> str:
    """The name of the page, by its form; `end` where there is none."""
    return submit_id_on(html).partition(".")[0] if 'name="submit_id"' in html else "end"


def answer_for(html: str, **fields: str) -> Mapping[str, str]:
    """A form that the page on `html` accepts, with `fields` in place of the usual answers.

    Of a rating page every criterion is answered with 4, or the highest level below, and every text.
    """
    usual = {
        "consent": {"decision": "agree", "of_age": "yes"},
        "background": {"familiarity": "3"},
        "instructions": {},
        "screening": {},
        "comprehension": {},
        "viewing": {},
        "attention": {},
        "feedback": {},
        "trial": {"choice": "left", "uncertainty": "2", "rationale": "moves smoothly", "rt_ms": "9000"},
    }
    page = page_on(html).partition("-")[0]
    of_page = _ratings(html) if page == "trial" and 'name="choice"' not in html else usual[page]
    if 'id="walk-settings"' in html:
        of_page = {}
    spoken = re.search(r'name="language" value="([^"]+)"', html)
    language = {"language": spoken[1]} if spoken else {}
    return {"submit_id": submit_id_on(html), **language, **of_page, **fields}


def _ratings(html: str) -> Mapping[str, str]:
    given = re.findall(r'type="radio" name="(\w+)" value="([1-4])"', html)
    levels = {name: max(level for other, level in given if other == name) for name, _ in given}
    texts = dict.fromkeys(re.findall(r'<textarea[^>]* name="(\w+)"', html), "It follows from what was known.")
    return {**levels, **texts, "rt_ms": "30000"}
