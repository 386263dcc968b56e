"""Cards in a random order, the second session of two the other way round."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from sqlmodel import Session

from app.sessions.answers import read_answers
from app.sessions.design import Planned
from app.sessions.evidence import waited_ms
from app.sessions.pages import QuestionsPage
from app.sessions.runs import BlockRun
from app.sessions.views import Place, markdown, views
from app.sessions.where import Where
from app.tasks.base import Start, Taken, Task
from tests.tasks.toy.settings import DotsDesign


class Dots(Task):
    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        drawn = start.rng.sample(block.units, len(block.units))
        order = [unit.id for unit in drawn] if start.mirror is None else list(reversed(list(start.mirror)))
        return [Planned(unit, {}) for unit in order]

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> QuestionsPage:
        design = cast(DotsDesign, block.design)
        assert place.trial is not None
        dots = markdown("# " + "•" * design.cards[place.trial.unit])
        return QuestionsPage(**frame, html=dots, questions=views(design.asked, place.form, place.errors))

    def read(
        self, session: Session, where: Where, block: BlockRun, form: Mapping[str, str], now: datetime
    ) -> Taken:
        assert where.trial is not None
        waited = waited_ms(session, where.session_id, where.shown_at, now)
        answers = read_answers(block.design.asked, form)
        return Taken(answers, {"trial_id": where.trial.id, "rt_ms": None, "interval_ms": waited})


TASK = Dots()
