"""A block of dots to be counted, in the study file and as it is run."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from pydantic import Field

from app.questions.base import Asked, Question
from app.questions.registry import BackgroundQuestion
from app.trials.design import Kind
from app.trials.parts import BlockDesign, BlockSettings, UnitSpec


class DotsBlock(BlockSettings):
    task: Literal["dots"] = Field(title="Counting dots", description="Cards with dots, to be counted.")
    cards: dict[str, int] = Field(title="Cards", description="The name of each card, and its dots.")
    questions: tuple[BackgroundQuestion, ...] = Field(title="Questions", description="Asked about each card.")

    def as_run(self, instructions: str | None, asked: Callable[[Asked], Question]) -> "DotsDesign":
        own: dict[str, Any] = {"cards": self.cards, "questions": tuple(map(asked, self.questions))}
        return DotsDesign(id=self.id, task="dots", instructions=instructions, **own)


class DotsDesign(BlockDesign):
    noun: ClassVar[str] = "Card"
    nouns: ClassVar[str] = "Cards"
    task: Literal["dots"]
    cards: dict[str, int]
    questions: tuple[Question, ...]

    @property
    def asked(self) -> tuple[Question, ...]:
        return self.questions

    def units(self) -> tuple[UnitSpec, ...]:
        return tuple(UnitSpec(name, "dots", Kind.MAIN, members={}, sha256={}) for name in self.cards)
