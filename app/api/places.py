"""Places of a study, for programs: how filled its arms are, and changes while it runs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import AwareDatetime, BaseModel, Field, StrictBool, StrictInt, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.api.monitored import Out
from app.core.dependencies import DatabaseDep, Now
from app.sessions import retargeting
from app.trials.tables import State

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors], tags=["running"])


class ArmIn(BaseModel):
    """`target` null is that of the study file. A paused arm takes no participants."""

    target: Annotated[StrictInt, Field(ge=1, le=retargeting.MOST)] | None = None
    is_paused: StrictBool = False


class PlacesIn(BaseModel):
    """Changes of places; what is null is as the study file says. Times have their time zone."""

    target: Annotated[StrictInt, Field(ge=1, le=retargeting.MOST)] | None = None
    opens_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None
    arms: Annotated[dict[Annotated[StrictStr, Field(max_length=40)], ArmIn], Field(max_length=100)] = {}


class ArmOut(Out):
    """`completed` and `active` are the live sessions that count."""

    arm: str
    target: int | None
    is_paused: bool
    completed: int
    active: int


class PlacesOut(Out):
    """Places as they hold now, of the study file or changed since. `uncounted` sessions are completed and fill no
    place."""

    state: State
    target: int | None
    opens_at: datetime | None
    ends_at: datetime | None
    arms: Sequence[ArmOut]
    uncounted: int


@router.get("/places")
async def get_places(database: DatabaseDep, study: StudyDep, now: Now) -> PlacesOut:
    """Say how many sessions count in each arm, and what target and dates hold."""
    return PlacesOut.model_validate(await database.read(retargeting.places_for, study, now))


@router.put("/places")
async def put_places(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: PlacesIn, now: Now
) -> PlacesOut:
    """Change target, dates and arms while the study runs; what is left out is as the study file says."""
    arms = {name: retargeting.ArmNow(arm.target, arm.is_paused) for name, arm in wanted.arms.items()}
    changed = retargeting.PlacesNow(wanted.target, wanted.opens_at, wanted.ends_at, arms)
    places = await database.write(retargeting.change_places, who.actor, study, changed, now)
    return PlacesOut.model_validate(places)
