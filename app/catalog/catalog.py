"""The library as it is looked through: filtered, sorted, a page at a time."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from app.accounts.logins import Who
from app.catalog.uses import Use, hidden, uses_for, uses_of
from app.core.errors import NotFound
from app.library.clips.facts import ClipInfo, differences
from app.library.clips.rules import Rules
from app.library.contents import content_of, is_kept
from app.library.kinds import StimulusKind
from app.library.tables import Collection, Content, Stimulus
from app.studies.access import visible_slugs
from app.studies.seeing import seen_by

PER_PAGE = 48
SORTS = {
    "name": "name",
    "source": "source",
    "duration_s": "duration, shortest first",
    "-duration_s": "duration, longest first",
    "-imported_at": "newest first",
}
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """A filter of the catalogue: `text` within the name, a source, values of attributes; `sort` is one of SORTS, or an
    attribute.

    `kind` is a StimulusKind, or empty for all; `collection` the name of one, or empty for all.
    """

    text: str = ""
    source: str = ""
    kind: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    sort: str = "name"
    page: int = 1
    collection: str = ""


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

    `sources`, `kinds` and `values` are what there is to choose from.
    """

    stimuli: Sequence[StimulusView]
    n_found: int
    n_all: int
    page: int
    n_pages: int
    sources: Mapping[str, int]
    kinds: Mapping[str, int]
    values: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Entry:
    id: int
    name: str
    source: str
    attributes: Mapping[str, str]
    duration_s: float | None
    kind: str
    collection: str


def catalog(session: Session, who: Who, wanted: CatalogFilter, *, per_page: int = PER_PAGE) -> Catalog:
    """The stimuli that the user sees, sifted here: databases differ in their JSON and their alphabets."""
    entries = _entries(session, who)
    found = sorted(filter(lambda entry: _fits(entry, wanted), entries), key=lambda entry: natural(entry.name))
    _sort(found, wanted.sort)
    n_pages = max(1, -(-len(found) // per_page))
    page = min(max(wanted.page, 1), n_pages)
    shown = found[(page - 1) * per_page : page * per_page]
    return Catalog(
        stimuli=_views(session, [entry.id for entry in shown]),
        n_found=len(found),
        n_all=len(entries),
        page=page,
        n_pages=n_pages,
        sources=dict(sorted(Counter(entry.source for entry in entries).items())),
        kinds=dict(sorted(Counter(entry.kind for entry in entries).items())),
        values=_values(entries),
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


def known_sources(session: Session, who: Who) -> Sequence[str]:
    there = select(Stimulus.source).where(seen_by(who))
    return session.exec(there.distinct().order_by(Stimulus.source)).all()


def names_with_original(session: Session, who: Who) -> Sequence[str]:
    """The clips that the user can try rules on."""
    kept = select(Stimulus.name).where(
        col(Stimulus.clip_sha256).is_not(None), col(Stimulus.original_sha256).is_not(None), seen_by(who)
    )
    return sorted(session.exec(kept), key=natural)


def natural(text: str) -> list[tuple[int, str]]:
    """A key by which walk-2 comes before walk-10."""
    parts = _DIGITS.split(text.casefold())
    # Cut, as int() raises for more than 4,300 digits.
    return [(int(part[:18]), part) if part.isdecimal() else (-1, part) for part in parts]


def _entries(session: Session, who: Who) -> list[_Entry]:
    rows = session.execute(
        select_columns(
            col(Stimulus.id),
            col(Stimulus.name),
            col(Stimulus.source),
            col(Stimulus.attributes),
            col(Stimulus.duration_s),
            col(Stimulus.kind),
            col(Collection.slug),
        )
        .join(Collection, col(Collection.id) == col(Stimulus.collection_id))
        .where(is_kept(), seen_by(who))
    )
    return [_Entry(*row) for row in rows]


def _fits(entry: _Entry, wanted: CatalogFilter) -> bool:
    return (
        wanted.text.casefold() in entry.name.casefold()
        and wanted.source in ("", entry.source)
        and wanted.kind in ("", entry.kind)
        and wanted.collection in ("", entry.collection)
        and all(entry.attributes.get(key, "") == value for key, value in wanted.attributes.items() if value)
    )


def _sort(entries: list[_Entry], sort: str) -> None:
    """Sort entries in place, ties by name, in which order they come; entries without duration come first."""
    match sort.removeprefix("-"):
        case "source":
            entries.sort(key=lambda entry: entry.source)
        case "duration_s":
            entries.sort(key=lambda entry: entry.duration_s or 0.0, reverse=sort.startswith("-"))
        case "imported_at":
            entries.sort(key=lambda entry: entry.id, reverse=sort.startswith("-"))
        case "name":
            pass
        case _:
            entries.sort(key=lambda entry: natural(entry.attributes.get(sort, "")))


def _values(entries: Sequence[_Entry]) -> Mapping[str, Sequence[str]]:
    """Each attribute with the values it has, in the order of the first clip that has it."""
    values: dict[str, set[str]] = {}
    for entry in entries:
        for key, value in entry.attributes.items():
            values.setdefault(key, set()).update({value} if value else ())
    return {key: sorted(found, key=natural) for key, found in values.items()}


def _views(session: Session, ids: Sequence[int]) -> list[StimulusView]:
    found = (
        select(Stimulus, Content.content, Collection.slug)
        .join(Collection, col(Collection.id) == Stimulus.collection_id)
        .outerjoin(Content, col(Content.sha256) == Stimulus.content_sha256)
        .where(col(Stimulus.id).in_(list(ids)))
    )
    rows = {row.id: (row, content, collection) for row, content, collection in session.exec(found)}
    uses = uses_of(session, [row.name for row, *_ in rows.values()])
    return [_view(*rows[stimulus_id], uses[rows[stimulus_id][0].name]) for stimulus_id in ids]


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
