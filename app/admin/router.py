"""`/admin`: every screen of the experimenter. Each part has its own router, pages and templates."""

from fastapi import APIRouter

from app.admin.access import editors
from app.admin.audit.router import router as audit
from app.admin.data.router import router as data
from app.admin.design.router import router as design
from app.admin.documents.router import router as documents
from app.admin.help.router import router as help_pages
from app.admin.judges.router import router as judges
from app.admin.judges.training_router import router as training
from app.admin.login.router import inside
from app.admin.login.router import router as login
from app.admin.matches.router import router as matches
from app.admin.people.programs import router as programs
from app.admin.people.router import router as people
from app.admin.recruiting.router import router as recruiting
from app.admin.results.router import router as results
from app.admin.running.router import router as running
from app.admin.running.simulating import router as simulating
from app.admin.stimuli.router import router as stimuli
from app.admin.studies.clips import router as study_clips
from app.admin.studies.creating.router import router as new_study
from app.admin.studies.creating.router import sending as packages
from app.admin.studies.notes.router import router as notes
from app.admin.studies.pairs.router import router as pairs
from app.admin.studies.router import owners as deleting_studies
from app.admin.studies.router import router as studies
from app.admin.studies.router import show_studies
from app.admin.studies.versions.router import router as versions

PARTS: tuple[APIRouter, ...] = (
    login,
    inside,
    people,
    audit,
    programs,
    data,
    help_pages,
    training,
    judges,
    design,
    new_study,
    packages,
    studies,
    deleting_studies,
    notes,
    study_clips,
    pairs,
    versions,
    recruiting,
    results,
    running,
    simulating,
    documents,
    matches,
    stimuli,
)

MOST_BYTES = 9_000_000  # of a request; a route that takes more (uploads) says so itself

router = APIRouter(prefix="/admin", include_in_schema=False)
for part in PARTS:
    router.include_router(part, max_body_size=MOST_BYTES)
router.add_api_route("", show_studies, methods=["GET"], dependencies=[editors])  # no part has an empty path
