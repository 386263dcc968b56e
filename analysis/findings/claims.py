"""Claims that the data support or do not yet support, and how many more people would settle them.

A claim is made if a 95% interval excludes the value that would refute it. The number of further people is computed from
the width of that interval, which shrinks with the square root of the number of people, assuming a constant share.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.choice.studies import StudyResult
from analysis.findings.judges import standing
from analysis.findings.pairs import VotedPair
from analysis.findings.rule import Sayings, say
from analysis.findings.words import (
    CLIP,
    Noun,
    between,
    count,
    ends_of,
    exact,
    first_few,
    people,
    percent,
    points,
    test_beside,
)
from analysis.judging.sample import LABELS
from analysis.judging.validation import JudgeValidation
from analysis.stats.description import Description
from analysis.stats.evidence import SHARE, evidence, with_test
from analysis.stats.p_values import p_words

_Z = 1.959963984540054
_FEWEST_FOR_TEST = 6  # 2 / 2^6 is the first two-sided p below .05 of signs that are all the same
_NEAREST = 0.02  # a mean so near an even split needs thousands: no number is given
HOW_MORE = (
    "How “more people” is computed: an interval narrows with the square root of the number of people. For a mean, the "
    "people there are times the square of the interval's half width over the mean's distance from 50%; for a pair, the "
    "votes at which Wilson's interval of the share it has now would leave 50%, at the votes that one person gives it. "
    "Both hold only if the shares stay as they are, and looking often and stopping when it pleases makes a finding "
    "out of chance: plan the number beforehand."
)


@dataclass(frozen=True, slots=True)
class Claims:
    can_say: tuple[str, ...]
    not_yet: tuple[str, ...]


def claims_of(
    study: StudyResult,
    pairs: Sequence[VotedPair],
    right: str,
    validation: JudgeValidation | None,
    noun: Noun = CLIP,
) -> Claims:
    """Claims from the intervals of one study; the caller adds those from comparing studies."""
    made = [
        *_on_accuracy(study, right),
        *_on_preferences(study),
        *_on_certainty(study),
        *_on_pairs(study, pairs, right, noun),
        *_on_bias(study),
        *_on_judges(validation),
    ]
    return Claims(
        tuple(text for is_yes, text in made if is_yes), tuple(text for is_yes, text in made if not is_yes)
    )


def more_people(one: Description, even: float = 0.5) -> int | None:
    """The number of further people until the interval excludes `even`; None if that cannot be computed."""
    low, high = ends_of(one)
    if one.mean is None or low is None or high is None or abs(one.mean - even) < _NEAREST:
        return None
    half = one.mean - low if one.mean > even else high - one.mean
    # The half of an interval shrinks with the root of n.
    return max(1, math.ceil(one.n * (half / (one.mean - even)) ** 2) - one.n)


def more_votes(share: float, n: int) -> int | None:
    """The number of further votes, at the present share, until Wilson's interval [Wil27]_ excludes an even split.

    The interval is the inversion of the score test: it leaves 1/2 once n > z² / 4 / (share - 1/2)².
    """
    if abs(share - 0.5) < _NEAREST:
        return None
    return max(1, math.floor(_Z**2 / 4 / (share - 0.5) ** 2) + 1 - n)


def _people_more(n: int) -> str:
    return f"{n:,} more {'person' if n == 1 else 'people'}"


def _needs(one: Description) -> str:
    """Empty where the interval is not what leaves it open."""
    if evidence(one.interval, 0.5) != "open":
        return ""
    more = more_people(one)
    if more is not None:
        return f" About {_people_more(more)} would settle it."
    low, high = ends_of(one)
    if low is None or high is None:
        return ""
    return f" The mean is so near 50% that no number would; with {people(4 * one.n)} the interval is half as wide."


def _needs_for_test(study: StudyResult) -> str:
    """A sentence that the answers of so few people cannot reach .05: at best all signs are the same."""
    # People at chance have no sign: the test is of the others.
    n = study.against_chance.n - study.against_chance.n_at_chance
    return (
        f" With fewer than {_FEWEST_FOR_TEST} people it cannot be below .05." if n < _FEWEST_FOR_TEST else ""
    )


def _on_accuracy(study: StudyResult, right: str) -> Iterator[tuple[bool, str]]:
    one = study.accuracy
    if one.mean is None:
        return
    by_interval = evidence(one.interval, 0.5)
    verdict = with_test(by_interval, study.against_chance.p)
    if one.interval.low is None:
        yield False, f"Whether people can tell: {one.interval.reason}."
    elif verdict == "more":
        yield (
            True,
            f"People do better than chance over these pairs: {percent(one.mean)}, {between(one.interval)}.",
        )
    elif verdict == "less":
        yield (
            True,
            f"People do worse than chance: they pick {right} in {percent(one.mean)}, {between(one.interval)}.",
        )
    elif verdict == "alike":
        yield (
            True,
            f"People do no better than chance by more than {points(SHARE)}: {percent(one.mean)}, "
            f"{between(one.interval)}.",
        )
    elif by_interval == "open":
        yield (
            False,
            f"That people do better than chance: {between(one.interval)}, and chance is 50%.{_needs(one)}",
        )
    else:
        yield (
            False,
            f"That people do {'better' if by_interval == 'more' else 'worse'} than chance: {between(one.interval)}, "
            f"but their test against chance has {p_words(study.against_chance.p)}.{_needs_for_test(study)}",
        )
    # Over people alone the interval held for other pairs in 83 to 87% of simulations (bench/calibration.md).
    both = study.two_way.accuracy
    if verdict == "more" and both.low is not None and evidence(both, 0.5) != "more":
        yield False, f"That they would with other pairs, too: over people and pairs the {between(both)}."


def _on_preferences(study: StudyResult) -> Iterator[tuple[bool, str]]:
    for one in study.preferences:
        if one.has_truth or one.description.mean is None:
            continue
        what, verdict = f"{one.source} over {one.against}", evidence(one.description.interval, 0.5)
        share, limits = percent(one.description.mean), between(one.description.interval)
        if one.description.interval.low is None:
            yield False, f"Whether people choose {what}: {one.description.interval.reason}."
        elif verdict in ("more", "less"):
            yield True, f"People choose {what} {verdict} often than not: {share}, {limits}."
        elif verdict == "alike":
            yield (
                True,
                f"People prefer neither {one.source} nor {one.against} by more than {points(SHARE)}: {limits}.",
            )
        else:
            yield (
                False,
                f"Whether people prefer {what}: {between(one.description.interval)}.{_needs(one.description)}",
            )


def _on_certainty(study: StudyResult) -> Iterator[tuple[bool, str]]:
    area = study.certainty.auroc
    if area.mean is None:
        return
    limits = (
        ""
        if area.interval.low is None
        else f", 95% interval {exact(area.interval.low)} to {exact(area.interval.high)}"
    )
    found, p = evidence(area.interval, 0.5), study.certainty.auroc_against_half.p
    n = f"AUC {exact(area.mean)} over {people(area.n)}{limits}{test_beside(found, p)}"
    needs = _needs(area) if area.interval.low is not None else ""
    sayings = Sayings(
        more=f"Within a person, the more certain answers are more often right: {n}.",
        less=f"Within a person, the more certain answers are less often right: {n}.",
        alike=f"Certainty tells right from wrong by no more than {exact(SHARE)} of AUC: {n}.",
        open=f"That the more certain answers are more often right: {n}.{needs}",
    )
    said = say(area.interval, p, sayings, null=0.5)
    yield said.is_settled, said.text


def _on_pairs(
    study: StudyResult, pairs: Sequence[VotedPair], right: str, noun: Noun
) -> Iterator[tuple[bool, str]]:
    lost = [one.pair for one in pairs if one.is_lost]
    if lost:
        which = "pair" if len(lost) == 1 else "pairs"
        yield True, f"In {len(lost)} {which} people take the other {noun.one} for {right}: {first_few(lost)}."
    unsettled = [one for one in pairs if one.is_open]
    if not unsettled:
        return
    short = [more_votes(one.share, one.n) for one in unsettled if one.outcome != "tie"]
    wanted = [more for more in short if more is not None]
    rate = _votes_of_one(study, pairs)
    needs = ""
    if wanted and rate:
        more = math.ceil(min(wanted) / rate)
        needs = f" About {_people_more(more)} would settle one of them."
    is_are = "is" if len(unsettled) == 1 else "are"
    yield False, f"Which way single pairs go: {len(unsettled)} of {len(pairs)} {is_are} still open.{needs}"


def _votes_of_one(study: StudyResult, pairs: Sequence[VotedPair]) -> float:
    """The mean number of votes of one person on one pair."""
    n = study.selection.n_participants_used * len(pairs)
    return sum(one.n for one in pairs) / n if n else 0.0


def _on_bias(study: StudyResult) -> Iterator[tuple[bool, str]]:
    side = study.bias.side.left
    verdict = with_test(evidence(side.interval, 0.5), study.bias.side.left_against_half.p)
    if side.mean is not None and verdict in ("more", "less"):
        which, off = "left" if verdict == "more" else "right", points(side.mean - 0.5)
        yield (
            True,
            f"People lean to the {which} by {off}; with balanced sides that costs accuracy and favours neither member.",
        )


def _on_judges(validation: JudgeValidation | None) -> Iterator[tuple[bool, str]]:
    if validation is None:
        return
    found = [
        (judge.judge, standing(group.measures[LABELS]), group.measures[LABELS])
        for judge in validation.judges
        for group in judge.groups
        if group.scope == "all" and group.measures[LABELS].corrected.value is not None
    ]
    for way, text in (
        ("above", "agree with the majority more often than one person"),
        ("below", "fall short of one person"),
        ("alike", "agree with the majority as often as one person, within 10 points"),
    ):
        names = [name for name, where, _ in found if where == way]
        if names:
            yield True, f"These judges {text}: {first_few(names)}."
    like = [(name, one) for name, where, one in found if where == "like"]
    if like:
        widths = [
            100 * (high - low)
            for _, one in like
            for low, high in [ends_of(one.corrected)]
            if low is not None and high is not None
        ]
        yield (
            False,
            f"That a judge matches people ({first_few([name for name, _ in like])}): over "
            f"{count(like[0][1].corrected.n, 'pair')} each interval is {min(widths):.0f} points wide or more. It takes "
            "more pairs, not more people.",
        )
