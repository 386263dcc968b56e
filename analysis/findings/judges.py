"""Judges compared with one person on the same pairs."""

from collections.abc import Mapping, Sequence

from analysis.findings.marks import INTERVAL, few, nothing
from analysis.findings.model import Band, Column, Figure, Mark, Numbers
from analysis.findings.words import count, ends_of, first_few, limits, percent, sentence
from analysis.judging.measures import Group, Measure
from analysis.judging.sample import LABELS
from analysis.judging.validation import JudgeValidation
from analysis.natural import natural
from analysis.stats.evidence import NOT_YET, Evidence, evidence


def judges_figure(validation: JudgeValidation) -> Figure:
    """The figure of each judge's agreement with the majority, compared with one person's on the same pairs."""
    found = [
        (judge.judge, group.measures[LABELS])
        for judge in validation.judges
        if (group := _all_pairs(judge.groups)) is not None
    ]
    known = sorted(
        ((name, one) for name, one in found if one.corrected.value is not None),
        key=lambda each: (-(each[1].corrected.value or 0.0), natural(each[0])),
    )
    if not known:
        why = next(
            (one.corrected.reason for _, one in found if one.corrected.reason), "no judge judged a pair"
        )
        return nothing("judges", "judges", sentence(f"no judge can be held against people: {why}"), "")
    below = [name for name, one in known if standing(one) == "below"]
    above = [name for name, one in known if standing(one) == "above"]
    alike = [name for name, one in known if standing(one) == "alike"]
    said = f"Whether a judge agrees with the majority more or less often than one person {NOT_YET}."
    if above or below or alike:
        parts = (
            [f"{first_few(above)} agrees with the majority more often than one person does"] if above else []
        )
        parts += (
            [f"{first_few(below)} {'falls' if len(below) == 1 else 'fall'} short of one person"]
            if below
            else []
        )
        parts += (
            [f"{first_few(alike)} {'is' if len(alike) == 1 else 'are'} within 10 points of one person"]
            if alike
            else []
        )
        said = sentence("; ".join(parts))
    return Figure(
        name="judges",
        section="judges",
        drawing="marks",
        said=said,
        strong=first_few(below) if below and not above else "",
        how="Share of pairs where the judge agrees with the majority of people, with 95% interval over "
        f"{count(known[0][1].corrected.n, 'pair')}. The grey band is one person against the others.",
        numbers=Numbers(
            "Agreement with the majority",
            (
                Column("judge", "Judge", "text"),
                Column("pairs", "Pairs", "count"),
                Column("value", "Agrees", "share"),
                *INTERVAL,
                Column("ceiling", "One person", "share"),
                Column("ceiling_low", "from", "share"),
                Column("ceiling_high", "to", "share"),
                Column("standing", "Beside one person", "text"),
            ),
            tuple(
                (
                    name,
                    one.corrected.n,
                    one.corrected.value,
                    *ends_of(one.corrected),
                    one.ceiling.value,
                    *ends_of(one.ceiling),
                    STANDINGS[standing(one)],
                )
                for name, one in known
            ),
        ),
        marks=tuple(_judge_mark(name, one) for name, one in known),
        caution=few(known[0][1].corrected.n, "pair", known[0][1].corrected),
    )


STANDINGS = {
    "above": "above one person",
    "below": "below one person",
    "alike": "within 10 points of one person",
    "like": "not told apart yet",
    "unknown": "no interval",
}
_STANDING: Mapping[Evidence, str] = {"more": "above", "less": "below", "alike": "alike", "open": "like"}


def standing(one: Measure) -> str:
    """The position of the interval of judge minus one person, both against the same others."""
    if one.over_person is None or one.over_person.interval.low is None:
        return "unknown"
    return _STANDING[evidence(one.over_person.interval)]


def _all_pairs(groups: Sequence[Group]) -> Group | None:
    return next((one for one in groups if one.scope == "all"), None)


def _judge_mark(name: str, one: Measure) -> Mark:
    low, high = ends_of(one.corrected)
    return Mark(
        name,
        one.corrected.value,
        low,
        high,
        percent(one.corrected.value),
        limits(low, high) or "no interval",
        "computer",
        band=Band(one.ceiling.value, *ends_of(one.ceiling)),
    )
