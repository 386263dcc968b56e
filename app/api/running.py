"""A study while it runs, for programs: its state, the checklist, previews, the monitor's numbers, sessions."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Self

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field, StrictInt, StrictStr, model_validator

from app.api.access import StudyDep, WhoDep, editors
from app.api.monitored import Flags, MonitorOut, Out
from app.core.database import Database
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.library.dependencies import StoreDep
from app.monitor.progress import choice_of, snapshot
from app.monitor.sessions_list import LONGEST_QUERY, Search, checked_search, find_sessions, found_ids
from app.monitor.sessions_view import one_session
from app.monitor.strips import Mark
from app.outputs.clues import clues_state
from app.sessions import exclusions, links
from app.sessions.entry import pass_for
from app.studies import launch
from app.studies.access import StudyHere
from app.studies.blinding import may_look
from app.studies.checklist import ChecklistContext, checklist
from app.studies.closing import LONGEST_GRACE_MIN
from app.trials.flags import Flag
from app.trials.tables import Mode, State

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors], tags=["running"])
SessionId = Annotated[int, Path(ge=1, lt=2**31)]
MOST_SESSIONS = 10_000
Text = Annotated[StrictStr, Field(max_length=exclusions.LONGEST)]


class StateIn(BaseModel):
    """`known` are the codes of the checklist's warnings that you accept; `reason` is why the study goes live despite
    them.

    For closing: sessions under way may continue for `grace_minutes` (0: not at all), then they are shown `message`.
    Closing a closed study with one of these changes how it ends.
    """

    state: State
    known: Annotated[list[StrictStr], Field(max_length=100)] = []
    reason: Text = ""
    grace_minutes: Annotated[StrictInt, Field(ge=0, le=LONGEST_GRACE_MIN)] | None = None
    message: Annotated[StrictStr, Field(min_length=1, max_length=launch.LONGEST_REASON)] | None = None

    def closing(self) -> launch.Closing | None:
        """None where neither is given."""
        given = {"grace_min": self.grace_minutes, "message": self.message}
        said: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return launch.Closing(**said) if said else None


class StateOut(Out):
    """`entrance` is the path at which participants come in; `to` the states that may follow.

    `closes_at` is until when sessions under way may go on in a closed study; null where they may not, or it is open.
    """

    state: State
    entrance: str
    to: Sequence[State]
    closes_at: datetime | None


class CheckOut(Out):
    code: str
    title: str
    verdict: str
    detail: str


class PreviewOut(Out):
    address: str


class LineOut(Out):
    id: int
    participant: str
    mode: str
    arm: str
    version: int
    status: str
    page: str
    arrived_at: datetime
    ended_at: datetime | None
    answered: int
    planned: int
    flags: Flags
    is_excluded: bool
    notes: int
    strip: Sequence[Mark]


class SessionsOut(Out):
    """`next` is the `after` of the next page, 0 on the last. `counts` has how many there are of each kind, whatever
    status, flag and exclusion are looked for; `strip` of a line has a mark for each trial, or for several of many.
    """

    found: int
    lines: Sequence[LineOut]
    next: int
    counts: Mapping[str, int]


class WatchedOut(Out):
    side: str | None
    member: str
    stimulus: str
    source: str
    reported: bool
    fetched: bool | None
    watched: bool
    plays: int
    played: Sequence[tuple[float, float]]
    duration_s: float | None
    stalls: int
    stall_ms: int
    dropped_frames: int
    max_rate: float | None
    failed: bool
    errors: Sequence[str]


class TrialOut(Out):
    pair: str
    condition: str
    kind: str
    chosen: str
    chosen_side: str
    correct: bool | None
    unplayable: bool
    clips: Sequence[WatchedOut]
    hidden_ms: int
    page_loads: int
    drift_ms_max: int | None
    layout: str
    opened_ms: int | None
    interval_ms: int | None
    unwatched: bool
    study_rule: str | None
    flags: Sequence[Flag]
    reported: Sequence[str]
    sides_known: bool


class EventOut(Out):
    at: datetime | None
    kind: str
    title: str
    since: datetime | None
    rt_ms: int | None
    answers: Sequence[tuple[str, str]]
    trial: TrialOut | None
    text: str
    by: str


class SessionOut(Out):
    """`exclusion` is why it is excluded, empty where it counts; `to_come` trials are not answered."""

    id: int
    participant: str
    mode: str
    arm: str
    version: int
    status: str
    page: str
    arrived_at: datetime
    ended_at: datetime | None
    ordinal: int | None
    recruiter: Mapping[str, str]
    answered: int
    to_come: int
    flags: Flags
    exclusion: str
    events: Sequence[EventOut]


class NamesIn(BaseModel):
    """Ids of your own, such as the numbers of a laboratory's participants."""

    participants: Annotated[list[StrictStr], Field(min_length=1, max_length=links.MOST_NAMES)]


class LinkOut(Out):
    """`path` is for the participant only: it begins their session, and continues it, in every browser."""

    participant: str
    path: str


class SessionLinkOut(Out):
    path: str


class ReasonIn(BaseModel):
    reason: Text


class ManyIn(BaseModel):
    """Sessions by number, or all that met an exclusion rule, as `GET .../sessions?rule=` lists them."""

    sessions: Annotated[list[StrictInt], Field(max_length=MOST_SESSIONS)] = []
    rule: StrictStr = ""

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.sessions) == bool(self.rule):
            raise ValueError("give either sessions or a rule")
        return self


class ExcludeIn(ManyIn):
    reason: Text


class ManyOut(Out):
    """Sessions that were changed, and those that were so already."""

    changed: Sequence[int]
    unchanged: Sequence[int]


class NoteIn(BaseModel):
    text: Text


@router.get("/state")
async def get_state(database: DatabaseDep, study: StudyDep) -> StateOut:
    """Say which state the study is in, and which may follow."""
    return StateOut.model_validate(await database.read(launch.state_now, study))


@router.put("/state")
async def put_state(
    database: DatabaseDep, who: WhoDep, study: StudyDep, store: StoreDep, wanted: StateIn, now: Now
) -> StateOut:
    """Start the pilot, launch, pause, close, reopen, or go back to draft."""
    accepted, around = (
        launch.Accepted(frozenset(wanted.known), wanted.reason),
        ChecklistContext(store, clues_state),
    )
    closing = wanted.closing()
    await launch.put_state(database, who.actor, study, wanted.state, accepted, around, now, closing)
    return StateOut.model_validate(await database.read(launch.state_now, study))


@router.get("/checklist")
async def get_checklist(database: DatabaseDep, study: StudyDep, store: StoreDep) -> list[CheckOut]:
    """Check everything that is looked at before people come in."""
    checks = await database.read(checklist, study, ChecklistContext(store, clues_state))
    return [CheckOut.model_validate(check) for check in checks]


@router.post("/previews", status_code=201)
async def make_preview(database: DatabaseDep, settings: SettingsDep, study: StudyDep) -> PreviewOut:
    """Make a preview link, for anyone: a fresh walk through the newest version's pages that is not counted."""
    await database.read(launch.refuse_without_version, study)
    return PreviewOut(address=f"/s/{study.slug}?as={pass_for(study.slug, Mode.PREVIEW, settings.secret)}")


@router.get("/monitor")
async def get_monitor(
    database: DatabaseDep,
    who: WhoDep,
    study: StudyDep,
    now: Now,
    version: Annotated[
        str, Query(description="A number, or `all`; the newest with sessions if left out.")
    ] = "",
    mode: Annotated[
        str, Query(description="The first of live, pilot, simulated with sessions if left out.")
    ] = "",
) -> MonitorOut:
    """Count sessions, votes, times and troubles."""
    choice, sees_live = choice_of(version, mode), await database.read(may_look, who, study, Mode.LIVE)
    numbers = await database.read(snapshot, study, choice, now, None, sees_live=sees_live)
    return MonitorOut.model_validate(numbers)


@router.get("/sessions")
async def list_sessions(
    database: DatabaseDep,
    study: StudyDep,
    q: Annotated[str, Query(max_length=LONGEST_QUERY)] = "",
    status: str = "",
    mode: str = "",
    flag: str = "",
    excluded: str = "",
    rule: str = "",
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
) -> SessionsOut:
    """Find sessions, the newest first, fifty at a time."""
    search = checked_search(Search(q, status, mode, flag, excluded, rule, after))
    found = await database.read(partial(find_sessions, with_counts=True), study, search, None)
    return SessionsOut.model_validate(found)


@router.get("/sessions/{session_id}")
async def get_session(database: DatabaseDep, study: StudyDep, session_id: SessionId) -> SessionOut:
    """Show one session with every page and event."""
    return SessionOut.model_validate(await database.read(one_session, study, session_id))


@router.put("/sessions/{session_id}/exclusion", status_code=204)
async def exclude_session(
    database: DatabaseDep, who: WhoDep, study: StudyDep, session_id: SessionId, given: ReasonIn, now: Now
) -> None:
    """Leave a session out of the analysis."""
    await database.write(exclusions.exclude, who, study, session_id, given.reason, now)


@router.delete("/sessions/{session_id}/exclusion", status_code=204)
async def include_session(
    database: DatabaseDep, who: WhoDep, study: StudyDep, session_id: SessionId, now: Now
) -> None:
    """Include an excluded session again."""
    await database.write(exclusions.include, who, study, session_id, now)


@router.post("/exclusions")
async def exclude_sessions(
    database: DatabaseDep, who: WhoDep, study: StudyDep, given: ExcludeIn, now: Now
) -> ManyOut:
    """Leave many sessions out of the analysis, for one reason: all of them, or none."""
    ids = await _chosen(database, study, given)
    return ManyOut.model_validate(
        await database.write(exclusions.exclude_many, who.actor, study, ids, given.reason, now)
    )


@router.post("/inclusions")
async def include_sessions(
    database: DatabaseDep, who: WhoDep, study: StudyDep, given: ManyIn, now: Now
) -> ManyOut:
    """Include many excluded sessions again."""
    ids = await _chosen(database, study, given)
    return ManyOut.model_validate(await database.write(exclusions.include_many, who.actor, study, ids, now))


async def _chosen(database: Database, study: StudyHere, given: ManyIn) -> Sequence[int]:
    if not given.rule:
        return given.sessions
    return await database.read(found_ids, study, checked_search(Search(rule=given.rule)))


@router.post("/sessions/{session_id}/notes", status_code=204)
async def add_note(
    database: DatabaseDep, who: WhoDep, study: StudyDep, session_id: SessionId, given: NoteIn, now: Now
) -> None:
    """Leave a note at a session; it is in no export."""
    await database.write(exclusions.add_note, who, study, session_id, given.text, now)


@router.post("/links", status_code=201)
async def make_links(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, study: StudyDep, given: NamesIn, now: Now
) -> list[LinkOut]:
    """Make a signed link for each participant of a list."""
    names, secret = given.participants, settings.secret
    made = await database.write(links.participant_links, who.actor, study, names, secret, now)
    return [LinkOut.model_validate(link) for link in made]


@router.post("/sessions/{session_id}/link", status_code=201)
async def make_session_link(
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    study: StudyDep,
    session_id: SessionId,
    now: Now,
) -> SessionLinkOut:
    """Make a link with which a session goes on in any browser, for 30 days."""
    secret = settings.secret
    path = await database.write(links.session_link, who.actor, study, session_id, secret, now)
    return SessionLinkOut(path=path)
