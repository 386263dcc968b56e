"""Cards in a random order, the second session of two the other way round."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session

from app.core.markdown import markdown
from app.questions.registry import views
from app.tasks.base import Start, Taken, Task
from app.trials.answers import read_answers
from app.trials.design import Planned
from app.trials.evidence import waited_ms
from app.trials.here import Where
from app.trials.pages import QuestionsPage
from app.trials.places import Place
from app.trials.runs import BlockRun
from tests.tasks.toy.settings import DotsDesign


class Dots(Task):
    def plan(self, block: BlockRun, start: Start) -> Sequence[Planned]:
        drawn = [unit.id for unit in start.rng.sample(block.units, len(block.units))]
        return [Planned(unit, {}) for unit in (drawn if start.mirror is None else [*start.mirror][::-1])]

    def page(self, block: BlockRun, place: Place, frame: Mapping[str, Any]) -> QuestionsPage:
        assert place.trial is not None
        assert isinstance(block.design, DotsDesign)
        dots = markdown("# " + "•" * block.design.cards[place.trial.unit])
        asked = views(block.design.asked, place.form, place.errors)
        return QuestionsPage(**frame, html=dots, questions=asked)

    def read(self, session: Session, where: Where, block: BlockRun, form: Any, now: Any) -> Taken:
        waited = waited_ms(session, where.session_id, where.shown_at, now)
        values = {"trial_id": where.trial and where.trial.id, "rt_ms": None, "interval_ms": waited}
        return Taken(read_answers(block.design.asked, form), values)


TASK = Dots()
