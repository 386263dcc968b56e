"""The states of a study: what each allows, and the transitions. The one place that defines them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from app.core.errors import Conflict
from app.trials.tables import Mode, State


@dataclass(frozen=True, slots=True)
class Allows:
    """The permissions of a state. `enters_as` is the mode of participants who enter by the study's address, None if
    nobody may.

    `answers` is whether sessions under way may continue (in a closed study its closing sets for how long), `to` the
    possible next states.
    """

    enters_as: Mode | None
    answers: bool
    entry: str
    under_way: str
    design: str
    to: tuple[State, ...]


_SAVED_ON = "A saved change becomes the next version, shown to participants who enter afterwards."

STATES: Mapping[State, Allows] = MappingProxyType(
    {
        State.DRAFT: Allows(
            None,
            True,
            "No one; you can preview.",
            "Pilot sessions under way can finish.",
            "Edit and save as you like.",
            (State.PILOT, State.LIVE, State.CLOSED),
        ),
        State.PILOT: Allows(
            Mode.PILOT,
            True,
            "Anyone with the link, as pilot: these data are kept apart from the live data for ever.",
            "Goes on.",
            _SAVED_ON,
            (State.LIVE, State.PAUSED, State.CLOSED, State.DRAFT),
        ),
        State.LIVE: Allows(
            Mode.LIVE,
            True,
            "Anyone with the link; their answers count. Pilot participants stay in the pilot.",
            "Continue, including pilot sessions.",
            _SAVED_ON,
            (State.PAUSED, State.CLOSED),
        ),
        State.PAUSED: Allows(
            None,
            True,
            "No new participants; those who began can return.",
            "Goes on.",
            _SAVED_ON,
            (State.LIVE, State.PILOT, State.CLOSED, State.DRAFT),
        ),
        State.CLOSED: Allows(
            None,
            False,
            "Nobody.",
            "Can finish within the time that you set on closing; then they see your message.",
            "A saved change becomes the next version, used when the study is reopened.",
            (State.LIVE, State.PILOT, State.PAUSED, State.DRAFT),
        ),
    }
)

# By the text that a study's row has: to make it a State is slow in Python 3.11, and each page asks.
_ANSWERS: Mapping[str, bool] = {str(state): allows.answers for state, allows in STATES.items()}


def takes_answers(state: str, closes_at: datetime | None, now: datetime, *, begun: bool) -> bool:
    """True if a session continues, which has `begun` or not consented yet."""
    in_grace = begun and closes_at is not None and now < closes_at
    return _ANSWERS[state] or in_grace


def following(state: State, *, has_live: bool) -> tuple[State, ...]:
    """The states that may follow. A study with live data is never a draft again."""
    return tuple(to for to in STATES[state].to if not (has_live and to is State.DRAFT))


def check_change(slug: str, state: State, to: State, *, has_live: bool) -> None:
    """Raises Conflict for a change that there is not."""
    if to in following(state, has_live=has_live):
        return
    if to is State.DRAFT and State.DRAFT in STATES[state].to:
        raise Conflict.of_study(slug, "has live data and cannot be a draft again; pause or close it instead")
    if state is State.LIVE and to is State.PILOT:
        says = "is live; pause it first, so that no live participant is counted as a pilot"
        raise Conflict.of_study(slug, says)
    words = ", ".join(following(state, has_live=has_live))
    raise Conflict.of_study(slug, f"is {state} and cannot become {to} from there; it can become {words}")
