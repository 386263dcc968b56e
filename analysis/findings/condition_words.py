"""Comparisons of conditions in words: which differ, which differ by no more than a margin, and which remain open."""

from collections.abc import Mapping, Sequence

from analysis.choice.conditions import ConditionComparison, ConditionsCompared
from analysis.findings.claims import Claims
from analysis.findings.words import exact, first_few, people, percent, points, sentence
from analysis.signs import signed
from analysis.stats.comparisons import MannWhitney
from analysis.stats.evidence import NOT_YET, SHARE, Evidence, evidence, with_test
from analysis.stats.intervals import Interval
from analysis.stats.p_values import p_words
from analysis.stats.paired import PairedTest

_MOST_SAID = 3


def conditions_claims(found: ConditionsCompared) -> Claims:
    """A difference is claimed where its interval leaves none, and p after Holm's correction is below .05; that there is
    none to speak of, where the interval lies within 10 points of it."""
    there = [one for one in asked(found.comparisons) if read_of(one) is not None]
    settled = [one for one in there if _evidence(one) != "open"]
    can_say = [f"{_said(one)}." for one in settled[:_MOST_SAID]]
    if len(settled) > _MOST_SAID:
        can_say.append(f"{len(settled) - _MOST_SAID} more comparisons are settled: their table is below.")
    unsettled = [one for one in there if _evidence(one) == "open"]
    if not unsettled:
        return Claims(tuple(can_say), ())
    if len(unsettled) == 1:
        said = f"That {names_of(unsettled[0])} differ: {_why_open(unsettled[0])}."
    else:
        names = first_few([names_of(one) for one in unsettled])
        said = (
            f"That these conditions differ, {names}: each interval holds no difference, or p after Holm's correction "
            f"over {unsettled[0].n_family} comparisons is not below .05."
        )
    return Claims(tuple(can_say), (said,))


def conditions_headline(found: ConditionsCompared, shares: Mapping[str, float | None]) -> str:
    """The accuracy of two conditions against each other, by the test that reaches furthest: the mixed model's reaches
    to other people and other pairs. Empty where there are not two; `shares` is the accuracy of each."""
    accuracies = [one for one in found.comparisons if one.measure == "accuracy" and read_of(one) is not None]
    if len(found.conditions) != 2 or len(accuracies) != 1:
        return ""
    one = accuracies[0]
    first, second = one.conditions
    both = f"{first} {percent(shares.get(first))} against {second} {percent(shares.get(second))}"
    effects = found.mixed.conditions if found.mixed is not None else ()
    of_model = next((each.log_odds for each in effects if each.log_odds is not None), None)
    reach = (
        ""
        if of_model is None or of_model.p is None
        else f"; over other people and pairs {p_words(of_model.p)}"
    )
    test = one.to_read
    if isinstance(test, PairedTest):
        size = f"difference {signed_points(test.difference.mean)} points, {_interval_words(*_limits_of(one))}"
    else:
        effect = test.effect if test else None
        size = f"probability of being higher {exact(effect)}, {_interval_words(*_limits_of(one))}"
    ending = f". Which is higher {NOT_YET}" if _evidence(one) == "open" else ""
    return f"{both}: {size}, over these pairs{reach}{ending}."


def _limits_of(one: ConditionComparison) -> tuple[Interval, str]:
    _, interval = read_of(one) or (0.0, None)
    assert interval is not None  # the caller asked
    return interval, signed_limits(interval) if one.compared_as == "paired" else exact_limits(interval)


def finding(comparisons: Sequence[ConditionComparison], found: ConditionsCompared) -> str:
    there = [one for one in asked(comparisons) if read_of(one) is not None]
    if not there:
        return sentence(found.no_accuracy or "no condition has a value to compare")
    if len(there) == 1:
        return f"{_said(there[0])}."
    decided = [one for one in there if _evidence(one) in ("more", "less")]
    if not decided:
        return f"Which conditions differ {NOT_YET}: none of {len(there)} comparisons shows a difference."
    names = first_few([names_of(one) for one in decided])
    return f"Of {len(there)} comparisons of conditions {len(decided)} show a difference: {names}."


def _said(one: ConditionComparison) -> str:
    """One comparison in a sentence without its stop: what is, what is not by more than 10 points, or neither yet."""
    first, second = one.conditions
    does = f"choose {one.source} over {one.against}" if one.source else "are right"
    test, verdict = one.to_read, _evidence(one)
    if isinstance(test, PairedTest):
        limits = _interval_words(test.difference.interval, signed_limits(test.difference.interval))
        who, size = (
            f"the same {people(test.n)}",
            f"difference {signed_points(test.difference.mean)} points, {limits}",
        )
        if verdict in ("more", "less"):
            return (
                f"The same {people(test.n)} {does} {points(test.difference.mean or 0.0)} {verdict} often with {first} "
                f"than with {second} over these pairs, {limits}"
            )
    elif isinstance(test, MannWhitney):
        limits = _interval_words(test.effect_interval, exact_limits(test.effect_interval))
        who, size = (
            f"{test.n1:,} and {people(test.n2)}",
            f"probability of being higher {exact(test.effect)}, {limits}",
        )
        if verdict in ("more", "less"):
            return (
                f"People with {first} {does} {verdict} often than others with {second} over these pairs: "
                f"{size}, {who}"
            )
    else:
        return ""
    if verdict == "alike":
        return f"People {does} as often with {first} as with {second}, within {points(SHARE)}: {size}, {who}"
    return (
        f"Whether people {does} more or less often with {first} than with {second} {NOT_YET}: {size}, {who}"
    )


def _evidence(one: ConditionComparison) -> Evidence:
    """By the interval, and of a difference by p after Holm's correction as well."""
    read = read_of(one)
    if read is None:
        return "open"
    verdict = evidence(read[1], read[0])
    return with_test(verdict, one.p_holm)


def _why_open(one: ConditionComparison) -> str:
    if one.reason:
        return one.reason
    read = read_of(one)
    if read is None or read[1].low is None or read[1].high is None:
        return f"there is no interval, {read[1].reason}" if read else "there is no number"
    if read[1].low <= read[0] <= read[1].high:
        limits = signed_limits(read[1]) if one.compared_as == "paired" else exact_limits(read[1])
        return f"the interval, {limits}, holds no difference"
    return f"{p_words(one.p_holm)} after Holm's correction over {one.n_family} comparisons"


def asked(comparisons: Sequence[ConditionComparison]) -> list[ConditionComparison]:
    """The measures that a study asks for: accuracy and preferences, which are shares."""
    return [one for one in comparisons if one.measure != "uncertainty"]


def read_of(one: ConditionComparison) -> tuple[float, Interval] | None:
    """The value that means no difference, and the interval of what is to be read; None without a number."""
    test = one.to_read
    if isinstance(test, PairedTest):
        return None if test.difference.mean is None else (0.0, test.difference.interval)
    if isinstance(test, MannWhitney):
        return None if test.effect is None else (0.5, test.effect_interval)
    return None


def _interval_words(one: Interval, limits: str) -> str:
    return f"no interval: {one.reason}" if one.low is None else f"95% interval {limits}"


def names_of(one: ConditionComparison) -> str:
    pair = " against ".join(one.conditions)
    return f"{pair} ({one.source} over {one.against})" if one.source else pair


def signed_points(value: float | None) -> str:
    if value is None:
        return ""
    return signed(100 * value, 0)


def signed_limits(one: Interval) -> str:
    return "no interval" if one.low is None else f"{signed_points(one.low)} to {signed_points(one.high)}"


def exact_limits(one: Interval) -> str:
    return "no interval" if one.low is None or one.high is None else f"{one.low:.2f} to {one.high:.2f}"
