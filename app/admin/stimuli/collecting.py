"""The collections of the library: `/admin/stimuli/collections`, made, renamed, opened and removed there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from sqlmodel import Session

from app.accounts.dependencies import WhoDep
from app.accounts.logins import Who
from app.admin.access import Shell, ShellDep, editors
from app.admin.forms import AnyForm
from app.admin.pages import AdminPage
from app.admin.stimuli.chooser import PageLink
from app.admin.stimuli.stimuli_pages import frame_words
from app.catalog import shared
from app.catalog.collections import CollectionSearch, CollectionsFound, find_collections
from app.catalog.shared import KeptCollection, kept_collections
from app.core.dependencies import DatabaseDep, Now
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.library.collections import LONGEST_TITLE

router = APIRouter(prefix="/stimuli/collections", dependencies=[editors])
PAGE = "/admin/stimuli/collections"
EVERYTHING = CollectionSearch()


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection with its frame in words, empty while it is open."""

    kept: KeptCollection
    frame: str


@dataclass(frozen=True, slots=True)
class Part:
    """A link that shows a part of the collections, with how many are in it."""

    words: str
    n: int
    address: str
    is_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionsPage(AdminPage):
    """The collections that the user sees, by pages. `parts` are the links to those in use and to the empty ones of
    studies, with their numbers. `typed` is the refused form, of the collection `at`, or of a new one.
    """

    template: ClassVar[str] = "stimuli-collections.html"
    tab: ClassVar[str] = "stimuli"
    found: CollectionsFound
    rows: Sequence[CollectionRow]
    parts: Sequence[Part]
    pages: Sequence[PageLink]
    longest: int
    at: str
    typed: Mapping[str, str]


@router.get("")
async def show_collections(
    request: Request, database: DatabaseDep, who: WhoDep, shell: ShellDep, near: str = ""
) -> Response:
    """`near` is the name of a collection, whose page of the list is shown."""
    search = search_of(request.query_params)
    return render(await database.read(collections_page, who, shell, search, near=near))


@router.post("")
async def make_collection(
    database: DatabaseDep, who: WhoDep, shell: ShellDep, form: AnyForm, now: Now
) -> Response:
    title, is_open = form.get("title", ""), "is_open" in form
    try:
        slug = await database.write(shared.new_collection, who, title, "", is_open, now)
    except StudyError as error:
        page = database.read(collections_page, who, shell, error=page_words(error), typed=form)
        return refused(await page, error, "title")
    return RedirectResponse(_beside(slug), 303)


@router.post("/{collection}/change")
async def change_collection(
    database: DatabaseDep, who: WhoDep, shell: ShellDep, form: AnyForm, collection: str, now: Now
) -> Response:
    """`do`: `rename` it, `open` it to every user, `close` it, or `remove` it."""
    try:
        match form.get("do"):
            case "rename":
                await database.write(shared.rename_collection, who, collection, form.get("title", ""), now)
            case "open" | "close" as wish:
                await database.write(shared.open_collection, who, collection, wish == "open", now)
            case "remove":
                await database.write(shared.remove_collection, who, collection, now)
                return RedirectResponse(f"{PAGE}?said=deleted", 303)
            case _:
                raise StudyError("Say what to do with the collection, by one of the buttons.")
    except StudyError as error:
        page = database.read(collections_page, who, shell, error=page_words(error), at=collection, typed=form)
        return refused(await page, error, f"title-{collection}")
    return RedirectResponse(_beside(collection), 303)


def search_of(query: Mapping[str, str]) -> CollectionSearch:
    """The search in an address; a number that is none counts as not given."""
    page = query.get("page", "")
    number = int(page) if page.isascii() and page.isdecimal() and len(page) < 7 else 1
    return CollectionSearch(query.get("q", "")[:200].strip(), query.get("empty", "") == "1", number)


def address_of(search: CollectionSearch) -> str:
    """The address of a search; the usual is left out."""
    fields = {"q": search.q, "empty": "1" if search.is_unused else ""}
    fields |= {"page": str(search.page) if search.page > 1 else ""}
    query = urlencode({key: value for key, value in fields.items() if value})
    return f"{PAGE}?{query}" if query else PAGE


def _beside(slug: str) -> str:
    """The address at which a collection that was saved is in the list."""
    return f"{PAGE}?said=saved&near={slug}#{slug}"


def collections_page(
    session: Session,
    who: Who,
    shell: Shell,
    search: CollectionSearch = EVERYTHING,
    *,
    near: str = "",
    error: str = "",
    at: str = "",
    typed: Mapping[str, str] | None = None,
) -> CollectionsPage:
    """The page, with what was typed in a form that was refused; of the list that part where `near`, or `at`, is."""
    found = find_collections(session, who, search, near or at)
    kept = kept_collections(session, who, found.views)
    return CollectionsPage(
        shell=shell,
        error=error,
        found=found,
        rows=[CollectionRow(each, frame_words(each.size)) for each in kept],
        parts=_parts(found),
        pages=_pages(found),
        longest=LONGEST_TITLE,
        at=at,
        typed=typed or {},
    )


def _parts(found: CollectionsFound) -> list[Part]:
    """The two parts of the list; none where no study's own collection is empty."""
    search = found.search
    parts = ((False, "Shared, or with clips", found.n_used), (True, "Empty, each of a study", found.n_unused))
    return [
        Part(
            words, n, address_of(replace(search, is_unused=is_unused, page=1)), search.is_unused is is_unused
        )
        for is_unused, words, n in parts
        if found.n_unused or search.is_unused
    ]


def _pages(found: CollectionsFound) -> list[PageLink]:
    search, numbers = found.search, range(1, found.n_pages + 1)
    return [
        PageLink(n, n == search.page, address_of(replace(search, page=n)))
        for n in numbers
        if found.n_pages > 1
    ]
