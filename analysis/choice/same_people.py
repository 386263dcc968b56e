"""Detection of participants shared by two studies, or two conditions of one, and the comparison to use then."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from analysis.data.codes import n_shared

ComparedAs = Literal["independent", "paired"]

# Where fewer of the smaller group are in both, a comparison of these alone would leave most people out.
_SHARE_PAIRED = 0.5


@dataclass(frozen=True, slots=True)
class SamePeople:
    """The participants shared: `n` have the same identifier in two studies, or a value in two conditions of one study.

    `crossed`: they are the same people. They are then compared within themselves, and `compared_as` is ``paired`` if at
    least half of the smaller study or condition is in both. `warning` is a sentence on what a test of the two assumes.
    """

    n: int
    crossed: bool
    compared_as: ComparedAs
    warning: str | None


def same_people(one: pd.Series, two: pd.Series, *, independent: bool, renumbered: bool) -> SamePeople:
    """Look for participants with one identifier in two studies, whose participants `one` and `two` are.

    `independent` takes them for different people. `renumbered`: both are of the published layout, whose people are
    others in each study and numbered from 1 again."""
    n = n_shared(one, two)
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
    smaller = min(len(one), len(two))
    if n < _SHARE_PAIRED * smaller:
        warning = (
            f"{n} of the {smaller} participants of the smaller study took part in both: the test of independent groups "
            "takes them for different people; the paired test has only them; the mixed model has everybody as they are"
        )
        return SamePeople(n, True, "independent", warning)
    left = len(one) + len(two) - 2 * n
    if not left:
        return SamePeople(n, True, "paired", None)
    warning = (
        f"{left} participants took part in one of the studies alone and are not in the paired test; the mixed model "
        "has them"
    )
    return SamePeople(n, True, "paired", warning)


def same_people_in_conditions(n_one: int, n_two: int, n: int, what: str = "a value") -> SamePeople:
    """The participants shared by two conditions of one study: `n_one` and `n_two` have a value in each, `n` in both.

    A participant without one may have answered there: `what` names the value.
    """
    smaller = min(n_one, n_two)
    if not n:
        return SamePeople(0, False, "independent", None)
    if n < _SHARE_PAIRED * smaller:
        only = "; the paired test has only them" if n > 1 else ", and one is too few for a paired test"
        warning = (
            f"{n} of the {smaller} participants of the smaller condition have {what} in both: the test of independent "
            f"groups takes them for different people{only}"
        )
        return SamePeople(n, True, "independent", warning)
    left = n_one + n_two - 2 * n
    who = (
        f"1 participant has {what} in one of the conditions alone and is"
        if left == 1
        else (f"{left} participants have {what} in one of the conditions alone and are")
    )
    return SamePeople(n, True, "paired", f"{who} not in the paired test" if left else None)
