"""Studies, drafts, versions, pairs and sharing, for programs."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Body, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from app.accounts.tables import Role
from app.api.access import StudyDep, WhoDep, editors, owners_only
from app.catalog import packed
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.studies import access, archiving, changes, deleting, drafts, history, listing, making
from app.studies.file.bundle import MOST_FILES
from app.studies.file.difference import Change, Line
from app.studies.file.load import json_schema
from app.studies.file.templates import TEMPLATES
from app.studies.saving import LONGEST_REASON

router = APIRouter(dependencies=[editors], tags=["studies"])
owners = APIRouter(dependencies=[owners_only], tags=["studies"])
Number = Annotated[int, Path(ge=1, lt=2**31)]
UserId = Annotated[int, Path(ge=1, lt=2**31)]
Revision = Annotated[StrictInt, Field(ge=0, lt=2**31)]
Name = Annotated[StrictStr, Field(max_length=200)]
YAML: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/yaml": {"schema": {"type": "string"}}}}
}


class _Seen(BaseModel):
    """Made from the domain's own views, attribute by attribute."""

    model_config = ConfigDict(from_attributes=True)


class StudyIn(BaseModel):
    """A new study's starting point: exactly one of `template`, `clone` (with or without its `version`), `keys`,
    `files` and `package`.

    `files` are a study file and the files it names, by their names; `package` is the token of a study package that has
    come whole. Without a `slug` one is made of the title.
    """

    slug: Name = ""
    title: Name = ""
    template: Name | None = None
    clone: Name | None = None
    version: Annotated[StrictInt, Field(ge=1, lt=2**31)] | None = None
    keys: dict[str, Any] | None = None
    files: Annotated[dict[str, StrictStr], Field(min_length=1, max_length=MOST_FILES)] | None = None
    package: Name | None = None


class StudyMade(BaseModel):
    slug: str


class DraftOut(_Seen):
    """`revision` must be sent when saving: a draft that changed meanwhile is not overwritten."""

    keys: dict[str, Any]
    revision: int
    is_unsaved: bool
    saved_at: datetime | None
    saved_by: str


class DraftIn(BaseModel):
    keys: dict[str, Any]
    revision: Revision


class Revised(BaseModel):
    """The revision of the draft."""

    revision: Revision


class FaultOut(_Seen):
    """`place` are keys and list indices, from the top of the study file."""

    place: list[str | int]
    message: str
    remedy: str


class CheckOut(BaseModel):
    """All faults; empty if the draft can be saved as a version."""

    faults: list[FaultOut]


class VersionOut(_Seen):
    number: int
    sha256: str
    saved_at: datetime
    saved_by: str
    reason: str
    frozen_at: datetime | None
    n_pairs: int
    sessions: dict[str, int]
    n_items: int


class VersionIn(BaseModel):
    """`reason` is due where the newest version has data. With a `revision`, just that state of the draft is saved."""

    reason: Annotated[StrictStr, Field(max_length=LONGEST_REASON)] = ""
    revision: Revision | None = None


class VersionMade(BaseModel):
    """`change` is `new`, `next version`, `replaced` (nobody had taken part with it) or `unchanged`."""

    number: int
    change: str
    pairs: int
    items: int


class DifferenceOut(_Seen):
    place: str
    before: str
    after: str
    kind: Change
    lines: list[Line]


class ComparisonOut(BaseModel):
    """`is_whole` is false where the draft makes no design yet: then keys are compared, and drawn pairs not known."""

    is_whole: bool
    differences: list[DifferenceOut]


class ShareOut(_Seen):
    user_id: int
    email: str
    role: Role


class ShareIn(BaseModel):
    email: Annotated[StrictStr, Field(max_length=254)]


class TemplateOut(BaseModel):
    name: str
    title: str
    description: str
    keys: dict[str, Any]


@router.get("/study-templates")
async def list_templates() -> list[TemplateOut]:
    """List the templates a study can begin from."""
    return [
        TemplateOut(name=each.name, title=each.title, description=each.description, keys=each.keys())
        for each in TEMPLATES.values()
    ]


@router.get("/study-file-schema")
async def get_schema() -> dict[str, Any]:
    """The JSON Schema of a study file."""
    return json_schema()


@router.post("/studies", status_code=201)
async def create_study(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, wanted: StudyIn, now: Now
) -> StudyMade:
    """Make a study from a template, from another study, from a study file or from a study package."""
    start = making.Start(
        slug=wanted.slug,
        title=wanted.title,
        template=wanted.template,
        clone=wanted.clone,
        which="" if wanted.version is None else str(wanted.version),
        keys=wanted.keys,
        files=None
        if wanted.files is None
        else {name: text.encode("utf-8", "replace") for name, text in wanted.files.items()},
    )
    if wanted.package is None:
        made = await packed.make_study_with_collections(database, who, start, now)
    else:
        made = await packed.make_study_of_package(
            database, settings.data_dir, who, wanted.package, start, now
        )
    return StudyMade(slug=made.slug)


@router.post("/studies/{slug}/archive", status_code=204)
async def archive_study(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> None:
    """Take a study out of the list and close it to participants; all that it has is kept."""
    await database.write(archiving.archive, who.actor, study, now)


@router.post("/studies/{slug}/unarchive", status_code=204)
async def unarchive_study(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> None:
    """Bring an archived study back, in the state that it had."""
    await database.write(archiving.unarchive, who.actor, study, now)


@owners.delete("/studies/{slug}", status_code=204)
async def delete_study(
    settings: SettingsDep,
    database: DatabaseDep,
    who: WhoDep,
    study: StudyDep,
    now: Now,
    name: Annotated[str, Query(max_length=200)] = "",
) -> None:
    """Delete a study for ever, with all its data; for owners.

    `name` is the study's name once more, to confirm. Its clips stay in the library; the audit log keeps that it was
    deleted, by whom and when.
    """
    deleted = await database.write(deleting.delete_study, who.actor, study, name, now)
    await anyio.to_thread.run_sync(deleting.remove_files, settings.data_dir, deleted)


def _version(line: listing.VersionLine) -> VersionOut:
    units = {"n_pairs": line.units.get("pair", 0), "n_items": line.units.get("rating", 0)}
    return VersionOut.model_validate({**asdict(line), **units})


@router.get("/studies/{slug}/draft.yaml", response_class=Response, responses=YAML)
async def get_draft_file(database: DatabaseDep, study: StudyDep) -> Response:
    """The design as it is being written, as a study file."""
    return _yaml(await history.yaml_of(database, study, "draft"))


@router.put("/studies/{slug}/draft.yaml")
async def put_draft_file(
    database: DatabaseDep,
    who: WhoDep,
    study: StudyDep,
    file: Annotated[bytes, Body(media_type="application/yaml")],
    now: Now,
) -> Revised:
    """Replace the draft by a study file (or a zip of one with its texts)."""
    written = await making.read_upload({"study.yaml": file})
    revision = await changes.put_file(database, who, study, written, "a study file", now)
    return Revised(revision=revision)


@router.get("/studies/{slug}/draft")
async def get_draft(database: DatabaseDep, study: StudyDep) -> DraftOut:
    """The design as it is being written; that of the newest version where nothing was written since."""
    return DraftOut.model_validate(await database.read(drafts.draft_for, study))


@router.put("/studies/{slug}/draft")
async def put_draft(database: DatabaseDep, who: WhoDep, study: StudyDep, draft: DraftIn, now: Now) -> Revised:
    """Save the draft, complete or not; a 409 says that someone else saved since `revision`."""
    saved = await changes.put_draft(database, who, study, draft.keys, draft.revision, now)
    return Revised(revision=saved)


@router.delete("/studies/{slug}/draft", status_code=204)
async def drop_draft(database: DatabaseDep, who: WhoDep, study: StudyDep, now: Now) -> None:
    """Discard the changes since the newest version."""
    await changes.give_up_draft(database, who, study, now)


@router.get("/studies/{slug}/draft/check")
async def check_draft(database: DatabaseDep, study: StudyDep) -> CheckOut:
    """List everything that keeps the draft from being a version."""
    check = await database.read(drafts.check_stored, study)
    return CheckOut(faults=[FaultOut.model_validate(fault) for fault in check.faults])


@router.get("/studies/{slug}/versions")
async def list_versions(database: DatabaseDep, study: StudyDep) -> list[VersionOut]:
    """List the versions, the newest first."""
    return [_version(line) for line in await database.read(listing.version_lines, study)]


@router.post("/studies/{slug}/versions", status_code=201)
async def save_version(
    database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: VersionIn, now: Now
) -> VersionMade:
    """Save the draft as the newest version; a 422 says what to correct, or that a reason is needed."""
    saved = await changes.make_version(database, who, study, wanted.reason, now, wanted.revision)
    return VersionMade(
        number=saved.number,
        change=saved.change,
        pairs=saved.units.get("pair", 0),
        items=saved.units.get("rating", 0),
    )


@router.get("/studies/{slug}/versions/compare")
async def compare_versions(
    database: DatabaseDep, study: StudyDep, before: str = "draft", after: str = "draft"
) -> ComparisonOut:
    """Compare two versions; `draft` is the design being edited."""
    both = (history.which_of(before), history.which_of(after))
    found = await database.read(history.compare, study, *both)
    changes = [DifferenceOut.model_validate(each) for each in found.differences]
    return ComparisonOut(is_whole=found.is_whole, differences=changes)


@router.get("/studies/{slug}/versions/{number}.yaml", response_class=Response, responses=YAML)
async def get_version_file(database: DatabaseDep, study: StudyDep, number: Number) -> Response:
    """One version as a study file."""
    return _yaml(await history.yaml_of(database, study, number))


@router.get("/studies/{slug}/versions/{number}")
async def get_version(database: DatabaseDep, study: StudyDep, number: Number) -> dict[str, Any]:
    """One version's keys, as a draft has them."""
    return await database.read(history.keys_of, study, number)


@router.post("/studies/{slug}/versions/{number}/restore")
async def restore_version(
    database: DatabaseDep, who: WhoDep, study: StudyDep, number: Number, now: Now
) -> Revised:
    """Restore an earlier version as the draft; the previous draft is in the audit log."""
    return Revised(revision=await changes.restore_version(database, who, study, number, now))


@router.get("/studies/{slug}/shares")
async def list_shares(database: DatabaseDep, study: StudyDep) -> list[ShareOut]:
    """List the users the study is shared with; owners see it anyway."""
    return [ShareOut.model_validate(person) for person in await database.read(access.shares, study)]


@router.post("/studies/{slug}/shares", status_code=204)
async def share_study(database: DatabaseDep, who: WhoDep, study: StudyDep, wanted: ShareIn, now: Now) -> None:
    """Share the study with another user."""
    await database.write(access.share, who, study, wanted.email, now)


@router.delete("/studies/{slug}/shares/{user_id}", status_code=204)
async def unshare_study(
    database: DatabaseDep, who: WhoDep, study: StudyDep, user_id: UserId, now: Now
) -> None:
    """Share the study with a user no longer."""
    await database.write(access.unshare, who, study, user_id, now)


def _yaml(text: str) -> Response:
    return Response(text, media_type="application/yaml", headers={"Cache-Control": "no-store"})
