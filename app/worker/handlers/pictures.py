"""Posters and frames for the clips that have none: those imported at the command line."""

from typing import Any

from sqlmodel import col, select

from app.library.drawing import draw
from app.library.tables import Stimulus
from app.worker.context import Work


def add_pictures(work: Work) -> dict[str, Any]:
    """Draw missing pictures. It has no `params`."""
    data_dir, n_made = work.settings.data_dir, 0
    with work.database.reading() as session:
        clips = session.exec(
            select(Stimulus.name, Stimulus.clip_sha256, Stimulus.original_sha256).where(
                col(Stimulus.clip_sha256).is_not(None), col(Stimulus.original_sha256).is_not(None)
            )
        ).all()
    for done, (name, clip, original) in enumerate(clips):
        work.progress(done, len(clips), f"Drawing {name}")
        n_made += draw(work.store, data_dir, clip or "", original or "")
    return {"pictures": n_made}
