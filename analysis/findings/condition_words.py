"""Comparisons of conditions in words: which differ, which differ by no more than a margin, and which remain open."""

from collections.abc import Mapping, Sequence

from analysis.choice.conditions import ConditionComparison, ConditionsCompared
from analysis.findings.claims import Claims
from analysis.findings.reading import interval_words, limits, size, value_to_read, verdict
from analysis.findings.words import first_few, people, percent, points, sentence
from analysis.stats.evidence import NOT_YET, SHARE, Evidence
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
    assert one.to_read is not None  # it has a number
    ending = f". Which is higher {NOT_YET}" if _evidence(one) == "open" else ""
    return f"{both}: {size(one.to_read)}, over these pairs{reach}{ending}."


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
    test, found = one.to_read, _evidence(one)
    if test is None:
        return ""
    who = (
        f"the same {people(test.n)}" if isinstance(test, PairedTest) else f"{test.n1:,} and {people(test.n2)}"
    )
    if found == "alike":
        return f"People {does} as often with {first} as with {second}, within {points(SHARE)}: {size(test)}, {who}"
    if found == "open":
        both = f"with {first} than with {second}"
        return f"Whether people {does} more or less often {both} {NOT_YET}: {size(test)}, {who}"
    if isinstance(test, PairedTest):
        apart = f"{points(test.difference.mean or 0.0)} {found} often with {first} than with {second}"
        return f"The same {people(test.n)} {does} {apart} over these pairs, {interval_words(test)}"
    apart = f"{found} often than others with {second} over these pairs"
    return f"People with {first} {does} {apart}: {size(test)}, {who}"


def _evidence(one: ConditionComparison) -> Evidence:
    return verdict(one.to_read, one.p_holm)


def _why_open(one: ConditionComparison) -> str:
    if one.reason:
        return one.reason
    read = read_of(one)
    if one.to_read is None or read is None or read[1].low is None or read[1].high is None:
        return f"there is no interval, {read[1].reason}" if read else "there is no number"
    if read[1].low <= read[0] <= read[1].high:
        return f"the interval, {limits(one.to_read)}, holds no difference"
    return f"{p_words(one.p_holm)} after Holm's correction over {one.n_family} comparisons"


def asked(comparisons: Sequence[ConditionComparison]) -> list[ConditionComparison]:
    """The measures that a study asks for: accuracy and preferences, which are shares."""
    return [one for one in comparisons if one.measure != "uncertainty"]


def read_of(one: ConditionComparison) -> tuple[float, Interval] | None:
    """The value that means no difference, and the interval of what is to be read; None without a number."""
    return value_to_read(one.to_read)


def names_of(one: ConditionComparison) -> str:
    pair = " against ".join(one.conditions)
    return f"{pair} ({one.source} over {one.against})" if one.source else pair
