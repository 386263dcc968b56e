"""The data of the page of a walk."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from app.trials.pages import Page
from stimuli.drawing import drawing
from stimuli.steps import ground


@dataclass(frozen=True, slots=True)
class WalkPage(Page):
    """The page of a walk. `settings` is JSON, escaped for a script element. `over` is how the walk ended, if it has.

    Posts `walked` (JSON: the browser's report of the walk), and `unable` = 1 from a participant who cannot walk.
    """

    template: ClassVar[str] = "walk.html"
    key: str = ""
    number: int = 1
    total: int = 1
    practice: bool = False
    limit_s: int = 0
    over: str = ""
    settings: str = "{}"

    @property
    def label(self) -> str:
        """`Walk 2 of 3`"""
        return f"{'Practice walk' if self.practice else 'Walk'} {self.number} of {self.total}"


def settings_json(settings: dict[str, Any]) -> str:
    """The settings in a page: with the ground and the drawn objects, which are the same on every page."""
    return f"{{{_map()},{_escaped(settings)[1:]}"


@lru_cache(maxsize=1)
def _map() -> str:
    return f'"ground":{_escaped(ground().settings())},"world":{_escaped(drawing())}'


def _escaped(value: object) -> str:
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
