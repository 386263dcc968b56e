"""The page of a card: all that its template sees."""

from dataclasses import dataclass
from typing import ClassVar

from app.trials.pages import Page


@dataclass(frozen=True, slots=True)
class DotsPage(Page):
    """A card with its dots. `key` names the trial within its session, for what the browser keeps over a reload."""

    template: ClassVar[str] = "dots.html"
    key: str = ""
    number: int = 1
    total: int = 1
    dots: int = 0
