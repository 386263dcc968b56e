"""Many stimuli chosen in the library, and acted on at once: all of them, or none."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import anyio.to_thread
from sqlmodel import Session, col, select

from app.accounts.audit import record
from app.accounts.logins import NotAllowed, Who
from app.catalog.editing import Deleted, delete_stimuli, drop_files
from app.catalog.filling import collection_to_fill
from app.catalog.search import CatalogFilter, found_ids
from app.catalog.sheet import BadSheet, Table, change_table
from app.catalog.uses import DraftUses
from app.core.database import Database
from app.core.errors import Conflict, NotFound, StudyError
from app.core.problems import counted, shown
from app.core.spreadsheet import TableRow
from app.library.clips.store import ClipStore
from app.library.contents import is_kept
from app.library.names import checked_key
from app.library.tables import Collection, Stimulus
from app.studies.collections import study_of
from app.studies.seeing import moved_by, seen_by


class BadChoice(StudyError):
    """Clips were chosen that the action cannot be done to, or none."""

    status_code = 422


@dataclass(frozen=True, slots=True)
class Chosen:
    """Stimuli by name, or all that fit a filter: `n_fitting` is how many these were when they were looked at."""

    names: tuple[str, ...] = ()
    fitting: CatalogFilter | None = None
    n_fitting: int = 0


def chosen_names(session: Session, who: Who, chosen: Chosen) -> Sequence[str]:
    """The names, in the order chosen. Raises BadChoice for none; NotFound for one that the user does not see; Conflict
    where another number fits than was looked at.
    """
    if chosen.fitting is not None:
        ids = found_ids(session, who, chosen.fitting)
        if len(ids) != chosen.n_fitting:
            raise Conflict(
                f"{counted(len(ids), 'clip')} fit now; there were {chosen.n_fitting} when the page was loaded. "
                "Nothing was changed: look at them again."
            )
        return session.exec(select(Stimulus.name).where(col(Stimulus.id).in_(ids))).all()
    if not chosen.names:
        raise BadChoice("No clip is chosen. Tick the clips first, then say what to do with them.")
    names = list(dict.fromkeys(chosen.names))
    # PostgreSQL takes no NUL.
    possible = [name for name in names if name.isprintable()]
    seen = set(
        session.exec(select(Stimulus.name).where(col(Stimulus.name).in_(possible), is_kept(), seen_by(who)))
    )
    missing = [name for name in names if name not in seen]
    if missing:
        raise NotFound(f"There is no clip, record or text called {shown(missing[0])}. Nothing was changed.")
    return names


async def set_source(database: Database, who: Who, chosen: Chosen, source: str, now: datetime) -> int:
    """Give the chosen another source; returns how many changed. Raises BadChoice, NotFound, Conflict."""
    return await _set(database, who, chosen, "source", source.strip(), now)


async def set_attribute(
    database: Database, who: Who, chosen: Chosen, key: str, value: str, now: datetime
) -> int:
    """Give the chosen a value of an attribute, or take it away with an empty one; returns how many changed.

    Raises BadChoice, NotFound, Conflict.
    """
    return await _set(database, who, chosen, checked_key(key.strip()), value.strip(), now)


async def _set(database: Database, who: Who, chosen: Chosen, column: str, value: str, now: datetime) -> int:
    def table(session: Session) -> Table:
        names = chosen_names(session, who, chosen)
        rows = [TableRow(n, n, {"name": name, column: value}) for n, name in enumerate(names, start=1)]
        return Table(("name", column), rows)

    try:
        return len({change.name for change in (await change_table(database, who, table, None, now)).changes})
    except BadSheet as error:
        faults = error.plan.faults
        more = f" It is so with {len(faults) - 1} more of them." if len(faults) > 1 else ""
        raise BadChoice(f"Nothing was changed. {faults[0].message}.{more}") from None


def move(session: Session, who: Who, chosen: Chosen, slug: str, now: datetime) -> int:
    """Put the chosen into another collection; returns how many were in another. Files and versions stay as they are.

    An owner moves all clips. Others move those that they uploaded, or that are in the own collection of a study of
    theirs, into such a collection: its editors may process them again.

    Raises BadChoice, NotFound, NotAllowed, Conflict.
    """
    if not slug:
        raise BadChoice("Choose the collection that the clips are to belong to.")
    there = session.get_one(Collection, collection_to_fill(session, who, slug))
    if not who.is_owner and study_of(session, there.id or 0) is None:
        raise NotAllowed(
            "You can move clips to the collection of a study that is shared with you; to another one, an owner can."
        )
    names = chosen_names(session, who, chosen)
    mine = set(session.exec(select(Stimulus.name).where(col(Stimulus.name).in_(names), moved_by(who))))
    if others := [name for name in names if name not in mine]:
        raise NotAllowed(
            f"You can move clips that you uploaded or that are in the collection of a study that is shared with you, "
            f"and {shown(others[0])} is neither: ask an owner. Nothing was changed."
        )
    found = select(Stimulus, Collection.slug).join(Collection, col(Collection.id) == Stimulus.collection_id)
    rows = session.exec(found.where(col(Stimulus.name).in_(names), col(Collection.id) != there.id)).all()
    for row, _ in rows:
        row.collection_id = there.id or 0
        session.add(row)
    if rows:
        before = {row.name: before for row, before in rows}
        record(
            session,
            who.actor,
            "stimuli.move",
            now=now,
            subject=counted(len(rows), "clip"),
            before=before,
            after=dict.fromkeys(before, slug),
        )
    return len(rows)


async def delete(database: Database, store: ClipStore, who: Who, chosen: Chosen, now: datetime) -> int:
    """Remove the chosen and, afterwards, the files that nothing else uses; returns how many.

    Raises BadChoice, NotFound, Conflict; InUse where a version or a draft names one of them.
    """

    def read(session: Session) -> tuple[Sequence[str], DraftUses]:
        names = chosen_names(session, who, chosen)
        return names, DraftUses.read(session, names)

    def remove(session: Session, seen: tuple[Sequence[str], DraftUses]) -> Sequence[Deleted]:
        return delete_stimuli(session, who, seen[0], now, seen=seen[1])

    deleted = await database.prepare_and_write(read, remove)
    await anyio.to_thread.run_sync(_drop, database, store, deleted)
    return len(deleted)


def _drop(database: Database, store: ClipStore, deleted: Sequence[Deleted]) -> None:
    """Remove files in a separate transaction, which uploads of the same files await; call it in a thread."""
    with database.transaction() as session:
        for each in deleted:
            drop_files(session, store, each)
