"""Clue reports: clips, records and texts measured once each, then compared by source."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.clues.plot import clue_svg
from analysis.clues.report import clue_report
from app.core.errors import Conflict
from app.library.clips.clues import CLUES, measure_clues
from app.library.clips.errors import ClipError
from app.library.clips.probe import probe
from app.library.contents import content_of
from app.library.documents import Document, document_clues
from app.library.kinds import StimulusKind
from app.library.media import clues_path
from app.outputs.clues import SEED, ClueClip, clips_in, pairs_in
from app.trials.stimuli import HUMAN
from app.worker.context import Work

_OF_ORIGINALS = ("width", "height", "fps", "bytes", "bitrate_kbps")


def look_for_clues(work: Work) -> dict[str, Any]:
    """`params`: version (None for a draft) and clips, which are stimuli of any kind.

    The result holds the report and a plot of each clue.
    """
    clips = clips_in(work.params)
    sources = sorted({clip.source for clip in clips})
    rows = []
    for done, clip in enumerate(clips):
        work.progress(done, len(clips), f"Looking at {clip.name}")
        rows.append({"stimulus": clip.name, "source": clip.source, **_measured(work, clip, sources)})
    table = pd.DataFrame(rows)
    positive = _compared_source(clips, str(work.params.get("true_source", HUMAN)))
    report = clue_report(
        table,
        seed=SEED,
        positive=positive,
        on_progress=work.progress,
        noun=_noun(clips),
        pairs=pairs_in(work.params),
    )
    work.progress(0, 0, "Drawing")
    with work.computing():
        plots = {
            result.clue: clue_svg(table, result.clue, report)
            for result in (*report.clues, *report.inside.clues)
        }
    return {"version": work.params["version"], "report": report.to_dict(), "plots": plots}


def _compared_source(clips: Sequence[ClueClip], true_source: str) -> str:
    """The source compared with all others: the true one, or the first by name if no clip has it."""
    sources = sorted({clip.source for clip in clips})
    return true_source if true_source in sources or not sources else sources[0]


def _noun(clips: Sequence[ClueClip]) -> str:
    kinds = {clip.kind for clip in clips}
    return f"{kinds.pop()}s" if len(kinds) == 1 else "items"


def _measured(work: Work, clip: ClueClip, sources: Sequence[str]) -> Mapping[str, float | None]:
    """The clues of a clip, and those of its original if kept; for a record or text, its counts."""
    if clip.text:
        return document_clues(Document(StimulusKind(clip.kind), clip.text), sources)
    if clip.kind != StimulusKind.CLIP:
        with work.database.reading() as session:
            content = content_of(session, clip.clip_sha256)
        return document_clues(Document(StimulusKind(clip.kind), content), sources)
    data_dir = work.settings.data_dir
    try:
        clues = _cached_measurements(clues_path(data_dir, clip.clip_sha256), CLUES) or _measure(work, clip)
    except ClipError as error:
        raise Conflict(
            f"The clip {clip.name} cannot be measured: {error}. Process all clips again."
        ) from None
    original = _original(work, clip.original_sha256) if clip.original_sha256 else {}
    return {**clues, **{f"original_{clue}": original.get(clue) for clue in _OF_ORIGINALS}}


def _measure(work: Work, clip: ClueClip) -> dict[str, float]:
    clues = measure_clues(work.store.clip_path(clip.clip_sha256))
    _keep(clues_path(work.settings.data_dir, clip.clip_sha256), clues)
    return clues


def _original(work: Work, sha256: str) -> dict[str, float]:
    path = clues_path(work.settings.data_dir, sha256)
    path = path.with_name(f"original-{path.name}")
    clues = _cached_measurements(path, _OF_ORIGINALS)
    if clues is None:
        try:
            info = probe(work.store.original_path(sha256))
        except ClipError:
            return {}
        rate = info.bytes * 8 / 1000 / info.duration_s
        clues = dict(
            zip(_OF_ORIGINALS, (info.width, info.height, info.fps, info.bytes, round(rate, 3)), strict=True)
        )
        _keep(path, clues)
    return clues


def _cached_measurements(path: Path, names: tuple[str, ...]) -> dict[str, float] | None:
    """The cached measurements, if complete: a newer release may measure more."""
    try:
        clues = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    is_whole = isinstance(clues, dict) and tuple(clues) == names
    return clues if is_whole else None


def _keep(path: Path, clues: dict[str, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(clues))
    temporary.replace(path)
