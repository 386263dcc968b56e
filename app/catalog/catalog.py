"""The library as it is looked through: a page at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlmodel import Session, col, select

from app.accounts.logins import NotAllowed, Who
from app.catalog.search import CatalogFilter, counts, found_ids, natural, values
from app.catalog.uses import Use, hidden, uses_for, uses_of
from app.core.errors import NotFound
from app.library.clips.facts import ClipInfo, differences
from app.library.clips.rules import Rules
from app.library.contents import content_of, is_kept
from app.library.kinds import StimulusKind
from app.library.tables import Collection, Content, Stimulus
from app.studies.access import visible_slugs
from app.studies.seeing import changed_by, seen_by

PER_PAGE = 48


@dataclass(frozen=True, slots=True)
class StimulusView:
    """A stimulus as shown to pages and programs.

    Measurements are None for a record or a text; `content` is their content, and None for a clip. `collection` is the
    name of the collection that it belongs to.
    """

    name: str
    kind: StimulusKind
    source: str
    attributes: Mapping[str, str]
    original_name: str
    original_sha256: str | None
    original_bytes: int
    content_sha256: str | None
    content: str | None
    clip: "ClipFacts | None"
    imported_at: datetime
    uses: Sequence[Use]
    collection: str = ""


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """Measurements of a clip processed by `rules`, and its differences from the original file."""

    sha256: str
    bytes: int
    duration_s: float
    width: int
    height: int
    fps: float
    frames: int
    rules: Rules
    differences: Sequence[str]


@dataclass(frozen=True, slots=True)
class Catalog:
    """A page of the stimuli that were wanted; `n_found` of `n_all` fit.

    `sources`, `kinds` and `collections` are what there is to choose from, with how many of each fit the rest of the
    filter; `titles` are those of the collections, `values` those of the attributes; `all_kinds` counts the whole
    library.
    """

    stimuli: Sequence[StimulusView]
    n_found: int
    n_all: int
    page: int
    n_pages: int
    all_kinds: Mapping[str, int]
    sources: Mapping[str, int]
    kinds: Mapping[str, int]
    collections: Mapping[str, int]
    titles: Mapping[str, str]
    values: Mapping[str, Sequence[str]]


def catalog(
    session: Session,
    who: Who,
    wanted: CatalogFilter,
    *,
    per_page: int = PER_PAGE,
    show: int = 0,
    with_uses: bool = True,
) -> Catalog:
    """A page of the stimuli that the user sees and wants; `show` of them, where that is more than a page.

    Reading the uses of each reads every draft: a page that shows none is quicker without.
    """
    found, numbers = found_ids(session, who, wanted), counts(session, who, wanted)
    n_pages = max(1, -(-len(found) // per_page))
    page = min(max(wanted.page, 1), n_pages)
    start = (page - 1) * per_page
    shown = found[start : start + max(per_page, show)]
    return Catalog(
        stimuli=_views(session, shown, with_uses=with_uses),
        n_found=len(found),
        n_all=numbers.n_all,
        page=page,
        n_pages=n_pages,
        all_kinds=numbers.all_kinds,
        sources=numbers.sources,
        kinds=numbers.kinds,
        collections=numbers.collections,
        titles=numbers.titles,
        values=values(session, who),
    )


def stimulus_for(session: Session, who: Who, name: str) -> StimulusView:
    """A stimulus, with those of its uses that the user may see. Raises NotFound."""
    stimulus = _views(session, [row_of(session, who, name).id or 0])[0]
    return replace(stimulus, uses=uses_for(session, who, stimulus.uses))


def content_for(session: Session, who: Who, name: str) -> tuple[StimulusKind, str]:
    """The content of a record or a text. Raises NotFound, also for a clip."""
    row = row_of(session, who, name)
    if row.content_sha256 is None:
        raise NotFound(f"{name} is a clip: it has a video and no content to be read.")
    return StimulusKind(row.kind), content_of(session, row.content_sha256)


def catalog_for(session: Session, who: Who, wanted: CatalogFilter) -> Catalog:
    """Like `catalog`, with those uses that the user may see."""
    found = catalog(session, who, wanted)
    visible = set(visible_slugs(session, who))
    return replace(found, stimuli=[replace(each, uses=hidden(visible, each.uses)) for each in found.stimuli])


def row_of(session: Session, who: Who, name: str, *, hold: bool = False) -> Stimulus:
    """A stimulus's row. Raises NotFound, also where nothing of it is kept or the user does not see it."""
    wanted = select(Stimulus).where(Stimulus.name == name, is_kept(), seen_by(who))
    row = session.exec(wanted.with_for_update() if hold else wanted).first() if name.isprintable() else None
    if row is None:
        raise NotFound(f"There is no clip, record or text called {name[:100]!r}.")
    return row


def row_to_change(session: Session, who: Who, name: str) -> Stimulus:
    """Like `row_of`, locked, of a stimulus that the user may change. Raises NotFound, NotAllowed."""
    row = row_of(session, who, name, hold=True)
    if why := why_not_changed(session, who, name):
        raise NotAllowed(why)
    return row


def why_not_changed(session: Session, who: Who, name: str) -> str:
    """The reason for which the user cannot change a stimulus that they see; empty where they can."""
    if not who.may_edit:
        return "Your role is viewer: you can look at it, and change nothing."
    mine = select(Stimulus.id).where(Stimulus.name == name, changed_by(who))
    if session.exec(mine).first() is not None:
        return ""
    return f"{name} is in an open collection: you can use it, and an owner changes it."


def known_sources(session: Session, who: Who) -> Sequence[str]:
    there = select(Stimulus.source).where(seen_by(who))
    return session.exec(there.distinct().order_by(Stimulus.source)).all()


def names_with_original(session: Session, who: Who, collection: int) -> Sequence[str]:
    """The clips of a collection that the user can try its rules on."""
    kept = select(Stimulus.name).where(
        col(Stimulus.clip_sha256).is_not(None),
        col(Stimulus.original_sha256).is_not(None),
        Stimulus.collection_id == collection,
        seen_by(who),
    )
    return sorted(session.exec(kept), key=natural)


def _views(session: Session, ids: Sequence[int], *, with_uses: bool = True) -> list[StimulusView]:
    found = (
        select(Stimulus, Content.content, Collection.slug)
        .join(Collection, col(Collection.id) == Stimulus.collection_id)
        .outerjoin(Content, col(Content.sha256) == Stimulus.content_sha256)
        .where(col(Stimulus.id).in_(list(ids)))
    )
    rows = {row.id: (row, content, collection) for row, content, collection in session.exec(found)}
    uses = uses_of(session, [row.name for row, *_ in rows.values()]) if with_uses else {}
    # One that was deleted meanwhile is left out.
    there = [rows[stimulus_id] for stimulus_id in ids if stimulus_id in rows]
    return [_view(*each, uses.get(each[0].name, ())) for each in there]


def _view(row: Stimulus, content: str | None, collection: str, uses: Sequence[Use]) -> StimulusView:
    return StimulusView(
        name=row.name,
        kind=StimulusKind(row.kind),
        source=row.source,
        attributes=row.attributes,
        original_name=row.original_name or "",
        original_sha256=row.original_sha256,
        original_bytes=row.original_bytes or 0,
        content_sha256=row.content_sha256,
        content=content,
        clip=_clip(row) if row.clip_sha256 is not None else None,
        imported_at=row.imported_at,
        uses=uses,
        collection=collection,
    )


def _clip(row: Stimulus) -> ClipFacts:
    rules, seen = Rules.model_validate(row.rules), row.original_video
    return ClipFacts(
        sha256=row.clip_sha256 or "",
        bytes=row.clip_bytes or 0,
        duration_s=row.duration_s or 0.0,
        width=row.width or 0,
        height=row.height or 0,
        fps=row.fps or 0.0,
        frames=row.frames or 0,
        rules=rules,
        differences=differences(ClipInfo.of(seen), rules) if seen and rules.size else (),
    )
