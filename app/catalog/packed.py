"""Collections in a study package: written with the clips that belong to them, and made again with a study from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlmodel import Session, col, or_, select

from app.accounts.audit import record
from app.accounts.logins import Who
from app.catalog.collections import collections_for
from app.catalog.rules import rules_in_force, set_rules
from app.core.database import Database
from app.core.errors import StudyError
from app.core.problems import message_of
from app.library import packages
from app.library.clips.rules import Rules
from app.library.collections import LONGEST_TITLE, BadCollection, checked_title, make_collection
from app.library.contents import is_kept
from app.library.tables import Collection, Stimulus
from app.studies.access import StudyHere
from app.studies.collections import have_own_collection, ids_of, own_collection, use_collections
from app.studies.file.bundle import COLLECTIONS, file_in
from app.studies.file.packed_study import read_package
from app.studies.making import BadStart, Start, add_study, prepared
from app.studies.seeing import admit, seen_by
from app.trials.tables import StudyVersion, Unit, UnitMember

MOST_CLIPS, MOST_COLLECTIONS = 100_000, 1000
_Text = Annotated[str, Field(max_length=2000)]


class BadPackedCollections(StudyError):
    """The file of collections in a package is none."""

    status_code = 422


class PackedClip(BaseModel):
    """A clip, record or text that belongs to a collection; the hashes are those of what people see and its original."""

    model_config = ConfigDict(extra="ignore")

    name: _Text
    source: _Text
    attributes: dict[_Text, _Text] = {}
    kind: _Text = "clip"
    sha256: _Text = ""
    original_sha256: _Text = ""


class PackedCollection(BaseModel):
    """A collection with its processing rules, frame included; `is_own` for the study's own."""

    model_config = ConfigDict(extra="ignore")

    name: _Text
    title: _Text
    is_own: bool
    rules: Rules
    clips: Annotated[list[PackedClip], Field(max_length=MOST_CLIPS)] = []


class PackedCollections(BaseModel):
    model_config = ConfigDict(extra="ignore")

    collections: Annotated[list[PackedCollection], Field(max_length=MOST_COLLECTIONS)]


def packed_collections(session: Session, study_id: int) -> PackedCollections:
    """The collections of a study: its own with all of its clips, others with those that its versions show."""
    own = own_collection(session, study_id)
    own_id = own.id if own else 0
    shown = (
        select(UnitMember.stimulus_id)
        .join(Unit, col(Unit.id) == UnitMember.unit_id)
        .join(StudyVersion, col(StudyVersion.id) == Unit.version_id)
        .where(StudyVersion.study_id == study_id)
    )
    belongs = or_(col(Stimulus.collection_id) == own_id, col(Stimulus.id).in_(shown))
    clips: dict[int, list[PackedClip]] = {}
    for row in session.exec(select(Stimulus).where(belongs, is_kept()).order_by(col(Stimulus.name))):
        clips.setdefault(row.collection_id, []).append(_packed(row))
    ids = dict.fromkeys([*ids_of(session, study_id), *sorted(clips)])
    return PackedCollections(
        collections=[
            PackedCollection(
                name=each.slug,
                title=each.title,
                is_own=each.id == own_id,
                rules=rules_in_force(session, id_)[0],
                clips=clips.get(id_, []),
            )
            for id_ in ids
            if (each := session.get_one(Collection, id_)) and (id_ in clips or each.id == own_id)
        ]
    )


def _packed(row: Stimulus) -> PackedClip:
    return PackedClip(
        name=row.name,
        source=row.source,
        attributes=row.attributes,
        kind=row.kind,
        sha256=row.shown_sha256 or "",
        original_sha256=row.original_sha256 or "",
    )


async def make_study_with_collections(database: Database, who: Who, start: Start, now: datetime) -> StudyHere:
    """A study from a start; a package among its files brings its collections. One of an earlier release has none.

    Raises BadStart, StudyFileProblems, BadPackedCollections, BadSlug, Conflict, NotFound.
    """
    packed = await anyio.to_thread.run_sync(read_packed, start.files) if start.files is not None else None
    return (await _make(database, who, start, packed, now)).study


async def make_study_of_package(
    database: Database, data_dir: Path, who: Who, token: str, start: Start, now: datetime
) -> StudyHere:
    """A study from a package that was sent in pieces, which is deleted once the study is made.

    Raises what `make_study_with_collections` does, NotFound for no such package, Conflict for one that is not whole.
    """
    if start != Start(start.slug, start.title, files=start.files) or start.files:
        raise BadStart("start", "Say what the study begins from: a package, or something else.")
    sent, path = await anyio.to_thread.run_sync(packages.whole, data_dir, who, token)
    made = await make_study_of_file(database, who, path, sent.file_name, start, now)
    await anyio.to_thread.run_sync(packages.forget, data_dir, token)
    return made.study


async def make_study_of_file(
    database: Database, who: Who, path: Path, name: str, start: Start, now: datetime
) -> "Made":
    """A study from a package on disk; refusals call it `name`.

    Raises what `make_study_with_collections` does.
    """
    found = await anyio.to_thread.run_sync(read_package, path, name)
    packed = (
        None if found.collections is None else await anyio.to_thread.run_sync(_checked, found.collections)
    )
    return await _make(database, who, replace(start, files=found.files), packed, now)


async def _make(
    database: Database, who: Who, start: Start, packed: PackedCollections | None, now: datetime
) -> "Made":
    return await database.write(_add, who, await prepared(database, who, start), packed, now)


def _add(session: Session, who: Who, start: Start, packed: PackedCollections | None, now: datetime) -> "Made":
    study = add_study(session, who, start, now)
    return Made(study, Unpacked() if packed is None else unpack(session, who, study, packed, now))


def read_packed(files: Mapping[str, bytes]) -> PackedCollections | None:
    """The collections in an upload; None where it has none. Raises BadPackedCollections."""
    found = file_in(files, COLLECTIONS)
    return None if found is None else _checked(found)


def _checked(found: bytes) -> PackedCollections:
    """The collections in a package's file of them. Raises BadPackedCollections."""
    try:
        return PackedCollections.model_validate_json(found)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])) or "the file"
        raise BadPackedCollections(
            f"{COLLECTIONS}: {place}: {message_of(fault)}. Take the file out to make the study without its collections."
        ) from None


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The clips of a package that are in the library here, and those that are not."""

    there: Sequence[str] = ()
    missing: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A new study, and which clips of its package are here."""

    study: StudyHere
    clips: Unpacked


def unpack(
    session: Session, who: Who, study: StudyHere, packed: PackedCollections, now: datetime
) -> Unpacked:
    """Give a new study the collections of a package.

    Its own gets the title and the rules; a shared one that the user sees by that name is used as it is, another one is
    made, closed to other users. The study may use the clips that are here: those that the user sees, of the same name
    and content. Nothing of the library is moved or changed.
    """
    seen, used = {view.slug: view for view in collections_for(session, who)}, list[int]()
    for each in packed.collections:
        if each.is_own:
            own = have_own_collection(session, study.id, each.title, now, who.user_id)
            own.title = _title(each)
            session.add(own)
            _set_rules(session, who, own.id or 0, each.rules, now)
        elif each.name in seen:
            used.append(seen[each.name].id)
        else:
            made = make_collection(session, _title(each), now, by=who.user_id)
            said = {"title": made.title}
            record(session, who.actor, "collection.make", now=now, subject=made.slug, after=said)
            _set_rules(session, who, made.id or 0, each.rules, now)
            used.append(made.id or 0)
    use_collections(session, study.id, used)
    wanted = {(clip.name, clip.sha256) for each in packed.collections for clip in each.clips}
    rows = session.exec(select(Stimulus).where(is_kept(), seen_by(who))).all()
    there = [row for row in rows if (row.name, row.shown_sha256 or "") in wanted]
    admit(session, study.id, [row.id for row in there])
    names = {row.name for row in there}
    return Unpacked(sorted(names), sorted({name for name, _ in wanted} - names))


def _title(packed: PackedCollection) -> str:
    try:
        return checked_title(packed.title[:LONGEST_TITLE])
    except BadCollection:
        return "Clips"


def _set_rules(session: Session, who: Who, collection: int, rules: Rules, now: datetime) -> None:
    if rules_in_force(session, collection)[0] != rules:
        set_rules(session, who.actor, rules, now, collection)
