"""Other rules: tried on one clip, or put in force by processing every clip anew."""

import os
import shutil
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from sqlmodel import select

from app.accounts.audit import Actor
from app.accounts.tables import User
from app.catalog.rules import (
    ReprocessedClip,
    originals_to_process,
    rules_in_force,
    switch_clips,
    without_original,
)
from app.core.errors import Conflict
from app.library.clips.contained import contained
from app.library.clips.errors import ClipError, ClipRefused
from app.library.clips.facts import ClipInfo
from app.library.clips.importing import smallest_size
from app.library.clips.pictures import FRAME_SIDE, snug
from app.library.clips.probe import probe
from app.library.clips.process import frames_left, process
from app.library.clips.reading import open_video
from app.library.clips.rules import FIRST_RULES, Rules
from app.library.drawing import draw
from app.library.media import preview_folder, reprocess_folder
from app.library.tables import LIBRARY, Stimulus
from app.studies.jobs import of_collection
from app.worker.context import Stopping, Work
from app.worker.tidying import tidy

TELL_EVERY_S = 0.3
_PLAYED_FILES = frozenset({".mp4", ".m4v", ".mov", ".webm"})
_PLAYED_CODECS = frozenset({"h264", "vp8", "vp9", "av1", "libdav1d"})
_PIXELS = frozenset({"yuv420p", "yuvj420p"})
_MOST_NAMED = 5


def preview(work: Work) -> dict[str, Any]:
    """`params`: name, original (its hash) and rules.

    Writes `after.mp4`, and `before.mp4` where browsers do not play the original."""
    folder = preview_folder(work.settings.data_dir, work.job.id)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        return _previewed(work, folder)
    except ClipRefused as refusal:
        shutil.rmtree(folder, ignore_errors=True)
        raise ClipError(f"{work.params['name']} {refusal.reason}") from None
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _previewed(work: Work, folder: Path) -> dict[str, Any]:
    original = work.store.original_path(work.params["original"])
    rules, info = Rules.model_validate(work.params["rules"]), probe(original)
    with work.database.reading() as session:
        own = session.exec(select(Stimulus.collection_id).where(Stimulus.name == work.params["name"])).first()
        in_force = rules_in_force(session, own or LIBRARY)[0]
        size = rules.size or in_force.size or smallest_size([info])
    frames_left(original, info.duration_s, rules)
    after = process(original, folder / "after.mp4", rules, size=size, on_frame=_teller(work, "Processing"))
    if not (is_playable := _plays(original, info)):
        plain = snug(info.width, info.height, FRAME_SIDE)
        shown = FIRST_RULES.model_copy(update={"fps": float(min(max(round(info.fps), 1), 60))})
        process(
            original, folder / "before.mp4", shown, size=plain, on_frame=_teller(work, "Copying the original")
        )
    return {
        "name": work.params["name"],
        "before": "original" if is_playable else "before.mp4",
        "duration_before": info.duration_s,
        "duration_after": after.duration_s,
        "size_before": [info.width, info.height],
        "size_after": [after.width, after.height],
        "bytes_before": info.bytes,
        "bytes_after": after.bytes,
    }


def _teller(work: Work, doing: str) -> Any:
    return lambda done, total: work.progress(done, total, doing)


def _plays(path: Path, info: ClipInfo) -> bool:
    """True if browsers can be expected to play the original unchanged."""
    if path.suffix not in _PLAYED_FILES or info.codec not in _PLAYED_CODECS:
        return False
    return _pixel_format(path) in _PIXELS


@contained
def _pixel_format(path: Path) -> str | None:
    with open_video(path) as (_, stream):
        return stream.codec_context.pix_fmt


def reprocess(work: Work) -> dict[str, Any]:
    """`params`: rules and collection. Processes all its originals by them; it changes when all are done, or not at all.

    Finished clips survive a restart of the worker and are removed at the end.
    """
    tidy(work.settings.data_dir, work.database, work.now())
    folder = reprocess_folder(work.settings.data_dir, work.job.id)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        result = _reprocessed(work, folder)
    except Stopping:
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    return result


def _reprocessed(work: Work, folder: Path) -> dict[str, Any]:
    rules, clips = Rules.model_validate(work.params["rules"]), dict[str, ReprocessedClip]()
    collection = of_collection(work.job)
    # Begun again for clips that came while these were processed; those that are done are kept.
    while True:
        with work.database.reading() as session:
            originals = originals_to_process(session, collection)
            lacking = [*without_original(session, collection)]
        gone = {sha256 for sha256 in originals if not work.store.has_original(sha256)}
        todo = {sha256: names for sha256, names in originals.items() if sha256 not in {*clips, *gone}}
        infos = _examined(work, rules, todo)
        rules = _sized(rules, list(infos.values()))
        clips |= _Run(work, rules, folder, originals).all(list(todo))
        with work.database.transaction() as session:
            user = session.get(User, work.job.asked_by) if work.job.asked_by else None
            by = Actor(work.job.asked_by, user.email if user else "")
            changed = switch_clips(session, by, rules, clips, gone, work.now(), collection)
        if changed is not None:
            lost = [name for sha256 in gone for name in originals[sha256]]
            return {"changed": changed, "without_original": sorted([*lacking, *lost])}


def _examined(work: Work, rules: Rules, originals: Mapping[str, Sequence[str]]) -> dict[str, ClipInfo]:
    """Measurements of every original, before any is processed. Raises Conflict naming those with nothing left."""
    infos: dict[str, ClipInfo] = {}
    refused: list[str] = []
    for done, (sha256, names) in enumerate(originals.items()):
        work.progress(done, len(originals), f"Checking {names[0]}")
        path = work.store.original_path(sha256)
        try:
            infos[sha256] = probe(path, to_end=False)
            frames_left(path, infos[sha256].duration_s, rules)
        except ClipRefused as refusal:
            refused.append(f"{names[0]} {refusal.reason}")
    _raise_refused(refused)
    return infos


def _raise_refused(refused: Collection[str]) -> None:
    if refused:
        named = sorted(refused)
        more = f"; and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
        raise Conflict(f"Nothing was changed: {'; '.join(named[:_MOST_NAMED])}{more}.")


def _sized(rules: Rules, infos: Sequence[ClipInfo]) -> Rules:
    if rules.size is not None or not infos:
        return rules
    width, height = smallest_size(infos)
    return rules.model_copy(update={"width": width, "height": height})


class _Abandoned(Exception):
    """A clip that is not finished, as the job is not to go on."""


class _Run:
    """Originals processed side by side; progress and cancelling are handled in the job's own thread."""

    def __init__(self, work: Work, rules: Rules, folder: Path, names: Mapping[str, Sequence[str]]) -> None:
        self._work, self._rules, self._names = work, rules, names
        width, height = rules.size or (0, 0)
        # By size: what a restart finds is reusable only if it was made for the same frame.
        self._folder = folder / f"{width}x{height}"
        self._folder.mkdir(exist_ok=True)
        self._abandon = threading.Event()

    def all(self, originals: Sequence[str]) -> dict[str, ReprocessedClip]:
        done: dict[str, ReprocessedClip] = {}
        refused: list[str] = []
        # Threads suffice: each waits for a process of its own, in which the codec runs.
        with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reprocess") as pool:
            waiting = {pool.submit(self._one, sha256): sha256 for sha256 in originals}
            try:
                while waiting:
                    doing = f"Processing {self._names[next(iter(waiting.values()))][0]}"
                    self._work.progress(len(done), len(originals), doing)
                    for future in wait(waiting, TELL_EVERY_S, FIRST_COMPLETED).done:
                        self._settle(future, waiting.pop(future), done, refused)
            except BaseException:
                self._abandon.set()
                # Waited for, as the folder that the others write into is deleted next.
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        _raise_refused(refused)
        return done

    def _settle(
        self,
        future: Future[ReprocessedClip],
        sha256: str,
        done: dict[str, ReprocessedClip],
        refused: list[str],
    ) -> None:
        try:
            done[sha256] = future.result()
        except ClipRefused as refusal:
            refused.append(f"{self._names[sha256][0]} {refusal.reason}")

    def _one(self, sha256: str) -> ReprocessedClip:
        store, size = self._work.store, self._rules.size
        assert size is not None
        target = self._folder / f"{sha256}.mp4"
        if target.exists():  # done before a restart
            info = probe(target)
        else:
            info = process(store.original_path(sha256), target, self._rules, size=size, on_frame=self._go_on)
        clip = store.keep_clip(target)
        draw(store, self._work.settings.data_dir, clip.sha256, sha256)
        return ReprocessedClip(
            clip.sha256, clip.bytes, info.duration_s, info.width, info.height, info.fps, info.frames
        )

    def _go_on(self, _done: int, _total: int) -> None:
        if self._abandon.is_set():
            raise _Abandoned
