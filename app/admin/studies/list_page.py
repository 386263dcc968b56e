"""The list of studies: a page of those that are looked for, with the links of its filters and pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar
from urllib.parse import urlencode

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.admin.studies.next_words import NextLink, next_link
from app.core.errors import StudyError
from app.studies.finding import (
    ARCHIVED,
    MINE,
    MORE,
    MOST_SHOWN,
    PER_PAGE,
    Sort,
    StudyList,
    StudySearch,
    checked_study_search,
    find_studies,
)
from app.studies.listing import StudyLine
from app.trials.tables import State

SORTS = {
    Sort.CHANGE: "Last change",
    Sort.WAITING: "Waiting for you",
    Sort.TITLE: "Title",
    Sort.MISSING: "People still missing",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """A link that shows one state, with how many studies are in it."""

    words: str
    n: int
    address: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class StudyRow:
    line: StudyLine
    next: NextLink
    is_mine: bool

    @property
    def share(self) -> int:
        """The percentage of the wanted people who have finished."""
        return min(100, round(100 * self.line.finished / self.line.wanted)) if self.line.wanted else 0

    @property
    def whose(self) -> str:
        return "You" if self.is_mine else self.line.owner.partition("@")[0] or "–"


@dataclass(frozen=True, slots=True)
class PageLink:
    number: int
    address: str
    is_here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage(AdminPage):
    """`more` shows `n_more` rows more, `waiting` those that wait for the reader; empty where there are none.

    `has_any` is false where the reader sees no study, archived or not.
    """

    template: ClassVar[str] = "studies-list.html"
    tab: ClassVar[str] = "studies"
    asked: StudySearch
    list: StudyList
    rows: Sequence[StudyRow]
    filters: Sequence[Filter]
    sorts: Sequence[tuple[str, str]]
    owners: Sequence[tuple[str, str]]
    pages: Sequence[PageLink]
    more: str
    n_more: int
    waiting: str
    has_any: bool
    is_searched: bool
    archived: bool


def search_of(query: Mapping[str, str]) -> StudySearch:
    """The search in an address; a number that is none counts as not given."""
    state = query.get("state", "")
    return StudySearch(
        q=query.get("q", ""),
        state=ARCHIVED if query.get("archived", "") in ("1", "true") else state,
        owner=query.get("owner", ""),
        is_waiting=query.get("waiting", "") == "1",
        sort=query.get("sort", ""),
        page=_number(query.get("page", ""), 1),
        show=_number(query.get("show", ""), PER_PAGE),
    )


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else otherwise


def studies_page(session: Session, shell: Shell, who: Who, asked: StudySearch) -> StudiesPage:
    """The page of a search; of one that is not valid, the whole list with the reason above it."""
    error = ""
    try:
        asked = checked_study_search(asked)
    except StudyError as problem:
        asked, error = checked_study_search(StudySearch()), str(problem)
    found = find_studies(session, who, asked)
    n_more = min(MORE, found.found - found.last, MOST_SHOWN - asked.show)
    first_new = f"#row-{found.last + 1}"
    return StudiesPage(
        shell=shell,
        error=error,
        asked=asked,
        list=found,
        rows=[StudyRow(line, next_link(session, who, line), line.owner == who.email) for line in found.lines],
        filters=[
            Filter(words, found.n_by_state[state], address(asked, state=state), asked.state == state)
            for state, words in [
                ("", "All"),
                *((state, state.capitalize()) for state in State),
                (ARCHIVED, "Archived"),
            ]
            if state != ARCHIVED or found.n_by_state[ARCHIVED] or asked.state == ARCHIVED
        ],
        sorts=list(SORTS.items()),
        owners=[
            ("", "Anyone"),
            (MINE, "You"),
            *((email, email) for email in found.owners if email != who.email),
        ],
        pages=[
            PageLink(number, address(asked, page=number), number == asked.page)
            for number in range(1, found.n_pages + 1)
        ],
        more=address(asked, page=1, show=asked.show + n_more) + first_new
        if n_more > 0 and asked.page == 1
        else "",
        n_more=n_more,
        waiting=address(StudySearch(is_waiting=True, sort=Sort.CHANGE)) if found.n_waiting else "",
        has_any=bool(found.n_all or found.n_by_state[ARCHIVED]) or _is_filtered(asked),
        is_searched=_is_filtered(asked),
        archived=asked.state == ARCHIVED,
    )


def _is_filtered(asked: StudySearch) -> bool:
    return bool(asked.q or asked.owner or asked.is_waiting or asked.state)


def address(asked: StudySearch, **other: str | int) -> str:
    """The address of a search with something else in it; without `page` its first page."""
    wanted = replace(asked, **{"page": 1, **other})  # type: ignore[arg-type]
    fields = {
        "q": wanted.q,
        "state": wanted.state,
        "owner": wanted.owner,
        "waiting": "1" if wanted.is_waiting else "",
        "sort": "" if wanted.sort == Sort.CHANGE else wanted.sort,
        "page": str(wanted.page) if wanted.page > 1 else "",
        "show": str(wanted.show) if wanted.show != PER_PAGE else "",
    }
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"/admin?{query}" if query else "/admin"
