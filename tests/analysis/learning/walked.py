"""Paths whose kind is known, made in milliseconds: no walker of ours, and no person."""

from collections.abc import Sequence

import numpy as np

from analysis.learning.examples import Example
from analysis.learning.paths import Path

HZ = 30
SECONDS = 6.0


def weaving(rng: np.random.Generator) -> Path:
    """Turns all the time, its speed goes up and down."""
    t = np.arange(round(HZ * SECONDS)) / HZ
    heading = rng.uniform(0, 6) + 0.6 * np.sin(rng.uniform(3, 5) * t + rng.uniform(0, 6))
    return _walked(t, heading, 3.0 + 0.4 * np.sin(rng.uniform(4, 6) * t), rng)


def stepping(rng: np.random.Generator) -> Path:
    """Straight runs with turns at once, at one speed."""
    t = np.arange(round(HZ * SECONDS)) / HZ
    turns = np.repeat(rng.choice([-0.8, -0.4, 0.0, 0.4, 0.8], 6), round(HZ * SECONDS / 6))
    return _walked(t, rng.uniform(0, 6) + turns, np.full(len(t), 3.0), rng)


def _walked(t: np.ndarray, heading: np.ndarray, speed: np.ndarray, rng: np.random.Generator) -> Path:
    x, y = (np.cumsum(part * speed) / HZ + rng.uniform(20, 40) for part in (np.cos(heading), np.sin(heading)))
    return Path(t, x, y, np.zeros(len(t)), (heading + np.pi) % (2 * np.pi) - np.pi)


def examples_of(n_scenes: int, seed: int = 1, makers: int = 1) -> Sequence[Example]:
    """In each scene a weaving person and a stepping agent."""
    rng = np.random.default_rng(seed)
    return [
        Example(
            name=f"{source}-{scene}",
            content=f"{source} {scene} {seed}",
            is_human=source == "human",
            source=source,
            maker=f"{source} {scene % makers}",
            scene=f"scene {scene}",
            path=made(rng),
            shown_s=SECONDS,
        )
        for scene in range(n_scenes)
        for source, made in (("human", weaving), ("agent", stepping))
    ]
