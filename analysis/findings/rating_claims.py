"""Claims on ratings: on groups of items and on scores compared as pairs, supported and not yet."""

from collections.abc import Sequence

from analysis.findings.paired_ratings import paired_claims
from analysis.findings.ratings import scored
from analysis.findings.words import count, exact, sentence
from analysis.ratings.between import BlocksCompared
from analysis.ratings.groups import GroupComparison
from analysis.ratings.studies import BlockRatings
from analysis.stats.evidence import SHARE, evidence

_MOST_CLAIMS = 4
_SIGNIFICANT = 0.05


def claims(
    blocks: Sequence[BlockRatings], compared: Sequence[BlocksCompared] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Claims on which groups of items differ, and which remain open; and the same for comparisons as pairs."""
    can_say: list[str] = []
    not_yet: list[str] = []
    for is_known, said in paired_claims(blocks, compared):
        (can_say if is_known else not_yet).append(said)
    for block in blocks:
        # Matched conditions are compared as pairs.
        if block.analysis.matched_groups:
            continue
        criteria = scored(block.analysis)
        for one in criteria:
            by = f"by {one.criterion}, " if len(criteria) > 1 else ""
            for pair in one.group_comparisons:
                is_known, said = _group_claim(pair)
                (can_say if is_known else not_yet).append(sentence(f"{by}{said}"))
    return _shortened(can_say), _shortened(not_yet)


def _group_claim(pair: GroupComparison) -> tuple[bool, str]:
    """By the probability of being higher, and of a difference by p after Holm's correction, which decides alone where
    groups do not overlap and resampling shows no spread."""
    first, second = pair.groups
    is_apart = pair.test.effect in (0.0, 1.0)
    found = evidence(pair.test.effect_interval, 0.5)
    size = f"probability of being higher {exact(pair.test.effect)}"
    if found == "alike":
        return True, f"{first} and {second} score alike, within {SHARE:g} of that probability: {size}"
    if (
        (found == "open" and not is_apart)
        or pair.p_holm is None
        or pair.p_holm >= _SIGNIFICANT
        or not pair.difference
    ):
        return False, f"whether {first} scores higher or lower than {second}"
    more = "higher" if pair.difference > 0 else "lower"
    return True, f"{first} scores {abs(pair.difference):.2f} {more} than {second}"


def _shortened(said: Sequence[str]) -> tuple[str, ...]:
    """The first of them, and how many more comparisons the figure of the groups has."""
    more = len(said) - _MOST_CLAIMS
    if more <= 0:
        return tuple(said)
    return (*said[:_MOST_CLAIMS], f"The same of {count(more, 'more comparison')}.")
