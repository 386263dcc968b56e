"""Pages of a preview filled in by themselves, for the experimenter who wants to see the next page, or the last one."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.core.database import Database
from app.core.errors import Conflict
from app.questions.base import Limits
from app.questions.checked import knows_answer, met_by
from app.questions.registry import TYPES
from app.sessions.coming import split_number
from app.sessions.here import StudyWhere
from app.sessions.state_machine import submit
from app.sessions.views import shown_at
from app.tasks.base import Shown
from app.trials.pages import DECISION, OF_AGE, UNPLAYABLE, Page
from app.trials.tables import Mode

MOST_PAGES = 2_000
USUAL_NUMBER = 30  # where a question has no bounds
FILLED_IN = "Filled in by the preview."
ONLY_PREVIEWS = "Only a preview is filled in by itself. Participants give their own answers."


class NotAPreview(Conflict):
    """A session of a participant, whose pages nobody fills in for them."""


@dataclass(frozen=True, slots=True)
class _Filler:
    """Answers drawn at random; as `Answering` has them."""

    rng: random.Random

    def order(self, options: Sequence[str]) -> Sequence[str]:
        return self.rng.sample(options, len(options))


async def fill_in(
    database: Database, token: str, now: datetime, rng: random.Random, secret: str, *, to_end: bool
) -> None:
    """Fill in and send a preview's current page, or all pages to its last one or to one that is played, such as a game.

    Raises NotAPreview for a session in any other mode, NotFound for none.
    """
    for _ in range(MOST_PAGES if to_end else 1):
        shown = await database.read(shown_at, token, now)
        if shown.where.mode != Mode.PREVIEW:
            raise NotAPreview(ONLY_PREVIEWS)
        if not can_fill(shown.page):
            return
        await database.write(submit, token, _form_of(shown, rng), now, rng, None, secret)


def can_fill(page: object) -> bool:
    """True for a page that is a form; a game and a walk are played, and the last page asks nothing."""
    return isinstance(page, Page) and page.is_form


def _form_of(shown: Shown, rng: random.Random) -> Mapping[str, str]:
    page = shown.page
    assert isinstance(page, Page)
    number, _ = split_number(page.submit_id)
    fields = {"submit_id": number}
    for field in page.fields:
        if field.options:
            fields[field.name] = rng.choice(field.options)
        elif field.limits is not None:
            fields[field.name] = _number(field.limits, rng)
        else:
            fields[field.name] = FILLED_IN if page.submit_id.startswith("trial-") else str(USUAL_NUMBER)
    if DECISION in page.fields:
        fields["decision"] = "agree"
    if OF_AGE in page.fields:
        fields["of_age"] = "yes"
    fields.pop(UNPLAYABLE.name, None)
    for question in page.questions:
        fields |= TYPES[question.type].simulate(_Filler(rng), question)
    assert isinstance(shown.where, StudyWhere)
    asked = shown.where.design.asked_at(shown.where.page)
    return fields | {question.id: met_by(question) for question in asked if knows_answer(question)}


def _number(limits: Limits, rng: random.Random) -> str:
    low, high, step = limits.minimum, limits.maximum, limits.step
    if low is not None and high is not None and step is not None:
        # A little more, as 0.3 holds 0.1 not quite three times.
        return f"{low + step * rng.randint(0, math.floor((high - low) / step + 1e-9)):.10g}"
    least = low if low is not None else high - USUAL_NUMBER if high is not None else 0.0
    most = high if high is not None else least + USUAL_NUMBER
    if math.ceil(least) > math.floor(most):
        return f"{rng.uniform(least, most):.10g}"
    return str(rng.randint(math.ceil(least), math.floor(most)))
