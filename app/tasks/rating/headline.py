"""The worth of an answer about an item in a study's number: of a score its place between the lowest and the highest
that can be given, of a `yes_no` answer 1 where it is right, else 0.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlmodel import SQLModel

from app.tasks.rating.settings import RatingDesign
from app.trials.headline import Answered, Headline, Scale, Worth, answers_that_count
from app.trials.responses import Response

_answers = SQLModel.metadata.tables[str(Response.__tablename__)].c.answers
_MISSING = object()
_Value = Callable[[str, Any], float | None]


def worth(answered: Answered, headline: Headline) -> Iterator[Worth]:
    """Answers to this question on this scale; one that another version asked on another scale is none."""
    values = {
        (version, block.id): _value_of(block, headline, answered.true_sources[version])
        for version, each in answered.blocks.items()
        for block in each
        if isinstance(block, RatingDesign) and block.means().get(headline.measure, _MISSING) == headline.scale
    }
    if not values:
        return
    # The answer alone and not all of a page's, which may have long texts.
    for row in answered.rows(answers_that_count(_answers[headline.measure].label("given"))):
        value_of = values.get((row.version_id, row.block))
        value = None if value_of is None else value_of(row.name, row.given)
        if value is not None:
            yield Worth(row.id, row.ended_at, value)


def _value_of(block: RatingDesign, headline: Headline, true_source: str) -> _Value:
    if headline.scale is not None:
        return _score_on(headline.scale)
    options = next(q.options for q in block.questions if q.id == headline.measure)
    right = {item.id: options[0 if item.source == true_source else 1] for item in block.items if item.source}
    return _judged_by(right)


def _score_on(scale: Scale) -> _Value:
    low, high = scale

    def value(_: str, given: Any) -> float | None:
        # An answer that was imported may be a text.
        is_number = isinstance(given, int | float) and not isinstance(given, bool)
        return (given - low) / (high - low) if is_number and low <= given <= high else None

    return value


def _judged_by(right: Mapping[str, str]) -> _Value:
    return lambda name, given: float(given == right[name]) if given and name in right else None
