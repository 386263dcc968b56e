"""Earlier and later designs of a study: as files, side by side, and as the beginning of another study."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import anyio.to_thread
from sqlmodel import Session

from app.accounts.logins import Who
from app.core.database import Database
from app.core.errors import StudyError
from app.studies.access import RESERVED, StudyHere, study_for
from app.studies.collections import ids_of
from app.studies.drafts import (
    DraftHere,
    DraftView,
    design_of_version,
    draft_for,
    draft_here,
    keys_of_version,
    written_of_version,
)
from app.studies.file.design import StudyDesign
from app.studies.file.difference import Difference, design_differences, differences
from app.studies.file.drafts import slug_of
from app.studies.file.yamlpatch import study_file

# A numbered version, or what is being written.
Which = int | Literal["draft"]


class BadWhich(StudyError):
    status_code = 422


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences between two designs of a study. `is_whole` is false if one cannot be made yet:

    then keys are compared, and the pairs that would be drawn are unknown.
    """

    before: Which
    after: Which
    differences: tuple[Difference, ...]
    is_whole: bool


def which_of(text: str) -> Which:
    """Raises BadWhich for anything but a number or `draft`."""
    if text == "draft":
        return "draft"
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise BadWhich(f"{text[:40]!r} is no version; write its number, or `draft`.")


def keys_of(session: Session, study: StudyHere, which: Which) -> dict[str, Any]:
    return design_as_draft(session, study, which).keys


def design_as_draft(session: Session, study: StudyHere, which: Which) -> DraftView:
    """The draft, or a version in the form of one."""
    if which == "draft":
        return draft_for(session, study)
    keys = keys_of_version(session, study, which)
    return DraftView(keys, 0, written=written_of_version(session, study, which, keys))


async def yaml_of(database: Database, study: StudyHere, which: Which) -> str:
    """A design as a study file: the author's with the changes since, or else a new one."""
    design = await database.read(design_as_draft, study, which)
    return await anyio.to_thread.run_sync(study_file, design.keys, design.written)


def compare(
    session: Session, study: StudyHere, before: Which, after: Which, looked_at: DraftHere | None = None
) -> Comparison:
    """`looked_at` is the draft where it was read before. Raises NotFound where there is no such version."""
    old, new = (_design(session, study, which, looked_at) for which in (before, after))
    if old is not None and new is not None:
        return Comparison(before, after, tuple(design_differences(old, new)), True)
    keys = (keys_of(session, study, which) for which in (before, after))
    return Comparison(before, after, tuple(differences(*keys)), False)


def _design(
    session: Session, study: StudyHere, which: Which, looked_at: DraftHere | None
) -> StudyDesign | None:
    if which == "draft":
        return (looked_at or draft_here(session, study)).check.design
    return design_of_version(session, study, which)


def unsaved_differences(
    session: Session, study: StudyHere, looked_at: DraftHere | None = None
) -> Comparison | None:
    """The draft's changes to the newest version; None if there is no version or no draft. `looked_at` is the draft
    where it was read before.
    """
    here = looked_at or draft_here(session, study)
    newest = here.row.number
    if newest is None or not here.draft.is_unsaved:
        return None
    return compare(session, study, newest, "draft", here)


def design_to_clone(session: Session, who: Who, source: str, which: str) -> DraftView:
    """The design of a study that the user sees; its draft where `which` is `draft` or empty. Raises NotFound."""
    return design_as_draft(session, study_for(session, who, source), which_of(which or "draft"))


def collections_to_clone(session: Session, who: Who, source: str) -> Sequence[int]:
    """The ids of the collections that a copy of a study uses: those of the original, its own too. Raises NotFound."""
    return ids_of(session, study_for(session, who, source).id)


def free_slug(wanted: str, taken: frozenset[str]) -> str:
    """A name made of a title that no study has and no page needs."""
    return slug_of(wanted, taken | RESERVED)
