"""Stimuli, for programs: the library, processing rules, clue reports."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.catalog import catalog, editing, many, rules, served, sheet
from app.catalog.search import CatalogFilter
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.jobs.queue import JobView, mark_job_seen
from app.library.clips.rules import Rules
from app.library.dependencies import StoreDep
from app.library.kinds import StimulusKind
from app.library.names import LONGEST_KEY, LONGEST_VALUE, MOST_ATTRIBUTES
from app.outputs import clues

router = APIRouter(dependencies=[editors], tags=["stimuli"])
JobId = Annotated[int, Path(ge=1, lt=2**31)]
Key = Annotated[StrictStr, Field(max_length=LONGEST_KEY)]
Value = Annotated[StrictStr, Field(max_length=LONGEST_VALUE)]
Short = Annotated[StrictStr, Field(max_length=200)]
CollectionName = Annotated[str, Query(max_length=100, description="the name of a collection")]
CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}
TYPES = {StimulusKind.RECORD: "application/json", StimulusKind.TEXT: "text/markdown; charset=utf-8"}
CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {}, "text/markdown": {"schema": {"type": "string"}}}}
}
_OF_CLIP = ("clip_sha256", "clip_bytes", "duration_s", "width", "height", "fps", "frames", "rules")


class _Seen(BaseModel):
    """Made from the domain's own views, attribute by attribute."""

    model_config = ConfigDict(from_attributes=True)


class UseOut(_Seen):
    """A version's pairs that show a clip, or, where `version` is null, a draft's that list it."""

    study: str
    version: int | None
    pairs: list[str]
    is_frozen: bool


class StimulusOut(_Seen):
    """A stimulus. Measurements of clips are null for a record or a text, which has `content_sha256` instead."""

    name: str
    source: str
    attributes: dict[str, str]
    original_name: str
    original_sha256: str | None
    original_bytes: int
    clip_sha256: str | None
    clip_bytes: int | None
    duration_s: float | None
    width: int | None
    height: int | None
    fps: float | None
    frames: int | None
    rules: Rules | None
    imported_at: datetime
    uses: list[UseOut]
    kind: StimulusKind
    content_sha256: str | None
    collection: str


class StimuliOut(BaseModel):
    """One page of the stimuli that were wanted: `n_found` of `n_all` fit."""

    stimuli: list[StimulusOut]
    n_found: int
    n_all: int
    page: int
    n_pages: int


class StimulusChange(BaseModel):
    """Changes to a stimulus; omitted fields are kept. `attributes` replaces all, and empty values remove an
    attribute.
    """

    model_config = ConfigDict(extra="forbid")

    name: Short | None = None
    source: Short | None = None
    attributes: Annotated[dict[Key, Value], Field(max_length=MOST_ATTRIBUTES)] | None = None


class SheetChangeOut(_Seen):
    name: str
    column: str
    before: str
    after: str


class SheetProblemOut(_Seen):
    """Rows count as a spreadsheet does, the header being row 1."""

    row: int | None
    column: str
    message: str


class PlanOut(_Seen):
    """The changes that a table would make, or has made; with `faults` it cannot be applied."""

    changes: list[SheetChangeOut]
    faults: list[SheetProblemOut]
    n_rows: int


class RulesOut(BaseModel):
    """The rules in force; `n_other` of `n_clips` clips were processed by others."""

    rules: Rules
    n_clips: int
    n_other: int
    saved_at: datetime | None


class PreviewIn(BaseModel):
    clip: Short
    rules: Rules


class JobRef(BaseModel):
    """The job that was asked for, null where none was needed."""

    id: int | None


class PreviewOut(BaseModel):
    """`result` is null until the job is done."""

    id: int
    status: str
    done: int
    total: int
    message: str
    result: Any


class CluesOut(PreviewOut):
    """A clue report; `is_current` says that it is of just the clips that the study shows now.

    `verdict` is `telling`, `too-few` or `nothing`, empty until the report is done; `says` is it in one sentence.
    """

    version: int | None
    n_clips: int
    verdict: str
    says: str
    is_current: bool
    was_seen: bool


@router.get("/stimuli")
async def list_stimuli(
    database: DatabaseDep,
    who: WhoDep,
    text: Annotated[
        str, Query(max_length=200, description="words in name, source, attributes; `goal=g1`")
    ] = "",
    source: Annotated[str, Query(max_length=200)] = "",
    attribute: Annotated[str, Query(max_length=200)] = "",
    value: Annotated[str, Query(max_length=LONGEST_VALUE)] = "",
    sort: Annotated[
        str, Query(max_length=200, description="name, source, duration_s, an attribute")
    ] = "name",
    page: Annotated[int, Query(ge=1, lt=2**31)] = 1,
    kind: StimulusKind | None = None,
    collection: CollectionName = "",
) -> StimuliOut:
    """List the clips, records and texts of the library, filtered, sorted, a page at a time."""
    attributes = {attribute: value} if attribute else {}
    wanted = CatalogFilter(text, source, kind or "", attributes, sort, page, collection)
    found = await database.read(catalog.catalog_for, who, wanted)
    return StimuliOut(
        stimuli=[_stimulus(each) for each in found.stimuli],
        n_found=found.n_found,
        n_all=found.n_all,
        page=found.page,
        n_pages=found.n_pages,
    )


@router.get("/stimuli.csv", response_class=Response, responses=CSV)
async def get_sheet(database: DatabaseDep, who: WhoDep, now: Now) -> Response:
    """Download every stimulus that you see with its source and attributes as CSV."""
    text = await database.read(sheet.sheet, who)
    await database.write(sheet.note_sheet, who, now)
    return Response(text, media_type="text/csv; charset=utf-8")


@router.put("/stimuli.csv")
async def put_sheet(
    database: DatabaseDep,
    who: WhoDep,
    now: Now,
    table: Annotated[bytes, Body(media_type="text/csv")],
    dry_run: bool = False,
) -> PlanOut:
    """Hand an edited table back: all its changes are made, or none; `dry_run` only says what would change."""
    text = sheet.text_of([table])
    if dry_run:
        return PlanOut.model_validate(await database.read(sheet.plan_sheet, who, text))
    return PlanOut.model_validate(await sheet.take_table(database, who, text, None, now))


@router.get("/stimuli/{name}")
async def get_stimulus(database: DatabaseDep, who: WhoDep, name: str) -> StimulusOut:
    """Get one clip, record or text, and where it is used."""
    return _stimulus(await database.read(catalog.stimulus_for, who, name))


@router.get("/stimuli/{name}/content", response_class=Response, responses=CONTENT)
async def get_content(database: DatabaseDep, who: WhoDep, name: str) -> Response:
    """Get the content of a record (JSON) or a text (Markdown), as people read it and as its SHA-256 is computed."""
    kind, content = await database.read(catalog.content_for, who, name)
    return Response(content, media_type=TYPES[kind])


@router.patch("/stimuli/{name}")
async def edit_stimulus(
    database: DatabaseDep, who: WhoDep, name: str, change: StimulusChange, now: Now
) -> StimulusOut:
    """Change the name, source or attributes of a stimulus; a name or source used in designs cannot be changed."""
    wish = editing.Edit(change.name, change.source, change.attributes)
    renamed = await editing.change_stimulus(database, who, name, wish, now)
    return _stimulus(await database.read(catalog.stimulus_for, who, renamed))


@router.delete("/stimuli/{name}", status_code=204)
async def delete_stimulus(database: DatabaseDep, store: StoreDep, who: WhoDep, name: str, now: Now) -> None:
    """Delete a stimulus that no version and no draft uses, and its files."""
    await many.delete(database, store, who, many.Chosen((name,)), now)


@router.get("/stimuli/{name}/clip.mp4", response_class=FileResponse)
async def get_clip(database: DatabaseDep, settings: SettingsDep, who: WhoDep, name: str) -> FileResponse:
    """Download a clip as participants see it, in ranges where asked."""
    file = await served.clip(database, settings.data_dir, who, name)
    return FileResponse(file.path, media_type=file.content_type)


@router.get("/stimuli/{name}/original", response_class=FileResponse)
async def get_original(database: DatabaseDep, settings: SettingsDep, who: WhoDep, name: str) -> FileResponse:
    """Download the file that a clip was made of."""
    file = await served.original(database, settings.data_dir, who, name)
    return FileResponse(file.path, media_type=file.content_type)


@router.get("/rules")
async def get_rules(database: DatabaseDep, who: WhoDep, collection: CollectionName = "") -> RulesOut:
    """Get the processing rules in force in a collection, `library` unless said."""
    view = await database.read(rules.rules_named, who, collection)
    return RulesOut(rules=view.rules, n_clips=view.n_clips, n_other=view.n_other, saved_at=view.saved_at)


@router.put("/rules", status_code=202)
async def apply_rules(
    database: DatabaseDep, who: WhoDep, wanted: Rules, now: Now, collection: CollectionName = ""
) -> JobRef:
    """Put rules in force in a collection: all its clips are processed anew, and it changes over when all are done.

    `crf` and `preset` that are not given are those of the rules in force; in a collection without clips and rules, 19
    and `veryfast`, as in the browser and at the command line.
    """
    return JobRef(id=await database.write(rules.apply_rules_named, who, collection, wanted, now))


@router.post("/rules/previews", status_code=202)
async def ask_preview(database: DatabaseDep, who: WhoDep, wanted: PreviewIn, now: Now) -> JobRef:
    """Try rules on one clip; `crf` and `preset` that are not given are those of its collection."""
    return JobRef(id=await database.write(rules.ask_preview, who, wanted.clip, wanted.rules, now))


@router.get("/rules/previews/{job_id}")
async def get_preview(database: DatabaseDep, who: WhoDep, job_id: JobId) -> PreviewOut:
    """Say how far a preview is, and what came of it."""
    return PreviewOut(**_job_fields(await database.read(rules.preview_run, who, job_id)))


@router.get("/rules/previews/{job_id}/{name}", response_class=FileResponse)
async def get_preview_file(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, job_id: JobId, name: str
) -> FileResponse:
    """Download `after.mp4` of a preview, or `before.mp4` where browsers do not play the original."""
    file = await served.preview(database, settings.data_dir, who, job_id, name)
    return FileResponse(file.path, media_type=file.content_type)


@router.post("/studies/{slug}/clues", status_code=202)
async def ask_clues(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> JobRef:
    """Look for clues in the clips that the study shows."""
    return JobRef(id=await clues.have_report(database, who, study, now))


@router.get("/studies/{slug}/clues")
async def list_clues(database: DatabaseDep, study: StudyDep) -> list[CluesOut]:
    """List the clue reports that were asked for, the newest first."""
    found = await database.read(clues.clips_of, study)
    runs = await database.read(clues.clue_runs, study)
    return [_clues(job, found) for job in runs]


@router.get("/studies/{slug}/clues/{job_id}")
async def get_clues(database: DatabaseDep, who: WhoDep, study: StudyDep, job_id: JobId, now: Now) -> CluesOut:
    """Get one clue report, which counts as read from then on, unless a viewer gets it."""
    found = await database.read(clues.clips_of, study)
    job = await database.read(clues.clue_run, study, job_id)
    if who.may_edit:
        await database.write(mark_job_seen, job_id, now)
    return _clues(job, found, whole=True)


def _stimulus(view: catalog.StimulusView) -> StimulusOut:
    of_clip: dict[str, Any] = dict.fromkeys(_OF_CLIP)
    if view.clip is not None:
        of_clip = {name: getattr(view.clip, name.removeprefix("clip_")) for name in _OF_CLIP}
    return StimulusOut(
        name=view.name,
        source=view.source,
        attributes=dict(view.attributes),
        original_name=view.original_name,
        original_sha256=view.original_sha256,
        original_bytes=view.original_bytes,
        imported_at=view.imported_at,
        uses=[UseOut.model_validate(use) for use in view.uses],
        collection=view.collection,
        kind=view.kind,
        content_sha256=view.content_sha256,
        **of_clip,
    )


def _job_fields(job: JobView) -> Mapping[str, Any]:
    return {
        "id": job.id,
        "status": job.status,
        "done": job.done,
        "total": job.total,
        "message": job.message,
        "result": job.result,
    }


def _clues(job: JobView, found: clues.ClueClips, *, whole: bool = False) -> CluesOut:
    verdict = clues.verdict_of(job.result) if job.result else None
    return CluesOut(
        **{**_job_fields(job), "result": job.result if whole else None},
        version=job.params["version"],
        n_clips=len(job.params["clips"]),
        verdict=verdict.code if verdict else "",
        says=verdict.says if verdict else "",
        is_current=clues.is_of(job, found),
        was_seen=job.seen_at is not None,
    )
