"""Saves the values typed in a form, with or without scripts, to a draft."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.design.actions import act
from app.admin.design.fields import fields_to_keys
from app.admin.design.places import ALL, is_within
from app.admin.design.values import Fields
from app.core.database import Database
from app.core.dependencies import BadForm, bounded_body, without_nul
from app.core.errors import Conflict
from app.core.headers import SAFE
from app.core.problems import Fault
from app.studies.access import StudyHere
from app.studies.drafts import DraftView, draft_for, save_draft

MAX_BYTES, MAX_FIELDS = 1_000_000, 5_000
_FORM = "application/x-www-form-urlencoded"
_Text = Annotated[str, Field(max_length=MAX_BYTES)]


@dataclass(frozen=True, slots=True)
class SentDraft:
    """A form as sent. `revision` is that of the draft it was made from, `section` what of the design it shows.

    `whole` replaces all that the section shows; `over` does so even if someone else has saved meanwhile. `new` is the
    place of a card that was just added, where nothing is called wrong yet.
    """

    fields: Fields
    revision: int = -1
    action: str = ""
    whole: bool = False
    over: bool = False
    section: str = ALL
    new: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """The draft as it is now, what of the form could not be kept, where to go on, and the place of a new card."""

    draft: DraftView
    refused: tuple[Fault, ...] = ()
    focus: str = ""
    new: str = ""


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    revision: int
    fields: Annotated[dict[_Text, _Text], Field(max_length=MAX_FIELDS)]
    action: Annotated[str, Field(max_length=4000)] = ""
    whole: bool = False
    over: bool = False


@dataclass(frozen=True, slots=True)
class _Typed:
    """A draft, its keys with the typed values, refused values, the field to focus, and the place of a new card."""

    draft: DraftView
    keys: Mapping[str, Any]
    refused: tuple[Fault, ...]
    focus: str
    new: str


async def save_form(database: Database, who: Who, study: StudyHere, sent: SentDraft, now: datetime) -> Saved:
    """Save the typed values, complete or not, and apply the button's action. Raises Conflict, BadAction."""
    return await database.prepare_and_write(
        lambda session: _typed(session, study, sent),
        lambda session, typed: _keep(session, who, study, typed, now),
    )


def _typed(session: Session, study: StudyHere, sent: SentDraft) -> _Typed:
    draft = draft_for(session, study)
    if not sent.over and sent.revision != draft.revision:
        raise Conflict(f"{draft.saved_by or 'Someone'} changed this design since you opened it.")
    is_whole, within = sent.whole or sent.over, partial(is_within, sent.section)
    taken = fields_to_keys(draft.keys, sent.fields, whole=is_whole, within=within)
    acted = act(taken.keys, sent.action, sent.fields)
    new = acted.new or (sent.new if sent.action in ("", "save") else "")
    return _Typed(draft, acted.keys, taken.refused, acted.focus, new)


def _keep(session: Session, who: Who, study: StudyHere, typed: _Typed, now: datetime) -> Saved:
    was = typed.draft
    changed = save_draft(session, who, study, typed.keys, was.revision, now, seen=was) != was.revision
    return Saved(draft_for(session, study) if changed else was, typed.refused, typed.focus, typed.new)


async def wide_form(request: Request) -> None:
    """Read a design's form before the guard does: it has more fields than other forms may have."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method in SAFE or kind != _FORM:
        return
    body = await bounded_body(request, MAX_BYTES)
    try:
        pairs = parse_qsl(body.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise BadForm(f"The form has too many fields; {MAX_FIELDS} are allowed.") from None
    request.state.form = {without_nul(name): without_nul(value) for name, value in pairs}


def sent_by_form(form: Mapping[str, str], section: str) -> SentDraft:
    revision = form.get("revision", "")
    # isdigit alone is true of ² as well, for which int() raises.
    number = int(revision) if revision.isascii() and revision.isdigit() and len(revision) < 10 else -1
    over = form.get("over") == "yes"
    return SentDraft(dict(form), number, form.get("action", ""), over=over, section=section)


async def sent_by_script(request: Request, section: str, new: str) -> SentDraft:
    """Raises BadForm for what our script does not send."""
    body = await bounded_body(request, MAX_BYTES)
    try:
        message = _Message.model_validate_json(body)
    except ValidationError as error:
        raise BadForm(f"The draft could not be read: {error.errors()[0]['msg']}.") from None
    fields = {without_nul(name): without_nul(text) for name, text in message.fields.items()}
    return SentDraft(fields, message.revision, message.action, message.whole, message.over, section, new)
