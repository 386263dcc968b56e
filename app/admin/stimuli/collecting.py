"""The collections of the library: `/admin/stimuli/collections`, made, renamed, opened and removed there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse
from sqlmodel import Session

from app.accounts.dependencies import WhoDep
from app.accounts.logins import Who
from app.admin.access import Shell, ShellDep, editors
from app.admin.forms import AnyForm
from app.admin.pages import AdminPage
from app.admin.stimuli.stimuli_pages import frame_words
from app.catalog import shared
from app.catalog.shared import KeptCollection, kept_collections
from app.core.dependencies import DatabaseDep, Now
from app.core.errors import StudyError
from app.core.refusing import refused
from app.core.templating import render
from app.library.collections import LONGEST_TITLE

router = APIRouter(prefix="/stimuli/collections", dependencies=[editors])
PAGE = "/admin/stimuli/collections"


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection with its frame in words, empty while it is open."""

    kept: KeptCollection
    frame: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionsPage(AdminPage):
    """The collections that the user sees. `typed` is the refused form, of the collection `at`, or of a new one."""

    template: ClassVar[str] = "stimuli-collections.html"
    tab: ClassVar[str] = "stimuli"
    rows: Sequence[CollectionRow]
    longest: int
    at: str
    typed: Mapping[str, str]


@router.get("")
async def show_collections(database: DatabaseDep, who: WhoDep, shell: ShellDep) -> Response:
    return render(await database.read(collections_page, who, shell))


@router.post("")
async def make_collection(
    database: DatabaseDep, who: WhoDep, shell: ShellDep, form: AnyForm, now: Now
) -> Response:
    title, is_open = form.get("title", ""), "is_open" in form
    try:
        slug = await database.write(shared.new_collection, who, title, "", is_open, now)
    except StudyError as error:
        page = database.read(collections_page, who, shell, error=str(error), typed=form)
        return refused(await page, error, "title")
    return RedirectResponse(f"{PAGE}?said=saved#{slug}", 303)


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
        page = database.read(collections_page, who, shell, error=str(error), at=collection, typed=form)
        return refused(await page, error, f"title-{collection}")
    return RedirectResponse(f"{PAGE}?said=saved#{collection}", 303)


def collections_page(
    session: Session,
    who: Who,
    shell: Shell,
    *,
    error: str = "",
    at: str = "",
    typed: Mapping[str, str] | None = None,
) -> CollectionsPage:
    """The page, with what was typed in a form that was refused."""
    rows = [CollectionRow(each, frame_words(each.size)) for each in kept_collections(session, who)]
    return CollectionsPage(
        shell=shell, error=error, rows=rows, longest=LONGEST_TITLE, at=at, typed=typed or {}
    )
