"""Changes of places while a study runs: its target and dates, targets and pauses of arms.

They hold in place of what the study file says, and each change is in the audit log.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select, update

from app.accounts.audit import Actor, record
from app.core.errors import NotFound, StudyError, at_field
from app.core.problems import listed, quoted
from app.sessions.places import Places, close_if_complete, places_of
from app.sessions.runs import run_of
from app.studies.access import StudyHere
from app.studies.file.arms import moment
from app.studies.file.design import StudyDesign
from app.trials.tables import Study, StudyArm, StudyVersion

MOST = 1_000_000


class BadPlaces(StudyError):
    status_code = 422


class PlacesMoved(StudyError):
    """Refusal of a form of places that have been changed since it was shown."""

    status_code = 409


@dataclass(frozen=True, slots=True)
class ArmNow:
    """A change of an arm: `target` in place of the file's, None where that holds."""

    target: int | None = None
    is_paused: bool = False


@dataclass(frozen=True, slots=True)
class PlacesNow:
    """Changes of a study's places; None where the study file holds."""

    target: int | None = None
    opens_at: datetime | None = None
    ends_at: datetime | None = None
    arms: Mapping[str, ArmNow] = field(default_factory=dict)

    def for_log(self) -> dict[str, Any]:
        """The changes as the audit log has them."""
        at = {"opens": self.opens_at, "ends": self.ends_at}
        arms = {
            name: {"target": arm.target, "paused": arm.is_paused}
            for name, arm in sorted(self.arms.items())
            if arm != ArmNow()
        }
        said = {"target": self.target, **{key: time and time.isoformat() for key, time in at.items()}}
        return {key: value for key, value in said.items() if value is not None} | (
            {"arms": arms} if arms else {}
        )

    @property
    def mark(self) -> str:
        """A short text that other changes have differently."""
        return hashlib.sha256(json.dumps(self.for_log(), sort_keys=True).encode()).hexdigest()[:16]


def places_for(session: Session, study: StudyHere, now: datetime) -> Places:
    """The places of a study with all that counts. Raises NotFound where it has no version."""
    return places_of(session, study.id, newest_design(session, study), now, count=True)


def newest_design(session: Session, study: StudyHere) -> StudyDesign:
    """The design that participants who enter get. Raises NotFound where there is none yet."""
    newest = select(StudyVersion.id, StudyVersion.sha256).where(StudyVersion.study_id == study.id)
    found = session.exec(newest.order_by(col(StudyVersion.number).desc()).limit(1)).first()
    if found is None:
        raise NotFound(f"Study {study.slug} has no version yet: save the design as one first.")
    return run_of(session, found[0] or 0, found[1]).design


def changed_places(session: Session, study: StudyHere) -> PlacesNow:
    """The changes that hold now."""
    of = select(Study.target, Study.opens_at, Study.ends_at).where(Study.id == study.id)
    target, opens_at, ends_at = session.exec(of).one()
    arms = session.exec(select(StudyArm).where(StudyArm.study_id == study.id).order_by(StudyArm.arm))
    held = {arm.arm: ArmNow(arm.target, arm.paused_at is not None) for arm in arms}
    return PlacesNow(target, opens_at, ends_at, held)


def change_places(
    session: Session, by: Actor, study: StudyHere, wanted: PlacesNow, now: datetime, seen: str = ""
) -> Places:
    """Put these changes in the place of those that held; closes the study if it then has all that it wants.

    `seen` is the mark of the changes that were shown, where a form showed any. Raises BadPlaces, PlacesMoved, NotFound.
    """
    design = newest_design(session, study)
    # Locked before it is read, so that two changes at once are one after the other in the log.
    session.exec(select(Study.id).where(Study.id == study.id).with_for_update(key_share=True)).one()
    before = changed_places(session, study)
    if seen and seen != before.mark:
        raise PlacesMoved(
            "Somebody else has changed the places since you opened this page, and nothing of yours is changed. Open "
            "the page again to see what holds now."
        )
    _check(wanted, before, design)
    if wanted != before:
        values = {"target": wanted.target, "opens_at": wanted.opens_at, "ends_at": wanted.ends_at}
        session.execute(update(Study).where(col(Study.id) == study.id).values(**values))
        session.execute(delete(StudyArm).where(col(StudyArm.study_id) == study.id))
        for name, arm in wanted.arms.items():
            if arm != ArmNow():
                paused_at = now if arm.is_paused else None
                session.add(StudyArm(study_id=study.id, arm=name, target=arm.target, paused_at=paused_at))
        session.flush()
        record(
            session,
            by,
            "study.places",
            now=now,
            study=study.slug,
            before=before.for_log(),
            after=wanted.for_log(),
        )
        close_if_complete(session, study.id, design, now)
    return places_of(session, study.id, design, now, count=True)


def change_arm(changes: PlacesNow, arm: str, **values: Any) -> PlacesNow:
    """The changes with another value of one arm."""
    own = replace(changes.arms.get(arm, ArmNow()), **values)
    return replace(changes, arms={**changes.arms, arm: own})


def _check(wanted: PlacesNow, before: PlacesNow, design: StudyDesign) -> None:
    targets = {"target": wanted.target, **{f"target-{name}": arm.target for name, arm in wanted.arms.items()}}
    for name, target in targets.items():
        if target is not None and not 1 <= target <= MOST:
            with at_field(name):
                raise BadPlaces(f"A target goes from 1 to {MOST:,}; {target} was given.")
    # An arm that an earlier version had keeps what was said of it.
    unknown = [arm for arm in wanted.arms if arm not in design.arm_ids and arm not in before.arms]
    if unknown:
        raise NotFound(f"There is no arm {quoted(unknown[0])}; there is {listed(design.arm_ids, 'and')}.")
    opens, ends = wanted.opens_at or design.opens_at, wanted.ends_at or design.ends_at
    if opens and ends and ends <= opens:
        with at_field("ends"):
            raise BadPlaces("The study would end before it opens: give a later end.")


def time_from(text: str) -> datetime | None:
    """A time as typed in, in UTC; None for nothing. Raises BadPlaces."""
    try:
        return moment(text.strip()) if text.strip() else None
    except ValueError as error:
        raise BadPlaces(f"{error}: write it as 2026-03-01T09:00+01:00, with its time zone.") from None


def target_from(text: str) -> int | None:
    """A target as typed in; None for nothing. Raises BadPlaces."""
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise BadPlaces(f"{text[:40]!r} is not a whole number of participants.")
    return int(text)
