"""The processing rules: `/admin/stimuli/rules`, tried on one clip, put in force for all."""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse, RedirectResponse

from app.accounts.dependencies import WhoDep
from app.admin.access import ShellDep, editors
from app.admin.stimuli.rules_page import rules_page
from app.admin.stimuli.rulesform import rules_in, typed
from app.catalog import rules as library_rules
from app.catalog import served
from app.catalog.rules import BadRules
from app.core.dependencies import DatabaseDep, Form, Now, SettingsDep
from app.core.errors import StudyError, page_words
from app.core.templating import render
from app.library.clips.rules import Rules

router = APIRouter(prefix="/stimuli", dependencies=[editors])
PAGE = "/admin/stimuli/rules"
JobId = Annotated[int | None, Query(ge=1, lt=2**31)]


@router.get("/rules")
async def show_rules(
    database: DatabaseDep,
    who: WhoDep,
    shell: ShellDep,
    clip: str = "",
    job: JobId = None,
    collection: str = "",
) -> Response:
    return render(await database.read(rules_page, who, shell, clip=clip, job_id=job, slug=collection))


@router.post("/rules")
async def take_rules(database: DatabaseDep, who: WhoDep, shell: ShellDep, form: Form, now: Now) -> Response:
    """`action`: `show` another clip, `preview` the rules on it, or `apply` them to all."""
    clip, slug = form.get("clip", "").strip(), form.get("collection", "")
    try:
        rules = rules_in(form)
        if form.get("action") == "preview":
            job_id = await database.write(library_rules.ask_preview, who, clip, rules, now)
            return RedirectResponse(f"{PAGE}?{_query(slug, job=str(job_id))}#preview", 303)
        if form.get("action") == "apply":
            return await _apply(database, who, rules, slug, now)
    except StudyError as error:
        faults = error.faults if isinstance(error, BadRules) else {}
        said = "" if faults else page_words(error)
        page = database.read(
            rules_page, who, shell, form=typed(form, faults), clip=clip, slug=slug, error=said
        )
        return render(await page, error.status_code)
    return render(await database.read(rules_page, who, shell, form=typed(form), clip=clip, slug=slug))


@router.post("/rules/apply")
async def apply_to_all(database: DatabaseDep, who: WhoDep, form: Form, now: Now) -> Response:
    """Apply a collection's rules to all of its clips, as some were moved in."""
    slug = form.get("collection", "")
    await database.write(library_rules.apply_rules_in_force, who, slug, now)
    return RedirectResponse(f"/admin/stimuli?{_query(slug, said='started')}", 303)


async def _apply(database: DatabaseDep, who: WhoDep, rules: Rules, slug: str, now: Now) -> Response:
    job_id = await database.write(library_rules.apply_rules_named, who, slug, rules, now)
    return RedirectResponse(f"{PAGE}?{_query(slug, said='saved' if job_id is None else 'started')}", 303)


def _query(slug: str, **fields: str) -> str:
    return urlencode({"collection": slug, **fields} if slug else fields)


@router.get("/previews/{job_id}/{name}")
async def play_preview(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    job_id: Annotated[int, Path(ge=1, lt=2**31)],
    name: str,
) -> FileResponse:
    file = await served.preview(database, settings.data_dir, who, job_id, name)
    return FileResponse(
        file.path, media_type=file.content_type, headers={"Cache-Control": "private, no-cache"}
    )
