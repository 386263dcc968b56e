"""`/admin`: every screen of the experimenter's room. Each part has its own router, pages and templates."""

from fastapi import APIRouter

from app.experimenter.access import editors
from app.experimenter.data.router import router as data
from app.experimenter.design.router import router as design
from app.experimenter.door.router import inside
from app.experimenter.door.router import router as door
from app.experimenter.help.router import router as help_pages
from app.experimenter.judges.router import router as judges
from app.experimenter.people.programs import router as programs
from app.experimenter.people.router import router as people
from app.experimenter.results.router import looking
from app.experimenter.results.router import router as results
from app.experimenter.running.router import router as running
from app.experimenter.stimuli.router import router as stimuli
from app.experimenter.studies.creating.router import router as new_study
from app.experimenter.studies.pairs.router import router as pairs
from app.experimenter.studies.router import owners as deleting_studies
from app.experimenter.studies.router import router as studies
from app.experimenter.studies.router import show_studies
from app.experimenter.studies.versions.router import router as versions

PARTS: tuple[APIRouter, ...] = (
    door,
    inside,
    people,
    programs,
    data,
    help_pages,
    judges,
    design,
    new_study,
    studies,
    deleting_studies,
    pairs,
    versions,
    results,
    looking,
    running,
    stimuli,
)

MOST_BYTES = 9_000_000  # of a request; a route that takes more (uploads) says so itself

router = APIRouter(prefix="/admin", include_in_schema=False)
for part in PARTS:
    router.include_router(part, max_body_size=MOST_BYTES)
router.add_api_route("", show_studies, methods=["GET"], dependencies=[editors])  # no part has an empty path
