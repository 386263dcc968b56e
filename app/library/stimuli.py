"""Stimuli in SQL: added all together or not at all."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlmodel import Session, col, select

from app.core.errors import Conflict
from app.library.clips.imported import ImportedClip
from app.library.clips.manifest import Manifest
from app.library.contents import is_kept
from app.library.tables import LIBRARY, Stimulus


def refuse_known(session: Session, manifest: Manifest) -> None:
    """Raise Conflict for the first name of a manifest that a stimulus has already."""
    known = set(session.exec(select(Stimulus.name)))
    for row in manifest.rows:
        if row.name in known:
            raise Conflict(
                f"{manifest.path}: row {row.row}, column name: {row.name!r} is the name of a stimulus that "
                "is there already; give this one another name"
            )


def common_clip_size(session: Session, collection: int = LIBRARY) -> tuple[int, int] | None:
    """Width and height of the clips in a collection, which all share them; None while there are none."""
    sizes = select(Stimulus.width, Stimulus.height).where(
        col(Stimulus.width).is_not(None), Stimulus.collection_id == collection
    )
    found = session.exec(sizes).first()
    return (found[0] or 0, found[1] or 0) if found else None


def add_stimuli(
    session: Session,
    clips: Sequence[ImportedClip],
    now: datetime,
    *,
    uploaded_by: int | None = None,
    collection: int = LIBRARY,
) -> None:
    """Put processed clips into a collection; names have been checked before."""
    session.add_all(
        Stimulus(
            name=clip.name,
            source=clip.source,
            attributes=dict(clip.attributes),
            original_name=clip.original_name,
            original_sha256=clip.original_sha256,
            original_bytes=clip.original_bytes,
            clip_sha256=clip.clip_sha256,
            clip_bytes=clip.clip_bytes,
            positions_sha256=clip.positions_sha256,
            rules=clip.rules.canonical(),
            duration_s=clip.duration_s,
            width=clip.width,
            height=clip.height,
            fps=clip.fps,
            frames=clip.frames,
            original_video=asdict(clip.original_video),
            uploaded_by=uploaded_by,
            imported_at=now,
            collection_id=collection,
        )
        for clip in clips
    )


def list_stimuli(session: Session, collection: int | None = None) -> list[Stimulus]:
    """Every stimulus that is kept, of a collection or (None) of all, by name."""
    kept = select(Stimulus).where(is_kept()).order_by(Stimulus.name)
    return list(
        session.exec(kept if collection is None else kept.where(Stimulus.collection_id == collection))
    )
