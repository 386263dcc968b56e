"""Uploads into the library, for programs: sent in pieces and resumable."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict

from app.api.access import WhoDep, editors
from app.catalog import filling
from app.core.dependencies import DatabaseDep, Now, SettingsDep
from app.library import packages, receiving
from app.library.packages import NewPackage
from app.library.tables import UploadStatus
from app.library.uploads import LARGEST_FILE_BYTES, NewUpload

router = APIRouter(dependencies=[editors], tags=["stimuli"])
BINARY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class UploadOut(BaseModel):
    """`offset` bytes of `bytes` have come; once all have, `status` says what becomes of the file, `message` why."""

    token: str
    file_name: str
    name: str
    source: str
    bytes: int
    offset: int
    status: UploadStatus
    message: str
    doing: str
    done: int
    total: int


@router.post("/uploads", status_code=201)
async def begin_upload(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, new: NewUpload, now: Now
) -> UploadOut:
    """Begin an upload: its bytes are then sent to its token, in one piece or several."""
    begun = await filling.begin(database, settings.data_dir, who, new, now)
    return UploadOut.model_validate(begun.to_dict())


@router.get("/uploads")
async def list_uploads(database: DatabaseDep, settings: SettingsDep, who: WhoDep) -> list[UploadOut]:
    """List your own newest uploads."""
    found = await receiving.states(database, settings.data_dir, who)
    return [UploadOut.model_validate(each.to_dict()) for each in found]


@router.get("/uploads/{token}")
async def get_upload(database: DatabaseDep, settings: SettingsDep, who: WhoDep, token: str) -> UploadOut:
    """Say how much of an upload has come, or what became of it."""
    return UploadOut.model_validate(
        (await receiving.state(database, settings.data_dir, who, token)).to_dict()
    )


@router.patch(
    "/uploads/{token}",
    max_body_size=LARGEST_FILE_BYTES,
    openapi_extra=BINARY,
)
async def send_bytes(
    request: Request,
    database: DatabaseDep,
    settings: SettingsDep,
    who: WhoDep,
    token: str,
    offset: Annotated[int, Query(ge=0, lt=2**53)],
    now: Now,
) -> UploadOut:
    """Send the bytes from `offset` on; 409 carries the `offset` to go on from. At the end it is processed."""
    got = await receiving.receive(database, settings.data_dir, who, token, offset, request, now)
    return UploadOut.model_validate(got.to_dict())


@router.delete("/uploads/{token}", status_code=204)
async def cancel_upload(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, token: str, now: Now
) -> None:
    """Call an upload off that is not over."""
    await receiving.cancel(database, settings.data_dir, who, token, now)


class PackageOut(BaseModel):
    """`offset` bytes of `bytes` have come; once all have, a study can be made from the package."""

    model_config = ConfigDict(from_attributes=True)

    token: str
    file_name: str
    bytes: int
    offset: int


@router.post("/study-packages", status_code=201)
async def begin_package(
    database: DatabaseDep, settings: SettingsDep, who: WhoDep, new: NewPackage
) -> PackageOut:
    """Begin to send a study package: its bytes are then sent to its token, and `POST /studies` takes the token."""
    return PackageOut.model_validate(await packages.begin(database, settings.data_dir, who, new))


@router.get("/study-packages/{token}")
def get_package(settings: SettingsDep, who: WhoDep, token: str) -> PackageOut:
    """Say how much of a study package has come."""
    return PackageOut.model_validate(packages.state(settings.data_dir, who, token))


@router.patch(
    "/study-packages/{token}",
    max_body_size=LARGEST_FILE_BYTES,
    openapi_extra=BINARY,
)
async def send_package_bytes(
    request: Request,
    settings: SettingsDep,
    who: WhoDep,
    token: str,
    offset: Annotated[int, Query(ge=0, lt=2**53)],
) -> PackageOut:
    """Send the bytes of a study package from `offset` on; 409 carries the `offset` to go on from."""
    return PackageOut.model_validate(await packages.receive(settings.data_dir, who, token, offset, request))


@router.delete("/study-packages/{token}", status_code=204)
def drop_package(settings: SettingsDep, who: WhoDep, token: str) -> None:
    """Delete a study package that no study was made of."""
    packages.cancel(settings.data_dir, who, token)
