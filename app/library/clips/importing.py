"""A manifest's files into the store: all of them, or none.

Every file is probed before any is processed, and every one is processed before any is kept.
"""

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from app.library.clips.errors import ClipError, ClipRefused, ManifestProblems, SizeConflict
from app.library.clips.facts import ClipInfo, fitted
from app.library.clips.imported import ImportedClip
from app.library.clips.manifest import Manifest, ManifestRow
from app.library.clips.probe import probe
from app.library.clips.process import frames_left, process
from app.library.clips.rules import LARGEST_SIDE, Rules
from app.library.clips.store import ClipStore, Stored, file_sha256

OnProgress = Callable[[int, int, str], None]
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class _Original:
    path: Path
    stored: Stored
    info: ClipInfo


@dataclass(frozen=True, slots=True)
class _Processed:
    path: Path
    info: ClipInfo


def import_clips(
    manifest: Manifest,
    rules: Rules,
    store: ClipStore,
    *,
    workers: int | None = None,
    size: tuple[int, int] | None = None,
    on_progress: OnProgress | None = None,
) -> list[ImportedClip]:
    """Probe, process and store the files of a manifest, in the order of its rows.

    `size` is the frame size of existing clips, None before the first. `workers` clips are processed at once, by default
    one for each processor. `on_progress(done, total, what)` is called in the calling thread; `total` is an upper bound
    until identical files are known.

    Raises ManifestProblems with every refused file, and SizeConflict; nothing is stored then, unless a file changed
    while it was read, when files may remain that no stimulus names.
    """
    run = _Run(workers or os.cpu_count() or 1, on_progress)
    try:
        originals = _examined(manifest, rules, run)
        applied = _with_size(rules, [original.info for original in originals.values()], size)
        with store.scratch() as scratch:
            processed = _processed(manifest, originals, applied, scratch, run)
            return _stored_clips(manifest, originals, processed, applied, store, run)
    except OSError as error:
        # PyAV's own errors of the disk are OSErrors too.
        reason = error.strerror or error
        raise ClipError(f"the import into {store.root} stopped: {reason}; nothing was imported") from error


def smallest_size(infos: Sequence[ClipInfo]) -> tuple[int, int]:
    """The frame size of the clip with the smallest picture, made even, and no larger than browsers play."""
    smallest = min(infos, key=lambda info: (info.width * info.height, info.width))
    width, height = smallest.width // 2 * 2, smallest.height // 2 * 2
    if max(width, height) > LARGEST_SIDE:
        return fitted(width, height, (LARGEST_SIDE, LARGEST_SIDE))
    return width, height


class _Run:
    """Work in threads (the codecs run outside the interpreter's lock), its progress reported by the caller's."""

    def __init__(self, workers: int, on_progress: OnProgress | None) -> None:
        self._workers = max(1, workers)
        self._on_progress = on_progress
        self._done = 0

    def step(self, total: int, what: str) -> None:
        self._done += 1
        if self._on_progress is not None:
            self._on_progress(self._done, total, what)

    def each(
        self, work: Callable[[K], V], items: Sequence[K], total: int, what: Callable[[K], str]
    ) -> tuple[dict[K, V], dict[K, ClipRefused]]:
        """Results and refusals of `work` for each item; any other error cancels all items not yet begun."""
        results: dict[K, V] = {}
        refusals: dict[K, ClipRefused] = {}
        with ThreadPoolExecutor(self._workers, thread_name_prefix="clips") as pool:
            futures = {pool.submit(work, item): item for item in items}
            try:
                for future in as_completed(futures):
                    item = futures[future]
                    try:
                        results[item] = future.result()
                    except ClipRefused as refusal:
                        refusals[item] = refusal
                    self.step(total, what(item))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return results, refusals


def _examined(manifest: Manifest, rules: Rules, run: _Run) -> dict[Path, _Original]:
    def examine(path: Path) -> _Original:
        info = probe(path)
        frames_left(path, info.duration_s, rules)
        return _Original(path, file_sha256(path), info)

    files = _distinct(row.file for row in manifest.rows)
    originals, refusals = run.each(examine, files, 3 * len(files), lambda path: f"checked {path.name}")
    _raise_refusals(manifest, {path: refusal.reason for path, refusal in refusals.items()})
    return originals


def _with_size(rules: Rules, infos: Sequence[ClipInfo], size: tuple[int, int] | None) -> Rules:
    if size is not None and rules.size not in (None, size):
        there, asked = (f"{width} x {height}" for width, height in (size, rules.size or size))
        raise SizeConflict(
            f"the rules ask for {asked} px, the clips that are there already have {there}; all have one size"
        )
    width, height = size or rules.size or smallest_size(infos)
    return Rules.model_validate(rules.model_copy(update={"width": width, "height": height}).model_dump())


def _processed(
    manifest: Manifest, originals: Mapping[Path, _Original], rules: Rules, scratch: Path, run: _Run
) -> dict[str, _Processed]:
    """Each distinct original once, by its hash."""
    distinct = {original.stored.sha256: original for original in originals.values()}
    size = rules.size
    assert size is not None

    def work(sha256: str) -> _Processed:
        target = scratch / f"{sha256}.mp4"
        return _Processed(target, process(distinct[sha256].path, target, rules, size=size))

    total = len(originals) + 2 * len(distinct)
    results, refusals = run.each(
        work, list(distinct), total, lambda sha256: f"processed {distinct[sha256].path.name}"
    )
    _raise_refusals(
        manifest,
        {
            path: refusals[original.stored.sha256].reason
            for path, original in originals.items()
            if original.stored.sha256 in refusals
        },
    )
    return results


def _stored_clips(
    manifest: Manifest,
    originals: Mapping[Path, _Original],
    processed: Mapping[str, _Processed],
    rules: Rules,
    store: ClipStore,
    run: _Run,
) -> list[ImportedClip]:
    clips: dict[str, Stored] = {}
    for original in originals.values():
        sha256 = original.stored.sha256
        if sha256 in clips:
            continue
        if store.keep_original(original.path) != original.stored:
            _raise_refusals(manifest, {original.path: "was changed while it was being imported"})
        clips[sha256] = store.keep_clip(processed[sha256].path)
        run.step(len(originals) + 2 * len(processed), f"kept {original.path.name}")
    positions = _distinct(row.positions for row in manifest.rows)
    kept: dict[Path | None, str | None] = {None: None}
    kept.update((path, store.keep_positions(path).sha256) for path in positions)
    return [
        _imported(row, originals[row.file], processed, clips, rules, kept[row.positions])
        for row in manifest.rows
    ]


def _imported(
    row: ManifestRow,
    original: _Original,
    processed: Mapping[str, _Processed],
    clips: Mapping[str, Stored],
    rules: Rules,
    positions_sha256: str | None,
) -> ImportedClip:
    sha256 = original.stored.sha256
    info, clip = processed[sha256].info, clips[sha256]
    return ImportedClip(
        name=row.name,
        source=row.source,
        attributes=row.attributes,
        original_sha256=sha256,
        original_name=row.file.name,
        original_bytes=original.stored.bytes,
        clip_sha256=clip.sha256,
        clip_bytes=clip.bytes,
        duration_s=info.duration_s,
        width=info.width,
        height=info.height,
        fps=info.fps,
        frames=info.frames,
        rules=rules,
        positions_sha256=positions_sha256,
        original_video=original.info,
    )


def _raise_refusals(manifest: Manifest, reasons: Mapping[Path, str]) -> None:
    """Name every row whose file is refused."""
    if reasons:
        rows = [row for row in manifest.rows if row.file in reasons]
        raise ManifestProblems([manifest.problem(row, reasons[row.file]) for row in rows])


def _distinct(paths: Iterable[Path | None]) -> list[Path]:
    return list(dict.fromkeys(path for path in paths if path is not None))
