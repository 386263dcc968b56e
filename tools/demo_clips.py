"""The demo's clips, made anew: `python -m tools.demo_clips [FOLDER]`, by default into app/demo/walks.

Four scenes of the generator's seed, in each the simulated human, the two walkers and the agent that learned. They are
drawn without loss and go through the library's processing once, with rules that keep the whole set below 8 MB
(app/demo/walks/README.md).
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from app.demo.walks import FOLDER, LIST, clip_file, positions_file, written
from app.library.clips.imported import ImportedClip
from app.library.clips.importing import import_clips
from app.library.clips.manifest import read_manifest
from app.library.clips.probe import probe
from app.library.clips.rules import Rules
from app.library.clips.store import ClipStore
from stimuli.arena import GOALS
from stimuli.clipset import make_set
from stimuli.encode import LOSSLESS
from stimuli.scenes import Clip, plan_clips, plan_walks

SEED = 1
SHOWN_GOALS = ("2", "4", "5", "6")
LEARNED = "stimuli.learned:Learned"
RULES = Rules(crf=24)


def planned() -> list[Clip]:
    """Each source once for each goal that is shown."""
    goals = [number for number, goal in enumerate(GOALS) if goal.name in SHOWN_GOALS]
    walkers = [clip for clip in plan_clips(3 * len(GOALS), SEED) if clip.goal in goals]
    return [*walkers, *plan_walks(len(goals), SEED, "learned", LEARNED, goals)]


def make(folder: Path, clips: Sequence[Clip]) -> list[ImportedClip]:
    """Walk, draw, process and list the clips in a folder."""
    with tempfile.TemporaryDirectory() as work:
        store = ClipStore(Path(work, "store"))
        manifest = make_set(list(clips), Path(work, "drawn"), None, _tell("drawing"), crf=LOSSLESS)
        imported = import_clips(read_manifest(manifest), RULES, store, on_progress=_tell("processing"))
        for clip in imported:
            _copy(store.clip_path(clip.clip_sha256), folder / clip_file(clip.name))
            _copy(store.positions_path(clip.positions_sha256 or ""), folder / positions_file(clip.name))
    # The drawn files are many times as large; in a library the processed clip is what came in.
    shown = [as_original(clip, folder / clip_file(clip.name)) for clip in imported]
    (folder / LIST).write_text(written(shown), encoding="utf-8")
    return shown


def as_original(clip: ImportedClip, path: Path) -> ImportedClip:
    return replace(
        clip,
        original_sha256=clip.clip_sha256,
        original_bytes=clip.clip_bytes,
        original_video=probe(path),
    )


def _tell(what: str) -> Callable[..., None]:
    def tell(done: int, total: int, _name: str = "") -> None:
        sys.stderr.write(f"\r{what}: {done} of {total} " + "\n" * (done == total))

    return tell


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.demo_clips", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder = parser.parse_args(arguments).folder
    clips = make(folder, planned())
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    sys.stdout.write(f"{folder}: {len(clips)} clips, {size / 1e6:.2f} MB in all\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
