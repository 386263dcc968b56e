"""The form on the launch page by which a study's places are changed while it runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlmodel import Session

from app.core.errors import at_field
from app.sessions.places import ArmPlaces, Places
from app.sessions.retargeting import (
    ArmNow,
    PlacesNow,
    changed_places,
    newest_design,
    places_for,
    target_from,
    time_from,
)
from app.studies.access import StudyHere

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ArmField:
    """An arm in the form of places: its field's value, and what holds without one."""

    arm: ArmPlaces
    target: str
    in_file: str


@dataclass(frozen=True, slots=True)
class PlacesForm:
    """Targets and dates that can be changed while the study runs, with the values of the study file.

    `mark` identifies the changes that hold now, so that a form shown before another change is refused.
    """

    now: Places
    closes_at_once: str
    mark: str
    target: str
    target_in_file: str
    opens: str
    opens_in_file: str
    ends: str
    ends_in_file: str
    arms: Sequence[ArmField]


def places_form(session: Session, study: StudyHere, now: datetime, form: Mapping[str, str]) -> PlacesForm:
    """The form of places, with what was typed where it was not accepted."""
    design, held = newest_design(session, study), changed_places(session, study)
    places = places_for(session, study, now)
    in_file = {arm.id: arm.target for arm in design.arms}

    def typed(name: str, value: object) -> str:
        return form.get(name, "" if value is None else str(value))

    return PlacesForm(
        now=places,
        closes_at_once=places.closes_at_once(now),
        mark=held.mark,
        target=typed("target", held.target),
        target_in_file=str(design.target or "none"),
        opens=typed("opens", held.opens_at and held.opens_at.isoformat(timespec="minutes")),
        opens_in_file=design.opens or "at launch",
        ends=typed("ends", held.ends_at and held.ends_at.isoformat(timespec="minutes")),
        ends_in_file=design.ends or "no date",
        arms=[
            ArmField(
                arm,
                typed(f"target-{arm.arm}", held.arms[arm.arm].target if arm.arm in held.arms else None),
                str(in_file[arm.arm] or "none"),
            )
            for arm in places.arms
            if arm.arm in in_file
        ],
    )


def wanted_places(form: Mapping[str, str]) -> PlacesNow:
    """The places of a form. Raises BadPlaces."""
    arms = [name.removeprefix("target-") for name in form if name.startswith("target-")]
    return PlacesNow(
        _read(target_from, form, "target"),
        _read(time_from, form, "opens"),
        _read(time_from, form, "ends"),
        {
            arm: ArmNow(_read(target_from, form, f"target-{arm}"), form.get(f"pause-{arm}") == "yes")
            for arm in arms
        },
    )


def _read(read: Callable[[str], Value], form: Mapping[str, str], name: str) -> Value:
    with at_field(name):
        return read(form.get(name, ""))
