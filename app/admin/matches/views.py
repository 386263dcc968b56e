"""The data of the match pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.pages import AdminPage
from app.core.problems import counted
from app.matches.observing import Replay, replay_at
from app.matches.offering import rating_studies
from app.matches.watching import Matches, Watched, matches_now, watched
from app.studies.access import StudyHere


@dataclass(frozen=True, slots=True)
class MatchesNow:
    """The part of the list that is kept up to date."""

    template: ClassVar[str] = "matches-live.html"
    slug: str
    now: Matches


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchesPage(AdminPage):
    """The list of matches. `live` is the address polled by the script; `modes` are the choices."""

    template: ClassVar[str] = "matches.html"
    tab: ClassVar[str] = "matches"
    slug: str
    here: MatchesNow
    modes: Sequence[tuple[str, str]]
    live: str
    older: str
    newest: str


@dataclass(frozen=True, slots=True)
class MatchNow:
    """The part of a match's page that changes with the event that is looked at, and while it is played."""

    template: ClassVar[str] = "match-live.html"
    slug: str
    match: Watched
    replay: Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPage(AdminPage):
    """One match. `reason` is the input of a refused form; `rating` the studies to which it can be offered."""

    template: ClassVar[str] = "match.html"
    tab: ClassVar[str] = "matches"
    slug: str
    here: MatchNow
    reason: str = ""
    rating: Sequence[str] = ()


def matches_page(
    session: Session, shell: Shell, study: StudyHere, mode: str, after: int, now: datetime
) -> MatchesPage:
    """Raises Conflict for a mode that is none."""
    found = matches_now(session, study, mode, after, now)
    home = f"/admin/studies/{study.slug}/matches"
    chosen = f"mode={found.mode}"
    return MatchesPage(
        shell=shell,
        slug=study.slug,
        here=MatchesNow(study.slug, found),
        modes=[(each, f"{each}, {counted(n, 'match', 'matches')}") for each, n in found.n_by_mode.items()],
        live=f"{home}/live?{chosen}" + (f"&after={after}" if after else ""),
        older=f"{home}?{chosen}&after={found.next}" if found.next else "",
        newest=f"{home}?{chosen}" if after else "",
    )


def matches_part(session: Session, study: StudyHere, mode: str, after: int, now: datetime) -> MatchesNow:
    return MatchesNow(study.slug, matches_now(session, study, mode, after, now))


def match_part(session: Session, study: StudyHere, match_id: int, at: int, now: datetime) -> MatchNow:
    """Raises NotFound."""
    return MatchNow(
        study.slug, watched(session, study, match_id, now), replay_at(session, study, match_id, at)
    )


def match_page(
    session: Session,
    shell: Shell,
    who: Who,
    study: StudyHere,
    match_id: int,
    at: int,
    now: datetime,
    *,
    reason: str = "",
    error: str = "",
) -> MatchPage:
    """Raises NotFound."""
    here = match_part(session, study, match_id, at, now)
    can_offer = shell.may_edit and here.match.is_finished
    rating = rating_studies(session, who) if can_offer else ()
    return MatchPage(shell=shell, error=error, slug=study.slug, here=here, reason=reason, rating=rating)
