"""Collections in SQL: made, found by name, and told from each other."""

import re
from collections.abc import Collection as Names
from datetime import datetime

from sqlmodel import Session, col, select

from app.core.errors import NotFound, StudyError
from app.library.names import free_name
from app.library.tables import LIBRARY, Collection

LONGEST_SLUG, LONGEST_TITLE = 64, 100
_SLUG = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_SLUG - 1}}}")
_NOT_ALLOWED = re.compile("[^a-z0-9]+")


class BadCollection(StudyError):
    """A name or title that a collection cannot have."""

    status_code = 422


def collection_named(session: Session, slug: str) -> Collection:
    """The collection of that name, the library where none is named. Raises NotFound."""
    if not slug:
        return session.get_one(Collection, LIBRARY)
    found = (
        session.exec(select(Collection).where(Collection.slug == slug)).first()
        if _SLUG.fullmatch(slug)
        else None
    )
    if found is None:
        raise NotFound(f"There is no collection {slug[:64]!r}.")
    return found


def make_collection(
    session: Session,
    title: str,
    now: datetime,
    *,
    slug: str = "",
    by: int | None = None,
    is_open: bool = False,
) -> Collection:
    """A new, empty collection, its name made of the title where none is given. Raises BadCollection."""
    title = checked_title(title)
    taken = set(session.exec(select(Collection.slug)))
    if slug in taken:
        raise BadCollection(f"There is a collection {slug!r} already; choose another name.")
    if slug:
        check_slug(slug)
    made = Collection(
        slug=slug or free_slug(title, taken), title=title, is_open=is_open, created_by=by, created_at=now
    )
    session.add(made)
    session.flush()
    return made


def check_slug(slug: str) -> None:
    """Raises BadCollection for what cannot be the name of a collection."""
    if not _SLUG.fullmatch(slug):
        raise BadCollection(
            f"{slug[:80]!r} cannot be the name of a collection: use lower-case letters, digits and -, at most "
            f"{LONGEST_SLUG}."
        )


def free_slug(title: str, taken: Names[str]) -> str:
    """A name made of a title that no collection has."""
    return free_name(
        _NOT_ALLOWED.sub("-", title.lower()).strip("-")[: LONGEST_SLUG - 5].strip("-") or "clips", taken
    )


def checked_title(title: str) -> str:
    """A collection's title, in one printable line. Raises BadCollection."""
    title = " ".join(title.split())
    if not title or len(title) > LONGEST_TITLE or not title.isprintable():
        raise BadCollection(f"A collection has a title of 1 to {LONGEST_TITLE} printable characters.")
    return title


def collection_ids(session: Session) -> dict[str, int]:
    """The ids of all collections, by name."""
    return {slug: id_ or 0 for slug, id_ in session.exec(select(Collection.slug, col(Collection.id)))}
