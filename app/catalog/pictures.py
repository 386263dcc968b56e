"""Missing pictures of clips: requested when a page shows them, drawn by the worker."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from app.catalog.catalog import StimulusView
from app.jobs import queue
from app.jobs.tables import Kind
from app.library.media import poster_path


def has_poster(data_dir: Path, stimulus: StimulusView) -> bool:
    """True if there is a picture; an empty file means that none can be made."""
    if stimulus.clip is None:
        return False
    path = poster_path(data_dir, stimulus.clip.sha256)
    return path.exists() and path.stat().st_size > 0


def lack_pictures(data_dir: Path, stimuli: Sequence[StimulusView]) -> bool:
    clips = (each.clip for each in stimuli if each.clip is not None)
    return any(not poster_path(data_dir, clip.sha256).exists() for clip in clips)


def ask_pictures(session: Session, now: datetime) -> None:
    """Queue the drawing of missing pictures, unless it is under way."""
    if not queue.jobs_of(session, Kind.PICTURES, None, limit=1, standing=True):
        queue.ask(session, Kind.PICTURES, {}, now=now)
