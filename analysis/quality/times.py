"""Rules on how long a session took: fixed bounds, and outliers among the sessions of the same arm.

Outliers are held against median and median absolute deviation, as the mean and the standard deviation are moved by the
outliers that they are to find [Ley13]; on logarithms, as times are skewed to the right.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from analysis.quality.records import SessionRecord
from analysis.quality.rules import Bounds, Cohort, Finder, Parameter, Rule, Values

# Makes the median absolute deviation of normal data their standard deviation.
_NORMAL = 1.4826
_FEWEST = 20

_DEVIATIONS = Parameter(
    "deviations",
    "Deviations from the median, more than",
    "In median absolute deviations of the logarithms, scaled to standard deviations.",
    3,
    minimum=1,
    maximum=20,
)


def median_rt_s(session: SessionRecord) -> float | None:
    """The median reaction time over trials, in seconds."""
    times = [answer.rt_ms for answer in session.answers if answer.rt_ms is not None]
    return median(times) / 1000 if times else None


def logarithm(value: float | None) -> float | None:
    return math.log(value) if value is not None and value > 0 else None


def _within(seconds: float | None, least: float | None, most: float | None) -> bool:
    return seconds is None or ((least is None or seconds >= least) and (most is None or seconds <= most))


def _reaction_time(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    found = median_rt_s(session)
    if found is None or _within(found, bounds["least"], bounds["most"]):
        return None
    return {"median_s": round(found, 2)}


def _total_time(session: SessionRecord, bounds: Bounds, _: Cohort) -> Values | None:
    minutes = None if session.duration_s is None else session.duration_s / 60
    if minutes is None or _within(minutes, bounds["least"], bounds["most"]):
        return None
    return {"minutes": round(minutes, 2)}


def robust_z(value: float, among: Sequence[float]) -> float | None:
    """Deviations of a value from the median of others; None for fewer than 20, or where most are alike."""
    if len(among) < _FEWEST:
        return None
    middle = median(among)
    spread = _NORMAL * median(abs(each - middle) for each in among)
    return (value - middle) / spread if spread > 0 else None


def _outlier(
    of: Callable[[SessionRecord], float | None],
    among: Callable[[Cohort], Mapping[str, Sequence[float]]],
    name: str,
) -> Finder:
    def find(session: SessionRecord, bounds: Bounds, cohort: Cohort) -> Values | None:
        value = of(session)
        log = logarithm(value)
        z = None if log is None else robust_z(log, among(cohort).get(session.arm, ()))
        if value is None or z is None or abs(z) <= (bounds["deviations"] or 0):
            return None
        return {name: round(value, 2), "deviations": round(z, 2)}

    return find


TIMES = (
    Rule(
        "reaction-time",
        "Reaction time out of bounds",
        "The median reaction time over trials is shorter, or longer, than these bounds.",
        _reaction_time,
        (
            Parameter(
                "least", "Median reaction time, at least", "Who was faster meets the rule.", 1, "seconds"
            ),
            Parameter(
                "most", "Median reaction time, at most", "Who was slower meets the rule.", None, "seconds"
            ),
        ),
    ),
    Rule(
        "reaction-time-outlier",
        "Reaction time is an outlier",
        "The median reaction time is so far from the median of all sessions of the arm; from 20 sessions on.",
        _outlier(median_rt_s, lambda cohort: cohort.rt_log, "median_s"),
        (_DEVIATIONS,),
        of_cohort=True,
    ),
    Rule(
        "total-time",
        "Total time out of bounds",
        "From consent to the last answer it took less, or more, than these bounds.",
        _total_time,
        (
            Parameter(
                "least",
                "Total time, at least",
                "Who was faster meets the rule. The launch checklist warns where the clips alone take less.",
                1,
                "minutes",
            ),
            Parameter("most", "Total time, at most", "Who was slower meets the rule.", None, "minutes"),
        ),
    ),
    Rule(
        "total-time-outlier",
        "Total time is an outlier",
        "The time from consent to the last answer is so far from the median of all sessions of the arm; from 20 "
        "sessions on.",
        _outlier(lambda session: session.duration_s, lambda cohort: cohort.duration_log, "seconds"),
        (_DEVIATIONS,),
        of_cohort=True,
    ),
)
