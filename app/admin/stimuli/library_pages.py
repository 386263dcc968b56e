"""Builds the page of the library, and reads the form by which many of it are acted on."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell
from app.admin.stimuli.chooser import KINDS, MORE, PER_PAGE, Shown, chooser, marks, shown_at
from app.admin.stimuli.stimuli_pages import HERE, card_of, library_address
from app.admin.stimuli.views import LibraryPage
from app.catalog.catalog import catalog, known_sources
from app.catalog.collections import collections_for
from app.catalog.many import BadChoice, Chosen, chosen_names
from app.catalog.pictures import lack_pictures
from app.catalog.rules import reprocessing, rules_view
from app.catalog.uses import studies_using
from app.core.problems import counted, listed
from app.studies.access import study_for, visible_slugs


def library_page(
    session: Session, shell: Shell, data_dir: Path, shown: Shown, error: str = ""
) -> tuple[LibraryPage, bool]:
    """The page, and whether any clip on it still lacks its picture."""
    found = catalog(session, shell.who, shown.wanted, per_page=PER_PAGE, show=shown.show, with_uses=False)
    n_studies = studies_using(session, [each.name for each in found.stimuli])
    sources = known_sources(session, shell.who)
    query = shown.query()
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
        studies=visible_slugs(session, shell.who) if shell.may_edit else (),
        collections=[(each.slug, each.title) for each in collections_for(session, shell.who)],
        known_sources=sources,
        marks=marks(sources),
        n_before=shown.show - MORE if shown.show > PER_PAGE else -1,
        n_other=rules_view(session).n_other,
        reprocessing=reprocessing(session),
    )
    return page, lack_pictures(data_dir, found.stimuli)


def pair_address(session: Session, who: Who, chosen: Chosen, slug: str) -> str:
    """The address at which a study's page takes two chosen clips as a pair. Raises BadChoice, NotFound."""
    study = study_for(session, who, slug)
    names = chosen_names(session, who, chosen)
    if len(names) != 2:
        raise BadChoice(
            f"A pair is two clips, and {len(names)} are chosen. Choose two; many pairs at once are drawn, or "
            "listed in a file, on the study's page of pairs."
        )
    return f"/admin/studies/{study.slug}/pairs/pick?{urlencode(dict(zip(('a', 'b'), names, strict=True)))}"


def chosen_in(form: Mapping[str, str]) -> Chosen:
    """The clips ticked (`clip.NAME`), or all that fit the address that the form was on."""
    if form.get("all") == "yes":
        n_fitting = form.get("n_found", "")
        n = int(n_fitting) if n_fitting.isascii() and n_fitting.isdecimal() and len(n_fitting) < 9 else -1
        return Chosen(fitting=shown_at(library_address(form.get("back", ""))).wanted, n_fitting=n)
    return Chosen(tuple(key.removeprefix("clip.") for key in form if key.startswith("clip.")))
