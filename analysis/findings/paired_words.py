"""Comparisons of paired scores in words: what is compared, what is missing, and tests that no correction could let
pass.
"""

from collections.abc import Iterator, Sequence

from analysis.ratings.paired import SELF, UNITS, PairedScores
from analysis.stats.intervals import NOT_ASKED, Interval
from analysis.stats.multiplicity import out_of_reach
from analysis.stats.paired import least_p

MOST_NAMED = 3


def paired_notes(comparisons: Sequence[PairedScores]) -> Iterator[str]:
    """The reasons for missing tests or intervals, and scores without a partner; without a full stop."""
    found: dict[str, list[str]] = {}
    for one in comparisons:
        test = one.test
        for reason in dict.fromkeys(
            filter(None, (test.reason, _asked_for(test.difference.interval), test.shift.reason))
        ):
            found.setdefault(reason, []).append(title_of(one))
    if said := unreachable(comparisons):
        yield said
    for reason, names in found.items():
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"{'; '.join(names[:MOST_NAMED])}{more}: {reason}"
    alone = [(title_of(one), one.test.n_only_first, one.test.n_only_second) for one in comparisons]
    for name, first, second in [each for each in alone if each[1] or each[2]][:MOST_NAMED]:
        yield f"{name}: left out without a partner, {first} of the first and {second} of the second"


def unreachable(comparisons: Sequence[PairedScores]) -> str:
    """A sentence that no difference could pass Holm's correction, without a full stop; empty if one could."""
    if not comparisons or comparisons[0].n_family < 2:
        return ""
    n = max(one.test.n_higher + one.test.n_lower for one in comparisons)
    family, unit = comparisons[0].n_family, UNITS[comparisons[0].paired_by][n != 1]
    if not out_of_reach(least_p(n), family):
        return ""
    return (
        f"After Holm's correction over {family} tests no p can be below .05, whatever is found: with {n} {unit} that "
        f"differ the least p is {least_p(n):.2g}, after the correction {min(1.0, family * least_p(n)):.2g}. It takes "
        f"more {UNITS[comparisons[0].paired_by][1]}, or fewer comparisons, chosen beforehand"
    )


def title_of(one: PairedScores) -> str:
    """The comparison's label, with the criterion."""
    return names_of(one) if one.criterion is None else f"{names_of(one)}, {one.criterion}"


def counted_pairs(one: PairedScores) -> str:
    """``12 matched sets``."""
    return f"{one.test.n:,} {UNITS[one.paired_by][one.test.n != 1]}"


def names_of(one: PairedScores) -> str:
    """The two that are compared."""
    if one.first == SELF and one.paired_by == "rater":
        return "oneself less items"
    return f"{one.first} less {one.second}"


def _asked_for(one: Interval) -> str | None:
    """The reason for a missing interval that was requested."""
    return None if one.reason == NOT_ASKED else one.reason
