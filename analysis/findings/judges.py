"""Judges compared with one person on the same pairs."""

import math
from collections.abc import Mapping, Sequence

from analysis.findings.marks import FEW, INTERVAL, few, nothing
from analysis.findings.model import Band, Column, Figure, Mark, Numbers
from analysis.findings.words import count, ends_of, first_few, limits, people, percent, sentence
from analysis.judging.measures import Group, Measure
from analysis.judging.sample import LABELS
from analysis.judging.validation import JudgeValidation
from analysis.natural import natural
from analysis.stats.evidence import NOT_YET, Evidence, evidence

PERSON = "One person"
NARROW = 0.20  # the width of an interval that a judge's place can be read from


def judges_figure(validation: JudgeValidation, notes: Mapping[str, str] | None = None) -> Figure:
    """The figure of each judge's agreement with the majority, compared with one person's on the same pairs.

    `notes` are lines below the names of judges.
    """
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
    fewest, most = (pick(one.corrected.n for _, one in known) for pick in (min, max))
    n_pairs = count(most, "pair") if fewest == most else f"{fewest} to {count(most, 'pair')}"
    return Figure(
        name="judges",
        section="judges",
        drawing="marks",
        said=_said(known),
        strong=first_few(below) if below else first_few(above),
        how=f"Share of {n_pairs} in which the judge agrees with the majority of {people(validation.n_participants)}, "
        "with 95% interval over pairs.",
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
                Column("standing", "Against one person", "text"),
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
        marks=(
            *_person_mark(known, validation.n_participants),
            *(_judge_mark(name, one, (notes or {}).get(name, "")) for name, one in known),
        ),
        caution=_width(known),
    )


def _said(known: Sequence[tuple[str, Measure]]) -> str:
    """The finding in a sentence: the judges that differ from one person, those that are alike, those that are open."""
    by_standing = {
        wanted: [name for name, one in known if standing(one) == wanted]
        for wanted in ("below", "above", "alike", "like", "unknown")
    }
    below, above, alike = (by_standing[wanted] for wanted in ("below", "above", "alike"))
    open_ = [*by_standing["like"], *by_standing["unknown"]]
    parts = []
    if above:
        verb = "agrees" if len(above) == 1 else "agree"
        parts.append(f"{first_few(above)} {verb} with the majority more often than one person does")
    if below:
        parts.append(f"{first_few(below)} {'falls' if len(below) == 1 else 'fall'} short of one person")
    if alike:
        parts.append(
            f"{first_few(alike)} {'is' if len(alike) == 1 else 'are'} within 10 points of one person"
        )
    if not parts:
        which = "the judge" if len(open_) == 1 else "a judge"
        return f"Whether {which} agrees with the majority more or less often than one person {NOT_YET}."
    if open_:
        named = first_few(open_) if len(open_) == 1 else count(len(open_), "judge")
        parts.append(f"whether {named} {'does' if len(open_) == 1 else 'do'} better or worse {NOT_YET}")
    return sentence("; ".join(parts))


def _width(known: Sequence[tuple[str, Measure]]) -> str:
    """The remark on few pairs: how wide the intervals are, and how many pairs would make them narrow.

    An interval of a share gets narrower with the square root of the number of pairs.
    """
    n = max(one.corrected.n for _, one in known)
    ends = [ends_of(one.corrected) for _, one in known]
    widths = sorted(high - low for low, high in ends if low is not None and high is not None)
    if n >= FEW:
        return ""
    if not widths:
        return few(n, "pair", known[0][1].corrected)
    least, most = (round(100 * width) for width in (widths[0], widths[-1]))
    wide = f"{most} points" if least == most else f"{least} to {most} points"
    said = f"{count(n, 'pair')} {'is' if n == 1 else 'are'} few: each interval is {wide} wide"
    if most <= 100 * NARROW:
        return f"{said}."
    needed = 10 * math.ceil(n * (widths[-1] / NARROW) ** 2 / 10)
    return f"{said}; about {needed} pairs would bring it to {100 * NARROW:.0f}."


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


def _person_mark(known: Sequence[tuple[str, Measure]], n_people: int) -> Sequence[Mark]:
    """The first row: one person against the others, where all judges judged the same pairs; else it has no number."""
    bands = {(one.ceiling.value, *ends_of(one.ceiling)) for _, one in known}
    against = f"against the other {n_people - 1}" if n_people > 1 else "against the others"
    if len(bands) > 1:
        says = "differs by the pairs that a judge judged"
        return [Mark(PERSON, None, None, None, "", says, "ink", group=against, spoken=f"{PERSON}: {says}")]
    value, low, high = bands.pop()
    if value is None:
        return []
    beside = limits(low, high) or "no interval"
    return [
        Mark(
            PERSON, None, None, None, percent(value), beside, "ink", group=against, band=Band(value, low, high),
            spoken=f"{PERSON}: {percent(value)}, {beside}",
        )
    ]  # fmt: skip


def _judge_mark(name: str, one: Measure, note: str) -> Mark:
    low, high = ends_of(one.corrected)
    where = standing(one)
    return Mark(
        name,
        one.corrected.value,
        low,
        high,
        percent(one.corrected.value),
        limits(low, high) or "no interval",
        "computer",
        group=note,
        badge=STANDINGS[where],
        is_warning=where in ("above", "below"),
        band=Band(one.ceiling.value, *ends_of(one.ceiling)),
    )
