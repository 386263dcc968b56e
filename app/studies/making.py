"""A new study from a template, from a study file, from keys, or from another study."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import anyio.to_thread
from sqlmodel import Session

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import StudyError
from app.core.schema import clean
from app.studies.access import StudyHere, taken_slugs
from app.studies.drafts import create_study
from app.studies.file.bundle import read_written
from app.studies.file.drafts import with_slug
from app.studies.file.templates import TEMPLATES
from app.studies.file.yamlpatch import WrittenFile
from app.studies.history import collections_to_clone, design_to_clone, free_slug
from app.studies.recruiting import drawn_code

RETENTION_DAYS, ADULT = 365, 18
_ADDRESS = re.compile(r"\[(?:NAME,\s+)?E-MAIL\s+ADDRESS\]")


class BadStart(StudyError):
    """A new study's starting point is invalid; `field` is the part of the form to be corrected."""

    status_code = 422

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Start:
    """A new study's starting point: exactly one of `template`, `clone`, `keys` and `files`.

    `which` is the version of the cloned study; its draft if empty. `title` replaces the original title. `written` is
    the study file of `keys`. `collections` (ids) are those that it uses besides its own: of a template none, of a clone
    the original's, otherwise (None) the shared ones.
    """

    slug: str = ""
    title: str = ""
    template: str | None = None
    clone: str | None = None
    which: str = ""
    keys: Mapping[str, Any] | None = None
    files: Mapping[str, bytes] | None = None
    written: WrittenFile | None = None
    collections: Sequence[int] | None = None
    is_template: bool = False


async def with_keys(start: Start) -> Start:
    """The start with a template or files read into keys. Raises BadStart, StudyFileProblems."""
    given = [part for part in (start.template, start.clone, start.keys, start.files) if part is not None]
    if len(given) != 1:
        raise BadStart("start", "Say what the study begins from: one of template, clone, keys and files.")
    if start.files is not None:
        written = await read_upload(start.files)
        return replace(start, keys=written.keys, written=written, files=None)
    if start.template is not None:
        template = TEMPLATES.get(start.template)
        if template is None:
            raise BadStart(
                "start", f"There is no template {start.template[:40]!r}; use {', '.join(TEMPLATES)}."
            )
        return replace(start, keys=template.keys(), template=None, collections=(), is_template=True)
    return start


async def read_upload(files: Mapping[str, bytes]) -> WrittenFile:
    """`read_written` in a thread: a large file takes a second or two, which must not delay answers."""
    named = {clean(name): data for name, data in files.items()}
    return await anyio.to_thread.run_sync(read_written, named)


async def prepared(database: Database, who: Who, start: Start) -> Start:
    """The start with everything read that `add_study` needs. Raises BadStart, StudyFileProblems, NotFound."""
    start = await with_keys(start)
    if start.clone is not None:
        cloned = await database.read(design_to_clone, who, start.clone, start.which)
        used = await database.read(collections_to_clone, who, start.clone)
        start = replace(start, keys=cloned.keys, written=cloned.written, collections=used)
    return start


def add_study(session: Session, who: Who, start: Start, now: datetime) -> StudyHere:
    """A study from a prepared start; a name that is not given is made of the title or of what there is.

    Raises BadSlug, Conflict.
    """
    slug = start.slug.strip() or _free_slug(session, start)
    title = start.title.strip()
    keys = with_slug(start.keys, slug, title or None)
    if start.is_template:
        keys = with_defaults(keys, who.email, random.Random(f"{slug}/{now.isoformat()}"))
    return create_study(session, who, slug, keys, now, start.written, start.collections)


def with_defaults(keys: Mapping[str, Any], email: str, rng: random.Random) -> dict[str, Any]:
    """A template's keys with what its maker would else type: contact, completion code, retention, adults only."""
    filled = _with_contact(keys, email)
    completion = {"code": drawn_code(rng), "contact": email, **(filled.get("completion") or {})}
    own: dict[str, Any] = {
        "completion": completion,
        "retention": filled.get("retention") or {"days": RETENTION_DAYS},
    }
    if isinstance(consent := filled.get("consent"), Mapping):
        own["consent"] = {"minimum_age": ADULT, **consent}
    return {**filled, **own}


def _with_contact(value: Any, email: str) -> Any:
    """A copy whose texts have the address in the place of `[NAME, E-MAIL ADDRESS]` and `[E-MAIL ADDRESS]`."""
    match value:
        case str():
            return _ADDRESS.sub(email.replace("\\", ""), value)
        case Mapping():
            return {key: _with_contact(inner, email) for key, inner in value.items()}
        case list():
            return [_with_contact(inner, email) for inner in value]
    return value


def _free_slug(session: Session, start: Start) -> str:
    keys = start.keys or {}
    wanted = start.title.strip() or start.clone or keys.get("study") or keys.get("title") or "study"
    return free_slug(str(wanted), taken_slugs(session))
