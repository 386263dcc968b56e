"""A study's clips: its own collection, the others that it uses, and the choice of these."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse
from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.access import Shell, ShellDep, StudyDep, WhoDep, editors
from app.admin.pages import AdminPage
from app.admin.stimuli.stimuli_pages import frame_words
from app.catalog.collections import CollectionView, choose, collections_for, collections_of
from app.catalog.rules import rules_in_force
from app.core.dependencies import DatabaseDep, Form, Now
from app.core.errors import StudyError, page_words
from app.core.templating import render
from app.studies.access import StudyHere

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
_USE = "use."


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """A collection with its frame in words, empty while it is open."""

    collection: CollectionView
    frame: str
    is_used: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyClipsPage(AdminPage):
    """`own` is the study's own collection, None while it has none; `others` can be chosen, used ones first."""

    template: ClassVar[str] = "stimuli-of-study.html"
    tab: ClassVar[str] = "clips"
    slug: str
    own: CollectionRow | None
    others: Sequence[CollectionRow]


@router.get("/clips")
async def show_study_clips(database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep) -> Response:
    return render(await database.read(study_clips_page, who, shell, study))


@router.post("/clips")
async def choose_clips(
    database: DatabaseDep, shell: ShellDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    try:
        await database.write(choose, who, study, chosen_in(form), now)
    except StudyError as error:
        page = database.read(study_clips_page, who, shell, study, page_words(error))
        return render(await page, error.status_code)
    return RedirectResponse(f"/admin/studies/{study.slug}/clips?said=saved", 303)


def chosen_in(form: Mapping[str, str]) -> list[str]:
    """The names of the collections that are ticked in a form."""
    return [name.removeprefix(_USE) for name in form if name.startswith(_USE)]


def study_clips_page(
    session: Session, who: Who, shell: Shell, study: StudyHere, error: str = ""
) -> StudyClipsPage:
    used = collections_of(session, who, study)
    others = [each for each in used if each.study != study.slug]
    ids = {each.id for each in used}
    more = [each for each in collections_for(session, who) if each.id not in ids and each.n]
    own = next((each for each in used if each.study == study.slug), None)
    return StudyClipsPage(
        shell=shell,
        error=error,
        slug=study.slug,
        own=_row(session, own, True) if own else None,
        others=[
            *(_row(session, each, True) for each in others),
            *(_row(session, each, False) for each in more),
        ],
    )


def _row(session: Session, collection: CollectionView, is_used: bool) -> CollectionRow:
    return CollectionRow(collection, frame_words(rules_in_force(session, collection.id)[0].size), is_used)
