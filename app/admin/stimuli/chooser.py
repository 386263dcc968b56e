"""The chooser: one search box, chips of sources and kinds, and pages. The library is one, a page of pairs has two."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from app.catalog.catalog import Catalog
from app.catalog.search import SORTS, CatalogFilter
from app.library.kinds import StimulusKind
from app.trials.stimuli import HUMAN

PER_PAGE, MORE = 20, 40
# A form takes 300 fields, and each clip that is shown is one.
MOST_SHOWN = PER_PAGE + 6 * MORE
MOST_CHIPS = 8
KINDS: Mapping[str, str] = {
    StimulusKind.CLIP: "clips",
    StimulusKind.RECORD: "records",
    StimulusKind.TEXT: "texts",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """The search in an address: a filter, pictures or a table, and how many of a page's first to show."""

    wanted: CatalogFilter
    view: str = "grid"
    show: int = PER_PAGE

    @property
    def is_table(self) -> bool:
        return self.view == "table"

    def query(self) -> str:
        """The query string that asks for it; what is usual is left out."""
        wanted = self.wanted
        fields = {
            "q": wanted.text,
            "source": wanted.source,
            "kind": wanted.kind,
            "collection": wanted.collection,
        }
        fields |= {f"a.{key}": value for key, value in wanted.attributes.items()}
        fields |= {"sort": wanted.sort if wanted.sort != "name" else ""}
        fields |= {
            "view": "table" if self.is_table else "",
            "page": "" if wanted.page == 1 else str(wanted.page),
        }
        fields |= {"show": "" if self.show == PER_PAGE else str(self.show)}
        return urlencode({key: value for key, value in fields.items() if value})


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of one part of the filter, by the link `address`, or by a button where that is empty."""

    value: str
    label: str
    n: int
    is_on: bool
    address: str = ""


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of a part of the filter, as chips, or where they are many (`is_long`) as a list."""

    field: str
    label: str
    choices: Sequence[Choice]

    @property
    def is_long(self) -> bool:
        return len(self.choices) > MOST_CHIPS


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page of the list; a gap has no number."""

    number: int
    is_here: bool
    address: str = ""


@dataclass(frozen=True, slots=True)
class Chooser:
    """Search box, chips and pages. `suffix` tells the fields of two on a page apart; with `here` all choices are links.

    `nouns` are what its numbers count, one and many. `kept` are the fields of the filter that a new search keeps;
    `tags` are attributes that are filtered by, each with the address without it. `first` and `last` number what is
    shown.
    """

    suffix: str
    here: str
    text: str
    nouns: tuple[str, str]
    groups: Sequence[Choices]
    kept: Sequence[tuple[str, str]]
    tags: Sequence[Choice]
    sort: str
    sorts: Sequence[tuple[str, str]]
    views: Sequence[Choice]
    n_found: int
    n_all: int
    first: int
    last: int
    pages: Sequence[PageLink]
    following: PageLink | None
    more: str
    more_show: int
    n_more: int
    is_filtered: bool


def marks(sources: Iterable[str]) -> Mapping[str, str]:
    """The mark of each source, as charts have it: a circle for people, a square and a triangle for the next two."""
    others = [source for source in sources if source != HUMAN]
    return {
        HUMAN: "human",
        **dict.fromkeys(others, "plain"),
        **dict(zip(others, ("", "other"), strict=False)),
    }


def asked_in(query: Mapping[str, str], suffix: str = "") -> Shown:
    """The filter in a query string; invalid parts are ignored."""

    def given(name: str) -> str:
        return query.get(name + suffix, "")[:200]

    attributes = {key[2:]: value for key, value in query.items() if key.startswith("a.") and value}
    wanted = CatalogFilter(
        text=given("q").strip(),
        source=given("source"),
        kind=given("kind"),
        attributes={} if suffix else attributes,
        sort=given("sort") or "name",
        page=_number(given("page"), 1),
        collection=given("collection"),
    )
    show = min(max(_number(given("show"), PER_PAGE), PER_PAGE), MOST_SHOWN)
    return Shown(wanted, "table" if given("view") == "table" else "grid", show)


def shown_at(address: str) -> Shown:
    """Read the search from an address of the library."""
    return asked_in(dict(parse_qsl(address.partition("?")[2])))


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else otherwise


def chooser(found: Catalog, shown: Shown, here: str = "", suffix: str = "") -> Chooser:
    """The chooser of a page that was found; `here` is the address that links lead to."""
    wanted = replace(shown.wanted, page=found.page)
    shown = replace(shown, wanted=wanted)
    first = (found.page - 1) * PER_PAGE + 1 if found.stimuli else 0
    last = first + len(found.stimuli) - 1 if found.stimuli else 0

    def at(**changes: Any) -> str:
        return _address(here, replace(shown, wanted=replace(wanted, **{"page": 1, **changes}), show=PER_PAGE))

    left, more = found.n_found - last, min(shown.show + MORE, MOST_SHOWN)
    following = last // PER_PAGE + 1
    return Chooser(
        suffix=suffix,
        here=here,
        text=wanted.text,
        nouns=_nouns(found),
        groups=[group for group in _groups(found, wanted, at) if not (suffix and group.field == "kind")],
        kept=_kept(shown, suffix),
        tags=[_tag(wanted, key, at) for key in wanted.attributes],
        sort=wanted.sort,
        sorts=[*SORTS.items(), *((key, key) for key in found.values)],
        views=_views(shown, here),
        n_found=found.n_found,
        n_all=found.n_all,
        first=first,
        last=last,
        pages=_pages(found, at),
        following=PageLink(following, False, at(page=following)) if left > 0 else None,
        more=_address(here, replace(shown, show=more)) if left > 0 and more > shown.show else "",
        more_show=more if left > 0 and more > shown.show else 0,
        n_more=min(left, more - shown.show),
        is_filtered=bool(
            wanted.text or wanted.source or wanted.kind or wanted.collection or wanted.attributes
        ),
    )


def _nouns(found: Catalog) -> tuple[str, str]:
    """The words for one and for many of what is found: of one kind, or of several."""
    kinds = list(found.kinds) or [StimulusKind.CLIP]
    return " or ".join(map(str, kinds)), " or ".join(KINDS[kind] for kind in kinds)


def _address(here: str, shown: Shown) -> str:
    query = shown.query()
    return (f"{here}?{query}" if query else here) if here else ""


def _groups(found: Catalog, wanted: CatalogFilter, at: Callable[..., str]) -> list[Choices]:
    """The parts of the filter that there is something to choose in."""
    parts = (
        ("source", "Source", "All sources", found.sources, wanted.source, str),
        (
            "collection",
            "Collection",
            "All collections",
            found.collections,
            wanted.collection,
            lambda slug: found.titles[slug],
        ),
        ("kind", "Kind", "All kinds", found.kinds, wanted.kind, lambda kind: KINDS[kind].capitalize()),
    )
    groups = []
    for name, label, all_of_them, numbers, chosen, says in parts:
        if len(numbers) > 1 or chosen:
            whole = Choice("", all_of_them, sum(numbers.values()), not chosen, at(**{name: ""}))
            each = [
                Choice(
                    value,
                    says(value) if value in numbers else value,
                    numbers.get(value, 0),
                    value == chosen,
                    at(**{name: value}),
                )
                for value in dict.fromkeys((*numbers, *filter(None, [chosen])))
                if value == chosen or numbers.get(value) or not (name == "source" and wanted.collection)
            ]
            groups.append(Choices(name, label, [whole, *each]))
    return groups


def _kept(shown: Shown, suffix: str) -> list[tuple[str, str]]:
    """The parts of the filter that have no field in the form of the search box."""
    wanted = shown.wanted
    kept = {f"{name}{suffix}": getattr(wanted, name) for name in ("source", "collection", "kind")}
    kept |= {f"a.{key}": value for key, value in wanted.attributes.items()}
    kept |= {f"view{suffix}": "table" if shown.is_table else ""}
    # Two on a page begin with the study's own collection: that all are wanted is said, too.
    said = f"collection{suffix}" if suffix else ""
    return [(name, value) for name, value in kept.items() if value or name == said]


def _tag(wanted: CatalogFilter, key: str, at: Callable[..., str]) -> Choice:
    rest = {other: value for other, value in wanted.attributes.items() if other != key}
    return Choice(key, f"{key}: {wanted.attributes[key]}", 0, True, at(attributes=rest))


def _views(shown: Shown, here: str) -> list[Choice]:
    return [
        Choice(view, label, 0, shown.view == view, _address(here, replace(shown, view=view)))
        for view, label in (("grid", "Pictures"), ("table", "Table"))
    ]


def _pages(found: Catalog, at: Callable[..., str]) -> list[PageLink]:
    """The first, the last and those around the page that is shown; a gap between has the number 0."""
    near = {1, found.n_pages, *range(found.page - 1, found.page + 2)}
    numbers = [number for number in sorted(near) if 1 <= number <= found.n_pages]
    pages: list[PageLink] = []
    for number in numbers:
        if pages and number - pages[-1].number > 1:
            pages.append(PageLink(0, False))
        pages.append(PageLink(number, number == found.page, at(page=number)))
    return pages if found.n_pages > 1 else []
