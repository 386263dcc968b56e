"""Uploads into a collection: the collections that a user may fill, their frame, and files as they begin to come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from app.accounts.logins import NotAllowed, Who
from app.catalog.collections import CollectionView, collection_for, collections_for, library_view
from app.catalog.rules import FRAME_SIZE_RULE, rules_in_force, set_frame_size
from app.core.database import Database
from app.library import receiving
from app.library.receiving import Received
from app.library.tables import LIBRARY
from app.library.uploads import NewUpload
from app.studies.access import visible_slugs
from app.studies.collections import may_rule, study_of


@dataclass(frozen=True, slots=True)
class Filling:
    """A collection to upload into, with its frame: `size` is None while it is open. `choices` are those that the user
    may fill.
    """

    collection: CollectionView
    size: tuple[int, int] | None
    may_change: bool
    choices: Sequence[CollectionView]

    @property
    def rule(self) -> str:
        return FRAME_SIZE_RULE


def filling(session: Session, who: Who, slug: str) -> Filling:
    """Raises NotFound for a collection that the user does not see."""
    here = collection_for(session, who, slug)
    seen = [*collections_for(session, who)]
    if all(view.id != LIBRARY for view in seen):
        seen.append(library_view(session))
    visible = set(visible_slugs(session, who))
    choices = [view for view in seen if _may_fill(who, view, visible)]
    view = next((each for each in seen if each.id == here.id), None) or library_view(session)
    size = rules_in_force(session, here.id or LIBRARY)[0].size
    return Filling(view, size, may_rule(session, who, here.id or LIBRARY), choices)


def _may_fill(who: Who, view: CollectionView, visible: set[str]) -> bool:
    if not who.may_edit:
        return False
    if view.study:
        return view.study in visible
    return who.is_owner or view.is_open or view.id == LIBRARY or view.is_mine


def collection_to_fill(session: Session, who: Who, slug: str) -> int:
    """The id of a collection that the user may put stimuli into; the library where none is named.

    Raises NotFound, NotAllowed.
    """
    found = collection_for(session, who, slug)
    study = study_of(session, found.id or 0)
    is_theirs = study is not None and study.slug in visible_slugs(session, who)
    is_shared = study is None and (
        who.is_owner or found.is_open or found.id == LIBRARY or found.created_by == who.user_id
    )
    if not who.may_edit or not (is_theirs or is_shared):
        raise NotAllowed(
            f"You can look at the collection {found.slug}, and put nothing into it: ask an owner."
        )
    return found.id or 0


async def begin(database: Database, data_dir: Path, who: Who, new: NewUpload, now: datetime) -> Received:
    """Make ready for a file of a collection. Raises what `receiving.begin` does, NotFound and NotAllowed."""
    return await receiving.begin(database, data_dir, who, new, now, _into(who, new.collection))


def _into(who: Who, slug: str) -> receiving.Into:
    return lambda session: collection_to_fill(session, who, slug)


async def take_form(
    database: Database,
    data_dir: Path,
    who: Who,
    files: Sequence[tuple[str, bytes]],
    source: str,
    attributes: Mapping[str, str],
    now: datetime,
    slug: str,
    frame: tuple[int, int] | None,
) -> list[str]:
    """Like `receiving.take_form`, into the collection of that name; `frame` is settled before the first file is kept.

    Raises Conflict where another frame is settled.
    """
    receiving.check_form(files, source, attributes)
    await database.read(collection_to_fill, who, slug)
    if frame is not None:
        await database.write(set_frame, who, slug, *frame, now)
    return await receiving.take_form(
        database, data_dir, who, files, source, attributes, now, _into(who, slug)
    )


def set_frame(session: Session, who: Who, slug: str, width: int, height: int, now: datetime) -> None:
    """Settle the frame of a collection, px, while it is open. Raises BadRules, Conflict, NotFound, NotAllowed."""
    set_frame_size(session, who, width, height, now, collection_to_fill(session, who, slug))
