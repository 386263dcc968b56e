"""Distances of sources to people, held against the choices of a study's participants."""

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.data.selection import choose_mode
from analysis.data.selection import select as selected
from analysis.distances import Closing, SourceDistance, closing, taken_for_human


def closing_of(
    frames: Mapping[str, pd.DataFrame],
    distances: Sequence[SourceDistance],
    mode: str,
    *,
    seed: int,
    resamples: int,
) -> Closing:
    """Distances against the choices that count in one mode, of all studies together."""
    mode = choose_mode(frames.values(), mode)
    counted = [selected(slug, frame, mode).main for slug, frame in frames.items()]
    rows = pd.concat([frame.astype({"study": str}) for frame in counted], ignore_index=True)
    return closing(distances, taken_for_human(rows, seed=seed, resamples=resamples))
