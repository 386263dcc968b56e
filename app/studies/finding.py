"""Finding studies by title, name, tag, owner and state, and those that wait for the reader; sorted, by pages."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sqlmodel import Session

from app.accounts.logins import Who
from app.core.errors import StudyError
from app.core.schema import clean
from app.studies.listing import StudyLine, every_line, study_lines
from app.trials.tables import Mode, State

PER_PAGE = 20
MORE = 40
MOST_SHOWN = 500
LONGEST_QUERY = 200
MINE = "me"
ARCHIVED = "archived"
STATES = (*State, ARCHIVED)


class Sort(StrEnum):
    """Orders of the list."""

    CHANGE = "change"
    WAITING = "waiting"
    TITLE = "title"
    MISSING = "missing"


class BadStudySearch(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class StudySearch:
    """Search criteria; empty means any. `q` is part of a title, a name in addresses, a tag or an owner.

    `owner` is `me` or an address; `state` a state, or `archived`. `show` is the number of rows on a page.
    """

    q: str = ""
    state: str = ""
    owner: str = ""
    is_waiting: bool = False
    sort: str = Sort.CHANGE
    page: int = 1
    show: int = PER_PAGE


@dataclass(frozen=True, slots=True)
class StudyList:
    """One page of the studies found. `n_by_state` counts those of every state that are found otherwise, `owners` are
    those of all studies that the reader sees.
    """

    lines: Sequence[StudyLine]
    found: int
    first: int
    n_pages: int
    n_by_state: Mapping[str, int]
    n_all: int
    n_taking: int
    n_waiting: int
    owners: Sequence[str]

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


def checked_study_search(asked: StudySearch) -> StudySearch:
    """Raises BadStudySearch for what cannot be looked for."""
    for name, value, values in (("state", asked.state, STATES), ("sort", asked.sort, tuple(Sort))):
        if value and value not in values:
            raise BadStudySearch(f"{value[:40]!r} is no {name}; use one of {', '.join(values)}.")
    if max(len(asked.q), len(asked.owner)) > LONGEST_QUERY:
        raise BadStudySearch(f"The search text is too long; {LONGEST_QUERY} characters are allowed.")
    return replace(
        asked,
        q=clean(asked.q),
        owner=clean(asked.owner),
        sort=asked.sort or Sort.CHANGE,
        page=max(1, asked.page),
        show=min(max(1, asked.show), MOST_SHOWN),
    )


def matching(session: Session, who: Who, asked: StudySearch) -> Sequence[StudyLine]:
    """All studies that are looked for, sorted. Raises BadStudySearch."""
    asked = checked_study_search(asked)
    is_archived = asked.state == ARCHIVED
    return _sorted(
        _of_state(_kept(study_lines(session, who, archived=is_archived), who, asked), asked), who, asked
    )


def find_studies(session: Session, who: Who, asked: StudySearch) -> StudyList:
    """One page of the studies that are looked for. Raises BadStudySearch."""
    asked = checked_study_search(asked)
    every = every_line(session, who)
    current = [line for line in every if line.archived_at is None]
    archived = [line for line in every if line.archived_at is not None]
    kept = _kept(current, who, asked)
    put_away = _kept(archived, who, asked)
    found = _sorted(put_away if asked.state == ARCHIVED else _of_state(kept, asked), who, asked)
    n_pages = max(1, -(-len(found) // asked.show))
    start = (min(asked.page, n_pages) - 1) * asked.show
    n_by_state: Counter[str] = Counter(line.state for line in kept)
    n_by_state.update({"": len(kept), ARCHIVED: len(put_away)})
    return StudyList(
        lines=found[start : start + asked.show],
        found=len(found),
        first=start + 1 if found else 0,
        n_pages=n_pages,
        n_by_state=n_by_state,
        n_all=len(current),
        n_taking=sum(line.state in (State.PILOT, State.LIVE) for line in current),
        n_waiting=sum(waits(line, who) for line in current),
        owners=sorted({line.owner for line in every if line.owner}),
    )


def waits(line: StudyLine, who: Who) -> bool:
    """True where the reader's own study goes on only when they do something."""
    if line.owner != who.email or line.archived_at is not None:
        return False
    piloted = line.state is State.PILOT and line.n_completed(Mode.PILOT) > 0
    return line.state in (State.DRAFT, State.PAUSED) or piloted or (line.state is State.LIVE and line.is_full)


def _of_state(lines: Sequence[StudyLine], asked: StudySearch) -> Sequence[StudyLine]:
    return [line for line in lines if asked.state in ("", ARCHIVED, line.state)]


def _kept(lines: Sequence[StudyLine], who: Who, asked: StudySearch) -> Sequence[StudyLine]:
    owner = who.email if asked.owner == MINE else asked.owner
    words = asked.q.casefold().split()
    return [
        line
        for line in lines
        if (not owner or line.owner == owner)
        and (not asked.is_waiting or waits(line, who))
        and all(word in _searched(line) for word in words)
    ]


def _searched(line: StudyLine) -> str:
    return "\n".join((line.title, line.slug, line.owner, *line.tags)).casefold()


def _sorted(lines: Sequence[StudyLine], who: Who, asked: StudySearch) -> Sequence[StudyLine]:
    """Sorted; among equals, the last changed first, as `study_lines` has them."""
    keys: Mapping[str, Callable[[StudyLine], Any]] = {
        Sort.WAITING: lambda line: not waits(line, who),
        Sort.TITLE: lambda line: (line.title or line.slug).casefold(),
        Sort.MISSING: lambda line: -_missing(line),
    }
    key = keys.get(asked.sort)
    return sorted(lines, key=key) if key else lines


def _missing(line: StudyLine) -> int:
    """The people who are still to come."""
    return max(0, (line.target or 0) - line.n_completed(Mode.LIVE)) if line.state is State.LIVE else 0
