"""The data of the page that a link to results shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from sqlmodel import Session

from analysis.findings.model import Findings
from app.admin.results.views import kept_view, posters_of
from app.admin.shared.outsiders import for_outsiders
from app.outputs.results import is_wanted, modes_of, standing
from app.outputs.shared_results import SharedResults, shared_by
from app.reports.page.drawn import Block, Drawn, ShownSection, blocks_of, drawn_of, shown_sections
from app.studies.titles import titles_of
from app.verdicts.judging import not_judged


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedResultsPage:
    """`view` is None while nothing is computed, or while the study runs; `is_wanted` if it is to be computed."""

    template: ClassVar[str] = "shared-results.html"
    shared: SharedResults
    title: str
    here: str
    n_answers: int = 0
    view: Findings | None = None
    drawn: Mapping[str, Drawn]
    posters: frozenset[str] = frozenset()
    statistics: Sequence[ShownSection] = ()
    is_wanted: bool = False
    is_current: bool = True
    has_failed: bool = False
    # While exclusion rules wait to be applied: how many sessions are not judged, in words.
    not_judged: str = ""

    @property
    def blocks(self) -> Sequence[Block]:
        return blocks_of(self.view, self.drawn) if self.view else ()


def shared_page(session: Session, token: str, data_dir: Path, now: datetime) -> SharedResultsPage:
    """Raises NotFound for a link that is none, LinkEnded."""
    shared = shared_by(session, token, now)
    slug = shared.study.slug
    title, here = titles_of(session, [slug]).get(slug, slug), f"/r/{token}"
    if shared.is_closed:
        return SharedResultsPage(shared=shared, title=title, here=here, drawn={})
    n_answers = dict(modes_of(session, shared.study))[shared.asked.mode]
    if not n_answers:
        return SharedResultsPage(shared=shared, title=title, here=here, drawn={})
    there = standing(session, shared.study, shared.asked)
    kept = kept_view(data_dir, there)
    view = for_outsiders(kept) if kept else None
    return SharedResultsPage(
        shared=shared,
        title=title,
        here=here,
        n_answers=n_answers,
        view=view,
        drawn={one.name: drawn_of(one, "") for one in view.figures} if view else {},
        posters=posters_of(view, data_dir),
        statistics=shown_sections(view.sections, lambda name: "") if view else (),
        is_wanted=is_wanted(there, now, is_kept=kept is not None),
        is_current=there.is_current,
        has_failed=there.failed is not None,
        not_judged=not_judged(session, slug),
    )
