"""The API explained to people, and jobs for the pages' scripts."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from app.accounts.dependencies import WhoDep
from app.admin.access import ShellDep, anyone, editors
from app.admin.people.apidoc import refusals_of, tags_of
from app.admin.people.views import ApiPage
from app.core.dependencies import DatabaseDep, Now, Site
from app.core.templating import render
from app.jobs.queue import JobView
from app.jobs.tables import Kind
from app.studies.jobs import call_off, job_for

reading = APIRouter(dependencies=[anyone])
working = APIRouter(dependencies=[editors])

Id = Annotated[int, Path(ge=1, lt=2**31)]
# Where a job was asked for: one of a study's own pages, or one of the library's.
_STUDY_PAGES = {
    Kind.CLUES: "clues",
    Kind.REPORT: "data",
    Kind.PACKAGE: "data",
    Kind.JUDGES: "judges",
    Kind.TRAINING: "judges/train",
}


@reading.get("/api")
async def show_api(request: Request, site: Site, shell: ShellDep) -> Response:
    base = f"{site}/api/v1"
    document = _document(request)
    tags, refusals = tags_of(document, base), refusals_of(document)
    return render(ApiPage(shell=shell, base=base, tags=tags, refusals=refusals))


@reading.get("/api/openapi.json")
async def show_schema(request: Request) -> Response:
    return JSONResponse(dict(_document(request)))


@working.get("/jobs/{job_id}")
async def show_job(database: DatabaseDep, who: WhoDep, job_id: Id) -> Response:
    return JSONResponse(_job_fields(await database.peek(job_for, who, job_id)))


@working.post("/jobs/{job_id}/cancel")
async def cancel_job(request: Request, database: DatabaseDep, who: WhoDep, job_id: Id, now: Now) -> Response:
    job, slug = await database.write(call_off, who, job_id, now)
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse(_job_fields(await database.peek(job_for, who, job_id)))
    return RedirectResponse(f"{page_of(job, slug)}?said=cancelled", 303)


def page_of(job: JobView, slug: str | None) -> str:
    """The page that asked for the job."""
    if slug and job.kind in _STUDY_PAGES:
        return f"/admin/studies/{slug}/{_STUDY_PAGES[job.kind]}"
    return "/admin/stimuli/rules" if job.kind is Kind.PREVIEW else "/admin/stimuli"


def _job_fields(job: JobView) -> Mapping[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "done": job.done,
        "total": job.total,
        "doing": job.doing,
        "message": job.message,
        "is_over": job.is_over,
    }


def _document(request: Request) -> Mapping[str, Any]:
    """The document of the API mounted next to these pages; the two do not import each other."""
    mounted = (getattr(route, "app", None) for route in request.app.routes)
    api = next(app for app in mounted if isinstance(app, FastAPI))
    return api.openapi()


router = APIRouter()
for part in (reading, working):
    router.include_router(part)
