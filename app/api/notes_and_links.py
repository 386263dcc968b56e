"""Notes on a study and links that show its results to outsiders, for programs."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, StrictStr

from app.api.access import StudyDep, WhoDep, editors
from app.core.dependencies import DatabaseDep, Now, Site
from app.outputs import shared_results
from app.outputs.shared_results import LONGEST_NAME
from app.studies import notes

router = APIRouter(prefix="/studies/{slug}", dependencies=[editors], tags=["studies"])
RowId = Annotated[int, Path(ge=1, lt=2**31)]


class NoteOut(BaseModel):
    """A note; `by` is the name or address of its author, `is_own` whether the token's user wrote it."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    text: str
    by: str
    at: datetime
    edited_at: datetime | None
    is_own: bool


class StudyNoteIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    text: Annotated[StrictStr, Field(max_length=2 * notes.LONGEST)]


class ResultsLinkOut(BaseModel):
    """A link that shows something now; `opened_at` is when it was last opened, not by whom."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    mode: str
    by: str
    made_at: datetime
    expires_at: datetime
    opened_at: datetime | None


class ResultsLinkIn(BaseModel):
    """`name` says whom the link is for; it ends after the day `ends`, 30 days from now unless said."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[StrictStr, Field(max_length=LONGEST_NAME)]
    mode: Annotated[StrictStr, Field(max_length=40)] = "live"
    ends: date | None = None


class ResultsLinkMade(BaseModel):
    """The link, which is told this once: only its hash is stored."""

    link: str


@router.get("/notes", response_model=list[NoteOut])
async def list_notes(database: DatabaseDep, who: WhoDep, study: StudyDep) -> Sequence[notes.NoteView]:
    """List the notes on a study, newest first."""
    return await database.read(notes.notes_of, who, study)


@router.post("/notes", status_code=201)
async def add_study_note(
    database: DatabaseDep, who: WhoDep, study: StudyDep, note: StudyNoteIn, now: Now
) -> dict[str, int]:
    """Leave a note for all who see the study; it is in no export."""
    return {"id": await database.write(notes.add_note, who, study, note.text, now)}


@router.put("/notes/{note_id}", status_code=204)
async def edit_study_note(
    database: DatabaseDep, who: WhoDep, study: StudyDep, note_id: RowId, note: StudyNoteIn, now: Now
) -> None:
    """Change a note of your own."""
    await database.write(notes.edit_note, who, study, note_id, note.text, now)


@router.delete("/notes/{note_id}", status_code=204)
async def delete_study_note(
    database: DatabaseDep, who: WhoDep, study: StudyDep, note_id: RowId, now: Now
) -> None:
    """Delete a note of your own."""
    await database.write(notes.delete_note, who, study, note_id, now)


@router.get("/results-links", response_model=list[ResultsLinkOut])
async def list_results_links(
    database: DatabaseDep, study: StudyDep, now: Now
) -> Sequence[shared_results.ResultsLinkView]:
    """List the links that show the study's results without a login, newest first; the links themselves are not kept."""
    return await database.read(shared_results.results_links, study, now)


@router.post("/results-links", status_code=201)
async def make_results_link(
    database: DatabaseDep, who: WhoDep, study: StudyDep, site: Site, wanted: ResultsLinkIn, now: Now
) -> ResultsLinkMade:
    """Make a link that shows the study's results without a login; live ones once the study is closed."""
    ends = shared_results.checked_end(wanted.ends.isoformat() if wanted.ends else "", now)
    token = await database.write(
        shared_results.share_results, who, study, wanted.mode, wanted.name, ends, now
    )
    return ResultsLinkMade(link=f"{site}/r/{token}")


@router.delete("/results-links/{link_id}", status_code=204)
async def take_back_results_link(
    database: DatabaseDep, who: WhoDep, study: StudyDep, link_id: RowId, now: Now
) -> None:
    """Take a link back."""
    await database.write(shared_results.unshare_results, who, study, link_id, now)
