"""The clue report over walks: drawn by the page's route or the demo's, walkers that move alike cannot be told apart.

That both are drawn alike byte for byte is in test_walk_clips, what the report sees in tests/analysis/clues.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import av
import numpy as np
import pandas as pd
import pytest

from analysis.clues.report import ClueReport, clue_report
from app.core.database import Database
from app.core.settings import Settings
from app.library.clips.clues import measure_clues
from app.library.clips.manifest import read_manifest
from app.reports.walk_clips import draw_walks, shown_walks
from app.simulation.people import Traits
from app.simulation.run import run_simulation
from app.trials.tables import Mode
from stimuli.clipset import make_clip
from stimuli.encode import write_mp4
from stimuli.raycaster import HEIGHT, WIDTH
from stimuli.scenes import Clip
from tests.tasks.walk.walking import SLUG, load_walks

pytestmark = [pytest.mark.any_database, pytest.mark.slow, pytest.mark.exhaustive]

N_PEOPLE, N_WALKS = 2, 3


measured = cache(measure_clues)


def reported(files: Mapping[str, list[Path]]) -> ClueReport:
    rows = [
        {"stimulus": f"{source}-{path.stem}", "source": source, **measured(path)}
        for source, paths in files.items()
        for path in paths
    ]
    return clue_report(pd.DataFrame(rows), seed=1, positive="page")


def coarser(path: Path, folder: Path) -> Path:
    """The same pictures, blurred a little by a smaller size on the way, as a careless encoder leaves them."""
    with av.open(str(path)) as container:
        frames = [
            np.asarray(
                frame.reformat(WIDTH // 2, HEIGHT // 2).reformat(WIDTH, HEIGHT, "rgba").to_ndarray(), np.uint8
            )
            for frame in container.decode(video=0)
        ]
    write_mp4(folder / path.name, iter(frames), width=WIDTH, height=HEIGHT, frames_per_s=30)
    return folder / path.name


def test_no_clue_tells_simulated_walks_of_the_page_from_the_demos(
    settings: Settings, database: Database, tmp_path: Path
) -> None:
    with database.transaction() as session:
        load_walks(session, tmp_path, walks=N_WALKS)
    run_simulation(settings, database, SLUG, n=N_PEOPLE, traits=Traits(), seed=1)
    with database.reading() as session:
        shown = shown_walks(session, SLUG, Mode.SIMULATED, "secret")
    manifest = draw_walks(shown.walks, tmp_path / "page", workers=1)
    demo = tmp_path / "demo"
    for folder in ("clips", "positions"):
        (demo / folder).mkdir(parents=True)
    seen: dict[int, int] = {}
    drawn = []
    for walk in shown.walks:
        goal = walk.scene.goal
        seen[goal] = seen.get(goal, 0) + 1
        clip = Clip("human", goal, seen[goal], walk.scene.seed)
        make_clip(clip, demo)
        drawn.append(demo / "clips" / f"{clip.name}.mp4")
    page = [row.file for row in read_manifest(manifest).rows]
    assert len(page) == len(drawn) >= N_PEOPLE * N_WALKS - 1
    found = reported({"page": page, "demo": drawn})
    warned = {
        one.clue: one.against_others.to_dict() for one in (*found.clues, *found.inside.clues) if one.warns
    }
    assert warned == {}
    assert not found.warns
    # The report would have seen a trace of another encoder in as many clips.
    other = tmp_path / "coarser"
    other.mkdir()
    traced = reported({"page": [coarser(path, other) for path in page], "demo": drawn})
    assert traced.warns
    assert traced.clue("sharpness").warns
