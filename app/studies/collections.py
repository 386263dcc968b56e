"""The collections of a study: its own, and those that it uses besides."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import BindParameter, ColumnElement, or_
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, delete, func, select

from app.accounts.audit import Actor, record
from app.accounts.logins import Who
from app.core.errors import NotFound
from app.library.collections import LONGEST_TITLE, collection_ids, free_slug, make_collection
from app.library.tables import LIBRARY, Collection, Stimulus, StudyClip, StudyCollection
from app.studies.access import visible_slugs
from app.studies.tables import StudyShare
from app.trials.tables import Study


def used_by(study_id: int | BindParameter[int]) -> ColumnElement[bool]:
    """The condition on `Stimulus` that it is of a collection that the study uses, or was put into the study by name."""
    own = select(Study.collection_id).where(Study.id == study_id, col(Study.collection_id).is_not(None))
    chosen = select(StudyCollection.collection_id).where(StudyCollection.study_id == study_id)
    put = select(StudyClip.stimulus_id).where(StudyClip.study_id == study_id)
    collection = col(Stimulus.collection_id)
    return or_(collection.in_(own), collection.in_(chosen), col(Stimulus.id).in_(put))


def own_collection(session: Session, study_id: int) -> Collection | None:
    """The study's own collection; None while it has none."""
    own = select(Collection).join(Study, col(Study.collection_id) == Collection.id)
    return session.exec(own.where(Study.id == study_id)).first()


def have_own_collection(
    session: Session, study_id: int, title: str, now: datetime, by: int | None = None
) -> Collection:
    """The study's own collection, made where there is none yet."""
    # Locked, so that two at once do not make two.
    study = session.exec(select(Study).where(Study.id == study_id).with_for_update()).one()
    if study.collection_id is not None:
        return session.get_one(Collection, study.collection_id)
    slug = free_slug(study.slug, collection_ids(session))
    made = make_collection(session, _title_of(title) or study.slug, now, slug=slug, by=by)
    study.collection_id = made.id
    session.add(study)
    session.flush()
    return made


def _title_of(title: str) -> str:
    """A study's title as its collection's: characters that are not printable, such as a joiner, are left out."""
    return "".join(filter(str.isprintable, " ".join(title.split())))[:LONGEST_TITLE].strip()


def begin_collections(
    session: Session,
    study_id: int,
    title: str,
    ids: Iterable[int] | None,
    now: datetime,
    by: int | None = None,
) -> None:
    """A new study's own collection, and the others that it uses: `ids`; if None, the shared ones, whose stimuli a
    design may draw.
    """
    have_own_collection(session, study_id, title, now, by)
    use_collections(session, study_id, shared_ids(session) if ids is None else ids)


def shared_ids(session: Session) -> list[int]:
    """The ids of the collections that no study owns."""
    owned = select(Study.collection_id).where(col(Study.collection_id).is_not(None))
    shared = select(Collection.id).where(col(Collection.id).not_in(owned)).order_by(col(Collection.id))
    return [id_ or 0 for id_ in session.exec(shared)]


def shared_ids_seen(session: Session, who: Who) -> list[int]:
    """The ids of the shared collections that the user sees, with the library."""
    seen = {*collections_seen(session, who), LIBRARY}
    return [id_ for id_ in shared_ids(session) if id_ in seen]


def ids_of(session: Session, study_id: int) -> list[int]:
    """The ids of the study's collections, its own first."""
    own = session.exec(select(Study.collection_id).where(Study.id == study_id)).first()
    chosen = select(StudyCollection.collection_id).where(StudyCollection.study_id == study_id)
    used = session.exec(chosen.order_by(col(StudyCollection.collection_id))).all()
    return [*([own] if own is not None else []), *(id_ for id_ in used if id_ != own)]


def use_collections(session: Session, study_id: int, ids: Iterable[int]) -> None:
    """Let the study use these collections besides its own, and those that it uses already."""
    there = set(ids_of(session, study_id))
    new = sorted({id_ for id_ in ids if id_} - there)
    session.add_all(StudyCollection(study_id=study_id, collection_id=id_) for id_ in new)
    session.flush()


def choose_collections(
    session: Session, by: Actor, study_id: int, slug: str, ids: Iterable[int], now: datetime
) -> None:
    """Let the study use these collections besides its own, and no other; noted in the audit log."""
    before = ids_of(session, study_id)
    session.execute(delete(StudyCollection).where(col(StudyCollection.study_id) == study_id))
    use_collections(session, study_id, ids)
    after = ids_of(session, study_id)
    if after != before:
        names = dict(session.exec(select(col(Collection.id), Collection.slug)).all())
        said = [{"collections": [names[id_] for id_ in each]} for each in (before, after)]
        record(session, by, "study.collections", now=now, study=slug, before=said[0], after=said[1])


def collections_seen(session: Session, who: Who) -> list[int]:
    """The ids of the collections that the user sees: all for an owner; else open ones, those that they made or have
    stimuli in, and those of studies that they see, with the ones that these use.
    """
    every = select(Collection.id).order_by(col(Collection.id))
    if who.is_owner:
        return [id_ or 0 for id_ in session.exec(every)]
    mine = select(StudyShare.study_id).where(StudyShare.user_id == who.user_id)
    own = select(Study.collection_id).where(col(Study.id).in_(mine), col(Study.collection_id).is_not(None))
    used = select(StudyCollection.collection_id).where(col(StudyCollection.study_id).in_(mine))
    uploaded = select(Stimulus.collection_id).where(Stimulus.uploaded_by == who.user_id)
    id_ = col(Collection.id)
    seen = or_(
        col(Collection.is_open),
        col(Collection.created_by) == who.user_id,
        *(id_.in_(each) for each in (own, used, uploaded)),
    )
    return [found or 0 for found in session.exec(every.where(seen))]


@dataclass(frozen=True, slots=True)
class CollectionLine:
    """A collection with the number of its stimuli; `study` owns it, and is empty for a shared one."""

    id: int
    slug: str
    study: str
    n: int
    title: str
    is_open: bool


def all_collections(session: Session) -> list[CollectionLine]:
    """Every collection, by name."""
    n = func.count(col(Stimulus.id))
    rows = session.execute(
        select_columns(
            col(Collection.id),
            col(Collection.slug),
            col(Study.slug),
            n,
            col(Collection.title),
            col(Collection.is_open),
        )
        .outerjoin(Study, col(Study.collection_id) == col(Collection.id))
        .outerjoin(Stimulus, col(Stimulus.collection_id) == col(Collection.id))
        .group_by(col(Collection.id), col(Study.slug))
        .order_by(col(Collection.slug))
    )
    return [CollectionLine(id_, slug, study or "", *rest) for id_, slug, study, *rest in rows]


def study_of(session: Session, collection_id: int) -> Study | None:
    """The study that owns a collection; None for a shared one."""
    return session.exec(select(Study).where(Study.collection_id == collection_id)).first()


def studies_with(session: Session, collection_id: int) -> list[str]:
    """The names of the studies that use a collection besides their own, archived ones included."""
    using = select(Study.slug).join(StudyCollection, col(StudyCollection.study_id) == Study.id)
    return [*session.exec(using.where(StudyCollection.collection_id == collection_id).order_by(Study.slug))]


def is_used_elsewhere(session: Session, collection_id: int) -> bool:
    """True if another study than its owner uses the collection, or a clip of it by name."""
    owner = study_of(session, collection_id)
    owner_id = owner.id if owner else None
    using = select(StudyCollection.study_id).where(StudyCollection.collection_id == collection_id)
    clips = select(StudyClip.study_id).join(Stimulus, col(Stimulus.id) == StudyClip.stimulus_id)
    clips = clips.where(Stimulus.collection_id == collection_id, StudyClip.study_id != owner_id)
    return any(session.exec(each.limit(1)).first() is not None for each in (using, clips))


def may_rule(session: Session, who: Who, collection: int) -> bool:
    """True if the user may change a collection's rules: owners, and editors of the study whose own it is, as long as no
    other study uses it.
    """
    if who.is_owner:
        return True
    study = study_of(session, collection)
    if study is None or not who.may_edit or study.slug not in visible_slugs(session, who):
        return False
    return not is_used_elsewhere(session, collection)


def refuse_unseen(session: Session, who: Who, collection: Collection) -> None:
    """Raises NotFound for a collection that the user does not see."""
    if collection.id not in collections_seen(session, who):
        raise NotFound(f"There is no collection {collection.slug!r} that you can see.")
