"""Collections, for programs: listed, made, and chosen for a study."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from app.api.access import StudyDep, WhoDep, editors
from app.catalog import collections, filling, shared
from app.core.dependencies import DatabaseDep, Now

router = APIRouter(dependencies=[editors], tags=["stimuli"])
Name = Annotated[str, Field(max_length=100)]
Side = Annotated[int, Field(ge=16, le=4096, description="px, even")]


class CollectionOut(BaseModel):
    """A collection with the number of its stimuli that you see; `study` owns it, and is empty for a shared one."""

    model_config = ConfigDict(from_attributes=True)

    slug: str
    title: str
    study: str
    is_open: bool
    n: int


class CollectionIn(BaseModel):
    """A new shared collection; its name is made of the title where none is given."""

    model_config = ConfigDict(extra="forbid")

    title: Name
    slug: Name = ""
    is_open: bool = False


class CollectionChangeIn(BaseModel):
    """Changes to a collection; what is left out stays. Owners open and close it to every user."""

    model_config = ConfigDict(extra="forbid")

    title: Name | None = None
    is_open: bool | None = None


class FrameIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    width: Side
    height: Side


class ChosenIn(BaseModel):
    """The collections that a study uses besides its own."""

    model_config = ConfigDict(extra="forbid")

    collections: Annotated[list[Name], Field(max_length=1000)]


@router.get("/collections")
async def list_collections(database: DatabaseDep, who: WhoDep) -> list[CollectionOut]:
    """List the collections that you see: studies' own and shared ones."""
    return _out(await database.read(collections.collections_for, who))


@router.post("/collections", status_code=201)
async def make_collection(
    database: DatabaseDep, who: WhoDep, wanted: CollectionIn, now: Now
) -> dict[str, str]:
    """Make a shared collection; returns its name."""
    made = await database.write(shared.new_collection, who, wanted.title, wanted.slug, wanted.is_open, now)
    return {"slug": made}


@router.patch("/collections/{name}", status_code=204)
async def change_collection(
    database: DatabaseDep, who: WhoDep, name: Name, wanted: CollectionChangeIn, now: Now
) -> None:
    """Rename a collection, or open it to every user; its name in addresses stays."""
    await database.write(shared.change_collection, who, name, wanted.title, wanted.is_open, now)


@router.delete("/collections/{name}", status_code=204)
async def remove_collection(database: DatabaseDep, who: WhoDep, name: Name, now: Now) -> None:
    """Remove a shared collection that holds nothing."""
    await database.write(shared.remove_collection, who, name, now)


@router.put("/collections/{name}/frame", status_code=204)
async def set_frame(database: DatabaseDep, who: WhoDep, name: Name, frame: FrameIn, now: Now) -> None:
    """Settle the frame of a collection before its first clip; afterwards its rules are changed instead."""
    await database.write(filling.set_frame, who, name, frame.width, frame.height, now)


@router.get("/studies/{slug}/collections")
async def study_collections(database: DatabaseDep, who: WhoDep, study: StudyDep) -> list[CollectionOut]:
    """List the collections that a study uses, its own first."""
    return _out(await database.read(collections.collections_of, who, study))


@router.put("/studies/{slug}/collections")
async def choose_collections(
    database: DatabaseDep, who: WhoDep, study: StudyDep, chosen: ChosenIn, now: Now
) -> list[CollectionOut]:
    """Let a study use these collections besides its own, and no others."""
    return _out(await database.write(collections.choose, who, study, chosen.collections, now))


def _out(found: "collections.Views") -> list[CollectionOut]:
    return [CollectionOut.model_validate(each) for each in found]
