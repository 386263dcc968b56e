"""Cards in a random order, the second session of two the other way round."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlmodel import Session

from app.questions.registry import views
from app.tasks.base import AnswerParts, Start, Task
from app.trials.answers import read_answers
from app.trials.design import Planned
from app.trials.evidence import waited_ms
from app.trials.here import Where
from app.trials.places import Place
from app.trials.runs import BlockRun
from tests.tasks.toy.page import DotsPage
from tests.tasks.toy.settings import DotsDesign


class Dots(Task):
    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        drawn = [unit.id for unit in start.rng.sample(block.units, len(block.units))]
        return [Planned(unit, {}) for unit in (drawn if start.mirror is None else [*start.mirror][::-1])]

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> DotsPage:
        design, position = design_of(block), place.page.position
        assert place.trial is not None
        return DotsPage(
            **frame,
            questions=views(design.questions, place.form, place.errors),
            key=place.key,
            number=place.part.number(position),
            total=place.part.total(position),
            dots=design.cards[place.trial.unit],
        )

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> AnswerParts:
        waited = waited_ms(session, where.session_id, where.shown_at, now)
        values = {"trial_id": where.trial and where.trial.id, "rt_ms": None, "interval_ms": waited}
        return AnswerParts(read_answers(design_of(block).questions, form), values)


def design_of(block: BlockRun) -> DotsDesign:
    assert isinstance(block.design, DotsDesign)
    return block.design


TASK = Dots()
