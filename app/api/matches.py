"""Matches of a study, for programs: the list as it changes, one with its events, stopping one, offering one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.core.dependencies import DatabaseDep, Now
from app.matches.observing import replay_at
from app.matches.offering import offer_match
from app.matches.watching import matches_now, stop_match, watched
from app.sessions import exclusions

router = APIRouter(prefix="/studies/{slug}/matches", dependencies=[editors], tags=["matches"])
MatchId = Annotated[int, Path(ge=1, lt=2**31)]


class Out(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class SeatOut(Out):
    """`who` is a participant, or an agent's name; `session_id` is of a person. `acts`: its move is waited for."""

    seat: int
    name: str
    who: str
    occupant: str
    session_id: int | None
    earned: str
    acts: bool
    is_slow: bool
    is_silent: bool
    is_away: bool


class MatchOut(Out):
    """`left_s` is the time to the deadline in seconds, null without one."""

    id: int
    title: str
    version: int
    mode: str
    block: str
    config: str
    status: str
    end_reason: str
    round: int
    rounds: int | None
    phase: str
    formed_at: datetime
    ended_at: datetime | None
    left_s: int | None
    n_events: int
    seats: Sequence[SeatOut]


class WaiterOut(Out):
    """A participant waiting for a match; `silent_s` is the time since the last heartbeat, if too long."""

    session_id: int
    participant: str
    block: str
    status: str
    since: datetime | None
    until: datetime | None
    silent_s: int | None


class MatchesOut(Out):
    """All matches under way, and the newest of the finished ones; `next` is the `after` of the next page, or 0."""

    at: datetime
    mode: str
    waiting: Sequence[WaiterOut]
    running: Sequence[MatchOut]
    over: Sequence[MatchOut]
    n_finished: int
    n_stopped: int
    next: int


class HappenedOut(Out):
    """`after_s` is the time since the first event in seconds; `auto` why the service made a move itself."""

    seq: int
    after_s: float
    round: int
    phase: str
    who: str
    what: str
    message: str
    auto: str
    rt_ms: int | None
    reason: str


class ReplayOut(MatchOut):
    events: Sequence[HappenedOut]


class StopIn(BaseModel):
    reason: Annotated[StrictStr, Field(max_length=exclusions.LONGEST)] = ""


class OfferIn(BaseModel):
    """The `study` whose people are to rate the match."""

    study: Annotated[StrictStr, Field(max_length=64)]


@router.get("")
async def list_matches(
    database: DatabaseDep,
    study: StudyDep,
    now: Now,
    mode: Annotated[
        str, Query(description="The first of live, pilot, simulated with matches if left out.")
    ] = "",
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
) -> MatchesOut:
    """List waiting participants, the matches under way, and finished ones, fifty at a time."""
    return MatchesOut.model_validate(await database.read(matches_now, study, mode, after, now))


@router.get("/{match_id}")
async def get_match(database: DatabaseDep, study: StudyDep, match_id: MatchId, now: Now) -> ReplayOut:
    """Show one match with every event."""
    match = await database.read(watched, study, match_id, now)
    replay = await database.read(replay_at, study, match_id, 0)
    about = MatchOut.model_validate(match).model_dump()
    return ReplayOut(**about, events=[HappenedOut.model_validate(event) for event in replay.events])


@router.post("/{match_id}/stop", status_code=204)
async def end_match(
    database: DatabaseDep, who: WhoDep, study: StudyDep, match_id: MatchId, given: StopIn, now: Now
) -> None:
    """End a match now: all players keep their earnings."""
    await database.write(stop_match, who, study, match_id, given.reason, now)


@router.post("/{match_id}/offer", status_code=204)
async def offer_a_match(
    database: DatabaseDep, who: WhoDep, study: StudyDep, match_id: MatchId, given: OfferIn, now: Now
) -> None:
    """Put the records of a finished match into the library and into a next version of a study that rates records."""
    await database.write(offer_match, who, study, match_id, given.study, now)
