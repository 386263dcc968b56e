"""Changes of drafts and versions for requests: the data they depend on are read first, then the change is written."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.accounts.logins import Who
from app.core.database import Database
from app.studies.access import StudyHere
from app.studies.drafts import (
    DraftView,
    draft_for,
    drop_draft,
    keys_of_version,
    newest_number,
    replace_draft,
    save_draft,
)
from app.studies.file.yamlpatch import WrittenFile
from app.studies.history import design_as_draft
from app.studies.saving import checked_draft, save_version
from app.studies.versions import Loaded


async def put_draft(
    database: Database, who: Who, study: StudyHere, keys: Mapping[str, Any], revision: int, now: datetime
) -> int:
    """Like `save_draft`, with the previous draft read beforehand."""
    return await database.prepare_and_write(
        lambda session: draft_for(session, study),
        lambda session, seen: save_draft(session, who, study, keys, revision, now, seen=seen),
    )


async def put_file(
    database: Database, who: Who, study: StudyHere, file: WrittenFile, source: str, now: datetime
) -> int:
    """Like `replace_draft`, with the previous draft read beforehand."""
    return await database.prepare_and_write(
        lambda session: draft_for(session, study),
        lambda session, seen: replace_draft(
            session, who, study, file.keys, source, now, written=file, seen=seen
        ),
    )


async def restore_version(database: Database, who: Who, study: StudyHere, number: int, now: datetime) -> int:
    """An earlier version as the draft. Raises NotFound."""

    def keep(session: Session, read: tuple[DraftView, DraftView]) -> int:
        seen, then = read
        source = f"version {number}"
        return replace_draft(session, who, study, then.keys, source, now, written=then.written, seen=seen)

    return await database.prepare_and_write(
        lambda session: (draft_for(session, study), design_as_draft(session, study, number)), keep
    )


async def give_up_draft(
    database: Database, who: Who, study: StudyHere, now: datetime, revision: int | None = None
) -> None:
    """Like `drop_draft`, with the draft and the newest version read beforehand."""

    def read(session: Session) -> tuple[DraftView, Mapping[str, Any] | None]:
        number = newest_number(session, study)
        keys = None if number is None else keys_of_version(session, study, number)
        return draft_for(session, study), keys

    def drop(session: Session, read: tuple[DraftView, Mapping[str, Any] | None]) -> None:
        seen, newest = read
        drop_draft(session, who, study, now, revision=revision, seen=seen, newest=newest)

    await database.prepare_and_write(read, drop)


async def make_version(
    database: Database, who: Who, study: StudyHere, reason: str, now: datetime, revision: int | None = None
) -> Loaded:
    """Like `save_version`, with the draft read and checked beforehand."""
    return await database.prepare_and_write(
        lambda session: checked_draft(session, study),
        lambda session, seen: save_version(session, who, study, reason, now, revision=revision, seen=seen),
    )
