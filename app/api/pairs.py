"""The pairs of a study's draft, for programs: their numbers, a draw to look at, replacing them."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.api.studies import FaultOut, Revised, Revision
from app.core.dependencies import DatabaseDep, Now
from app.pairs import draft as pairs_draft
from app.pairs.draft import PairsHere
from app.pairs.view import DrawState, Way, draw_state
from app.studies.truth import say_truth
from app.tasks.pair.design import Member, Sides
from app.tasks.pair.rows import Row
from app.tasks.pair.truth import truth_view
from app.trials.design import Kind
from app.trials.stimuli import true_source_of

router = APIRouter(prefix="/studies/{slug}/pairs", dependencies=[editors], tags=["pairs"])
Number = Annotated[int, Path(ge=1, lt=1_000_000)]


class _Seen(BaseModel):
    """Made from the domain's own views, attribute by attribute."""

    model_config = ConfigDict(from_attributes=True)


class PairOut(_Seen):
    """A pair with what its clips' sources fill in."""

    id: str
    a: str
    b: str
    source_a: str
    source_b: str
    condition: str
    kind: Kind
    truth: Member | None


class ConditionOut(_Seen):
    """Pairs of each kind; `possible` is how many the two sources could make, null where it names no two.

    `truth` and `left` say of the main pairs which member is true, and how often it will be on the left.
    """

    condition: str
    main: int
    practice: int
    attention: int
    possible: int | None
    lacks: int
    truth: str
    left: str


class ClipUseOut(_Seen):
    name: str
    source: str
    n: int


class SourceUseOut(_Seen):
    source: str
    n_clips: int
    n_used: int
    n: int


class AdviceOut(_Seen):
    """A problem that is allowed and may spoil the data."""

    message: str
    remedy: str
    is_serious: bool


class TruthOut(_Seen):
    """The true source (empty: none), and the number of main pairs in which a member is true."""

    source: str
    n_pairs: int
    n_with: int
    is_missing: bool
    says: str


class TruthIn(BaseModel):
    """A source of clips, or `none` where no answer is right or wrong."""

    source: Annotated[StrictStr, Field(min_length=1, max_length=200)]
    revision: Revision


class TruthSet(_Seen):
    """`version` is the one that the correction reached, `kept` the one that has answers and stays as it was."""

    revision: int
    version: int | None
    kept: int | None


class PairsOut(BaseModel):
    """`way` tells whether pairs are listed or drawn. If there are faults, `pairs` are those that can be read.

    `draw` is `kept` or `outdated` (a draw would give others now) if drawn pairs are stored, `loose` if they change when
    clips are added.
    """

    way: Way
    pairs: list[PairOut]
    faults: list[FaultOut]
    sides: Sides
    conditions: list[ConditionOut]
    clips: list[ClipUseOut]
    sources: list[SourceUseOut]
    advice: list[AdviceOut]
    truth: TruthOut
    draw: DrawState


class PairsIn(BaseModel):
    """Either `pairs`, a list as CSV, or `sample`, a draw, as the study file has them."""

    pairs: StrictStr | None = None
    sample: dict[str, Any] | None = None


class PairsPut(PairsIn):
    revision: Revision
    even_faulty: StrictBool = False


class PickIn(BaseModel):
    """Two clips by name. Empty fields are filled in from their sources."""

    a: Annotated[StrictStr, Field(min_length=1, max_length=200)]
    b: Annotated[StrictStr, Field(min_length=1, max_length=200)]
    condition: Annotated[StrictStr, Field(max_length=80)] = ""
    kind: Kind = Kind.MAIN
    revision: Revision


class EditIn(BaseModel):
    """`do` is up, down, swap (a and b), remove or change; `cells` are a changed row's, `position` its new place."""

    do: Annotated[StrictStr, Field(max_length=20)]
    cells: dict[StrictStr, StrictStr] = {}
    position: Annotated[StrictInt, Field(ge=1, lt=1_000_000)] | None = None
    revision: Revision


@router.get("")
async def get_pairs(database: DatabaseDep, who: WhoDep, study: StudyDep) -> PairsOut:
    """The pairs of the draft, how often each clip is used, and how truth is balanced over sides."""
    return _pairs(await database.read(pairs_draft.pairs_here, who, study))


@router.post("/preview")
async def preview_pairs(database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: PairsIn) -> PairsOut:
    """Draw or list pairs on trial; nothing is stored."""
    given = {key: value for key, value in wanted.model_dump().items() if value is not None}
    return _pairs(await database.read(pairs_draft.pairs_tried, who, study, given))


@router.put("")
async def put_pairs(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: PairsPut, now: Now
) -> Revised:
    """Put a list or a draw in the place of the draft's pairs; refused with faults unless `even_faulty`."""
    parts = {"pairs": wanted.pairs, "sample": wanted.sample}
    given = {key: value for key, value in parts.items() if value is not None}
    saved = await pairs_draft.save_pairs(
        database, who, study, given, wanted.revision, now, even_faulty=wanted.even_faulty
    )
    return Revised(revision=saved)


@router.post("", status_code=201)
async def add_pair(database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: PickIn, now: Now) -> Revised:
    """Put a pair of two clips at the end of the list."""
    row = Row("", wanted.a, wanted.b, condition=wanted.condition, kind=wanted.kind)
    added = await pairs_draft.add_pair(database, who, study, row, wanted.revision, now)
    return Revised(revision=added)


@router.post("/list")
async def list_drawn(database: DatabaseDep, who: WhoDep, study: StudyDep, seen: Revised, now: Now) -> Revised:
    """Turn the drawn pairs into a list, to be edited one by one."""
    return Revised(revision=await pairs_draft.list_drawn(database, who, study, seen.revision, now))


@router.post("/again")
async def draw_again(database: DatabaseDep, who: WhoDep, study: StudyDep, seen: Revised, now: Now) -> Revised:
    """Draw the pairs anew from the clips there are, and keep them."""
    return Revised(revision=await pairs_draft.draw_again(database, who, study, seen.revision, now))


@router.put("/truth")
async def put_truth(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: TruthIn, now: Now
) -> TruthSet:
    """Set the true source: in the draft, and in the newest version while nobody has answered it."""
    done = await say_truth(database, who, study, wanted.source, wanted.revision, now)
    return TruthSet.model_validate(done)


@router.patch("/{number}")
async def edit_pair(
    database: DatabaseDep, who: WhoDep, study: StudyDep, number: Number, wanted: EditIn, now: Now
) -> Revised:
    """Move, turn round, change or remove the pair at a place of the list, counted from 1."""
    place = {} if wanted.position is None else {"position": str(wanted.position)}
    form, revision = {**wanted.cells, **place}, wanted.revision
    edited = await pairs_draft.edit_pair(database, who, study, wanted.do, number, form, revision, now)
    return Revised(revision=edited)


def _pairs(here: PairsHere) -> PairsOut:
    summary = here.summary
    return PairsOut(
        way=here.found.way,
        pairs=[PairOut.model_validate(pair) for pair in here.found.pairs],
        faults=[FaultOut.model_validate(fault) for fault in here.found.faults],
        sides=summary.sides,
        conditions=[ConditionOut.model_validate(line) for line in summary.conditions],
        clips=[ClipUseOut.model_validate(use) for use in summary.usage.clips],
        sources=[SourceUseOut.model_validate(use) for use in summary.usage.sources],
        advice=[AdviceOut.model_validate(each) for each in summary.advice],
        truth=TruthOut.model_validate(truth_view(true_source_of(here.draft.keys), here.found.pairs)),
        draw=draw_state(here.draft.keys, here.found, here.stimuli),
    )
