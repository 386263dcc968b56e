"""Lines of the launch checklist, those of a task's own blocks among them."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "blocker"]


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checklist; `action` is where to correct it, under the study's own address."""

    code: str
    title: str
    verdict: Verdict
    detail: str
    action: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """The facts about a study that a task's checks need."""

    true_source: str
    play_shown: bool
