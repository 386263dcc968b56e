"""One rule for what an interval lets one say: that something is, is not by more than so much, or neither yet.

Absence of evidence is no finding: every sentence of Results, the report, the terminal, clues and judges that says
*more*, *less*, *alike* or *no* takes it from here.
"""

from typing import Literal, Protocol

Evidence = Literal["more", "less", "alike", "open"]

SHARE = 0.1
"""The smallest difference of interest between shares, or of an area or a probability from one half: 10 points."""

ALPHA = 0.05
"""Below it the p of a test that stands beside an interval agrees that there is a difference."""

NOT_YET = "cannot be told yet"


class Ends(Protocol):
    """An interval as far as the rule reads it; None where there is none. Here because pages that compute nothing,
    and import no NumPy, read intervals as well."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def evidence(interval: Ends, null: float = 0.0, smallest: float = SHARE) -> Evidence:
    """Verdict of an interval on a number against `null`, the value of no difference.

    ``more`` or ``less`` if the interval excludes `null`; ``alike`` if it contains `null` and lies within `smallest` of
    it, as in two one-sided tests of equivalence [Sch87]_, with half of the error that a 95% interval leaves on either
    side; otherwise, and without an interval, ``open``.
    """
    return evidence_of(interval.low, interval.high, null, smallest)


def evidence_of(
    low: float | None, high: float | None, null: float = 0.0, smallest: float = SHARE
) -> Evidence:
    """Like `evidence`, from the ends of an interval."""
    if low is None or high is None:
        return "open"
    if low > null:
        return "more"
    if high < null:
        return "less"
    return "alike" if null - smallest <= low and high <= null + smallest else "open"


def with_test(verdict: Evidence, p: float | None) -> Evidence:
    """A verdict with a test: a difference only if `p`, after its correction, is below .05 as well.

    The interval of few people relies on Student's t, their exact test on no assumption: with four people an interval
    may exclude chance although no p can be below .125. ``alike`` needs no test; without a p there is no difference.
    """
    # With five people or fewer Wilcoxon's p cannot be below .05: the t interval alone must not make a claim.
    if verdict in ("more", "less") and (p is None or p >= ALPHA):
        return "open"
    return verdict


def separated(first: Ends, second: Ends) -> bool:
    """True where two intervals leave no doubt which number is higher: `first` lies wholly above `second`."""
    return first.low is not None and second.high is not None and first.low > second.high
