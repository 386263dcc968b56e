"""Builds the page of the library."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sqlmodel import Session

from app.admin.access import Shell
from app.admin.stimuli.chooser import KINDS, MORE, PER_PAGE, Shown, chooser, marks
from app.admin.stimuli.stimuli_pages import HERE, card_of
from app.admin.stimuli.views import LibraryPage
from app.catalog.catalog import catalog, known_sources
from app.catalog.collections import collections_for
from app.catalog.pictures import lack_pictures
from app.catalog.rules import reprocessing, rules_view
from app.catalog.uses import studies_using
from app.core.problems import counted, listed
from app.library.tables import LIBRARY
from app.studies.access import unarchived_slugs, visible_slugs
from app.studies.collections import may_rule
from app.studies.jobs import may_call_off
from app.studies.titles import titles_of


def library_page(
    session: Session, shell: Shell, data_dir: Path, shown: Shown, error: str = "", *, moved: str = ""
) -> tuple[LibraryPage, bool]:
    """The page, and whether any clip on it still lacks its picture. `moved` is the collection that clips were put into
    just now.
    """
    found = catalog(session, shell.who, shown.wanted, per_page=PER_PAGE, show=shown.show, with_uses=False)
    n_studies = studies_using(session, [each.name for each in found.stimuli])
    sources = known_sources(session, shell.who)
    query = shown.query()
    all_seen = collections_for(session, shell.who)
    visible = visible_slugs(session, shell.who)
    into = [each for each in all_seen if shell.who.is_owner or each.study in visible]
    only = next((each for each in all_seen if each.slug == shown.wanted.collection), None)
    new = next((each for each in all_seen if moved and each.slug == moved), None)
    of_rules = new or only
    id_ = of_rules.id if of_rules else LIBRARY
    standing = reprocessing(session, id_)
    page = LibraryPage(
        shell=shell,
        error=error,
        chooser=chooser(found, shown, HERE),
        cards=[card_of(each, data_dir, n_studies[each.name]) for each in found.stimuli],
        counted=listed(
            [counted(n, KINDS[kind][:-1]) for kind, n in found.all_kinds.items()] or ["nothing"], "and"
        ),
        is_table=shown.is_table,
        here=f"{HERE}?{query}" if query else HERE,
        keys=list(found.values),
        sheet=f"{HERE}.csv?{query}" if query else f"{HERE}.csv",
        studies=_titled(session, unarchived_slugs(session, shell.who)) if shell.may_edit else (),
        collections=[(each.slug, each.title) for each in into] if len(all_seen) > 1 else (),
        known_sources=sources,
        marks=marks(sources),
        n_before=shown.show - MORE if shown.show > PER_PAGE else -1,
        n_other=rules_view(session, id_).n_other,
        of_rules=(of_rules.slug, of_rules.title) if of_rules else ("", ""),
        may_apply=may_rule(session, shell.who, id_),
        is_moved=new is not None,
        reprocessing=standing,
        may_cancel=standing is not None and may_call_off(session, shell.who, standing),
        collection=only.slug if only else "",
    )
    return page, lack_pictures(data_dir, found.stimuli)


def _titled(session: Session, slugs: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Studies by title; those that share one are told apart by their names in addresses."""
    given = titles_of(session, slugs)
    titles = {slug: given.get(slug, slug) for slug in slugs}
    n = Counter(titles.values())
    named = [(slug, f"{title} ({slug})" if n[title] > 1 else title) for slug, title in titles.items()]
    return sorted(named, key=lambda one: one[1].casefold())
