"""Clips without files, for what is pure or needs no pictures."""

import hashlib
from collections.abc import Sequence

from sqlmodel import Session

from app.library.tables import LIBRARY, Stimulus
from app.trials.stimuli import StimulusFacts
from tests.factories import NOW

Clip = tuple[str, str, dict[str, str]]

# Three sources times six goals, as in `factories.make_library`.
CLIPS: Sequence[Clip] = [
    (f"{source}-g{goal}", source, {"goal": f"g{goal}"})
    for source in ("human", "hybrid", "symbolic")
    for goal in range(1, 7)
]


def sha256_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def facts(clips: Sequence[Clip] = CLIPS) -> dict[str, StimulusFacts]:
    return {
        name: StimulusFacts(name, source, attributes, sha256_of(name)) for name, source, attributes in clips
    }


def add_clips(session: Session, clips: Sequence[Clip] = CLIPS, collection: int = LIBRARY) -> None:
    """Rows as an import makes them; the files that they name are nowhere."""
    session.add_all(
        Stimulus(
            name=name,
            source=source,
            attributes=attributes,
            rules={},
            clip_sha256=sha256_of(name),
            clip_bytes=1000,
            duration_s=10.0,
            width=96,
            height=64,
            fps=30.0,
            frames=300,
            imported_at=NOW,
            collection_id=collection,
        )
        for name, source, attributes in clips
    )
    session.flush()
