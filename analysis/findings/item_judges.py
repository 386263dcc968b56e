"""Judges of items compared with one rater on the same items."""

from collections.abc import Mapping

from analysis.findings.marks import estimated, plain_interval
from analysis.findings.model import Band, Column, Figure, Mark, Numbers
from analysis.findings.words import ends_of, exact, first_few, sentence
from analysis.judging.items.figure import judge_name
from analysis.judging.items.text import ITEM_MEASURES
from analysis.judging.items.validation import ItemMeasure, ItemValidation
from analysis.stats.evidence import NOT_YET, SHARE, Evidence, evidence

MOST_MARKS = 24
_STANDINGS = {
    "less": "short of one rater",
    "more": "above one rater",
    "alike": f"within {SHARE:g} of one rater",
}
STANDINGS: Mapping[Evidence, str] = {
    "less": "below one rater",
    "more": "above one rater",
    "alike": f"within {SHARE:g} of one rater",
    "open": "not told apart yet",
}
_DRAWN = {"classes": "accuracy", "ratings": "spearman"}


def item_judges_figure(
    name: str, section: str, validation: ItemValidation, notes: Mapping[str, str] | None = None
) -> Figure:
    """The figure of each judge compared with one rater against the others on the same items.

    `notes` are lines below the names of judges.
    """
    measure = _DRAWN[validation.settings.judges_of]
    several = len(validation.criteria) > 1
    found = [
        (
            f"{judge_name(judge)}, {group.criterion}" if several else judge_name(judge),
            key,
            judge.measures[key],
        )
        for group in validation.criteria
        for judge in group.judges
        for key in judge.measures
    ]
    drawn = [(label, one) for label, key, one in found if key == measure and one.value.value is not None]
    lines = {
        f"{judge_name(judge)}, {group.criterion}" if several else judge_name(judge): (notes or {}).get(
            judge.judge, ""
        )
        for group in validation.criteria
        for judge in group.judges
    }
    columns = (
        Column("judge", "Judge", "text"),
        Column("measure", "Measure", "text"),
        Column("items", "Items", "count"),
        Column("value", "Judge"),
        Column("ci_low", "from"),
        Column("ci_high", "to"),
        Column("ceiling", "One rater"),
        Column("ceiling_low", "from"),
        Column("ceiling_high", "to"),
    )
    numbers = Numbers(
        "Judges beside one rater",
        columns,
        tuple(
            (label, ITEM_MEASURES[key], *estimated(one.value), one.ceiling.value, *ends_of(one.ceiling))
            for label, key, one in found
        ),
    )
    if not drawn:
        reasons = [one.value.reason for _, key, one in found if key == measure and one.value.reason]
        why = reasons[0] if reasons else "no judge judged an item"
        return Figure(
            name, section, "none", sentence(f"no judge can be held against raters: {why}"), "", numbers
        )
    lows = [
        end
        for _, one in drawn
        for each in (one.value, one.ceiling)
        for end in (each.value, each.interval.low)
    ]
    low = -1.0 if min((end for end in lows if end is not None), default=0.0) < 0 else 0.0
    drawn.sort(key=lambda each: -(each[1].value.value or 0.0))
    standing = {label: _standing(one) for label, one in drawn}
    below = [label for label, verdict in standing.items() if verdict == "less"]
    parts = [
        f"{first_few(names)} {words}"
        for wanted, words in _STANDINGS.items()
        if (names := [label for label, verdict in standing.items() if verdict == wanted])
    ]
    said = (
        sentence("; ".join(parts))
        if parts
        else f"Whether a judge does better or worse than one rater {NOT_YET}."
    )
    what = {
        "accuracy": "Share of items that get the class most raters gave them",
        "spearman": "Rank correlation with the items' mean ratings",
    }
    return Figure(
        name=name,
        section=section,
        drawing="marks",
        said=said,
        strong=first_few(below) if below else "",
        how=f"{what[measure]}, with 95% interval over items. The grey band is one rater against the others.",
        numbers=numbers,
        marks=tuple(
            Mark(
                label, one.value.value, *ends_of(one.value), exact(one.value.value), plain_interval(one.value),
                "computer", group=lines.get(label, ""), badge=STANDINGS[standing[label]],
                is_warning=standing[label] in ("less", "more"),
                band=Band(one.ceiling.value, *ends_of(one.ceiling)),
                spoken=f"{label}: {exact(one.value.value)}, {plain_interval(one.value)}; "
                f"one rater {exact(one.ceiling.value)}",
            )
            for label, one in drawn[:MOST_MARKS]
        ),
        chance=0.0 if low < 0 else None,
        even="0",
        scale=(low, 1.0),
        ends=(f"{low:g}", "1"),
    )  # fmt: skip


def _standing(one: ItemMeasure) -> Evidence:
    """By judge minus one rater, both against the same others."""
    return evidence(one.over_person.interval) if one.over_person else "open"
