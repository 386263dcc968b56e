"""Results: opened knowingly while a study runs, computed by the worker, read as a page and as CSV."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse, RedirectResponse

from analysis.findings.model import Findings, Numbers
from app.accounts.dependencies import WhoDep
from app.accounts.logins import Who
from app.admin.access import ShellDep, editors
from app.admin.results.views import Wish, lacks_posters, results_page, view_of
from app.catalog.pictures import ask_pictures
from app.core.database import Database
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep, Site
from app.core.errors import NotFound, StudyError, at_field, page_words
from app.core.refusing import refused
from app.core.settings import Settings
from app.core.templating import render
from app.library.media import poster_path
from app.outputs import results
from app.outputs.shared_results import checked_end, share_results, unshare_results
from app.reports.page.drawn import csv_of, tables_of
from app.studies.access import StudyHere
from app.studies.dependencies import StudyDep

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors])
Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Path(pattern=r"^[a-z]{1,40}$")]
TableName = Annotated[str, Path(pattern=r"^[a-z_]{1,40}(-[0-9]{1,2})?$")]
LinkId = Annotated[int, Path(ge=1, lt=2**31)]
Short = Annotated[str, Query(max_length=64)]
NO_STORE = {"Cache-Control": "no-store"}


@router.get("/results")
async def show_results(
    database: DatabaseDep,
    settings: SettingsDep,
    shell: ShellDep,
    study: StudyDep,
    now: Now,
    mode: Short = "",
    against: Short = "",
    pairs: Short = "",
    every: Short = "",
) -> Response:
    """Show the results. Nothing is computed here: missing or old numbers are requested from the worker."""
    wish = Wish(mode, against, pairs, every)
    page = await database.read(results_page, shell, study, settings.data_dir, wish, now)
    if page.wanted:
        await database.write(results.ask_results, shell.who, study, page.wanted, now)
        page = await database.read(results_page, shell, study, settings.data_dir, wish, now)
    if not page.is_closed and page.n_answers and lacks_posters(page, settings.data_dir):
        database.write_soon(ask_pictures, now)
    return render(page)


@router.post("/results/open")
async def open_results(
    database: DatabaseDep,
    settings: SettingsDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    form: Form,
    now: Now,
) -> Response:
    try:
        if form.get("known") != "yes":
            raise results.BadView("Tick that you know what it means, then open the results.")
        await database.write(results.open_results, who, study, now)
    except StudyError as error:
        page = await database.read(
            results_page, shell, study, settings.data_dir, Wish("live"), now, page_words(error)
        )
        return refused(page, error, "known")
    return RedirectResponse(
        f"/admin/studies/{study.slug}/results?mode=live&said=results-open", 303, headers=NO_STORE
    )


@router.post("/results/again")
async def compute_again(
    database: DatabaseDep, who: WhoDep, study: StudyDep, form: Form, now: Now
) -> Response:
    """After a computation that failed."""
    mode, against = form.get("mode", ""), form.get("against", "")
    asked = await database.read(results.asked_for, who, study, mode, against)
    await database.read(results.require_all_open, who, study, asked)
    await database.write(results.ask_results, who, study, asked, now)
    return RedirectResponse(f"/admin/studies/{study.slug}/results?mode={asked.mode}", 303, headers=NO_STORE)


@router.post("/results/links")
async def make_link(
    database: DatabaseDep,
    settings: SettingsDep,
    shell: ShellDep,
    who: WhoDep,
    study: StudyDep,
    site: Site,
    form: Form,
    now: Now,
) -> Response:
    """The link stands on this reply alone: only its hash is stored."""
    mode, name = form.get("mode", ""), form.get("name", "")
    try:
        with at_field("ends"):
            ends = checked_end(form.get("ends", ""), now)
        token = await database.write(share_results, who, study, mode, name, ends, now)
    except StudyError as error:
        page = await database.read(
            results_page, shell, study, settings.data_dir, Wish(), now, page_words(error), typed=form
        )
        return refused(page, error, "link-name")
    link = f"{site}/r/{token}"
    page = await database.read(results_page, shell, study, settings.data_dir, Wish(mode), now, new_link=link)
    return render(page)


@router.post("/results/links/{link_id}/revoke")
async def revoke_link(
    database: DatabaseDep, who: WhoDep, study: StudyDep, link_id: LinkId, now: Now
) -> Response:
    await database.write(unshare_results, who, study, link_id, now)
    return RedirectResponse(f"/admin/studies/{study.slug}/results?said=revoked#share", 303, headers=NO_STORE)


@router.get("/results/{name}.csv")
async def download_figure(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    study: StudyDep,
    name: Name,
    mode: Short = "",
    against: Short = "",
) -> Response:
    asked = await database.read(results.asked_for, who, study, mode, against)
    view = await _kept(database, settings, who, study, asked)
    figure = view.figure(name) if view else None
    if figure is None or not figure.numbers.columns:
        raise NotFound(f"There is no figure {name!r} in these results.")
    return _csv(figure.numbers, f"{study.slug}-{asked.mode}-{name}.csv")


@router.get("/results/numbers/{name}.csv")
async def download_numbers(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    study: StudyDep,
    name: TableName,
    mode: Short = "",
    against: Short = "",
) -> Response:
    """One table of a statistic."""
    asked = await database.read(results.asked_for, who, study, mode, against)
    view = await _kept(database, settings, who, study, asked)
    tables = dict(one for section in view.sections for one in tables_of(section)) if view else {}
    if name not in tables:
        raise NotFound(f"There is no table {name!r} in these results.")
    return _csv(tables[name], f"{study.slug}-{asked.mode}-{name}.csv")


async def _kept(
    database: Database, settings: Settings, who: Who, study: StudyHere, asked: results.ResultsRequest
) -> Findings | None:
    """The cached results that this user has opened."""
    await database.read(results.require_all_open, who, study, asked)
    return view_of(settings.data_dir, await database.read(results.shown_job, study, asked))


def _csv(numbers: Numbers, name: str) -> Response:
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(csv_of(numbers), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/results/clips/{clip}.jpg")
async def show_clip(
    database: DatabaseDep, settings: SettingsDep, study: StudyDep, clip: Sha256
) -> FileResponse:
    path = poster_path(settings.data_dir, await database.read(results.check_clip, study, clip))
    if not path.is_file():
        raise NotFound("This picture is no longer in the data folder.")
    return FileResponse(path, media_type="image/jpeg", headers={"Cache-Control": "private, no-cache"})
