"""Whether two studies have participants in common, and how they are compared then."""

from dataclasses import dataclass
from typing import Literal

from analysis.choice.studies import StudyResult
from analysis.data.codes import n_shared

ComparedAs = Literal["independent", "paired"]

# Where fewer of the smaller study are in both, a comparison of these alone would leave most people out.
_SHARE_PAIRED = 0.5


@dataclass(frozen=True, slots=True)
class SamePeople:
    """`n` participants of two studies have the same identifier; `crossed` says that they are the same people.

    Then they are compared with themselves, and `compared_as` is ``paired`` where at least half of the smaller study
    is in both. `warning` is a sentence on what a test of the two studies takes for granted."""

    n: int
    crossed: bool
    compared_as: ComparedAs
    warning: str | None


def same_people(one: StudyResult, two: StudyResult, *, independent: bool, renumbered: bool) -> SamePeople:
    """Look for participants with one identifier in two studies; `independent` takes them for different people.

    `renumbered`: both are of the published layout, whose people are others in each study and numbered from 1 again."""
    n = n_shared(one.participants["participant"], two.participants["participant"])
    if not n:
        return SamePeople(0, False, "independent", None)
    have = "1 participant has" if n == 1 else f"{n} participants have"
    if independent:
        warning = (
            f"{have} the same identifier in both studies and, as asked, are taken for different people: if they are "
            "the same, this test takes values for independent that are not, and its p is wrong"
        )
        return SamePeople(n, False, "independent", warning)
    if renumbered:
        warning = (
            f"{have} the same identifier in both studies; they are taken for different people, because the published "
            "studies had different people and number them anew"
        )
        return SamePeople(n, False, "independent", warning)
    smaller = min(len(one.participants), len(two.participants))
    if n < _SHARE_PAIRED * smaller:
        warning = (
            f"{n} of the {smaller} participants of the smaller study took part in both: the test of independent groups "
            "takes them for different people; the paired test has only them; the mixed model has everybody as they are"
        )
        return SamePeople(n, True, "independent", warning)
    left = len(one.participants) + len(two.participants) - 2 * n
    if not left:
        return SamePeople(n, True, "paired", None)
    warning = (
        f"{left} participants took part in one of the studies alone and are not in the paired test; the mixed model "
        "has them"
    )
    return SamePeople(n, True, "paired", warning)
