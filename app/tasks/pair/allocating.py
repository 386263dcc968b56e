"""Rules of a study file about choosing pairs by what they tell, which needs something to choose between."""

from collections.abc import Iterator, Sequence

from app.core.problems import Fault, counted
from app.questions.base import finite_number
from app.tasks.pair.pairs import PairSpec
from app.trials.design import Kind
from app.trials.lists import Keys

FEWEST_TO_RANK = 3
RANK_THREE = f"compare {FEWEST_TO_RANK} sources or more, or remove `allocate`"
CHOOSE_SOME = "add `per_participant` with fewer pairs than the block has, or remove `allocate`"


def cannot_rank(keys: Keys, pairs: Sequence[PairSpec]) -> Iterator[Fault]:
    """The fault of an informative choice where there is nothing to choose between."""
    main = [pair for pair in pairs if pair.kind is Kind.MAIN]
    asked = finite_number(keys.get("per_participant"))
    if keys.get("allocate") != "informative" or asked is None or asked > len(main):
        return
    if asked == len(main):
        message = (
            f"allocate: all {len(main)} main pairs are shown to everybody, so there are none to be chosen"
        )
        yield Fault(("allocate",), message, CHOOSE_SOME)
    compared = {source for pair in main for source in (pair.source_a, pair.source_b)}
    if len(compared) < FEWEST_TO_RANK:
        message = f"allocate: {counted(len(compared), 'source')} can be put in order evenly alone"
        yield Fault(("allocate",), message, RANK_THREE)
