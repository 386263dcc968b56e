"""A block of dots to be counted, as it is run."""

from typing import ClassVar, Literal

from app.sessions.design import Kind
from app.studies.questions.base import Question
from app.tasks.parts import BlockDesign, UnitSpec


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
