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
    """What a task's checks ask of the study that its blocks stand in."""

    true_source: str
    play_shown: bool
