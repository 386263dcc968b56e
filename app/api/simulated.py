"""Simulated people of a study, for programs: sent through its pages, counted, stopped, removed."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from app.api.access import StudyDep, WhoDep, editors
from app.api.data import RunOut, run_out
from app.core.dependencies import DatabaseDep, Now
from app.sessions import simulated
from app.sessions.simulated import MOST, MOST_SEED, SimulationWish

router = APIRouter(prefix="/studies/{slug}/simulated", dependencies=[editors], tags=["running"])
_USUAL = SimulationWish()


class SimulatedIn(BaseModel):
    """Wish: how many people come, the share of trials in which they find the true clip, and their answers' seed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    n: Annotated[int, Field(ge=1, le=MOST)] = _USUAL.n
    accuracy: Annotated[float, Field(ge=0, le=1)] = _USUAL.accuracy
    seed: Annotated[int, Field(ge=0, le=MOST_SEED)] = _USUAL.seed


class SimulatedOut(BaseModel):
    """Simulated sessions, those that are over, and the newest run; `is_open` while more may come, before the launch."""

    n: int
    n_completed: int
    is_open: bool
    run: RunOut | None


@router.get("")
async def get_simulated(database: DatabaseDep, study: StudyDep) -> SimulatedOut:
    """Count the simulated people, and say how far their newest run is."""
    here = await database.read(simulated.simulated_here, study)
    run = run_out(here.run) if here.run else None
    return SimulatedOut(n=here.n, n_completed=here.n_completed, is_open=here.is_open, run=run)


@router.post("", status_code=202)
async def send_simulated(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: SimulatedIn, now: Now
) -> dict[str, int]:
    """Send simulated people through the newest version's pages, in the background; returns the run's number."""
    wish = SimulationWish(wanted.n, wanted.accuracy, wanted.seed)
    return {"id": await database.write(simulated.ask_simulation, who, study, wish, now)}


@router.post("/stop", status_code=204)
async def stop_simulated(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> None:
    """Stop those who are on their way; sessions that are over stay."""
    await database.write(simulated.stop_simulation, who, study, now)


@router.delete("", status_code=204)
async def remove_simulated(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> None:
    """Delete all simulated sessions of the study with their answers."""
    await database.write(simulated.remove_simulated, who.actor, study, now)
