"""Walks of a study into the library: drawn as agents' clips are, then processed by the rules in force like any clip."""

from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from app.accounts.audit import SERVICE, record
from app.catalog.rules import hold_library, rules_in_force, settle_size
from app.core.errors import Conflict
from app.library.clips.imported import ImportedClip
from app.library.clips.importing import import_clips
from app.library.clips.manifest import read_manifest
from app.library.clips.rules import Rules
from app.library.drawing import draw
from app.library.stimuli import add_stimuli
from app.library.tables import Stimulus
from app.reports.walk_clips import ShownWalks, draw_walks, shown_walks
from app.studies.collections import have_own_collection
from app.trials.tables import Mode, Study
from app.worker.context import Work
from stimuli.raycaster import HEIGHT, WIDTH

DRAWING, PROCESSING = "Drawing walks", "Processing clips"


def import_walks(work: Work) -> dict[str, Any]:
    """`params`: slug, and the mode of the walks. Walks that are in the library already are left as they are."""
    slug, mode = work.params["slug"], Mode(work.params["mode"])
    with work.database.reading() as session:
        work.progress(0, 0, "Computing walks")
        shown = shown_walks(session, slug, mode, work.settings.secret)
        known = set(session.exec(select(Stimulus.name)))
    with work.database.transaction() as session:
        collection = _own(session, slug, work)
    new = ShownWalks(tuple(one for one in shown.walks if one.name not in known), shown.left_out)
    if new.walks:
        with work.store.scratch() as scratch:
            clips = _processed(work, new, scratch, collection)
            with work.database.transaction() as session:
                _add(session, work, clips, collection)
        for clip in clips:
            draw(work.store, work.settings.data_dir, clip.clip_sha256, clip.original_sha256)
    return {
        "clips": len(new.walks),
        "there": len(shown.walks) - len(new.walks),
        "left_out": shown.left_out_in_words,
        "mode": mode,
    }


def _own(session: Session, slug: str, work: Work) -> int:
    """The id of the own collection of the study whose walks they are."""
    study = session.exec(select(Study).where(Study.slug == slug)).one()
    return have_own_collection(session, study.id or 0, slug, work.now()).id or 0


def _processed(work: Work, new: ShownWalks, folder: Path, collection: int) -> list[ImportedClip]:
    n = len(new.walks)
    manifest = draw_walks(
        new.walks, folder, workers=1, on_progress=lambda done, _: work.progress(done, 2 * n, DRAWING)
    )
    with work.database.transaction() as session:
        rules, _ = settle_size(session, (WIDTH, HEIGHT), work.now(), collection)

    def tell(done: int, total: int, _what: str) -> None:
        work.progress(n + n * done // max(total, 1), 2 * n, PROCESSING)

    return import_clips(read_manifest(manifest), rules, work.store, workers=1, on_progress=tell)


def _add(session: Session, work: Work, clips: list[ImportedClip], collection: int) -> None:
    """Take them up. Raises Conflict where the rules have changed meanwhile."""
    hold_library(session)
    in_force: Rules = rules_in_force(session, collection)[0]
    if any(clip.rules != in_force for clip in clips):
        raise Conflict("The processing rules were changed meanwhile; ask for the clips again.")
    add_stimuli(session, clips, work.now(), uploaded_by=work.job.asked_by, collection=collection)
    names = {"clips": sorted(clip.name for clip in clips)}
    record(session, SERVICE, "walks.add", now=work.now(), study=work.params["slug"], after=names)
