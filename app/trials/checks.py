"""Lines of the launch checklist, those of a task's own blocks among them."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "unknown", "warning", "blocker"]
"""`unknown`: it was looked for and cannot be told, which nobody has to answer for."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist; `action` is where to correct it, under the study's own address."""

    code: str
    title: str
    verdict: Verdict
    detail: str
    action: str = ""

    @property
    def goes_to(self) -> str:
        """The text of the link to `action`, empty where there is nothing to correct or the launch page is the place."""
        if self.verdict == "ok" or self.action in ("", "launch"):
            return ""
        return _PLACES.get(self.action) or "Go to the place in the design"


_PLACES = {
    "versions": "Go to the versions",
    "design": "Go to the design",
    "pairs": "Go to the pairs",
    "pairs#truth": "Say which source is the true one",
    "clues": "Go to the clues",
    "monitor": "Go to the monitor",
    "recruiting": "Go to recruitment",
    "launch#places": "Change the places",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """The facts about a study that a task's checks need."""

    true_source: str
    play_shown: bool
