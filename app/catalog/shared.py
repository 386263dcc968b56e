"""Collections as they are made, renamed, opened to every user and removed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, delete, func, select, update

from app.accounts.audit import Actor, record
from app.accounts.logins import NotAllowed, Who
from app.catalog.collections import CollectionView, collection_for
from app.catalog.rules import hold_library, reprocessing, rules_in_force
from app.core.errors import Conflict, NotFound
from app.core.problems import counted, listed
from app.library.collections import checked_title, collection_named, make_collection
from app.library.tables import LIBRARY, Collection, LibraryRules, Stimulus, Upload
from app.library.uploads import STANDING
from app.studies.access import visible_slugs
from app.studies.collections import studies_with, study_of

_MOST_NAMED = 5
_REMOVED_BY = "whoever made it, or an owner, can remove it."
OPENED_BY_OWNERS = "An owner decides which collections everybody sees."


@dataclass(frozen=True, slots=True)
class KeptCollection:
    """A collection with its frame, px, and what the user may do with it; `kept` says why it cannot be removed, and is
    empty where it can.
    """

    view: CollectionView
    size: tuple[int, int] | None
    may_rename: bool
    may_open: bool
    kept: str


def kept_collections(session: Session, who: Who, views: Sequence[CollectionView]) -> Sequence[KeptCollection]:
    """The collections, each with its frame and what the user may do with it."""
    visible = visible_slugs(session, who)
    return [
        KeptCollection(
            view=view,
            size=rules_in_force(session, view.id)[0].size,
            may_rename=_may_rename(who, view.study, view.is_mine, visible),
            may_open=who.is_owner,
            kept=_why_kept(session, who, view, visible),
        )
        for view in views
    ]


def new_collection(session: Session, who: Who, title: str, slug: str, is_open: bool, now: datetime) -> str:
    """A new shared collection; returns its name. Raises BadCollection, NotAllowed."""
    if is_open and not who.is_owner:
        raise NotAllowed(OPENED_BY_OWNERS)
    made = make_collection(session, title, now, slug=slug, by=who.user_id, is_open=is_open)
    record(session, who.actor, "collection.make", now=now, subject=made.slug, after={"title": made.title})
    return made.slug


def change_collection(
    session: Session, who: Who, slug: str, title: str | None, is_open: bool | None, now: datetime
) -> None:
    """Rename a collection, open or close it; None keeps what is. Raises BadCollection, NotFound, NotAllowed."""
    _held(session, who, slug)
    if title is not None:
        rename_collection(session, who, slug, title, now)
    if is_open is not None:
        open_collection(session, who, slug, is_open, now)


def rename_collection(session: Session, who: Who, slug: str, title: str, now: datetime) -> None:
    """Give a collection another title; its name in addresses stays. Raises BadCollection, NotFound, NotAllowed."""
    row = _held(session, who, slug)
    study = study_of(session, row.id or 0)
    is_mine = row.created_by == who.user_id
    if not _may_rename(who, study.slug if study else "", is_mine, visible_slugs(session, who)):
        raise NotAllowed(f"Whoever made the collection {row.title}, or an owner, can rename it.")
    retitle(session, who.actor, row, title, now)


def retitle(session: Session, by: Actor, row: Collection, title: str, now: datetime) -> None:
    """Give a locked collection another title, noted in the audit log. Raises BadCollection."""
    before, row.title = row.title, checked_title(title)
    if row.title != before:
        session.add(row)
        said = {"title": before}, {"title": row.title}
        record(session, by, "collection.rename", now=now, subject=row.slug, before=said[0], after=said[1])


def open_collection(session: Session, who: Who, slug: str, is_open: bool, now: datetime) -> None:
    """Let every user see a collection's stimuli, or no longer: studies keep what their designs use.

    Raises NotFound, NotAllowed.
    """
    if not who.is_owner:
        raise NotAllowed(OPENED_BY_OWNERS)
    share(session, who.actor, _held(session, who, slug), is_open, now)


def share(session: Session, by: Actor, row: Collection, is_open: bool, now: datetime) -> None:
    """Open a locked collection to every user, or close it; noted in the audit log."""
    if row.is_open == is_open:
        return
    row.is_open = is_open
    session.add(row)
    record(
        session,
        by,
        "collection.open" if is_open else "collection.close",
        now=now,
        subject=row.slug,
        after={"title": row.title},
    )


def remove_collection(session: Session, who: Who, slug: str, now: datetime) -> None:
    """Remove a shared collection that holds nothing. Raises NotFound, NotAllowed, Conflict for one that is to stay."""
    hold_library(session)
    row = _held(session, who, slug)
    if not (who.is_owner or (who.may_edit and row.created_by == who.user_id)):
        raise NotAllowed(f"{row.title} stays: {_REMOVED_BY}")
    remove(session, who.actor, row, now, visible_slugs(session, who))


def remove(session: Session, by: Actor, row: Collection, now: datetime, visible: Sequence[str]) -> None:
    """Remove a locked collection of a held library, noted in the audit log. Of studies that use it, those that are
    `visible` are named. Raises Conflict for one that is to stay.
    """
    id_, study = row.id or 0, study_of(session, row.id or 0)
    if why := _why_it_stays(session, id_, study.slug if study else "", visible):
        raise Conflict(f"{row.title} stays: {why}")
    # Uploads that are over stay in their user's list of the last ones, which names no collection.
    session.execute(update(Upload).where(col(Upload.collection_id) == id_).values(collection_id=LIBRARY))
    session.execute(delete(LibraryRules).where(col(LibraryRules.collection_id) == id_))
    record(session, by, "collection.remove", now=now, subject=row.slug, before={"title": row.title})
    session.delete(row)


def held_by_name(session: Session, slug: str) -> Collection:
    """The collection of that name, locked, for the command line. Raises NotFound, for an empty name too."""
    if not slug:
        raise NotFound("Name a collection: `stimuli collections` lists them.")
    return _locked(session, collection_named(session, slug))


def _held(session: Session, who: Who, slug: str) -> Collection:
    """The collection of that name, locked. Raises NotFound for one that the user does not see."""
    return _locked(session, collection_for(session, who, slug) if slug else collection_named(session, slug))


def _locked(session: Session, row: Collection) -> Collection:
    return session.exec(select(Collection).where(Collection.id == row.id).with_for_update()).one()


def _may_rename(who: Who, study: str, is_mine: bool, visible: Sequence[str]) -> bool:
    if who.is_owner:
        return True
    return who.may_edit and (study in visible if study else is_mine)


def _why_kept(session: Session, who: Who, view: CollectionView, visible: Sequence[str]) -> str:
    """The reason for which a collection cannot be removed by the user; empty where it can."""
    if not (view.study or view.id == LIBRARY or who.is_owner or (who.may_edit and view.is_mine)):
        return _REMOVED_BY
    return _why_it_stays(session, view.id, view.study, visible)


def _why_it_stays(session: Session, id_: int, study: str, visible: Sequence[str]) -> str:
    """The reason for which nobody can remove a collection; empty where it can be removed."""
    if study:
        return f"it belongs to the study {study}, and goes with it."
    if id_ == LIBRARY:
        return "clips that are added without naming a collection go there."
    if _n_of(session, id_):
        return "there are clips in it. Move or delete them first."
    standing = select(Upload.id).where(Upload.collection_id == id_, col(Upload.status).in_(STANDING))
    if session.exec(standing.limit(1)).first() is not None:
        return "files are on their way into it. Wait for them, or cancel them."
    if reprocessing(session, id_) is not None:
        return "its clips are being processed again. Wait for that, or cancel it."
    if using := studies_with(session, id_):
        return _used_by(using, visible)
    return ""


def _used_by(using: Sequence[str], visible: Sequence[str]) -> str:
    """In words, which studies use a collection: by name those that the user sees."""
    named = [slug for slug in using if slug in visible]
    unseen = len(using) - len(named)
    names = [*named[:_MOST_NAMED]]
    if more := unseen + len(named[_MOST_NAMED:]):
        names.append(
            counted(more, "other study" if names else "study", "other studies" if names else "studies")
        )
    whose = "the study" if len(using) == 1 and named else "the studies" if named else ""
    verb = "uses" if len(using) == 1 else "use"
    said = f"{whose} {listed(names, 'and')} {verb} it.".strip()
    return f"{said} Take it from the collections of a study first: Clips, in the menu of the study."


def _n_of(session: Session, id_: int) -> int:
    """The number of stimuli in a collection, also those that the user does not see."""
    return session.exec(select(func.count()).select_from(Stimulus).where(Stimulus.collection_id == id_)).one()
