"""One small set of clips and one round of walks, made once: they are what costs time here."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from stimuli import raycaster
from stimuli.clipset import generate
from stimuli.raycaster import Scenery
from stimuli.scenes import Clip, plan_clips, walk_clip
from stimuli.walkers import SOURCES, Track

SEED = 6


@dataclass(frozen=True)
class Made:
    """A generated set, and what `on_progress` was told meanwhile."""

    manifest: Path
    progress: list[tuple[int, int]]

    @property
    def folder(self) -> Path:
        return self.manifest.parent


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """One clip of each source, made by two processes."""
    progress: list[tuple[int, int]] = []
    manifest = generate(
        tmp_path_factory.mktemp("stimuli"),
        seed=SEED,
        clips=len(SOURCES),
        workers=2,
        on_progress=lambda done, total: progress.append((done, total)),
    )
    return Made(manifest, progress)


@pytest.fixture(scope="session")
def walks() -> dict[Clip, Track]:
    """Every source on the way to every goal."""
    return {clip: walk_clip(clip).part for clip in plan_clips(18, SEED)}


@pytest.fixture(scope="session")
def scenery() -> Scenery:
    return raycaster.scenery()


@pytest.fixture(scope="session")
def scenes() -> dict[Clip, Track]:
    """Sixty scenes of the demo's seed, as all walkers show them."""
    return {clip: walk_clip(clip).part for clip in plan_clips(60 * len(SOURCES), seed=1)}
