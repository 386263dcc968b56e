"""The worth of a choice between two in a study's number: 1 where the right one, or the source, was chosen, else 0."""

from collections.abc import Iterator, Mapping

from sqlmodel import col

from app.questions.sides import Side
from app.tasks.pair.design import Member, chosen_by
from app.tasks.pair.queries import planned_left
from app.tasks.pair.settings import PairDesign
from app.trials.headline import OF_PAIRS, Answered, Headline, Worth, answers_that_count
from app.trials.responses import Response

_CHOICES = answers_that_count(
    planned_left().label("left"),
    col(Response.side).label("side"),
    only=[col(Response.side).in_([*Side])],
)


def worth(answered: Answered, headline: Headline) -> Iterator[Worth]:
    """Pairs with a right answer, or with the source and another; ties and blanks are none."""
    wanted = {
        (version, block.id, name): slot
        for version, blocks in answered.blocks.items()
        for block in blocks
        if isinstance(block, PairDesign)
        for name, slot in _slots(block, headline).items()
    }
    if not wanted:
        return
    for row in answered.rows(_CHOICES):
        slot = wanted.get((row.version_id, row.block, row.name))
        if slot is not None:
            chosen = chosen_by(Side(row.side), Member(row.left))
            yield Worth(row.id, row.ended_at, float(chosen == slot))


def _slots(block: PairDesign, headline: Headline) -> Mapping[str, str]:
    """By the name of a unit: the member whose choice counts. None where the number is of no pair."""
    found: dict[str, str] = {}
    for unit in block.units() if headline.measure in OF_PAIRS else ():
        if headline.measure == "accuracy":
            slot = unit.truth
        else:
            sources = zip(unit.members, unit.sources, strict=False)
            of_source = [at for at, source in sources if source == headline.source]
            slot = of_source[0] if len(of_source) == 1 else None
        if slot is not None:
            found[unit.name] = str(slot)
    return found
