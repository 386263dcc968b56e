"""Saves the values typed in a form, with or without scripts, to a draft."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlmodel import Session

from app.accounts.logins import Who
from app.admin.design.actions import Acted, act
from app.admin.design.clashing import KEEP, keep_chosen
from app.admin.design.fields import fields_to_keys
from app.admin.design.places import ALL, is_within
from app.admin.design.values import Fields
from app.core.database import Database
from app.core.dependencies import BadForm, bounded_body, without_nul
from app.core.errors import Conflict
from app.core.headers import SAFE
from app.core.problems import Fault, message_of
from app.studies.access import StudyHere
from app.studies.drafts import DraftView, draft_for, save_draft
from app.studies.merging import Clash, merge
from app.studies.undoing import UNDO, keys_at, steps_of

MAX_BYTES, MAX_FIELDS = 1_000_000, 5_000
_FORM = "application/x-www-form-urlencoded"
_Text = Annotated[str, Field(max_length=MAX_BYTES)]


@dataclass(frozen=True, slots=True)
class SentDraft:
    """A form as sent. `revision` is that of the draft it was made from, `section` what of the design it shows.

    `over` puts all that the section shows in the place of what is there, where the draft that it was made from is not
    known any more. `new` is the place of a card that was just added, where nothing is called wrong yet.
    """

    fields: Fields
    revision: int = -1
    action: str = ""
    over: bool = False
    section: str = ALL
    new: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """The draft as it is now, what of the form could not be kept, where to go on, and the place of a new card.

    `merged_with` says whose changes were merged with it, and `clashes` are the places that both changed.
    """

    draft: DraftView
    refused: tuple[Fault, ...] = ()
    focus: str = ""
    new: str = ""
    merged_with: str = ""
    clashes: tuple[Clash, ...] = ()


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    revision: int
    fields: Annotated[dict[_Text, _Text], Field(max_length=MAX_FIELDS)]
    action: Annotated[str, Field(max_length=4000)] = ""
    over: bool = False


@dataclass(frozen=True, slots=True)
class _Typed:
    """A draft, its keys with the typed values, and the result of saving them."""

    draft: DraftView
    keys: Mapping[str, Any]
    saved: Saved


async def save_form(database: Database, who: Who, study: StudyHere, sent: SentDraft, now: datetime) -> Saved:
    """Save the typed values, complete or not, and apply the button's action. Raises Conflict, BadAction."""
    return await database.prepare_and_write(
        lambda session: _typed(session, study, sent),
        lambda session, typed: _keep(session, who, study, typed, now),
    )


def _typed(session: Session, study: StudyHere, sent: SentDraft) -> _Typed:
    draft, base, by = draft_for(session, study), None, ""
    if sent.revision != draft.revision:
        base = keys_at(session, study.id, draft.keys, draft.revision, sent.revision)
        by = draft.saved_by or "someone else"
        if base is None and not sent.over:
            raise Conflict(f"{draft.saved_by or 'Someone'} changed this design since you opened it.")
    within, is_whole = partial(is_within, sent.section), base is None and sent.over
    began = draft.keys if base is None else base
    taken = fields_to_keys(began, sent.fields, whole=is_whole, within=within)
    if sent.action == KEEP:
        keep_chosen(taken.keys, sent.fields)
        acted = Acted(taken.keys)
    else:
        acted = act(taken.keys, sent.action, sent.fields)
    new = acted.new or (sent.new if sent.action in ("", "save") else "")
    if base is None:
        return _Typed(draft, acted.keys, Saved(draft, taken.refused, acted.focus, new))
    keys, clashes = merge(base, acted.keys, draft.keys)
    return _Typed(draft, keys, Saved(draft, taken.refused, acted.focus, new, by, clashes))


def _keep(session: Session, who: Who, study: StudyHere, typed: _Typed, now: datetime) -> Saved:
    was = typed.draft
    if save_draft(session, who, study, typed.keys, was.revision, now, seen=was) == was.revision:
        return typed.saved
    return replace(typed.saved, draft=draft_for(session, study))


async def step_back(
    database: Database, who: Who, study: StudyHere, kind: str, revision: int, now: datetime
) -> str:
    """Undo the draft's last change, or do it again; returns the place of the change. Raises Conflict."""
    return await database.prepare_and_write(
        lambda session: _step(session, study, kind, revision),
        lambda session, step: _take_step(session, who, study, step, kind, now),
    )


def _step(
    session: Session, study: StudyHere, kind: str, revision: int
) -> tuple[DraftView, Sequence[tuple[dict[str, Any], bool]], str]:
    """The draft, and what it becomes: changes without an effect in all go with the next one that has one."""
    draft = draft_for(session, study)
    if draft.revision != revision:
        raise Conflict(
            f"{draft.saved_by or 'Someone'} changed this design since you opened it, so nothing was undone. "
            "Look at the changes first, then undo again."
        )
    steps = steps_of(session, study.id, draft.revision)
    taken: list[tuple[dict[str, Any], bool]] = []
    place = ""
    for change in reversed(steps.done if kind == UNDO else steps.undone):
        wanted = change.before if kind == UNDO else change.after
        keys = keys_at(session, study.id, draft.keys, draft.revision, wanted)
        if keys is None:
            break
        taken.append((keys, change.replaces))
        place = change.place
        if keys != draft.keys:
            break
    if not taken:
        raise Conflict(
            "There is no change left to undo." if kind == UNDO else "There is no undone change left."
        )
    return draft, taken, place


def _take_step(
    session: Session,
    who: Who,
    study: StudyHere,
    step: tuple[DraftView, Sequence[tuple[dict[str, Any], bool]], str],
    kind: str,
    now: datetime,
) -> str:
    draft, taken, place = step
    for keys, replaces in taken:
        # The text of an uploaded file is none of the draft before it.
        seen = replace(draft, written=None) if replaces else draft
        revision = save_draft(session, who, study, keys, draft.revision, now, seen=seen, kind=kind)
        draft = replace(seen, keys=keys, revision=revision)
    return place


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
        raise BadForm(f"The draft could not be read: {message_of(error.errors()[0])}.") from None
    fields = {without_nul(name): without_nul(text) for name, text in message.fields.items()}
    return SentDraft(fields, message.revision, message.action, message.over, section, new)
