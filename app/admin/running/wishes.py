"""Parsing of the form that sends simulated people through a study."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.core.errors import at_field
from app.sessions.simulated import BadSimulation, SimulationWish


@dataclass(frozen=True, slots=True)
class SimulationForm:
    """The form as typed."""

    people: str
    accuracy: str
    seed: str


_USUAL = SimulationWish()


def typed_wish(form: Mapping[str, str]) -> SimulationForm:
    return SimulationForm(
        people=form.get("people", str(_USUAL.n)),
        accuracy=form.get("accuracy", f"{100 * _USUAL.accuracy:.0f}"),
        seed=form.get("seed", str(_USUAL.seed)),
    )


def wish_in(form: Mapping[str, str]) -> SimulationWish:
    """Raises BadSimulation."""
    typed = typed_wish(form)
    with at_field("people"):
        people = _whole(typed.people, "How many come")
    with at_field("accuracy"):
        accuracy = _whole(typed.accuracy, "How often they are right")
    with at_field("seed"):
        seed = _whole(typed.seed, "The seed")
    return SimulationWish(people, accuracy / 100, seed).checked()


def _whole(text: str, name: str) -> int:
    text = text.strip().removesuffix("%").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise BadSimulation(f"{name} is a whole number, such as 20.")
    return int(text)
