"""Collections as experimenters see them: listed with what is in them, found by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, func, select

from app.accounts.logins import Who
from app.library.collections import collection_named
from app.library.contents import is_kept
from app.library.kinds import kinds_in_words
from app.library.tables import LIBRARY, Collection, Stimulus
from app.studies.access import StudyHere
from app.studies.collections import (
    choose_collections,
    collections_seen,
    ids_of,
    own_collection,
    refuse_unseen,
)
from app.studies.seeing import seen_by
from app.trials.tables import Study


@dataclass(frozen=True, slots=True)
class CollectionView:
    """A collection with the numbers of its stimuli of each kind that the user sees; `study` owns it, or is empty for a
    shared one.
    """

    id: int
    slug: str
    title: str
    study: str
    is_open: bool
    kinds: Mapping[str, int]
    is_mine: bool = False

    @property
    def n(self) -> int:
        return sum(self.kinds.values())

    @property
    def contents(self) -> str:
        """`16 clips and 5 records`."""
        return kinds_in_words(self.kinds)

    @property
    def is_unused(self) -> bool:
        """True for a study's own collection that nothing is in: each study has one from its beginning."""
        return bool(self.study) and not self.n


Views = Sequence[CollectionView]
PER_PAGE = 15


@dataclass(frozen=True, slots=True)
class CollectionSearch:
    """A page of the collections whose title or study has the words `q`: the `is_unused` ones, or all others."""

    q: str = ""
    is_unused: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True)
class CollectionsFound:
    """The collections of a page; `n_used` and `n_unused` count those on all pages that have the words of the search."""

    search: CollectionSearch
    views: Views
    n_used: int
    n_unused: int
    n_pages: int


def collections_for(session: Session, who: Who) -> Sequence[CollectionView]:
    """The collections that the user sees, by title; the first one, `library`, only while something is in it."""
    views = _views(session, who, collections_seen(session, who))
    return [view for view in views if view.n or view.id != LIBRARY]


def find_collections(
    session: Session, who: Who, search: CollectionSearch, near: str = ""
) -> CollectionsFound:
    """A page of the collections that the user sees, by title; the one on which the collection `near` stands."""
    every = collections_for(session, who)
    beside = next((each for each in every if each.slug == near), None)
    if beside is not None:
        search = CollectionSearch(is_unused=beside.is_unused)
    words = search.q.casefold().split()
    found = [each for each in every if all(word in f"{each.title} {each.study}".casefold() for word in words)]
    listed = [each for each in found if each.is_unused == search.is_unused]
    n_unused = sum(each.is_unused for each in found)
    n_pages = max(1, -(-len(listed) // PER_PAGE))
    page = listed.index(beside) // PER_PAGE + 1 if beside else min(max(search.page, 1), n_pages)
    return CollectionsFound(
        search=replace(search, page=page),
        views=listed[(page - 1) * PER_PAGE : page * PER_PAGE],
        n_used=len(found) - n_unused,
        n_unused=n_unused,
        n_pages=n_pages,
    )


def collections_of(session: Session, who: Who, study: StudyHere) -> Sequence[CollectionView]:
    """The collections of a study, its own first."""
    ids = ids_of(session, study.id)
    found = {view.id: view for view in _views(session, who, ids)}
    return [found[id_] for id_ in ids if id_ in found and (found[id_].n or id_ != LIBRARY)]


def choose(session: Session, who: Who, study: StudyHere, slugs: Sequence[str], now: datetime) -> Views:
    """Let a study use the collections of these names besides its own, and no others. Raises NotFound.

    Those that it uses already and that the user does not see, or is not shown, stay.
    """
    chosen = [collection_for(session, who, slug).id or 0 for slug in slugs]
    seen = {view.id for view in collections_for(session, who)}
    unseen = [id_ for id_ in ids_of(session, study.id) if id_ not in seen]
    choose_collections(session, who.actor, study.id, study.slug, [*chosen, *unseen], now)
    return collections_of(session, who, study)


def collection_for(session: Session, who: Who, slug: str) -> Collection:
    """The collection of that name that the user sees; the library where none is named. Raises NotFound."""
    found = collection_named(session, slug)
    if slug:
        refuse_unseen(session, who, found)
    return found


def library_view(session: Session) -> CollectionView:
    """The first collection, for stimuli that are added without naming one."""
    library = session.get_one(Collection, LIBRARY)
    return CollectionView(LIBRARY, library.slug, library.title, "", library.is_open, {})


def own_slug(session: Session, study: StudyHere) -> str:
    """The name of the study's own collection, empty while it has none."""
    own = own_collection(session, study.id)
    return own.slug if own else ""


def _views(session: Session, who: Who, ids: Sequence[int]) -> list[CollectionView]:
    counted = (
        select(Stimulus.collection_id, Stimulus.kind, func.count())
        .where(is_kept(), seen_by(who), col(Stimulus.collection_id).in_(ids))
        .group_by(col(Stimulus.collection_id), col(Stimulus.kind))
    )
    kinds: dict[int, dict[str, int]] = {}
    for id_, kind, n in session.exec(counted):
        kinds.setdefault(id_, {})[kind] = n
    rows = session.execute(
        select_columns(
            col(Collection.id),
            col(Collection.slug),
            col(Collection.title),
            col(Study.slug),
            col(Collection.is_open),
            col(Collection.created_by),
        )
        .outerjoin(Study, col(Study.collection_id) == col(Collection.id))
        .where(col(Collection.id).in_(ids))
        .order_by(func.lower(col(Collection.title)), col(Collection.id))
    )
    return [
        CollectionView(id_, slug, title, study or "", is_open, kinds.get(id_, {}), by == who.user_id)
        for id_, slug, title, study, is_open, by in rows
    ]
