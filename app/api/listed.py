"""Studies as lists show them, found as on the page of studies, and their tags; for programs."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.core.dependencies import DatabaseDep, Now
from app.studies import finding, listing, tags
from app.trials.tables import State

router = APIRouter(dependencies=[editors], tags=["studies"])
Looked = Annotated[str, Query(max_length=200)]


class SessionsOut(BaseModel):
    """Sessions of one mode that ended, or stand, in one status."""

    mode: str
    status: str
    n: int


class StudyOut(BaseModel):
    """`version` is 0 if none is saved yet; `pairs` and `items` are then those of the draft.

    `owner` is the address of its maker, empty for the command line; `target` the live sessions wanted, if set.
    """

    slug: str
    title: str
    state: State
    version: int
    pairs: int
    is_unsaved: bool
    sessions: list[SessionsOut]
    shared_with: list[str]
    changed_at: datetime
    changed_by: str
    archived_at: datetime | None
    items: int
    owner: str
    tags: list[str]
    target: int | None


class TagsIn(BaseModel):
    tags: list[Annotated[StrictStr, Field(max_length=200)]]


class TagsOut(BaseModel):
    """The tags as they are kept: each once, sorted."""

    tags: list[str]


@router.get("/studies")
async def list_studies(
    database: DatabaseDep,
    who: WhoDep,
    archived: bool = False,
    q: Looked = "",
    state: Looked = "",
    owner: Looked = "",
    waiting: bool = False,
    sort: Looked = "",
) -> list[StudyOut]:
    """List the studies that you see: those that are not archived, or those that are.

    `q` is part of a title, name, tag or owner; `owner` an address, or `me`; `waiting` those of yours that wait for you;
    `sort` is `change`, `waiting`, `title` or `missing` (people still to come).
    """
    asked = finding.StudySearch(q, finding.ARCHIVED if archived else state, owner, waiting, sort)
    return [_study(line) for line in await database.read(finding.matching, who, asked)]


@router.get("/studies/{slug}")
async def get_study(database: DatabaseDep, study: StudyDep) -> StudyOut:
    """One study at a glance."""
    return _study(await database.read(listing.study_line, study))


@router.put("/studies/{slug}/tags")
async def put_tags(database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: TagsIn, now: Now) -> TagsOut:
    """Put these tags in the place of the study's: words by which people find it in the list."""
    return TagsOut(tags=list(await database.write(tags.set_tags, who.actor, study, wanted.tags, now)))


def _study(line: listing.StudyLine) -> StudyOut:
    sessions = [SessionsOut(mode=mode, status=status, n=n) for (mode, status), n in line.sessions.items()]
    return StudyOut(
        slug=line.slug,
        title=line.title,
        state=line.state,
        version=line.version,
        pairs=line.units.get("pair", 0),
        items=line.units.get("rating", 0),
        is_unsaved=line.is_unsaved,
        sessions=sessions,
        shared_with=list(line.shared_with),
        changed_at=line.changed_at,
        changed_by=line.changed_by,
        archived_at=line.archived_at,
        owner=line.owner,
        tags=list(line.tags),
        target=line.target,
    )
