"""The data of the page of a walk."""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import ClassVar

from app.core.language import gettext as _
from app.trials.pages import Page
from stimuli.drawing import drawing
from stimuli.steps import ground


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on the map, in micrometres."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Reached:
    """The progress of a walk: the completed ticks, and the walker's state."""

    tick: int
    walker: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """Settings for the script of a walk; `batches` is the address that takes its steps."""

    goal: Spot
    at: Reached
    most_ticks: int
    ticks_per_s: int
    practice: bool
    over: str | None
    trial: str
    batches: str


NO_WALK = WalkSettings(Spot(0, 0), Reached(0, ()), 0, 0, False, None, "", "")


@dataclass(frozen=True, slots=True)
class WalkPage(Page):
    """The page of a walk. `walk` are its script's settings; `over` tells how it ended, if it has.

    Posts `walked` (JSON: the browser's report of the walk), and `unable` = 1 from a participant who cannot walk.
    """

    template: ClassVar[str] = "walk.html"
    is_form: ClassVar[bool] = False
    key: str = ""
    number: int = 1
    total: int = 1
    practice: bool = False
    limit_s: int = 0
    over: str = ""
    walk: WalkSettings = NO_WALK

    @property
    def label(self) -> str:
        """`Walk 2 of 3`"""
        words = _("Practice walk {n} of {total}") if self.practice else _("Walk {n} of {total}")
        return words.format(n=self.number, total=self.total)

    @property
    def settings(self) -> str:
        """The script's settings as JSON, escaped for its place in a script element: with the ground and the drawing,
        neither of which differs by page.
        """
        return f"{{{_map()},{_escaped(asdict(self.walk))[1:]}"


@lru_cache(maxsize=1)
def _map() -> str:
    return f'"ground":{_escaped(ground().settings())},"world":{_escaped(drawing())}'


def _escaped(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
