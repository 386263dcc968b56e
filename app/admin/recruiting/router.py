"""The study's link, steps and codes for its recruiter; the recruiter's submissions compared, and lists made of them."""

from random import SystemRandom

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from app.admin.access import ShellDep, StudyDep, WhoDep, editors
from app.admin.forms import AnyForm, FilesDep
from app.admin.recruiting.views import (
    compared,
    list_named,
    recruiting_page,
    submissions_page,
    text_sent,
)
from app.core.dependencies import DatabaseDep, Now, SettingsDep, Site
from app.core.errors import StudyError, page_words
from app.core.refusing import refused
from app.core.templating import render
from app.monitor.reconciling.reconcile import note_reconciled
from app.studies.drafts import draft_for
from app.studies.recruiting import take_codes

router = APIRouter(prefix="/studies/{slug}/recruiting", dependencies=[editors])


@router.get("")
async def show_recruiting(site: Site, database: DatabaseDep, shell: ShellDep, study: StudyDep) -> Response:
    return render(await database.read(recruiting_page, shell, study, site))


@router.post("/codes")
async def make_codes(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> Response:
    """Codes for the ways out that have none, into the draft."""
    draft = await database.read(draft_for, study)
    await database.write(take_codes, who, study, draft, now, SystemRandom())
    return RedirectResponse(f"/admin/studies/{study.slug}/recruiting?said=codes", 303)


@router.post("/submissions")
async def compare_submissions(
    site: Site,
    settings: SettingsDep,
    database: DatabaseDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: AnyForm,
    files: FilesDep,
    now: Now,
) -> Response:
    """Compare a file of submissions: the page of the comparison, or, with `list`, one of its lists as a file."""
    columns = form.get("columns", "")
    try:
        text = text_sent(form, files)
        found = await database.read(compared, study, text, columns, settings.secret)
        if name := form.get("list"):
            return _file(name, list_named(found, name))
    except StudyError as error:
        page = await database.read(recruiting_page, shell, study, site, page_words(error), columns)
        return refused(page, error, "file")
    await database.write(note_reconciled, who.actor, study, found, now)
    return render(submissions_page(shell, study, found, text, columns))


def _file(name: str, text: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
