"""The library searched: conditions in SQL, and how many stimuli each choice of a source or kind would leave."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, case, exists, func, or_, true
from sqlalchemy import select as select_columns
from sqlmodel import Session, col

from app.accounts.logins import Who
from app.core.json_sql import Entries, Lowered, has_text
from app.core.schema import clean
from app.library.contents import is_kept
from app.library.tables import Collection, Stimulus
from app.studies.seeing import seen_by

SORTS = {
    "name": "name",
    "source": "source",
    "duration_s": "duration, shortest first",
    "-duration_s": "duration, longest first",
    "-imported_at": "newest first",
}
MOST_WORDS = 12
MOST_ATTRIBUTES = 20
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class CatalogFilter:
    """A filter of the catalogue: each word of `text` in the name, the source or an attribute's value (`goal=g1`: just
    that value), a source, values of attributes; `sort` is one of SORTS, or an attribute.

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
class Counts:
    """Numbers of stimuli: all that the user sees, and those that fit for each choice of one part of the filter.

    `titles` are those of the collections that `collections` names.
    """

    all_kinds: Mapping[str, int]
    sources: Mapping[str, int]
    kinds: Mapping[str, int]
    collections: Mapping[str, int]
    titles: Mapping[str, str]

    @property
    def n_all(self) -> int:
        return sum(self.all_kinds.values())


def natural(text: str) -> list[tuple[int, str]]:
    """A key by which walk-2 comes before walk-10."""
    parts = _DIGITS.split(text.casefold())
    # Cut, as int() raises for more than 4,300 digits.
    return [(int(part[:18]), part) if part.isdecimal() else (-1, part) for part in parts]


def found_ids(session: Session, who: Who, wanted: CatalogFilter) -> Sequence[int]:
    """The ids of all that fits, in order: what SQL finds, put in natural order here, which no database has."""
    by, key = _sorted_by(wanted.sort)
    rows = session.execute(
        select_columns(col(Stimulus.id), col(Stimulus.name), by).where(*_seen(who), fits(wanted))
    ).all()
    rows = sorted(rows, key=lambda row: natural(row[1]))
    rows.sort(key=lambda row: key(row[2]), reverse=wanted.sort in SORTS and wanted.sort.startswith("-"))
    return [row[0] for row in rows]


def counts(session: Session, who: Who, wanted: CatalogFilter) -> Counts:
    """The numbers that each choice would leave, in one statement."""
    fitting = func.sum(case((_in_words(wanted), 1), else_=0))
    groups = col(Stimulus.source), col(Stimulus.kind), col(Collection.slug), col(Collection.title)
    rows = session.execute(
        select_columns(*groups, func.count(), fitting)
        .join(Collection, col(Collection.id) == col(Stimulus.collection_id))
        .where(*_seen(who))
        .group_by(*groups)
        .order_by(*groups)
    ).all()
    all_kinds, sources, kinds, collections = (Counter[str]() for _ in range(4))
    titles: dict[str, str] = {}
    for source, kind, collection, title, n, n_fitting in rows:
        all_kinds[kind] += n
        titles[collection] = title
        is_source, is_kind = wanted.source in ("", source), wanted.kind in ("", kind)
        is_collection = wanted.collection in ("", collection)
        sources[source] += n_fitting if is_kind and is_collection else 0
        kinds[kind] += n_fitting if is_source and is_collection else 0
        collections[collection] += n_fitting if is_source and is_kind else 0
    return Counts(_by_name(all_kinds), _by_name(sources), _by_name(kinds), _by_name(collections), titles)


def values(session: Session, who: Who) -> Mapping[str, Sequence[str]]:
    """Each attribute with the values it has, in the order of the first stimulus that has it."""
    entry = Entries(col(Stimulus.attributes)).table_valued("key", "value")
    rows = session.execute(
        select_columns(entry.c.key, entry.c.value)
        .select_from(Stimulus)
        .join(entry, true())
        .where(*_seen(who))
        .group_by(entry.c.key, entry.c.value)
        .order_by(func.min(col(Stimulus.id)))
    )
    found: dict[str, list[str]] = {}
    for key, value in rows:
        found.setdefault(key, []).extend([value] if value else [])
    return {key: sorted(each, key=natural) for key, each in found.items()}


def fits(wanted: CatalogFilter) -> ColumnElement[bool]:
    """The condition on `Stimulus` that it fits a filter."""
    conditions = [_in_words(wanted)]
    if wanted.source:
        conditions.append(col(Stimulus.source) == clean(wanted.source))
    if wanted.kind:
        conditions.append(col(Stimulus.kind) == clean(wanted.kind))
    if wanted.collection:
        named = select_columns(col(Collection.id)).where(col(Collection.slug) == clean(wanted.collection))
        conditions.append(col(Stimulus.collection_id).in_(named))
    return and_(*conditions)


def _seen(who: Who) -> tuple[ColumnElement[bool], ...]:
    return is_kept(), seen_by(who)


def _in_words(wanted: CatalogFilter) -> ColumnElement[bool]:
    """The condition of the words and the attributes, which the choices of source and kind come on top of."""
    wishes = [(key, value) for key, value in wanted.attributes.items() if value][:MOST_ATTRIBUTES]
    given = [_has_attribute(key, value) for key, value in wishes]
    return and_(true(), *map(_has_word, clean(wanted.text).split()[:MOST_WORDS]), *given)


def _has_word(word: str) -> ColumnElement[bool]:
    key, is_exact, value = word.lower().partition("=")
    entry = Entries(col(Stimulus.attributes)).table_valued("key", "value")
    if key and is_exact:
        of_key = Lowered(entry.c.key) == key
        is_value = Lowered(entry.c.value) == value if value else true()
        return exists(select_columns(1).select_from(entry).where(of_key, is_value))
    within = exists(select_columns(1).select_from(entry).where(has_text(entry.c.value, word)))
    return or_(has_text(col(Stimulus.name), word), has_text(col(Stimulus.source), word), within)


def _has_attribute(key: str, value: str) -> ColumnElement[bool]:
    entry = Entries(col(Stimulus.attributes)).table_valued("key", "value")
    return exists(
        select_columns(1).select_from(entry).where(entry.c.key == clean(key), entry.c.value == clean(value))
    )


def _sorted_by(sort: str) -> tuple[SQLColumnExpression[Any], Callable[[Any], Any]]:
    """The column to sort by and the key of its values. Ties are by name; those without duration come first."""
    match sort.removeprefix("-"):
        case "name":
            return col(Stimulus.id), lambda _: 0
        case "source":
            return col(Stimulus.source), lambda source: source
        case "duration_s":
            return col(Stimulus.duration_s), lambda duration_s: duration_s or 0.0
        case "imported_at":
            return col(Stimulus.id), lambda id_: id_
    entry = Entries(col(Stimulus.attributes)).table_valued("key", "value")
    of_key = select_columns(func.max(entry.c.value)).select_from(entry).where(entry.c.key == clean(sort))
    return of_key.scalar_subquery(), lambda value: natural(value or "")


def _by_name(found: Counter[str]) -> Mapping[str, int]:
    return dict(sorted(found.items()))
